// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel that is always throttled: a row per thread, sums in memory.
#pragma once

constexpr int Rows = 132 * 2048, Columns = 512;

__global__ void gesummv(const float *A, const float *B, const float *x,
                        float *tmp, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= Rows)
    return;
  for (int j = 0; j < Columns; ++j) {
    tmp[i] += A[i * Columns + j] * x[j];
    y[i] += B[i * Columns + j] * x[j];
  }
}
