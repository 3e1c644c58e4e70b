// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Of rows of 513 floats only the element is known; a short at an odd place in a line
// keeps what both its pitch and its place allow. Of a struct that is aligned to 16 the
// second field begins 12 bytes before the next one's first.
//
// RUN: %loop-ir %s | %opt -passes='print<sluice-streams>' -disable-output 2>&1 | FileCheck %s

// CHECK-LABEL: kernel {{.*}}odd
// CHECK: loop i0
// CHECK-NEXT: load stream, step 4 B, 4 of 4 B, lanes 2052 B apart, wide, aligned to 4{{$}}
// CHECK-NEXT: 4 B + 0 at
// CHECK-NEXT: load stream, step 2 B, 2 of 2 B, lanes 128 B apart, wide, aligned to 2, behind its base to 8{{$}}
// CHECK-NEXT: 2 B + 0 at
// CHECK-LABEL: kernel {{.*}}second
// CHECK: load stream, step 16 B, 8 of 16 B, {{.*}} aligned to 4{{$}}
// CHECK-NEXT: 4 B + 0 at
// CHECK-NEXT: 4 B + 12 at

__global__ void odd(const float *A, const short *B, float *y, int n) {
  float s = 0;
  for (int j = 0; j < n; ++j)
    s += A[threadIdx.x * 513 + j] * B[threadIdx.x * 64 + 12 + j];
  y[threadIdx.x] = s;
}

struct alignas(16) Pair {
  float First, Second;
};

__global__ void second(const Pair *A, float *y, int n) {
  float s = 0;
#pragma unroll 1
  for (int j = 0; j < n; ++j)
    s = s * A[threadIdx.x * 64 + j].Second + A[threadIdx.x * 64 + j + 1].First;
  y[threadIdx.x] = s;
}
