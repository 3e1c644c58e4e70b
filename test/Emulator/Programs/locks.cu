// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %sluice emulate %s --fail-fast --check=memory,races | FileCheck %s
// CHECK: PASS
// Locks that are legal where threads of a warp are scheduled independently.
#include "Inputs/check.h"

__device__ int lock;

__global__ void inLoop(int *count) {
  bool done = false;
  while (!done)
    if (atomicCAS(&lock, 0, 1) == 0) {
      *(volatile int *)count = *(volatile int *)count + 1;
      __threadfence();
      atomicExch(&lock, 0);
      done = true;
    }
}

__global__ void beforeSection(int *count) {
  while (atomicCAS(&lock, 0, 1) != 0)
    ;
  *(volatile int *)count = *(volatile int *)count + 1;
  __threadfence();
  atomicExch(&lock, 0);
}

// A lane waits for another lane of its warp, on the other side of a branch.
__global__ void handOver(int *flag, int *out) {
  if (threadIdx.x % 2) {
    while (atomicAdd(flag + threadIdx.x / 2, 0) == 0)
      ;
    out[threadIdx.x] = 1;
  } else {
    out[threadIdx.x] = 2;
    atomicExch(flag + threadIdx.x / 2, 1);
  }
}

int main() {
  Buffer<int> one(1), two(1), flags(32), out(64);
  inLoop<<<3, 64>>>(one);
  beforeSection<<<3, 64>>>(two);
  handOver<<<1, 64>>>(flags, out);
  one.check("in a loop", [](size_t) { return 192; });
  two.check("before the section", [](size_t) { return 192; });
  out.check("hand over", [](size_t i) { return i % 2 ? 1 : 2; });
  return finish();
}
