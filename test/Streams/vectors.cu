// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements of 16 bytes are aligned to 16: the code itself says so. clang has made four
// loads of each.
//
// RUN: %loop-ir %s | %opt -passes='print<sluice-streams>' -disable-output 2>&1 | FileCheck %s

// CHECK: loop i0 {{.*}}, iterations known at entry
// CHECK-NEXT: load stream, step 32 B, 16 of 16 B, lanes 32*arg2 B apart, aligned to 16, behind its base to 32
// CHECK-NEXT: 4 B + 0 at
// CHECK-NEXT: 4 B + 4 at
// CHECK-NEXT: 4 B + 8 at
// CHECK-NEXT: 4 B + 12 at

typedef float Four __attribute__((ext_vector_type(4)));

__global__ void vectors(const Four *A, float *y, int n) {
  float s = 0;
  for (int j = 0; j < n; ++j) {
    Four v = A[(threadIdx.x * size_t(n) + j) * 2];
    s += v.x + v.y + v.z + v.w;
  }
  y[threadIdx.x] = s;
}
