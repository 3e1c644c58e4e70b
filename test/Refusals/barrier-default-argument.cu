// A barrier in a default argument, whose text is outside the loop.
//
// RUN: %sluice-cc %s -fplugin-arg-sluice-throttle=4 %remarks 2>&1 | FileCheck %s
// RUN: %plain-cc %s > %t.plain 2>/dev/null
// RUN: %sluice-cc %s -fplugin-arg-sluice-throttle=4 2>/dev/null | diff %t.plain -

__device__ int sync() {
  __syncthreads();
  return 0;
}
__device__ float add(float x, int s = sync()) { return x + s; }
__global__ void k(const float *A, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // CHECK: barrier-default-argument.cu:[[@LINE+1]]:3: remark: loop of 'k' not throttled: N=4 is wanted (N=4 was asked for), but the region at barrier-default-argument.cu:[[@LINE+1]]:3 contains a block barrier (in 'sync()') at barrier-default-argument.cu:[[@LINE-6]]:3
  for (int j = 0; j < 512; ++j) {
    y[i] += A[i * 512 + j];
    y[i] += add(y[i]);
  }
}
