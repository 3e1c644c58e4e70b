// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %sluice emulate %s --check=memory,races 2>&1 | FileCheck %s
// RUN: %sluice emulate %s -DFIXED --check=memory,races 2>&1 | FileCheck %s --check-prefix=FIXED --allow-empty
#include <cstdio>

__global__ void nothing() {}
int main() {
#ifdef FIXED
  nothing<<<1, 32, 49152>>>();
#else
  nothing<<<1, 32, 65536>>>();
#endif
  printf("%s\n", cudaGetErrorName(cudaGetLastError()));
}

// CHECK: error: too much shared memory: 65536 bytes a block; without cudaFuncSetAttribute a kernel has 49152
// RUN: not %sluice emulate %s --check=memory,races 2>/dev/null | FileCheck %s --check-prefix=CODE
// CODE: cudaErrorInvalidValue
// FIXED-NOT: error:
