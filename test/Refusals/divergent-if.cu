// A divergent `if` around the loop is the region, and what else is in it counts.
//
// RUN: %throttle-cc %s -fplugin-arg-sluice-throttle=4 %remarks 2>&1 | FileCheck %s
// RUN: %plain-cc %s > %t.plain 2>/dev/null
// RUN: %throttle-cc %s -fplugin-arg-sluice-throttle=4 2>/dev/null | diff %t.plain -

__global__ void k(const float *A, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    // CHECK: divergent-if.cu:[[@LINE+1]]:5: remark: loop of 'k' not throttled: N=4 is wanted (N=4 was asked for), but the region at divergent-if.cu:[[@LINE-1]]:3 contains a block barrier at divergent-if.cu:[[@LINE+3]]:5
    for (int j = 0; j < 512; ++j)
      y[i] += A[i * 512 + j];
    __syncthreads();
  }
}
