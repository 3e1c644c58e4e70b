// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A grid that is larger than what the GPU takes is an error, also where there
// would be fewer blocks. So is a block that is.
//
// RUN: not %sluice emulate %s -O2 --compare -fplugin-arg-sluice-merge-blocks=8 2>&1 | FileCheck %s
//
// CHECK-COUNT-4: invalid configuration
// CHECK: buffers are the same

#include <cstdio>

__global__ void one(int *a) { a[blockIdx.x & 1023] = 1; }

int main() {
  int *a;
  cudaMalloc(&a, 4096);
  cudaMemset(a, 0, 4096);
  const int n = -100000; // of a program that has nothing to do
  one<<<n, 32>>>(a);
  std::printf("%s\n", cudaGetErrorString(cudaGetLastError()));
  one<<<1 << 20, dim3(1u << 31, 1u << 30)>>>(a);
  std::printf("%s\n", cudaGetErrorString(cudaGetLastError()));
}
