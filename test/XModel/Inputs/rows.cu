// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each thread reads a row of its own and adds it up in memory.
__global__ void rows(const float *A, const float *x, float *y) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  y[row] = 0;
  for (int column = 0; column < 256; ++column)
    y[row] += A[row * 256 + column] * x[column];
}

// Nothing is loaded.
__global__ void fill(float *A) {
  A[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}

// It is launched by somebody else.
__global__ void copy(const float *A, float *B, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    B[i] = A[i];
}

int main() {
  float *A, *x, *y;
  cudaMalloc(&A, 270336 * 256 * sizeof(float));
  cudaMalloc(&x, 256 * sizeof(float));
  cudaMalloc(&y, 270336 * sizeof(float));
  fill<<<1, 256>>>(x);
  rows<<<1056, 256>>>(A, x, y);
  return cudaDeviceSynchronize() != cudaSuccess;
}
