// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// clang fuses by default what stands in one block: the sum of a promoted loop is
// fused as it would be in memory, so that results stay the same to the last bit.
// (Unfused, 0 + d * d would be folded and d * d be fused into the next sum.)
//
// RUN: %sluice-cc %s -fplugin-arg-sluice-throttle=off -fplugin-arg-sluice-promote=on -o %t.ptx
// RUN: FileCheck %s < %t.ptx
// RUN: %same-results %s %t -fplugin-arg-sluice-promote=on
// RUN: %sluice-cc %s %remarks -fplugin-arg-sluice-throttle=off -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: %sluice-cc %s %remarks -fplugin-arg-sluice-throttle=off -ffp-contract=off -o /dev/null 2>&1 | FileCheck %s --check-prefix=OFF --implicit-check-not=there:
// OFF: stays in registers
// OFF: stays in registers
// RUN: %same-results %s %t -ffp-contract=off -fplugin-arg-sluice-promote=on

// CHECK-LABEL: .entry _Z7squares
// CHECK-NOT: mul.f32
// CHECK-NOT: mul.rn.f32
// CHECK: fma.rn.f32
__global__ void squares(const float *A, const float *mean, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = 0;
  for (int j = 0; j < 32; ++j)
    y[i] += (A[j * 512 + i] - mean[i]) * (A[j * 512 + i] - mean[i]);
}

// A product that is added to in the next iteration: the two become one operation
// where they stand in one block, so by how often the loop is unrolled, which the
// store in it has a part in.
// REMARK: contract.cu:[[@LINE+3]]:3: remark: what the loop adds up in memory stays there: as the compiler may join or reorder floating-point operations of several iterations
__global__ void across(const float *A, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j = 0; j < 128; ++j)
    y[i] = (y[i] + A[i * 128 + j]) * x[j];
}
