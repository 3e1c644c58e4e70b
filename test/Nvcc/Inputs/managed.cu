// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
__device__ __managed__ int Count = 3;

__global__ void add() { Count += 2; }

int main() {
  add<<<1, 1>>>();
  cudaDeviceSynchronize();
  return Count;
}
