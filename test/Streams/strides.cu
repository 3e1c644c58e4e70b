// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every second element, and every third from the second on. In one array they are two
// streams as well.
//
// RUN: %loop-ir %s | %opt -passes='print<sluice-streams>' -disable-output 2>&1 | FileCheck %s

// CHECK-LABEL: kernel {{.*}}strides
// CHECK: loop i0 {{.*}}, iterations known at entry
// CHECK-NEXT: load stream, step 8 B, 4 of 4 B, lanes 4096 B apart, wide, aligned to 4, behind its base to 128
// CHECK-NEXT: 4 B + 0 at
// CHECK-NEXT: load stream, step 12 B, 4 of 4 B, lanes 4096 B apart, wide, aligned to 4{{$}}
// CHECK-NEXT: 4 B + 0 at
// CHECK-LABEL: kernel {{.*}}same
// CHECK: load stream, step 8 B, 4 of 4 B,
// CHECK-NEXT: 4 B + 0 at
// CHECK-NEXT: load stream, step 12 B, 4 of 4 B,
// CHECK-NEXT: 4 B + 0 at

__global__ void strides(const float *A, const float *B, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float s = 0;
  for (int j = 0; j < n; ++j)
    s += A[i * 1024 + 2 * j] * B[i * 1024 + 3 * j + 1];
  y[i] = s;
}

__global__ void same(const float *A, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float s = 0;
  for (int j = 0; j < n; ++j)
    s += A[i * 1024 + 2 * j] * A[i * 1024 + 3 * j + 1];
  y[i] = s;
}
