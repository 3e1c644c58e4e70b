// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops that take turns together: without a test where one of them wants that N
// without, else with the tests of all. So it is where a plan gives tests to one.
//
// RUN: rm -f %t.plan.yaml
// RUN: %sluice-cc %s %remarks -fplugin-arg-sluice-emit-plan=%t.plan.yaml -o %t.ptx 2>&1 | FileCheck %s
// RUN: FileCheck %s --check-prefix=PTX --input-file %t.ptx
// RUN: %sluice-cc %s -fplugin-arg-sluice-plan=%t.plan.yaml | diff - %t.ptx
// RUN: %same-results %s %t grid=8 block=256 int=64 -fplugin-arg-sluice-sms=2
// RUN: %same-results %s %t grid=8 block=256 int=8 -fplugin-arg-sluice-sms=2
//
// RUN: printf 'sluice-plan: 3\ngpu: sm_90\nkernels:\n  - name: _Z6anywayPKfS0_PfPKii\n    loops:\n      - loop: only-if-regions.cu:42:5\n        throttle: 2\n        only-if: [{argument: 4, at-least: 77}]\n      - loop: only-if-regions.cu:44:5\n        throttle: 8\n' > %t.hand.yaml
// RUN: %sluice-cc %s -fplugin-arg-sluice-plan=%t.hand.yaml | FileCheck %s --check-prefix=HAND
// HAND: setp.{{lt|gt|ge}}.s32 {{.*}}, {{76|77}};
// HAND: selp.b32 {{.*}}, {{1, 8|8, 1}}, %p

__global__ void tested(const float *A, const float *B, float *y, const int *on,
                       int n, int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (on[i]) {
    // CHECK: :[[@LINE+5]]:5: remark: loop of 'tested' throttled, N=4 if n >= 32 and m >= 32: {{.*}}; throttled together with the loop at only-if-regions.cu:[[@LINE+7]]:5, N=4, only if n >= 32 and m >= 32 (
    // CHECK: :[[@LINE+6]]:5: remark: loop of 'tested' throttled, N=4 if n >= 32 and m >= 32: {{.*}}; throttled together with the loop at only-if-regions.cu:[[@LINE+4]]:5, N=4, only if n >= 32 and m >= 32 (
    // PTX-LABEL: .entry _Z6tested
    // PTX: min.s32
    // PTX-NEXT: setp.{{lt|gt|ge}}.s32 {{.*}}, {{31|32}};
    for (int j = 0; j < 64; ++j)
      y[i] += A[i * n + j] * B[i * n + j];
    for (int j = 0; j < 64; ++j)
      y[i] += A[i * m + j] * B[i * m + j];
  }
}

__global__ void anyway(const float *A, const float *B, float *y, const int *on,
                       int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (on[i]) {
    // CHECK: :42:5: remark: loop of 'anyway' throttled, N=4: {{.*}}; throttled together with the loop at only-if-regions.cu:44:5, N=4, whatever the arguments (
    // CHECK: :44:5: remark: loop of 'anyway' throttled, N=4: footprint
    // PTX-LABEL: .entry _Z6anyway
    // PTX-NOT: setp.{{lt|gt|ge}}.s32 {{.*}}, {{31|32}};
    for (int j = 0; j < 64; ++j)
      y[i] += A[i * n + j] * B[i * n + j];
    for (int j = 0; j < 64; ++j)
      y[i] += A[i * 64 + j] * B[i * 64 + j];
  }
}

void run(const float *A, const float *B, float *y, const int *on, int n) {
  tested<<<1056, 256>>>(A, B, y, on, n, n + 1);
  anyway<<<1056, 256>>>(A, B, y, on, n);
}
