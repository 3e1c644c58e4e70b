// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows whose bounds are loaded. The numbers of columns and the values are streams;
// what they point to is not.
//
// RUN: %loop-ir %s | %opt -passes='print<sluice-streams>' -disable-output 2>&1 | FileCheck %s

// CHECK: loop i0 {{.*}}, iterations known at entry
// CHECK-NEXT: load stream, step 4 B, 4 of 4 B, lanes where loaded values say, aligned to 4{{$}}
// CHECK-NEXT: 4 B + 0 at {{.*}}:[[#@LINE+11]]:10
// CHECK-NEXT: load stream, step 4 B, 4 of 4 B, lanes where loaded values say, aligned to 4{{$}}
// CHECK-NEXT: 4 B + 0 at {{.*}}:[[#@LINE+9]]:24
// CHECK-NEXT: no stream at {{.*}}:[[#@LINE+8]]:22: its address does not move by the same step in each iteration
// CHECK-NOT: {{.}}

__global__ void spmv(const int *rows, const int *columns, const float *values,
                     const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float s = 0;
  for (int j = rows[i]; j < rows[i + 1]; ++j)
    s += values[j] * x[columns[j]];
  y[i] = s;
}
