// A #line directive gives the barrier a place before the loop it stands in.
//
// RUN: %sluice-cc %s -fplugin-arg-sluice-throttle=4 %remarks 2>&1 | FileCheck %s
// RUN: %plain-cc %s > %t.plain 2>/dev/null
// RUN: %sluice-cc %s -fplugin-arg-sluice-throttle=4 2>/dev/null | diff %t.plain -

__global__ void k(const float *A, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
#line 100
  // CHECK: remark: loop of 'k' not throttled: N=4 is wanted
  for (int j = 0; j < 512; ++j) {
    y[i] += A[i * 512 + j];
#line 5
    __syncthreads();
#line 110
  }
}
