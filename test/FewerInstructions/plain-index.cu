// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops with a step that is known when the kernel runs, which load nothing, and
// loops around several that begin where they say, keep their index.
//
// RUN: %fewer-cc %s -Rpass=sluice-fewer-instructions 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --implicit-check-not=remark: --input-file %t.remarks
// RUN: %same-fewer %s %t block=64 grid=2 int=300

// REMARK: plain-index.cu:[[#@LINE+6]]:{{[0-9]+}}: remark: 1 loop keeps its index, and has no pointers that are moved on
// CHECK-LABEL: .entry _Z4fill
// CHECK-NOT: add.s64 {{.*}}%[[P:rd[0-9]+]], %[[P]]
// CHECK: ret;
__global__ void fill(unsigned *out, int n) {
  unsigned state = 7 * threadIdx.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    state = state * 69069 + 12345;
    out[i] = state;
  }
}

// It accesses nothing: there are no pointers.
// CHECK-LABEL: .entry _Z9remainder
// CHECK: ret;
__global__ void remainder(int *out, int n) {
  unsigned x = threadIdx.x * -77;
  while ((int)x < 0)
    x += n;
  out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}
