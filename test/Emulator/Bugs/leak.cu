// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %sluice emulate %s --check=all 2>&1 | FileCheck %s
// RUN: %sluice emulate %s -DFIXED --check=all 2>&1 | FileCheck %s --check-prefix=FIXED --allow-empty
int main() {
  int *p;
  cudaMalloc(&p, 128);
#ifdef FIXED
  cudaFree(p);
#endif
}

// CHECK: error: leak: 128 bytes that were not freed, allocated at {{.*}}.cu:6
// FIXED-NOT: error:
