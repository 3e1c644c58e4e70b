// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %sluice emulate %s --check=memory,races 2>&1 | FileCheck %s
// RUN: %sluice emulate %s -DFIXED --check=memory,races 2>&1 | FileCheck %s --check-prefix=FIXED --allow-empty
#include <cstdio>

__global__ void nothing() {}
int main() {
#ifdef FIXED
  nothing<<<1, 1024>>>();
#else
  nothing<<<1, 2048>>>();
#endif
  printf("%s\n", cudaGetErrorName(cudaGetLastError()));
}

// CHECK: error: invalid configuration: a block of (2048,1,1) threads is too large: at most (1024,1024,64) and together 1024 (launched at {{.*}}.cu:11)
// RUN: not %sluice emulate %s --check=memory,races 2>/dev/null | FileCheck %s --check-prefix=CODE
// CODE: cudaErrorInvalidConfiguration
// FIXED-NOT: error:
