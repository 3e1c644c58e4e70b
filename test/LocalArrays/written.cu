// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays that are kept in registers once what clang fuses is written down.
//
// REQUIRES: ptxas
// RUN: %written-cc %s -Rpass=sluice-local-arrays -Rpass-missed=sluice-local-arrays 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file %t.remarks
// RUN: %written-cc %s -fplugin-arg-sluice-write-rounding=off | FileCheck %s --check-prefix=OFF
// RUN: %same-written %s %t block=64 grid=2
// RUN: %same-written %s %t block=64 grid=2 expect=different -fplugin-arg-sluice-test-wrong-rewrite=summed-array

// What clang fuses is then not known, or other code is linked to it.
// RUN: %written-cc %s -ffp-contract=off | FileCheck %s --check-prefix=NOFMA
// RUN: %written-cc %s -fgpu-rdc | FileCheck %s --check-prefix=OFF
// RUN: %written-cc %s -O1 | FileCheck %s --check-prefix=OFF
// RUN: %written-cc %s -ffast-math -Rpass-missed=sluice-local-arrays -o %t.ptx 2>&1 | FileCheck %s --check-prefix=FAST

// q[d] * scale is the same for each row, and would be taken out of the loop
// over rows, away from its two sums.
// REMARK: written.cu:[[@LINE+17]]:5: remark: the loop is unrolled whole: arrays of 256 bytes
// REMARK: written.cu:[[@LINE+10]]:3: remark: the loop is unrolled whole: arrays of 256 bytes
// CHECK: .entry attention(
// CHECK-NOT: .local
// CHECK: ret;
// OFF: .local .align
// NOFMA: .entry attention(
// NOFMA-NOT: fma.rn
// FAST: written.cu:{{.*}}: an array of 256 bytes is not kept in registers: {{.*}}; its results may be approximate (fast-math flags)
extern "C" __global__ void attention(const float *in, float *out, int rows) {
  float q[64];
  for (int d = 0; d < 64; ++d)
    q[d] = in[threadIdx.x * 64 + d];
  const float scale = in[threadIdx.x] + in[1];
  float sum = 0;
  for (int row = 0; row < rows; ++row) {
    float dot = 0, other = 1;
    for (int d = 0; d < 64; ++d) {
      dot = __builtin_fminf(dot, in[row * 64 + d]) + q[d] * scale;
      other = __builtin_fminf(other, in[row + d]) + q[d] * scale;
    }
    sum = sum / 5 + other * dot;
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
