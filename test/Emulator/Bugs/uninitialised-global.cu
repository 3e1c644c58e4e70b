// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %sluice emulate %s --check=memory,races 2>&1 | FileCheck %s
// RUN: %sluice emulate %s -DFIXED --check=memory,races 2>&1 | FileCheck %s --check-prefix=FIXED --allow-empty
#include <cstdio>

__global__ void load(const int *in, int *out) { out[threadIdx.x] = in[threadIdx.x]; }
int main() {
  int *in, *out;
  cudaMalloc(&in, 128);
  cudaMalloc(&out, 128);
#ifdef FIXED
  cudaMemset(in, 0, 128);
#else
  cudaMemset(in, 0, 64);
#endif
  load<<<1, 32>>>(in, out);
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}

// CHECK: error: uninitialised read of 4 bytes
// CHECK: in kernel load
// CHECK: thread (16,0,0)
// CHECK: inside the allocation of 128 bytes made at
// FIXED-NOT: error:
