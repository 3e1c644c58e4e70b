// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What moves by a step that only the program knows, or not at all, or anywhere.
//
// RUN: %loop-ir %s | %opt -passes='print<sluice-streams>' -disable-output 2>&1 | FileCheck %s

// CHECK: loop i0
// CHECK-NEXT: no stream at {{.*}}:[[#@LINE+9]]:12: the step of its address is not a constant
// CHECK-NEXT: no stream at {{.*}}:[[#@LINE+9]]:12: its address does not move by the same step in each iteration
// CHECK-NEXT: no stream at {{.*}}:[[#@LINE+7]]:10: its address does not move in the loop
// CHECK-NOT: {{.}}

__global__ void none(const float *A, const float *B, float *y, size_t n,
                     size_t pitch) {
  size_t i = threadIdx.x;
  for (size_t j = 0; j < n; ++j) {
    y[i] = A[j * pitch + i] + //
           B[j * j + i];
  }
}
