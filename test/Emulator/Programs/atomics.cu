// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %sluice emulate %s --fail-fast --check=memory,races | FileCheck %s
// CHECK: PASS
#include "Inputs/check.h"

struct Results {
  int add, min, max, exchanged;
  unsigned inc, dec, ands, ors, xors;
  unsigned long long wide, widest;
  float sum;
  double dsum;
};

__global__ void all(Results *r, int *histogram) {
  __shared__ int local[16];
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x < 16)
    local[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&local[t * 7 % 16], 1);
  atomicAdd(&r->add, t);
  atomicMin(&r->min, -t);
  atomicMax(&r->max, t);
  atomicInc(&r->inc, 99);
  atomicDec(&r->dec, 50);
  atomicAnd(&r->ands, ~(1u << t % 7));
  atomicOr(&r->ors, 1u << t % 13);
  atomicXor(&r->xors, t * 2654435761u);
  atomicAdd(&r->wide, (unsigned long long)t << 20);
  atomicMax(&r->widest, (unsigned long long)t << 40);
  atomicAdd(&r->sum, 0.5f);
  atomicAdd(&r->dsum, 0.25);
  atomicAdd_block(&local[0], 0);
  atomicAdd_system(&r->exchanged, 1);
  int old = *(volatile int *)histogram, seen;
  do { // a compare-and-swap loop
    seen = old;
    old = atomicCAS(histogram + 16, seen, seen + 3);
  } while (old != seen);
  __syncthreads();
  if (threadIdx.x < 16)
    atomicAdd(&histogram[threadIdx.x], local[threadIdx.x]);
}

// The last block to finish adds up what all have done.
__device__ unsigned finished;
__global__ void lastBlock(int *partial, int *out) {
  __shared__ bool last;
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = blockIdx.x * blockIdx.x;
    __threadfence();
    last = atomicInc(&finished, gridDim.x) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && threadIdx.x == 0) {
    int sum = 0;
    for (unsigned i = 0; i < gridDim.x; ++i)
      sum += ((volatile int *)partial)[i];
    *out = sum;
  }
}

int main() {
  const int n = 4 * 160;
  Results start = {};
  start.ands = ~0u;
  Results *device, got;
  CUDA(cudaMalloc((void **)&device, sizeof start));
  CUDA(cudaMemcpy(device, &start, sizeof start, cudaMemcpyHostToDevice));
  Buffer<int> histogram(17), partial(64), out(1);
  all<<<4, 160>>>(device, histogram);
  CUDA(cudaMemcpy(&got, device, sizeof got, cudaMemcpyDeviceToHost));
  unsigned ands = ~0u, ors = 0, xors = 0, inc = 0, dec = 0;
  unsigned long long wide = 0;
  for (int t = 0; t < n; ++t) {
    ands &= ~(1u << t % 7);
    ors |= 1u << t % 13;
    xors ^= t * 2654435761u;
    inc = inc >= 99 ? 0 : inc + 1;
    dec = dec == 0 || dec > 50 ? 50 : dec - 1;
    wide += (unsigned long long)t << 20;
  }
  bool right = got.add == n * (n - 1) / 2 && got.min == 1 - n && got.max == n - 1 &&
               got.inc == inc && got.dec == dec && got.ands == ands && got.ors == ors &&
               got.xors == xors && got.wide == wide &&
               got.widest == (unsigned long long)(n - 1) << 40 && got.sum == n * 0.5f &&
               got.dsum == n * 0.25 && got.exchanged == n;
  if (!right) {
    std::puts("a result of the atomics is wrong");
    ++failures;
  }
  histogram.check("histogram", [&](size_t i) { return i == 16 ? 3 * n : n / 16; });
  lastBlock<<<64, 32>>>(partial, out);
  out.check("last block", [](size_t) { return 63 * 64 * 127 / 6; });
  cudaFree(device);
  return finish();
}
