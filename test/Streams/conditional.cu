// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What runs in some iterations: where it begins is not known to be aligned, as it may
// run in none.
//
// RUN: %loop-ir %s | %opt -passes='print<sluice-streams>' -disable-output 2>&1 | FileCheck %s

// CHECK: loop i0 {{.*}}, iterations known at entry
// CHECK-NEXT: load stream, {{.*}} wide, aligned to 4,
// CHECK-NEXT: 4 B + 0 at {{[^,]*$}}
// CHECK-NEXT: load stream, {{.*}} wide, aligned to 1,
// CHECK-NEXT: 4 B + 0 at {{.*}}, sometimes

__global__ void conditional(const int *A, const int *B, int *y, int n) {
  int s = 0;
  for (int j = 0; j < n; ++j) {
    s += A[threadIdx.x * 1024 + j];
    if (s > 1000)
      s -= B[threadIdx.x * 1024 + j];
  }
  y[threadIdx.x] = s;
}
