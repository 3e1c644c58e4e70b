// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements near one another are one stream, which touches some bytes of its span;
// what is a line or more away is another. What two accesses touch counts once.
//
// RUN: %loop-ir %s | %opt -passes='print<sluice-streams>' -disable-output 2>&1 | FileCheck %s

// CHECK-LABEL: kernel {{.*}}neighbours
// CHECK: loop i0
// CHECK-NEXT: load stream, step 4 B, 12 of 16 B,
// CHECK-NEXT: 4 B + 0 at {{.*}}:[[#@LINE+16]]:{{.*}}
// CHECK-NEXT: 4 B + 4 at {{.*}}:[[#@LINE+18]]:{{.*}}
// CHECK-NEXT: 4 B + 12 at {{.*}}:[[#@LINE+16]]:{{.*}}
// CHECK-NEXT: load stream, step 4 B, 4 of 4 B,
// CHECK-NEXT: 4 B + 0 at {{.*}}:[[#@LINE+16]]:{{.*}}
// CHECK-LABEL: kernel {{.*}}twice
// CHECK: load stream, step 4 B, 4 of 4 B,
// CHECK-NEXT: 4 B + 0 at
// CHECK-NEXT: 2 B + 2 at

__global__ void neighbours(const float *all, float *y, int n) {
  const float *A = all + threadIdx.x * 4096;
  float s = 0;
#pragma unroll 1
  for (int j = 0; j < n; ++j) {
    s = s * 0.5f +
        A[j] +
        //
        A[j + 3] *
        A[j + 1] +
        A[j + 36];
  }
  y[threadIdx.x] = s;
}

__global__ void twice(const int *all, int *y, int n) {
  const int *A = all + threadIdx.x * 4096;
  int s = 0;
#pragma unroll 1
  for (int j = 0; j < n; ++j) {
    s += ((const short *)A)[2 * j + 1] * 5;
    s ^= A[j];
  }
  y[threadIdx.x] = s;
}
