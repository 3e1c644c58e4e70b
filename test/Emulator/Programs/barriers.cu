// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %sluice emulate %s --fail-fast --check=memory,races | FileCheck %s
// CHECK: PASS
#include "Inputs/check.h"

__global__ void reductions(int *out) {
  int t = threadIdx.x;
  int count = __syncthreads_count(t % 3 == 0);
  int all = __syncthreads_and(t < 100), any = __syncthreads_or(t == 77);
  out[t] = count * 4 + all * 2 + any;
}

// Half of the block produces, half consumes: named barriers.
__global__ void named(int *out) {
  __shared__ int data[64];
  int t = threadIdx.x;
  if (t < 64) {
    data[t] = t * t;
    asm volatile("bar.arrive 1, 128;" ::: "memory");
  } else {
    asm volatile("bar.sync 1, 128;" ::: "memory");
    out[t - 64] = data[127 - t];
  }
}

// Threads that have returned are not waited for.
__global__ void early(int *out, int n) {
  __shared__ int data[128];
  int t = threadIdx.x;
  if (t >= n)
    return;
  data[t] = t;
  __syncthreads();
  out[t] = data[n - 1 - t];
}

__global__ void rounds(int *out) {
  __shared__ int data[2][96];
  int t = threadIdx.x, n = blockDim.x;
  data[0][t] = t;
  for (int r = 0; r < 10; ++r) {
    __syncthreads();
    data[1 - r % 2][t] = data[r % 2][(t + 1) % n] + r;
  }
  __syncthreads();
  out[t] = data[0][t];
}

int main() {
  Buffer<int> a(128), b(64), c(50), d(96);
  reductions<<<1, 128>>>(a);
  named<<<1, 128>>>(b);
  early<<<1, 128>>>(c, 50);
  rounds<<<1, 96>>>(d);
  a.check("reductions", [](size_t) { return 43 * 4 + 1; });
  b.check("named", [](size_t i) { return int((63 - i) * (63 - i)); });
  c.check("early", [](size_t i) { return 49 - int(i); });
  d.check("rounds", [](size_t i) { return int(i + 10) % 96 + 45; });
  return finish();
}
