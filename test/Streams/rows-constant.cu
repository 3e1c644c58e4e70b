// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A row of 512 floats a thread, which nobody writes. Where it begins, and that it is
// a multiple of a line behind the pointer, is known; how the pointer is aligned is not.
//
// RUN: %loop-ir %s | %opt -passes='print<sluice-streams>' -disable-output 2>&1 | FileCheck %s

// CHECK: kernel {{.*}}rows
// CHECK-NEXT: loop i0 at rows-constant.cu:[[#@LINE+8]]:3, iterations known at entry
// CHECK-NEXT: load stream, step 4 B, 4 of 4 B, lanes 2048 B apart, wide, aligned to 4, behind its base to 128, read-only
// CHECK-NEXT: 4 B + 0 at rows-constant.cu:[[#@LINE+7]]:10
// CHECK-NOT: {{.}}

__global__ void rows(const float *__restrict__ A, float *__restrict__ y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float s = 0;
  for (int j = 0; j < 512; ++j)
    s += A[i * 512 + j];
  y[i] = s;
}
