// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

constexpr int Rows = 132 * 2048, Columns = 512;

__global__ void off(const float *A, const float *B, const float *x, float *tmp,
                    float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= Rows)
    return;
#pragma sluice off
  for (int j = 0; j < Columns; ++j) {
    tmp[i] += A[i * Columns + j] * x[j];
    y[i] += B[i * Columns + j] * x[j];
  }
}
