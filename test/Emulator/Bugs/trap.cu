// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %sluice emulate %s --check=memory,races 2>&1 | FileCheck %s
// RUN: %sluice emulate %s -DFIXED --check=memory,races 2>&1 | FileCheck %s --check-prefix=FIXED --allow-empty
#include <cstdio>

__global__ void stop(int n) {
  if (n)
    __trap();
}
int main() {
#ifdef FIXED
  stop<<<1, 1>>>(0);
#else
  stop<<<1, 1>>>(1);
#endif
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}

// CHECK: error: trap
// CHECK: at {{.*}}.cu:8 in kernel stop
// RUN: not %sluice emulate %s --check=memory,races 2>/dev/null | FileCheck %s --check-prefix=CODE
// CODE: cudaErrorLaunchFailure
// FIXED-NOT: error:
