// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Groups of four threads read the same: neither known as one distance nor as none.
//
// RUN: %loop-ir %s | %opt -passes='print<sluice-streams>' -disable-output 2>&1 | FileCheck %s

// CHECK: load stream, step 4 B, 4 of 4 B, lanes at unknown distances

__global__ void groups(const float *A, float *y, int n) {
  float s = 0;
  for (int j = 0; j < n; ++j)
    s += A[threadIdx.x / 4 * 256 + j];
  y[threadIdx.x] = s;
}
