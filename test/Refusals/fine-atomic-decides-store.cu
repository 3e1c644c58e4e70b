// An atomic decides what is stored, not when the loop ends.
//
// RUN: %sluice-cc %s -fplugin-arg-sluice-throttle=4 %remarks 2>&1 | FileCheck %s
// RUN: %sluice-cc %s -fplugin-arg-sluice-throttle=4 2>/dev/null | grep -c bar.sync | FileCheck %s --check-prefix=BARRIERS

__global__ void k(const float *A, float *y, int *count, int *list, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // CHECK: fine-atomic-decides-store.cu:[[@LINE+1]]:3: remark: loop of 'k' throttled, N=4
  for (int j = 0; j < n; ++j) {
    y[i] += A[i * 512 + j];
    int slot = atomicAdd(count, 1);
    if (slot < 100)
      list[slot] = i;
  }
}
// BARRIERS: {{^}}1{{$}}
