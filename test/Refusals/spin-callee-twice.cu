// The same callee waits before the loop and in it: both count.
//
// RUN: %sluice-cc %s -fplugin-arg-sluice-throttle=4 %remarks 2>&1 | FileCheck %s
// RUN: %plain-cc %s > %t.plain 2>/dev/null
// RUN: %sluice-cc %s -fplugin-arg-sluice-throttle=4 2>/dev/null | diff %t.plain -

__attribute__((noinline)) __device__ void wait(volatile int *flag) {
  while (*flag == 0)
    ;
}
__global__ void k(const float *A, float *y, volatile int *flag) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  wait(flag);
  // CHECK: spin-callee-twice.cu:[[@LINE+1]]:3: remark: loop of 'k' not throttled: N=4 is wanted (N=4 was asked for), but the region at spin-callee-twice.cu:[[@LINE+1]]:3 contains a loop whose exit depends on a volatile load
  for (int j = 0; j < 512; ++j) {
    y[i] += A[i * 512 + j];
    wait(flag);
  }
}
