// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two kernels that overflow the L1: of the first the loop can be throttled, of
// the second not.
extern "C" __global__ void rows(const float *A, float *y) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  float Sum = 0;
  for (int column = 0; column < 512; ++column)
    Sum += A[row * 512 + column];
  y[row] = Sum;
}

extern "C" __global__ void barriers(const float *A, float *y) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  float Sum = 0;
  for (int column = 0; column < 512; ++column) {
    Sum += A[row * 512 + column];
    __syncthreads();
  }
  y[row] = Sum;
}

void run(float *A, float *y) {
  rows<<<2112, 256>>>(A, y);
  barriers<<<2112, 256>>>(A, y);
}
