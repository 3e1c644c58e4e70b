// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "field.h"
#include "weight.cuh"
#include <cuda_runtime.h>

// Each thread walks along a row.
__global__ void sumRows(const float *A, float *Sums, int Columns) {
  int Row = blockIdx.x * blockDim.x + threadIdx.x;
  float Sum = 0;
  for (int Column = 0; Column < Columns; ++Column)
    Sum += weight(Column) * A[Row * Columns + Column];
  Sums[Row] = Sum;
}

void launchRows(const float *A, float *Sums, int Rows, int Columns) {
  sumRows<<<Rows / 256, 256>>>(A, Sums, Columns);
}
