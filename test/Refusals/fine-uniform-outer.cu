// An outer loop that the whole block runs alike: the region is the inner loop.
//
// RUN: %sluice-cc %s -fplugin-arg-sluice-throttle=4 %remarks 2>&1 | FileCheck %s
// RUN: %sluice-cc %s -fplugin-arg-sluice-throttle=4 2>/dev/null | grep -c bar.sync | FileCheck %s --check-prefix=BARRIERS

__global__ void k(const float *A, float *y, int n, int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int r = 0; r < n; ++r) {
    // CHECK: fine-uniform-outer.cu:[[@LINE+1]]:5: remark: loop of 'k' throttled, N=4
    for (int j = 0; j < 512; ++j)
      y[i] += A[i * 512 + j];
    if (r == m)
      break;
    __syncthreads();
  }
}
// BARRIERS: {{^}}2{{$}}
