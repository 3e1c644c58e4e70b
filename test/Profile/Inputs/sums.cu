// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each thread sums up a row, so that a warp's load touches 32 lines, and each
// block's threads are two warps. The exit status is the first argument.
#include <cstdio>
#include <cstdlib>

__device__ float scaled(const float *X, int J) { return 2 * X[J]; }

__global__ void rows(const float *A, const float *X, float *Y, int N) {
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  float Sum = 0;
  for (int J = 0; J < N; ++J)
    Sum += A[I * N + J] * scaled(X, J);
  Y[I] = Sum;
}

__global__ void fill(float *To, float With) {
  To[blockIdx.x * blockDim.x + threadIdx.x] = With;
}

int main(int Count, char **Arguments) {
  constexpr int N = 32, Rows = 256;
  float *A, *X, *Y, Last;
  cudaMalloc(&A, Rows * N * 4);
  cudaMalloc(&X, N * 4);
  cudaMalloc(&Y, Rows * 4);
  cudaMemset(Y, 0, Rows * 4);
  fill<<<Rows * N / 64, 64>>>(A, 1);
  fill<<<1, N>>>(X, 1);
  for (int Launch = 0; Launch < 3; ++Launch)
    rows<<<Rows / 64, 64>>>(A, X, Y, N);
  cudaMemcpy(&Last, Y + Rows - 1, 4, cudaMemcpyDeviceToHost);
  std::printf("the last is %g\n", Last);
  return Count > 1 ? std::atoi(Arguments[1]) : 0;
}
