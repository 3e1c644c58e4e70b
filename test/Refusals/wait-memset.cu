// The flag that ends the wait is set by memset.
//
// RUN: %sluice-cc %s -fplugin-arg-sluice-throttle=4 %remarks 2>&1 | FileCheck %s
// RUN: %plain-cc %s > %t.plain 2>/dev/null
// RUN: %sluice-cc %s -fplugin-arg-sluice-throttle=4 -fplugin-arg-sluice-promote=off -fplugin-arg-sluice-fewer-instructions=off 2>/dev/null | diff %t.plain -

__global__ void k(const float *A, float *y, int *m, int n) {
  int row = blockIdx.x * blockDim.x + threadIdx.x, w = threadIdx.x / 32;
  int seen[8] = {};
  while (!seen[n & 7])
    if (atomicAdd(&m[w + 1], 0))
      __builtin_memset(seen, 1, sizeof seen);
  // CHECK: wait-memset.cu:[[@LINE+1]]:3: remark: loop of 'k' not throttled: {{.*}} is in a kernel that contains a loop whose exit depends on {{an atomic operation|memory that is also written by more than stores}}
  for (int j = 0; j < 512; ++j)
    y[row] += A[row * 512 + j];
  atomicExch(&m[w], 1);
}
