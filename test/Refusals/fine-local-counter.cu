// The counter is in a local array, beside atomics.
//
// RUN: %sluice-cc %s -fplugin-arg-sluice-throttle=4 %remarks 2>&1 | FileCheck %s
// RUN: %sluice-cc %s -fplugin-arg-sluice-throttle=4 2>/dev/null | grep -c bar.sync | FileCheck %s --check-prefix=BARRIERS

__global__ void k(const float *A, float *y, int *count, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int left[8];
  for (int p = 0; p < 8; ++p)
    left[p] = p + n;
  // CHECK: fine-local-counter.cu:[[@LINE+1]]:3: remark: loop of 'k' throttled, N=4
  for (int j = 0; left[n & 7] > 0; ++j) {
    y[i] += A[i * 512 + j];
    left[n & 7] -= 1;
    atomicAdd(count, 1);
  }
}
// BARRIERS: {{^}}1{{$}}
