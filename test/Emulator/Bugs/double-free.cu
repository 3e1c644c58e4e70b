// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %sluice emulate %s --check=memory,races 2>&1 | FileCheck %s
// RUN: %sluice emulate %s -DFIXED --check=memory,races 2>&1 | FileCheck %s --check-prefix=FIXED --allow-empty
#include <cstdio>

int main() {
  int *p;
  cudaMalloc(&p, 128);
  cudaFree(p);
#ifndef FIXED
  cudaError_t error = cudaFree(p); // again
  printf("%s\n", cudaGetErrorName(error));
#endif
}

// CHECK: error: double free: cudaFree of the allocation of 128 bytes made at {{.*}}.cu:8, freed at {{.*}}.cu:9
// CHECK: called at {{.*}}.cu:11
// RUN: not %sluice emulate %s --check=memory,races 2>/dev/null | FileCheck %s --check-prefix=CODE
// CODE: cudaErrorInvalidValue
// FIXED-NOT: error:
