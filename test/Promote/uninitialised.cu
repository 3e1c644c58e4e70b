// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A sum that begins with what nobody wrote is an error of the program, promoted
// or not: each of the loop's two versions adds to it.
//
// RUN: not %sluice emulate %s -O3 --sluice-promote=off -- 2>&1 | FileCheck %s
// RUN: not %sluice emulate %s -O3 --sluice-software-l1=off -Rpass=sluice-promote -- 2>&1 | FileCheck %s --check-prefixes=PROMOTED,CHECK
// RUN: not %sluice emulate %s -O3 --sluice-software-l1=off --compare 2>&1 | FileCheck %s --implicit-check-not="exit status"
// PROMOTED: stays in registers

// CHECK: error: uninitialised read of 4 bytes
// CHECK-NEXT: uninitialised.cu:[[@LINE+2]] in kernel sum
__global__ void sum(const float *A, float *y) {
  int i = threadIdx.x;
  // More than are unrolled whole.
  for (int j = 0; j < 64; ++j)
    y[i] += A[i * 64 + j];
}

int main() {
  float *A, *y;
  cudaMalloc(&A, 64 * 64 * sizeof(float));
  cudaMemset(A, 0, 64 * 64 * sizeof(float));
  cudaMalloc(&y, 64 * sizeof(float));
  sum<<<1, 64>>>(A, y);
  cudaDeviceSynchronize();
}
