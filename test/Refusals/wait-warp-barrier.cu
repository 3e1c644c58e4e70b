// The flag is read again, plainly, behind a barrier of the warp.
//
// RUN: %sluice-cc %s -fplugin-arg-sluice-throttle=4 %remarks 2>&1 | FileCheck %s
// RUN: %plain-cc %s > %t.plain 2>/dev/null
// RUN: %sluice-cc %s -fplugin-arg-sluice-throttle=4 -fplugin-arg-sluice-promote=off 2>/dev/null | diff %t.plain -

__global__ void k(const float *A, float *y, int *m) {
  int row = blockIdx.x * blockDim.x + threadIdx.x, w = threadIdx.x / 32;
  while (m[w + 1] == 0)
    __nvvm_bar_warp_sync(~0u);
  // CHECK: wait-warp-barrier.cu:[[@LINE+1]]:3: remark: loop of 'k' not throttled: {{.*}} is in a kernel that contains a loop whose exit depends on memory that another thread may write
  for (int j = 0; j < 512; ++j)
    y[row] += A[row * 512 + j];
  m[w] = 1;
}
