// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A hash table, a lock with the fences that CUDA asks for, and a sum by
// compare-exchange come out the same with and without, on the emulator. ptxas
// takes the code.
//
// RUN: %sluice emulate %s -O3 --check=memory,races --compare | FileCheck %s
// RUN: %sluice emulate %s -O3 --sluice-atomics=off | FileCheck %s --check-prefix=OUT
// RUN: %sluicexx %s -O3 --cuda-gpu-arch=sm_75 --cuda-gpu-arch=sm_90 -c -o %t.o
// OUT: keys 97, locked 256, sum 32640
// CHECK: keys 97, locked 256, sum 32640

#include <cstdio>

constexpr unsigned Empty = ~0u, Slots = 128, Keys = 97;

__global__ void insert(unsigned *table, unsigned *counts) {
  unsigned key = (blockIdx.x * blockDim.x + threadIdx.x) % Keys;
  for (unsigned slot = key * 7 % Slots;; slot = (slot + 1) % Slots) {
    unsigned old = atomicCAS(&table[slot], Empty, key);
    if (old == Empty || old == key) {
      atomicAdd(&counts[slot], 1);
      return;
    }
  }
}

__global__ void count(int *lock, volatile int *counter) {
  for (bool done = false; !done;)
    if (atomicCAS(lock, 0, 1) == 0) {
      __threadfence();
      *counter = *counter + 1;
      __threadfence();
      atomicExch(lock, 0);
      done = true;
    }
}

__global__ void sum(unsigned long long *total) {
  unsigned long long old = *(volatile unsigned long long *)total, assumed;
  double mine = blockIdx.x * blockDim.x + threadIdx.x;
  do {
    assumed = old;
    old = atomicCAS(total, assumed,
                    __double_as_longlong(mine + __longlong_as_double(assumed)));
  } while (assumed != old);
}

int main() {
  unsigned *table, *counts, hostTable[Slots];
  int *words;
  unsigned long long *total;
  cudaMalloc(&table, sizeof hostTable);
  cudaMalloc(&counts, sizeof hostTable);
  cudaMalloc(&words, 2 * sizeof(int));
  cudaMalloc(&total, sizeof *total);
  cudaMemset(table, 0xff, sizeof hostTable);
  cudaMemset(counts, 0, sizeof hostTable);
  cudaMemset(words, 0, 2 * sizeof(int));
  cudaMemset(total, 0, sizeof *total);
  insert<<<4, 64>>>(table, counts);
  count<<<4, 64>>>(words, words + 1);
  sum<<<4, 64>>>(total);
  int keys = 0, locked;
  double added;
  cudaMemcpy(hostTable, table, sizeof hostTable, cudaMemcpyDeviceToHost);
  cudaMemcpy(&locked, words + 1, sizeof locked, cudaMemcpyDeviceToHost);
  cudaMemcpy(&added, total, sizeof added, cudaMemcpyDeviceToHost);
  for (unsigned key : hostTable)
    keys += key != Empty;
  std::printf("keys %d, locked %d, sum %.0f\n", keys, locked, added);
}
