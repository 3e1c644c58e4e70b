// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Staged kernels get a limit of registers, so that blocks of 1,024 threads stay
// possible. A kernel that takes more than they could have keeps what it takes:
// with less it would spill. A plan says the number to other compiles. With
// bounds of the source there is no limit.
//
// RUN: %staging-cc %s -fplugin-arg-sluice-emit-plan=%t.plan.yaml | FileCheck %s
// RUN: FileCheck %s --check-prefix=PLAN --input-file %t.plan.yaml
// RUN: %staging-cc %s -fplugin-arg-sluice-plan=%t.plan.yaml | FileCheck %s
// RUN: sed 's/own-registers: .*/own-registers: 300/' %t.plan.yaml > %t.bad.yaml
// RUN: not %staging-cc %s -fplugin-arg-sluice-plan=%t.bad.yaml 2>&1 >/dev/null | FileCheck %s --check-prefix=BAD
//
// CHECK: .entry few
// CHECK: .maxnreg 64
// CHECK: .entry many
// CHECK: .maxnreg {{1[0-9][0-9]}}
// CHECK: .entry bounded
// CHECK-NOT: .maxnreg
// PLAN: sluice-plan: 12
// PLAN: name: few
// PLAN-NOT: own-registers
// PLAN: name: many
// PLAN: own-registers: {{1[0-9][0-9]$}}
// PLAN: name: bounded
// PLAN-NOT: own-registers
// BAD: own-registers of 300

#define ME (blockIdx.x * blockDim.x + threadIdx.x)

extern "C" __global__ void few(const float *__restrict__ A, float *y, int n) {
  float s = 0;
  for (int j = 0; j < n; ++j)
    s += A[ME * 512 + j];
  y[ME] = s;
}

__device__ __attribute__((always_inline)) void
sums(const float *__restrict__ A, float *y, int n) {
  float Sums[100];
#pragma unroll
  for (int k = 0; k < 100; ++k)
    Sums[k] = y[k * 1024 + ME];
  float s = 0;
  for (int j = 0; j < n; ++j)
    s += A[ME * 512 + j];
#pragma unroll
  for (int k = 0; k < 100; ++k)
    y[k * 1024 + ME + 1] = Sums[k] * s;
}

extern "C" __global__ void many(const float *__restrict__ A, float *y, int n) {
  sums(A, y, n);
}

extern "C" __global__ __launch_bounds__(256) void
bounded(const float *__restrict__ A, float *y, int n) {
  sums(A, y, n);
}

void run(const float *A, float *y) {
  few<<<1056, 256>>>(A, y, 512);
  many<<<1056, 256>>>(A, y, 512);
  bounded<<<1056, 256>>>(A, y, 512);
}
