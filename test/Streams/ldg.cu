// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What `__ldg` reads: behind a cast to the global address space, of a pointer of
// which nothing else is known, and never written while the kernel runs, whatever
// the kernel writes.
//
// RUN: %loop-ir %s | %opt -passes='print<sluice-streams>' -disable-output 2>&1 | FileCheck %s

#define __ldg(P) __nvvm_ldg_f(P)

struct Matrix {
  const float *Data;
};

// CHECK-LABEL: _Z4rowsPK6MatrixPfi
// CHECK: load stream, step 4 B, 4 of 4 B, lanes 2048 B apart, wide
// CHECK-NOT: conflict
// CHECK-NOT: not known
// CHECK: store stream
__global__ void rows(const Matrix *M, float *y, int n) {
  const float *p = M->Data + threadIdx.x * 512;
  for (int j = 0; j < n; ++j)
    y[threadIdx.x * 512 + j] = __ldg(p + j);
}
