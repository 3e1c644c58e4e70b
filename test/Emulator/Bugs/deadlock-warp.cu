// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %sluice emulate %s --check=memory,races 2>&1 | FileCheck %s
// RUN: %sluice emulate %s -DFIXED --check=memory,races 2>&1 | FileCheck %s --check-prefix=FIXED --allow-empty
#include <cstdio>

__global__ void wait(int *out) {
#ifdef FIXED
  __syncwarp(0xffffffff);
#else
  if (threadIdx.x != 5)
    __syncwarp(0xffffffff);
  else
    __syncthreads();
#endif
  out[threadIdx.x] = 1;
}
int main() {
  int *out;
  cudaMalloc(&out, 128);
  wait<<<1, 32>>>(out);
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}

// CHECK: error: deadlock
// CHECK: in kernel wait
// CHECK: warp 0: lanes 0x{{[0-9a-f]+}} wait
// RUN: not %sluice emulate %s --check=memory,races 2>/dev/null | FileCheck %s --check-prefix=CODE
// CODE: cudaErrorLaunchTimeout
// FIXED-NOT: error:
