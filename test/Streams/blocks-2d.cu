// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads of a block of two dimensions: what is said of lanes is of neighbours in x,
// so all columns of a row read the same.
//
// RUN: %loop-ir %s | %opt -passes='print<sluice-streams>' -disable-output 2>&1 | FileCheck %s

// CHECK: loop i0
// CHECK-NEXT: load stream, step 4 B, 4 of 4 B, lanes at the same bytes, aligned to 4
// CHECK-NEXT: 4 B + 0 at {{.*}}:[[#@LINE+10]]:10
// CHECK-NEXT: load stream, step 4 B, 4 of 4 B, lanes 4*arg3 B apart, aligned to 4
// CHECK-NEXT: 4 B + 0 at {{.*}}:[[#@LINE+8]]:29

__global__ void product(const float *A, const float *B, float *y, int n) {
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  float s = 0;
#pragma unroll 1
  for (int j = 0; j < n; ++j)
    s += A[row * n + j] *   B[column * n + j];
  y[row * n + column] = s;
}
