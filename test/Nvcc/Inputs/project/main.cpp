// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "field.h"
#include <cstdio>
#include <cuda_runtime.h>

int main() {
  const int Rows = 1024, Columns = 64;
  float *A, *Sums;
  if (cudaMalloc(&A, sizeof(float) * Rows * Columns) ||
      cudaMalloc(&Sums, sizeof(float) * Rows)) {
    std::puts("no GPU");
    return 0;
  }
  cudaMemset(A, 0, sizeof(float) * Rows * Columns);
  launchScale(A, Rows * Columns);
  launchRows(A, Sums, Rows, Columns);
  std::puts(cudaGetErrorString(cudaDeviceSynchronize()));
}
