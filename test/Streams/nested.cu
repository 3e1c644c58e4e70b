// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A loop over a thread's rows around one over the columns: the outer one moves the
// inner stream on by a row. What is stored behind the inner loop is written in each
// iteration, as a loop without effects must end.
//
// RUN: %loop-ir %s | %opt -passes='print<sluice-streams>' -disable-output 2>&1 | FileCheck %s

// CHECK: loop i0 {{.*}}, has loops in it, iterations known at entry
// CHECK-NEXT: store stream, step 4 B, 4 of 4 B, lanes 4*arg2 B apart, aligned to 4
// CHECK-NEXT: 4 B + 0 at {{[^,]*$}}
// CHECK-NEXT: may overlap what is read at {{.*}}, cannot be tested
// CHECK-NEXT: loop i1 {{.*}}, iterations known at entry
// CHECK-NEXT: load stream, step 4 B, 4 of 4 B, lanes 1024*arg2 B apart, aligned to 4, behind its base to 128, outer step 1024 B
// CHECK-NEXT: 4 B + 0 at {{.*}}
// CHECK-NOT: {{.}}

__global__ void nested(const float *A, float *y, int rows) {
  size_t first = (blockIdx.x * blockDim.x + threadIdx.x) * size_t(rows);
  for (int r = 0; r < rows; ++r) {
    float s = 0;
    for (int j = 0; j < 256; ++j)
      s += A[(first + r) * 256 + j];
    y[first + r] = s;
  }
}
