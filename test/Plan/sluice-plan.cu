// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// sluice plan prints the plan and compiles nothing.
//
// RUN: %sluice plan %s --sluice-software-l1=off --sluice-promote=off --cuda-gpu-arch=sm_90 | FileCheck %s
// CHECK: sluice-plan: 1
// CHECK-NEXT: source: sluice-plan.cu
// CHECK-NEXT: gpu: sm_90
// CHECK-NEXT: sms: 132
// CHECK-NEXT: kernels:
// CHECK-NEXT: - name: _Z2mvPKfS0_Pf
// CHECK-NEXT: display: mv
// CHECK-NEXT: registers: {{[0-9]+}}
// CHECK-NEXT: registers-from: assembler
// CHECK-NEXT: launches:
// CHECK-NEXT: - grid: [ 2112, 1, 1 ]
// CHECK-NEXT: block: [ 32, 4, 1 ]
// CHECK-NEXT: shared: 1024
// CHECK-NEXT: at: 'sluice-plan.cu:[[@LINE+25]]:3'
// CHECK-NEXT: blocks-per-sm: {{[0-9]+}}
// CHECK-NEXT: l1-bytes: {{[0-9]+}}
// CHECK-NEXT: loops:
// CHECK-NEXT: - loop: 'sluice-plan.cu:[[@LINE+17]]:3'
// CHECK-NEXT: throttle: 2
// CHECK-NEXT: why: {{.*}}beyond the L1
// CHECK-NEXT: footprint-bytes: {{[0-9]+}}
// CHECK-NEXT: throttled-footprint-bytes: {{[0-9]+}}
// CHECK-NEXT: accesses:
// CHECK: kind: load
// CHECK-NEXT: bytes: 4
// CHECK-NEXT: address: {{.*}}4*i0
// CHECK-NEXT: lines-per-warp: 32
// CHECK-NEXT: sectors-per-warp: 32
// CHECK-NEXT: lines-per-block: 128
// CHECK-NEXT: iteration-stride: '4'

constexpr int Rows = 132 * 2048, Columns = 512;
__global__ void mv(const float *A, const float *x, float *y) {
  int i = (blockIdx.x * 4 + threadIdx.y) * 32 + threadIdx.x;
  for (int j = 0; j < Columns; ++j)
    y[i] += A[i * Columns + j] * x[j];
}
void run(const float *A, const float *x, float *y) {
  mv<<<Rows / 128, dim3(32, 4), 1024>>>(A, x, y);
}
