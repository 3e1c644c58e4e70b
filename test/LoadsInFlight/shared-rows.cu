// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A row that the threads of a block share, with a step that is known: LLVM
// takes one iteration at a time, as it does not compute how many there are. Here
// it is four, of which the assembler may take several ("nounroll" would forbid
// it), and a rest in pieces.
//
// RUN: %loads-cc %s -Rpass=sluice-loads 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --implicit-check-not=remark: < %t.remarks
// RUN: for n in 0 1 63 64 65 128 200 256 257 320 448 511 512; do %same-loads %s %t int=$n block=64 grid=2 || exit 1; done
//
// REMARK: shared-rows.cu:[[#@LINE+10]]:3: remark: the rest of the loop, fewer than 4 iterations, is not taken one by one
//
// CHECK-LABEL: .entry largest
// CHECK-NOT: nounroll
// CHECK-COUNT-7: ld.global
// CHECK-NOT: {{ld.global|nounroll}}
// CHECK: ret;
extern "C" __global__ void largest(const float *x, float *out, int n) {
  const float *row = x + blockIdx.x * 512;
  float m = 0;
  for (int i = threadIdx.x; i < n; i += 64)
    m = row[i] > m ? row[i] : m;
  out[threadIdx.x + blockIdx.x * 64] = m;
}
