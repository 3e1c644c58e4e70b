// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cuda_runtime.h>

constexpr int Columns = 1024;

// Each thread walks along a row: a loop that can be throttled.
__global__ void sumRows(const float *A, float *Sums) {
  int Row = blockIdx.x * blockDim.x + threadIdx.x;
  float Sum = 0;
  for (int Column = 0; Column < Columns; ++Column)
    Sum += A[Row * Columns + Column];
  Sums[Row] = Sum;
}

void launch(const float *A, float *Sums) { sumRows<<<132 * 8, 256>>>(A, Sums); }
