// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows that are read by `__ldg` are staged, or kept in registers, though the
// kernel writes through pointers of which nothing is known.
//
// RUN: %staging-cc %s -fplugin-arg-sluice-software-l1=staged -Rpass=sluice-software 2>&1 | FileCheck %s --check-prefix=STAGED
// RUN: %staging-cc %s -fplugin-arg-sluice-software-l1=registers -Rpass=sluice-software 2>&1 | FileCheck %s --check-prefix=REGISTERS
// RUN: %same-staged %s %t int=300 block=128 grid=2
// RUN: %same-staged %s %t int=301 block=96x2 grid=1
// RUN: %same-staged %s %t int=0 block=64 grid=1
// RUN: %same-staged %s %t int=300 block=128 grid=2 -fplugin-arg-sluice-software-l1=registers
// RUN: %same-staged %s %t int=35 block=100 grid=3 -fplugin-arg-sluice-software-l1=registers
//
// STAGED-COUNT-2: of the loop {{(is|are)}} staged
// STAGED: cp.async
// REGISTERS-COUNT-2: bytes at a time
// REGISTERS: ld.global.v4

#define ME                                                                     \
  (blockIdx.x * blockDim.x * blockDim.y + threadIdx.y * blockDim.x +           \
   threadIdx.x)

__global__ void rows(const float *A, float *y, int n) {
  float s = 0;
  for (int j = 0; j < n; ++j) {
    s += __nvvm_ldg_f(A + ME * 512 + j);
    y[ME] = s;
  }
}

// One by __ldg, one not.
__global__ void mixed(const float *A, float *y, int n) {
  float s = 0;
  for (int j = 0; j < n; ++j)
    s += __nvvm_ldg_f(A + ME * 512 + j) * A[ME * 512 + 3 * j];
  y[ME] = s;
}
