// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The same as matvec.mlir, in CUDA.

constexpr int Columns = 512;

extern "C" __global__ void matvec(const float *A, const float *x, float *y) {
  const int Row = blockIdx.x * blockDim.x + threadIdx.x;
  for (int J = 0; J < Columns; ++J)
    y[Row] += A[Row * Columns + J] * x[J];
}

void launch(const float *A, const float *x, float *y) {
  matvec<<<1056, 256>>>(A, x, y);
}
