// A wait in a default member initialiser, whose text is outside the loop.
//
// RUN: %sluice-cc %s -fplugin-arg-sluice-throttle=4 %remarks 2>&1 | FileCheck %s
// RUN: %plain-cc %s > %t.plain 2>/dev/null
// RUN: %sluice-cc %s -fplugin-arg-sluice-throttle=4 2>/dev/null | diff %t.plain -

__device__ int flag;
__device__ int wait(volatile int *f) {
  while (*f == 0)
    ;
  return 1;
}
struct Pair {
  float v;
  int s = wait(&flag);
};
__global__ void k(const float *A, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // CHECK: spin-default-member.cu:[[@LINE+1]]:3: remark: loop of 'k' not throttled: N=4 is wanted (N=4 was asked for), but the region at spin-default-member.cu:[[@LINE+1]]:3 contains a loop whose exit depends on a volatile load
  for (int j = 0; j < 512; ++j) {
    y[i] += A[i * 512 + j];
    Pair p = {y[i]};
    y[i] += p.v + p.s;
  }
}
