// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The other file of rdc-two-files.cu.
#include "rdc.h"

static __device__ int addOne(int x) { return x + 1; }
static __device__ int twice(int x) { return x * 2; }

__device__ Operation operations[3] = {addOne, twice, fromFirst};
__device__ int calls;
__constant__ int scale;
__device__ int secondFunction(int x) { return (x + 7) * scale; }

static __global__ void sums(int *out) {
  int sum = 0;
  for (int i = 0; i <= threadIdx.x; ++i)
    sum += history[i];
  out[threadIdx.x] = sum;
}

void sumOfHistory(int *out) { sums<<<1, Slots>>>(out); }

int countedThere() {
  int *address, count = -1;
  cudaGetSymbolAddress((void **)&address, calls);
  cudaMemcpy(&count, address, sizeof count, cudaMemcpyDeviceToHost);
  return count;
}
