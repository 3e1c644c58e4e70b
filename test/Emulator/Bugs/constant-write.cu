// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %sluice emulate %s --check=memory,races 2>&1 | FileCheck %s
// RUN: %sluice emulate %s -DFIXED --check=memory,races 2>&1 | FileCheck %s --check-prefix=FIXED --allow-empty
__constant__ int table[4];
__global__ void write(int *p) { *p = 1; }
int main() {
  void *p;
  cudaGetSymbolAddress(&p, table);
#ifdef FIXED
  cudaMalloc(&p, 4);
#endif
  write<<<1, 1>>>((int *)p);
  cudaDeviceSynchronize();
#ifdef FIXED
  cudaFree(p);
#endif
}

// CHECK: error: write of 4 bytes to constant memory
// CHECK: in kernel write
// FIXED-NOT: error:
