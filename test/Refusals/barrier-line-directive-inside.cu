// A #line directive gives the barrier a line of the kernel before the loop, and a
// second one sets the numbers right again.
//
// RUN: %sluice-cc %s -fplugin-arg-sluice-throttle=4 %remarks 2>&1 | FileCheck %s
// RUN: %plain-cc %s > %t.plain 2>/dev/null
// RUN: %sluice-cc %s -fplugin-arg-sluice-throttle=4 2>/dev/null | diff %t.plain -

// CHECK: remark: loop of 'k' not throttled: N=4 is wanted
#line 10
__global__ void k(const float *A, float *y) { // line 10
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = 0;
  for (int j = 0; j < 512; ++j) {
    y[i] += A[i * 512 + j];
#line 12
    __syncthreads();
#line 18
  }
}
