// A whole program, with and without Sluice's transforms: buffers that were freed
// count, and variables.
//
// RUN: %sluice emulate %s --compare 2>&1 | FileCheck %s
// CHECK: sum {{[0-9]+}}
// CHECK-NEXT: note: all 3 buffers are the same
//
// RUN: not %sluice emulate %s --compare --sluice-test-wrong-rewrite=skip-turn > %t.out 2>&1
// RUN: FileCheck %s --check-prefix=WRONG --input-file %t.out
// WRONG: difference: buffer 2 (program.cu:[[# @LINE + 20]]) differs in {{[0-9]+}} of 1081344 bytes
//
// RUN: not %sluice emulate %s --compare --sluice-test-wrong-rewrite=skip-turn '--order-dependent=buffer 2' 2>&1 | FileCheck %s --check-prefix=VARIABLE
// VARIABLE-NOT: difference: buffer
// VARIABLE: difference: variable {{.*}}total
#include <cstdio>

__device__ unsigned total;

__global__ void rows(const float *A, float *sums) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j = 0; j < 16; ++j)
    sums[i] += A[i * 32 + j] * A[j];
  atomicAdd(&total, unsigned(sums[i]));
}

int main() {
  const int n = 1056 * 256;
  float *A, *sums;
  cudaMalloc(&A, n * 32 * sizeof(float));
  cudaMalloc(&sums, n * sizeof(float));
  float *host = new float[n * 32];
  for (int i = 0; i < n * 32; ++i)
    host[i] = i % 13;
  cudaMemcpy(A, host, n * 32 * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemset(sums, 0, n * sizeof(float));
  rows<<<1056, 256>>>(A, sums);
  unsigned sum;
  cudaMemcpyFromSymbol(&sum, total, sizeof(sum));
  cudaFree(sums);
  cudaFree(A);
  std::printf("sum %u\n", sum);
}
