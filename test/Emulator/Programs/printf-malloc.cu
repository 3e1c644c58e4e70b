// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %sluice emulate %s --fail-fast --check=memory,races | FileCheck %s
// CHECK-DAG: PASS
#include "Inputs/check.h"
#include <cassert>

__global__ void speak(int n) {
  assert(n == 3);
  if (threadIdx.x < 2)
    printf("thread %d: %s %6.2f %llu %c %x%%\n", threadIdx.x, "text", 3.14159, 123456789012ull, 'x', 255);
}
// CHECK-DAG: thread 0: text   3.14 123456789012 x ff%
// CHECK-DAG: thread 1: text   3.14 123456789012 x ff%

__global__ void heap(int *out) {
  int t = threadIdx.x;
  int *mine = (int *)malloc(2 * sizeof(int));
  mine[0] = t;
  mine[1] = 2 * t;
  long long before = clock64();
  out[t] = mine[0] + mine[1] + (clock64() < before);
  free(mine);
}

int main() {
  speak<<<1, 32>>>(3);
  CUDA(cudaDeviceSynchronize());
  Buffer<int> out(64);
  heap<<<1, 64>>>(out);
  out.check("heap", [](size_t i) { return 3 * int(i); });
  return finish();
}
