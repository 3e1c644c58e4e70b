// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An unsigned index may wrap around in the middle of a row.
//
// RUN: %loop-ir %s | %opt -passes='print<sluice-streams>' -disable-output 2>&1 | FileCheck %s

// CHECK: load stream, step 4 B, 4 of 4 B, lanes 4*arg3 B apart, aligned to 4, if its index does not wrap
// CHECK-NEXT: 4 B + 0 at

__global__ void wraps(const float *A, float *y, unsigned n, unsigned pitch) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  float s = 0;
  for (unsigned j = 0; j < n; ++j)
    s += A[i * pitch + j];
  y[i] = s;
}
