// A failed assertion leaves the loop, and with it the kernel.
//
// RUN: %sluice-cc %s -fplugin-arg-sluice-throttle=4 %remarks 2>&1 | FileCheck %s
// RUN: %sluice-cc %s -fplugin-arg-sluice-throttle=4 2>/dev/null | grep -c bar.sync | FileCheck %s --check-prefix=BARRIERS

extern "C" __device__ __attribute__((noreturn)) void
__assertfail(const char *, const char *, unsigned, const char *,
             decltype(sizeof 0));
__global__ void k(const float *A, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // CHECK: fine-assertion.cu:[[@LINE+1]]:3: remark: loop of 'k' throttled, N=4
  for (int j = 0; j < n; ++j) {
    y[i] += A[i * 512 + j];
    if (y[i] > 2)
      __assertfail("", "", 1, "", 1);
  }
}
// BARRIERS: {{^}}1{{$}}
