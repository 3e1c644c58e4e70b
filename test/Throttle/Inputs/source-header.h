// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

__global__ void inHeader(const float *A, const float *B, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j = 0; j < 512; ++j)
    y[i] += A[i * 512 + j] * B[i * 512 + j];
}
