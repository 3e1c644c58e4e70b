// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A parameter that is written to each element, as wide as it is aligned.
//
// RUN: %copies-cc %s -Rpass=sluice-copies 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file %t.remarks
// RUN: %plain-cc %s > %t.plain
// RUN: FileCheck %s --check-prefix=PLAIN --input-file %t.plain
// RUN: %copies-cc -fplugin-arg-sluice-fewer-instructions=off %s -fplugin-arg-sluice-copies=off | diff %t.plain -
//
// REMARK: parameter.cu:[[#@LINE+19]]:{{[0-9]+}}: remark: a copy of 32 bytes is read whole before it is written
//
// PLAIN: .entry fill
// PLAIN-COUNT-4: st.global.b64
// CHECK: .entry fill
// CHECK-NOT: .local
// CHECK-COUNT-2: ld.param.v4.b32
// CHECK-NOT: .local
// CHECK-COUNT-2: st.global.v4.b32
// CHECK: ret;

struct __attribute__((aligned(16))) Aligned {
  float X[8];
};

extern "C" __global__ void fill(Aligned *B, Aligned Value, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  // Value is at its place for all threads.
  if (i < n)
    B[i] = Value;
}
