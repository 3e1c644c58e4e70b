// Waiting on a plain load with a fence in the loop.
//
// RUN: %sluice-cc %s -fplugin-arg-sluice-throttle=4 %remarks 2>&1 | FileCheck %s
// RUN: %plain-cc %s > %t.plain 2>/dev/null
// RUN: %sluice-cc %s -fplugin-arg-sluice-throttle=4 2>/dev/null | diff %t.plain -

__global__ void k(const float *A, float *y, int *flag) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // CHECK: spin-fence.cu:[[@LINE+1]]:3: remark: loop of 'k' not throttled: N=4 is wanted (N=4 was asked for), but the region at spin-fence.cu:[[@LINE+1]]:3 contains a loop whose exit depends on memory that another thread may write, so its warps may wait for one another at spin-fence.cu:[[@LINE+3]]:12
  for (int j = 0; j < 512; ++j) {
    y[i] += A[i * 512 + j];
    while (*flag == 0)
      __threadfence();
  }
}
