// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two matrices with a pitch that is an argument, and a vector that all threads read:
// three streams. The kernel may write what it reads, as nothing is __restrict__.
//
// RUN: %loop-ir %s | %opt -passes='print<sluice-streams>' -disable-output 2>&1 | FileCheck %s

// CHECK: loop i0 {{.*}} iterations known at entry
// CHECK-NEXT: load stream, step 4 B, 4 of 4 B, lanes 4*arg5 B apart, aligned to 4{{$}}
// CHECK-NEXT: 4 B + 0 at {{.*}}
// CHECK-NEXT: load stream, step 4 B, 4 of 4 B, lanes at the same bytes, aligned to 4, behind its base to 128{{$}}
// CHECK-NEXT: 4 B + 0 at {{.*}}
// CHECK-NEXT: load stream, step 4 B, 4 of 4 B, lanes 4*arg5 B apart, aligned to 4{{$}}
// CHECK-NEXT: 4 B + 0 at {{.*}}
// CHECK-NOT: {{.}}

__global__ void gesummv(const float *A, const float *B, const float *x,
                        float *y, int n, int pitch) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float s = 0, t = 0;
  for (int j = 0; j < n; ++j) {
    s += A[i * pitch + j] * x[j];
    t += B[i * pitch + j] * x[j];
  }
  y[i] = s + t;
}
