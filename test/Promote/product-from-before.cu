// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The product is used once, so that the code generator fuses it with its sum in
// the loop, unless there are copies of the loop: clang makes none of the large
// one, but sums in registers need a second version. Of the small one LLVM's
// unroller announces eight, which later it may find that it cannot have.
//
// RUN: %sluice-cc %s -ffp-contract=fast -fplugin-arg-sluice-promote=on -Rpass=sluice-promote -Rpass-missed=sluice-promote -DTIMES=20 2>&1 >/dev/null | FileCheck %s
// RUN: %sluice-cc %s -ffp-contract=off -fplugin-arg-sluice-promote=on -Rpass=sluice-promote -Rpass-missed=sluice-promote -DTIMES=20 2>&1 >/dev/null | FileCheck %s --check-prefix=PROMOTED
// RUN: %sluice-cc %s -ffp-contract=fast -fplugin-arg-sluice-promote=on -Rpass=sluice-promote -Rpass-missed=sluice-promote -DTIMES=1 2>&1 >/dev/null | FileCheck %s
//
// CHECK: what the loop adds up in memory stays there: a product from before it is added in it, and fused with the sum where there is one copy of the loop
// PROMOTED: what the loop adds up in memory stays in registers

__global__ void before(const float *A, const float *B, float *O, int n) {
  const int i = threadIdx.x + blockIdx.x * blockDim.x;
  const float product = B[i] * B[i + 1];
  float t = 1;
  for (int j = 0; j < n; ++j) {
    const float a = A[j * 977 + i];
#pragma unroll
    for (int k = 0; k < TIMES; ++k)
      t = t / (t + 2) + a;
    t += product;
    O[i] += t;
  }
}
void launch(float *A) { before<<<2112, 256>>>(A, A, A, 100); }
