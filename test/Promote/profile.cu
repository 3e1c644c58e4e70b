// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A profile knows that a loop lasts few iterations where the source does not say.
//
// RUN: rm -rf %t && mkdir %t && cd %t && cp %s sums.cu
// RUN: %sluice profile sums.cu -O3 --cuda-gpu-arch=sm_90 --sluice-throttle=off --output=sums.yaml -- > /dev/null
// RUN: %sluicexx sums.cu -O3 --cuda-gpu-arch=sm_90 --cuda-device-only -c -o sums.o -Rpass=sluice-promote -Rpass-missed=sluice-promote 2>&1 | FileCheck %s --check-prefixes=BOTH,WITHOUT
// RUN: %sluicexx sums.cu -O3 --cuda-gpu-arch=sm_90 --cuda-device-only -c -o sums.o -Rpass=sluice-promote -Rpass-missed=sluice-promote --sluice-profile=sums.yaml 2>&1 | FileCheck %s --check-prefixes=BOTH,WITH

__global__ void fewTimes(const float *A, float *y, int n) {
  // WITHOUT-DAG: sums.cu:[[@LINE+2]]:3: remark: what the loop adds up in memory stays in registers
  // WITH-DAG: sums.cu:[[@LINE+1]]:3: remark: what the loop adds up in memory stays there: 3 iterations in the mean are too few to pay for a test of addresses
  for (int j = 0; j < n; ++j)
    y[threadIdx.x] += A[threadIdx.x * 32 + j];
}

__global__ void manyTimes(const float *A, float *y, int n) {
  // BOTH-DAG: sums.cu:[[@LINE+1]]:3: remark: what the loop adds up in memory stays in registers
  for (int j = 0; j < n; ++j)
    y[threadIdx.x] += A[threadIdx.x * 32 + j];
}

int main() {
  float *A, *y;
  cudaMalloc(&A, 64 * 32 * sizeof(float));
  cudaMalloc(&y, 64 * sizeof(float));
  cudaMemset(A, 0, 64 * 32 * sizeof(float));
  cudaMemset(y, 0, 64 * sizeof(float));
  fewTimes<<<1, 64>>>(A, y, 3);
  manyTimes<<<1, 64>>>(A, y, 30);
  return cudaDeviceSynchronize();
}
