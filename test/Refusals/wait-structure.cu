// The flag is a field of a structure that a function fills.
//
// RUN: %sluice-cc %s -fplugin-arg-sluice-throttle=4 %remarks 2>&1 | FileCheck %s
// RUN: %plain-cc %s > %t.plain 2>/dev/null
// RUN: %sluice-cc %s -fplugin-arg-sluice-throttle=4 -fplugin-arg-sluice-promote=off 2>/dev/null | diff %t.plain -

struct State {
  int Tries, Ready;
};
__attribute__((noinline)) __device__ void look(State *S, int *flag) {
  ++S->Tries;
  if (atomicAdd(flag, 0))
    S->Ready = 1;
}
__global__ void k(const float *A, float *y, int *m) {
  int row = blockIdx.x * blockDim.x + threadIdx.x, w = threadIdx.x / 32;
  State S = {0, 0};
  while (!S.Ready)
    look(&S, &m[w + 1]);
  // CHECK: wait-structure.cu:[[@LINE+1]]:3: remark: loop of 'k' not throttled: {{.*}} is in a kernel that contains a loop whose exit depends on memory that is also written by more than stores
  for (int j = 0; j < 512; ++j)
    y[row] += A[row * 512 + j];
  atomicExch(&m[w], 1);
}
