// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %sluicexx --sluice-emulate -fgpu-rdc -c %S/Inputs/rdc-second.cu -o %t.second.o
// RUN: %sluicexx --sluice-emulate -fgpu-rdc -c %s -o %t.first.o
// RUN: %sluicexx --sluice-emulate -fgpu-rdc %t.first.o %t.second.o -o %t.exe
// RUN: env SLUICE_EMULATE=fail-fast=1,check=memory+races %t.exe | FileCheck %s
// CHECK: PASS
// Functions, variables and kernels of another file: called, taken the address of,
// written and read from both.
#include "Inputs/rdc.h"
#include "Inputs/check.h"

__device__ int fromFirst(int x) { return 1000 - x; }
__device__ int history[Slots];

__global__ void ask(int *out) {
  int i = threadIdx.x;
  Operation chosen = operations[i % 3]; // the table lies in the other file
  out[i] = chosen(i) + secondFunction(i) + scale * 10000;
  atomicAdd(&calls, 1);
  if (i < Slots)
    history[i] = i * i;
}

int main() {
  const int n = 64, factor = 3;
  CUDA(cudaMemcpyToSymbol(scale, &factor, sizeof factor));
  Buffer<int> out(n), sums(Slots);
  ask<<<1, n>>>(out);
  out.check("asked", [](size_t k) {
    int i = int(k), chosen = i % 3 == 0 ? i + 1 : i % 3 == 1 ? i * 2 : 1000 - i;
    return chosen + (i + 7) * factor + factor * 10000;
  });
  sumOfHistory(sums); // launches the other file's kernel
  sums.check("history", [](size_t i) {
    int sum = 0;
    for (int k = 0; k <= int(i); ++k)
      sum += k * k;
    return sum;
  });
  int counted = 0;
  CUDA(cudaMemcpyFromSymbol(&counted, calls, sizeof counted));
  if (counted != n || countedThere() != n) {
    std::printf("calls: %d here, %d there\n", counted, countedThere());
    ++failures;
  }
  return finish();
}
