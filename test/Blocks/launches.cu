// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is launched: the program's size and the claim. The program's size alone
// where both together could be more than 48 KiB, where it has an error that it
// has not looked at, and again where the runtime refuses the claim, because
// another file of the program limits the kernel; its own errors it sees as ever.
//
// RUN: printf 'sluice-plan: 2\ngpu: sm_90\nkernels:\n  - {name: _Z4fillPf, carveout: 7, claimed-shared-bytes: 7168}\n' > %t.yaml
// RUN: %device && %host-run | FileCheck %s

#include "Inputs/runtime.h"

__shared__ int Tile[256];
__global__ void fill(float *p) {
  Tile[threadIdx.x] = int(p[0]);
  __syncthreads();
  p[threadIdx.x] = float(Tile[threadIdx.x ^ 1]);
}

int main() {
  // CHECK: attribute 9 is 7
  // CHECK-NEXT: 7168 bytes: ok
  fill<<<1, 256>>>(nullptr);
  // 49152 - 7168 - 1024 of Tile - 1024 for alignment
  // CHECK-NEXT: 47104 bytes: ok
  fill<<<1, 256, 39936>>>(nullptr);
  // CHECK-NEXT: 39937 bytes: ok
  fill<<<1, 256, 39937>>>(nullptr);
  MostShared = 1024;
  // CHECK-NEXT: 8192 bytes: refused
  // CHECK-NEXT: 1024 bytes: ok
  // CHECK-NEXT: last error 0
  fill<<<1, 256, 1024>>>(nullptr);
  printf("last error %d\n", LastError);
  // CHECK-NEXT: 8193 bytes: refused
  // CHECK-NEXT: 1025 bytes: refused
  // CHECK-NEXT: last error 1
  fill<<<1, 256, 1025>>>(nullptr);
  printf("last error %d\n", LastError);
  LastError = 2;
  // CHECK-NEXT: 1024 bytes: ok
  // CHECK-NEXT: last error 2
  fill<<<1, 256, 1024>>>(nullptr);
  printf("last error %d\n", LastError);
}
