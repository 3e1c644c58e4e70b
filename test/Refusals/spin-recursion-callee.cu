// Waiting by recursion, on what a callee reads.
//
// RUN: %sluice-cc %s -fplugin-arg-sluice-throttle=4 %remarks 2>&1 | FileCheck %s
// RUN: %plain-cc %s > %t.plain 2>/dev/null
// RUN: %sluice-cc %s -fplugin-arg-sluice-throttle=4 2>/dev/null | diff %t.plain -

__attribute__((noinline)) __device__ int peek(int *flag) {
  return atomicAdd(flag, 0);
}
__attribute__((noinline)) __device__ void wait(int *flag) {
  if (peek(flag) == 0) {
    wait(flag);
    flag[1] += 1;
  }
}
__global__ void k(const float *A, float *y, int *flag) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // CHECK: spin-recursion-callee.cu:[[@LINE+1]]:3: remark: loop of 'k' not throttled: N=4 is wanted (N=4 was asked for), but the region at spin-recursion-callee.cu:[[@LINE+1]]:3 contains a recursion
  for (int j = 0; j < 512; ++j) {
    y[i] += A[i * 512 + j];
    wait(flag);
  }
}
