// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The source of rows.yaml. It is never compiled.

static __device__ float scaled(const float *X, int I) {
  return 2 * X[I];
}

// Each thread adds up a row of A.
__global__ void rows(const float *A, const float *X, float *Y, int N) {
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  float Sum = 0;
  for (int J = 0; J < N; ++J)
    Sum += A[I * N + J] * X[J] + scaled(X, J);
  Y[I] = Sum;
}
