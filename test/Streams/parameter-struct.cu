// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pointer and pitch are fields of a struct passed by value: the pointer is a global
// one, as the host has made it.
//
// RUN: %loop-ir %s | %opt -passes='print<sluice-streams>' -disable-output 2>&1 | FileCheck %s

// CHECK: loop i0 {{.*}} iterations known at entry
// CHECK-NEXT: load stream, step 4 B, 4 of 4 B, lanes 4*u{{[0-9]+}} B apart, aligned to 4{{$}}

struct Matrix {
  const float *Data;
  int Pitch, Columns;
};

__global__ void rows(Matrix M, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float s = 0;
  for (int j = 0; j < M.Columns; ++j)
    s += M.Data[i * M.Pitch + j];
  y[i] = s;
}
