// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// 14 loads, each of a row per thread, for the time that pairs of loads take.

#include <cuda_runtime.h>

constexpr int Loads = 14, Rows = 8192, Columns = 110;

struct Matrices {
  const float *Of[Loads];
};

__global__ void rowSums(Matrices M, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float Sum = 0;
  for (int j = 0; j < Columns; ++j) {
#define TERM(K) Sum += M.Of[K][i * Columns + j];
    TERM(0)
    TERM(1)
    TERM(2)
    TERM(3)
    TERM(4)
    TERM(5)
    TERM(6)
    TERM(7)
    TERM(8)
    TERM(9)
    TERM(10)
    TERM(11)
    TERM(12)
    TERM(13)
  }
  y[i] = Sum;
}

int main() {
  Matrices M;
  float *At, *y;
  for (const float *&Matrix : M.Of) {
    cudaMalloc(&At, sizeof(float) * Rows * Columns);
    cudaMemset(At, 0, sizeof(float) * Rows * Columns);
    Matrix = At;
  }
  cudaMalloc(&y, sizeof(float) * Rows);
  rowSums<<<Rows / 256, 256>>>(M, y);
  return cudaDeviceSynchronize() != cudaSuccess;
}
