// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows that pointers in memory point to may be anywhere, also in shared memory.
//
// RUN: %loop-ir %s | %opt -passes='print<sluice-streams>' -disable-output 2>&1 | FileCheck %s

// CHECK: loop i0 {{.*}}, iterations known at entry
// CHECK-NEXT: load stream, step 4 B, 4 of 4 B, lanes where loaded values say, aligned to 4, behind its base to 128, perhaps not global{{$}}

__global__ void rows(const float *const *A, float *y, int n) {
  const float *row = A[threadIdx.x];
  float s = 0;
  for (int j = 0; j < n; ++j)
    s += row[j];
  y[threadIdx.x] = s;
}
