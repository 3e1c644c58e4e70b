// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %sluice emulate %s --check=memory,races 2>&1 | FileCheck %s
// RUN: %sluice emulate %s -DFIXED --check=memory,races 2>&1 | FileCheck %s --check-prefix=FIXED --allow-empty
#include <cstdio>

int main() {
  static char host[256];
  char *p;
  cudaMalloc(&p, 128);
#ifdef FIXED
  cudaMemcpy(p, host, 128, cudaMemcpyHostToDevice);
#else
  cudaError_t error = cudaMemcpy(p, host, 256, cudaMemcpyHostToDevice); // too much
  printf("%s\n", cudaGetErrorName(error));
#endif
  cudaFree(p);
}

// CHECK: error: cudaMemcpy of 256 bytes at 0x{{[0-9a-f]+}} overruns the allocation of 128 bytes made at
// CHECK: called at {{.*}}.cu:13
// RUN: not %sluice emulate %s --check=memory,races 2>/dev/null | FileCheck %s --check-prefix=CODE
// CODE: cudaErrorInvalidValue
// FIXED-NOT: error:
