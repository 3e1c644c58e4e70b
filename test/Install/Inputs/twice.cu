// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdio>

__global__ void twice(int *A) { *A *= 2; }

int main() {
  int Value = 21, *A;
  cudaMalloc(&A, sizeof(int));
  cudaMemcpy(A, &Value, sizeof(int), cudaMemcpyHostToDevice);
  twice<<<1, 1>>>(A);
  cudaMemcpy(&Value, A, sizeof(int), cudaMemcpyDeviceToHost);
  std::printf("%d\n", Value);
}
