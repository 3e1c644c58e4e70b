// printf and a failed assertion wait for nobody.
//
// RUN: %sluice-cc %s -fplugin-arg-sluice-throttle=4 %remarks 2>&1 | FileCheck %s
// RUN: %sluice-cc %s -fplugin-arg-sluice-throttle=4 2>/dev/null | grep -c bar.sync | FileCheck %s --check-prefix=BARRIERS

extern "C" __device__ int printf(const char *, ...);
extern "C" __device__ void __assert_fail(const char *, const char *, unsigned,
                                         const char *);
__global__ void k(const float *A, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // CHECK: fine-printf.cu:[[@LINE+1]]:3: remark: loop of 'k' throttled, N=4
  for (int j = 0; j < 512; ++j) {
    y[i] += A[i * 512 + j];
    if (y[i] > 1)
      printf("%d", i);
    if (y[i] > 2)
      __assert_fail("", "", 1, "");
  }
}
// BARRIERS: {{^}}1{{$}}
