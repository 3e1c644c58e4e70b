// A bound in constant memory is the same for all.
//
// RUN: %sluice-cc %s -fplugin-arg-sluice-throttle=4 %remarks 2>&1 | FileCheck %s
// RUN: %sluice-cc %s -fplugin-arg-sluice-throttle=4 2>/dev/null | grep -c bar.sync | FileCheck %s --check-prefix=BARRIERS

__constant__ int limit;
__global__ void k(const float *A, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int r = 0; r < limit; ++r) {
    // CHECK: fine-constant.cu:[[@LINE+1]]:5: remark: loop of 'k' throttled, N=4
    for (int j = 0; j < 512; ++j)
      y[i] += A[i * 512 + j];
    if (y[i] < 0)
      return;
  }
}
// BARRIERS: {{^}}1{{$}}
