// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %sluice emulate %s --check=memory,races 2>&1 | FileCheck %s
// RUN: %sluice emulate %s -DFIXED --check=memory,races 2>&1 | FileCheck %s --check-prefix=FIXED --allow-empty
#include <cstdio>

__global__ void sum(const float *in, float *out, int n) {
  int i = threadIdx.x;
#ifdef FIXED
  out[i] = i + 1 < n ? in[i + 1] : 0;
#else
  out[i] = in[i + 1];
#endif
}
int main() {
  float *in, *out;
  cudaMalloc(&in, 64 * sizeof(float));
  cudaMalloc(&out, 64 * sizeof(float));
  cudaMemset(in, 0, 64 * sizeof(float));
  sum<<<1, 64>>>(in, out, 64);
  cudaError_t error = cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorName(error));
}

// CHECK: error: out-of-bounds read of 4 bytes
// CHECK: at {{.*}}out-of-bounds-read.cu:11 in kernel sum
// CHECK: block (0,0,0), thread (63,0,0), address 0x
// CHECK: 0 bytes past the end of the allocation of 256 bytes made at {{.*}}.cu:16
// CHECK: launched at {{.*}}.cu:19
// RUN: not %sluice emulate %s --check=memory,races 2>/dev/null | FileCheck %s --check-prefix=CODE
// CODE: cudaErrorIllegalAddress
// FIXED-NOT: error:
