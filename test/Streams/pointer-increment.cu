// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A pointer that is moved on.
//
// RUN: %loop-ir %s | %opt -passes='print<sluice-streams>' -disable-output 2>&1 | FileCheck %s

// CHECK: loop i0 {{.*}} iterations known at entry
// CHECK-NEXT: load stream, step 8 B, 8 of 8 B, lanes 2048 B apart, wide, aligned to 8, behind its base to 128

__global__ void rows(const double *A, double *y) {
  const double *p = A + threadIdx.x * 256, *end = p + 256;
  double s = 0;
  while (p != end)
    s += *p++;
  y[threadIdx.x] = s;
}
