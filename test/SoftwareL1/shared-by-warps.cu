// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows that all warps of a block read are copied through the L1, which gives
// them to the second warp; rows of one warp alone go past it.
//
// RUN: %staging-cc %s -fplugin-arg-sluice-emit-plan=%t.plan.yaml -o %t.s
// RUN: FileCheck %s --input-file %t.s
// RUN: FileCheck %s --check-prefix=PLAN --input-file %t.plan.yaml
// RUN: %staging-cc %s -fplugin-arg-sluice-plan=%t.plan.yaml | diff %t.s -
// RUN: sed 's/through-l1: .*true/through-l1: false/' %t.plan.yaml > %t.past.plan.yaml
// RUN: %staging-cc %s -fplugin-arg-sluice-plan=%t.past.plan.yaml | FileCheck %s --check-prefix=PAST --implicit-check-not=cp.async.ca
// RUN: %same-staged %s %t int=300 block=32x8 grid=2
// RUN: %same-staged %s %t int=131 block=16x4 grid=2
//
// CHECK-LABEL: .entry _Z7productPKfPfi(
// CHECK: cp.async.ca.shared.global
// CHECK-LABEL: .entry _Z3ownPKfPfi(
// CHECK: cp.async.cg.shared.global
// PLAN: sluice-plan: 11
// PLAN: name: _Z7productPKfPfi
// PLAN: through-l1: {{ *}}true
// PLAN: name: _Z3ownPKfPfi
// PLAN-NOT: through-l1
// PAST: cp.async.cg

__global__ void product(const float *__restrict__ A, float *y, int n) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x, i = threadIdx.y;
  float s = 0;
  for (int k = 0; k < n; ++k)
    s += A[i * 512 + k] * A[j * 512 + k];
  y[i * gridDim.x * blockDim.x + j] = s;
}

__global__ void own(const float *__restrict__ A, float *y, int n) {
  const int i =
      (blockIdx.x * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  float s = 0;
  for (int k = 0; k < n; ++k)
    s += A[i * 512 + k];
  y[i] = s;
}

void run(const float *A, float *y) {
  product<<<64, dim3(32, 8)>>>(A, y, 512);
  own<<<64, dim3(32, 8)>>>(A, y, 512);
}
