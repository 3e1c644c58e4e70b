// A break by thread out of an outer loop: the region grows to that loop.
//
// RUN: %throttle-cc %s -fplugin-arg-sluice-throttle=4 %remarks -fplugin-arg-sluice-remarks=all 2>&1 | FileCheck %s
// RUN: %plain-cc %s > %t.plain 2>/dev/null
// RUN: %throttle-cc %s -fplugin-arg-sluice-throttle=4 2>/dev/null | diff %t.plain -

__global__ void k(const float *A, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int r = 0; r < n; ++r) {
    if (y[i] < 0)
      break;
    // CHECK: jump-break.cu:[[@LINE+1]]:5: remark: loop of 'k' not throttled: N=4 is wanted (N=4 was asked for), but the region at jump-break.cu:[[@LINE-3]]:3 contains a block barrier at jump-break.cu:[[@LINE+3]]:5
    for (int j = 0; j < 512; ++j)
      y[i] += A[i * 512 + j];
    __syncthreads();
  }
}
