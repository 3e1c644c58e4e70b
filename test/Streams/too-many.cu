// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Of the accesses of one loop the first 256 are compared.
//
// RUN: %loop-ir %s | %opt -passes='print<sluice-streams>' -disable-output 2>&1 | FileCheck %s

// CHECK: loop i0
// CHECK-NEXT: load stream, step 4096 B, 1024 of 1024 B
// CHECK: 4 B + 1020 at {{.*}}
// CHECK-NEXT: no stream at {{.*}}: the loop has too many accesses
// CHECK-NEXT: no stream at {{.*}}: the loop has too many accesses
// CHECK-NOT: {{.}}

#define TWO(N) s = s * 0.5f + A[N], s = s * 0.5f + A[N + 1]
#define EIGHT(N) TWO(N), TWO(N + 2), TWO(N + 4), TWO(N + 6)
#define MANY(N) EIGHT(N), EIGHT(N + 8), EIGHT(N + 16), EIGHT(N + 24)

__global__ void many(const float *all, float *y, int n) {
  const float *A = all + threadIdx.x * 4096;
  float s = 0;
#pragma unroll 1
  for (int j = 0; j < n; ++j, A += 1024) {
    MANY(0), MANY(32), MANY(64), MANY(96);
    MANY(128), MANY(160), MANY(192), MANY(224), TWO(256);
  }
  y[threadIdx.x] = s;
}
