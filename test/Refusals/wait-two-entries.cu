// A loop with two entries, made by goto-like control, that an atomic ends.
//
// RUN: %sluice-cc %s -fplugin-arg-sluice-throttle=4 %remarks 2>&1 | FileCheck %s
// RUN: %plain-cc %s > %t.plain 2>/dev/null
// RUN: %sluice-cc %s -fplugin-arg-sluice-throttle=4 -fplugin-arg-sluice-promote=off 2>/dev/null | diff %t.plain -

__device__ __attribute__((noinline)) void wait(int *flag, int n) {
  if (n)
    goto middle;
start:
  n += 1;
middle:
  if (!atomicAdd(flag, 0))
    goto start;
  flag[1] = n;
}
__global__ void k(const float *A, float *y, int *m, int n) {
  int row = blockIdx.x * blockDim.x + threadIdx.x, w = threadIdx.x / 32;
  wait(&m[w + 1], n);
  // CHECK: wait-two-entries.cu:[[@LINE+1]]:3: remark: loop of 'k' not throttled: {{.*}} is in a kernel that contains a loop
  for (int j = 0; j < 512; ++j)
    y[row] += A[row * 512 + j];
  atomicExch(&m[w], 1);
}
