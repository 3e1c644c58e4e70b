// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Streams that are not a thread's own: neighbours read neighbours, or all the same.
//
// RUN: %loop-ir %s | %opt -passes='print<sluice-streams>' -disable-output 2>&1 | FileCheck %s

// CHECK: load stream, step 4096 B, 4 of 4 B, lanes 4 B apart, coalesced,
// CHECK: load stream, step 4 B, 4 of 4 B, lanes at the same bytes,
// CHECK: load stream, step 64 B, 4 of 4 B, lanes 28 B apart, coalesced,
// CHECK: load stream, step 64 B, 4 of 4 B, lanes -32 B apart, wide,

__global__ void narrow(const float *A, const float *B, const float *C,
                       const float *D, float *y, size_t n) {
  size_t i = threadIdx.x;
  float s = 0;
  for (size_t j = 0; j < n; ++j)
    s += A[j * 1024 + i] * B[j] * C[j * 16 + i * 7] * D[j * 16 + 8192 - i * 8];
  y[i] = s;
}
