// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Structs are read whole before they are written, by accesses as wide as their
// alignment allows; what clang copies word by word is left alone where it is
// asked for, where the source switches Sluice off, and where it is long.
//
// RUN: %copies-cc %s -Rpass=sluice-copies 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file %t.remarks
// RUN: %plain-cc %s > %t.plain
// RUN: FileCheck %s --check-prefix=PLAIN --input-file %t.plain
// RUN: %copies-cc -fplugin-arg-sluice-fewer-instructions=off %s -fplugin-arg-sluice-copies=off | diff %t.plain -
// RUN: %same-staged %s %t int=3 block=64 grid=2
// RUN: %same-staged %s %t int=3 block=64 grid=2 expect=different -fplugin-arg-sluice-test-wrong-rewrite=short-copy
//
// REMARK: structs.cu:[[#@LINE+32]]:9: remark: a copy of 12 bytes is read whole before it is written
//
// PLAIN: .entry words
// PLAIN: ld.global.b32
// PLAIN-NEXT: st.global.b32
// CHECK: .entry words
// CHECK-COUNT-3: ld.global.b32
// CHECK-COUNT-3: st.global.b32
// CHECK: .entry aligned
// CHECK: ld.global.v4.b32
// CHECK-NEXT: ld.global.v4.b32
// CHECK-NEXT: st.global.v4.b32
// CHECK-NEXT: st.global.v4.b32
// CHECK: .entry odd
// CHECK-COUNT-2: ld.global.b16
// CHECK: st.global.b16
// CHECK: .entry off
// CHECK: ld.global.b32
// CHECK-NEXT: st.global.b32

struct Words {
  float X, Y, Z;
};
struct __attribute__((aligned(16))) Aligned {
  float X[8];
};
struct Odd {
  short X[5];
};
#define ME (blockIdx.x * blockDim.x + threadIdx.x)

extern "C" __global__ void words(const Words *A, Words *B) {
  B[ME] = A[ME];
}

extern "C" __global__ void aligned(const Aligned *A, Aligned *B) {
  B[ME] = A[ME];
}

extern "C" __global__ void odd(const Odd *A, Odd *B) { B[ME] = A[ME]; }

extern "C" __global__ void off(const Words *A, Words *B, int n) {
#pragma sluice off
  for (int j = 0; j < n; ++j)
    B[ME * 3 + j] = A[ME * 3 + j];
}
