// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements near one another are one stream, which touches some bytes of its span;
// what is a line or more away is another.
//
// RUN: %loop-ir %s | %opt -passes='print<sluice-streams>' -disable-output 2>&1 | FileCheck %s

// CHECK: loop i0
// CHECK-NEXT: load stream, step 4 B, 12 of 16 B,
// CHECK-NEXT: 4 B + 0 at {{.*}}:[[#@LINE+13]]:{{.*}}
// CHECK-NEXT: 4 B + 4 at {{.*}}:[[#@LINE+15]]:{{.*}}
// CHECK-NEXT: 4 B + 12 at {{.*}}:[[#@LINE+13]]:{{.*}}
// CHECK-NEXT: load stream, step 4 B, 4 of 4 B,
// CHECK-NEXT: 4 B + 0 at {{.*}}:[[#@LINE+13]]:{{.*}}
// CHECK-NOT: {{.}}

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
