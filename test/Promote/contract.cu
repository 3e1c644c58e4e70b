// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// clang fuses by default what stands in one block: the sum of a promoted loop is
// fused as it would be in memory, so that results stay the same to the last bit.
// (Unfused, 0 + d * d would be folded and d * d be fused into the next sum.)
//
// RUN: %sluice-cc %s -fplugin-arg-sluice-throttle=off -fplugin-arg-sluice-promote=on -o %t.ptx
// RUN: FileCheck %s < %t.ptx
// RUN: %same-results %s %t -fplugin-arg-sluice-promote=on
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
