// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From the last to the first.
//
// RUN: %loop-ir %s | %opt -passes='print<sluice-streams>' -disable-output 2>&1 | FileCheck %s

// CHECK: loop i0 {{.*}}, iterations known at entry
// CHECK-NEXT: load stream, step -4 B, 4 of 4 B, lanes 4*arg2 B apart, aligned to 4{{$}}

__global__ void backwards(const float *A, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float s = 0;
  for (int j = n - 1; j >= 0; --j)
    s += A[i * n + j] * 2 - s;
  y[i] = s;
}
