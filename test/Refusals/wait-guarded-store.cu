// The wait is for a plain store to the thread's own element that an atomic guards.
//
// RUN: %sluice-cc %s -fplugin-arg-sluice-throttle=4 %remarks 2>&1 | FileCheck %s
// RUN: %plain-cc %s > %t.plain 2>/dev/null
// RUN: %sluice-cc %s -fplugin-arg-sluice-throttle=4 -fplugin-arg-sluice-promote=off 2>/dev/null | diff %t.plain -

__global__ void k(const float *A, const float *B, const float *x, float *t,
                  float *y, int *own, int *m) {
  int row = blockIdx.x * blockDim.x + threadIdx.x, w = threadIdx.x / 32;
  if (w < 7)
    while (!own[row])
      if (atomicAdd(&m[w + 1], 0))
        own[row] = 1;
  // CHECK: wait-guarded-store.cu:[[@LINE+1]]:3: remark: loop of 'k' not throttled: N=4 is wanted (N=4 was asked for), but the region at wait-guarded-store.cu:[[@LINE+1]]:3 is in a kernel that contains a loop whose exit depends on memory that another thread may write, so its warps may wait for one another at wait-guarded-store.cu:[[@LINE-3]]:13
  for (int j = 0; j < 512; ++j) {
    t[row] += A[row * 512 + j] * x[j];
    y[row] += B[row * 512 + j] * x[j];
  }
  __threadfence();
  __nvvm_bar_warp_sync(~0u);
  if (threadIdx.x % 32 == 0)
    atomicExch(&m[w], 1);
}
