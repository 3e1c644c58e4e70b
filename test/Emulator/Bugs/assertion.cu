// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %sluice emulate %s --check=memory,races 2>&1 | FileCheck %s
// RUN: %sluice emulate %s -DFIXED --check=memory,races 2>&1 | FileCheck %s --check-prefix=FIXED --allow-empty
#include <cassert>
#include <cstdio>

__global__ void check(int n) {
#ifdef FIXED
  assert(n == 3);
#else
  assert(n == 4);
#endif
}
int main() {
  check<<<1, 1>>>(3);
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}

// CHECK: error: assertion failed: n == 4
// CHECK: in kernel check
// RUN: not %sluice emulate %s --check=memory,races 2>/dev/null | FileCheck %s --check-prefix=CODE
// CODE: cudaErrorAssert
// FIXED-NOT: error:
