// A default member initialiser in a structure of the kernel: its text is in the
// kernel, before the loop that runs it.
//
// RUN: %sluice-cc %s -fplugin-arg-sluice-throttle=4 %remarks 2>&1 | FileCheck %s
// RUN: %plain-cc %s > %t.plain 2>/dev/null
// RUN: %sluice-cc %s -fplugin-arg-sluice-throttle=4 2>/dev/null | diff %t.plain -

__device__ int sync() {
  __syncthreads();
  return 0;
}
__global__ void k(const float *A, float *y) {
  struct Pair {
    float v;
    int s = sync();
  };
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // CHECK: barrier-local-structure.cu:[[@LINE+1]]:3: remark: loop of 'k' not throttled: N=4 is wanted (N=4 was asked for), but the region at barrier-local-structure.cu:[[@LINE+1]]:3 contains a block barrier (in 'sync()') at barrier-local-structure.cu:[[@LINE-9]]:3
  for (int j = 0; j < 512; ++j) {
    Pair p = {A[i * 512 + j]};
    y[i] += p.v + p.s;
  }
}
