// How often the outer loop runs is counted by an inner one whose end an atomic decides.
//
// RUN: %sluice-cc %s -fplugin-arg-sluice-throttle=4 %remarks 2>&1 | FileCheck %s
// RUN: %plain-cc %s > %t.plain 2>/dev/null
// RUN: %sluice-cc %s -fplugin-arg-sluice-throttle=4 -fplugin-arg-sluice-promote=off 2>/dev/null | diff %t.plain -

__global__ void k(const float *A, float *y, int *m, int n) {
  int row = blockIdx.x * blockDim.x + threadIdx.x, w = threadIdx.x / 32;
  int found = 0;
  do {
    int i = 0;
    while (i < n && !atomicAdd(&m[w + 1 + i], 0))
      ++i;
    found = i;
  } while (found == n);
  // CHECK: wait-inner-count.cu:[[@LINE+1]]:3: remark: loop of 'k' not throttled: {{.*}} is in a kernel that contains a loop whose exit depends on an atomic operation
  for (int j = 0; j < 512; ++j)
    y[row] += A[row * 512 + j];
  atomicExch(&m[w], 1);
}
