// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %sluice emulate %s --check=memory,races 2>&1 | FileCheck %s
// RUN: %sluice emulate %s -DFIXED --check=memory,races 2>&1 | FileCheck %s --check-prefix=FIXED --allow-empty
#include <cstdio>

__global__ void load(const char *in, float4 *out) {
#ifdef FIXED
  out[threadIdx.x] = ((const float4 *)in)[threadIdx.x];
#else
  out[threadIdx.x] = ((const float4 *)(in + 4))[threadIdx.x];
#endif
}
int main() {
  char *in;
  float4 *out;
  cudaMalloc(&in, 1024);
  cudaMalloc(&out, 32 * sizeof(float4));
  cudaMemset(in, 0, 1024);
  load<<<1, 32>>>(in, out);
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}

// CHECK: error: misaligned read of 16 bytes
// CHECK: at {{.*}}.cu:10 in kernel load
// RUN: not %sluice emulate %s --check=memory,races 2>/dev/null | FileCheck %s --check-prefix=CODE
// CODE: cudaErrorMisalignedAddress
// FIXED-NOT: error:
