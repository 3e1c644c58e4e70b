// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %sluice emulate %s --fail-fast --check=memory,races | FileCheck %s
// CHECK: PASS
// A sum three ways: a tree in shared memory, shuffles, and both to one atomic.
#include "Inputs/check.h"

template <int Threads> __global__ void tree(const int *in, int n, long long *out) {
  __shared__ long long sums[Threads];
  int t = threadIdx.x;
  long long sum = 0;
  for (int i = blockIdx.x * Threads + t; i < n; i += gridDim.x * Threads)
    sum += in[i];
  sums[t] = sum;
  __syncthreads();
  for (int half = Threads / 2; half > 0; half /= 2) {
    if (t < half)
      sums[t] += sums[t + half];
    __syncthreads();
  }
  if (t == 0)
    out[blockIdx.x] = sums[0];
}

__device__ int sumOfWarp(int value) {
  for (int distance = 16; distance > 0; distance /= 2)
    value += __shfl_down_sync(~0u, value, distance);
  return value;
}

__global__ void shuffles(const int *in, int n, int *out) {
  __shared__ int warps[32];
  int t = threadIdx.x, sum = 0;
  for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x)
    sum += in[i];
  sum = sumOfWarp(sum);
  if (t % 32 == 0)
    warps[t / 32] = sum;
  __syncthreads();
  if (t < 32) {
    sum = sumOfWarp(t < blockDim.x / 32 ? warps[t] : 0);
    if (t == 0)
      atomicAdd(out, sum);
  }
}

// The last warp of the tree without barriers of the block, and a maximum by bits.
__global__ void extremes(const int *in, int n, int *least, unsigned *most) {
  __shared__ int low[64];
  int t = threadIdx.x, i = blockIdx.x * 64 + t;
  low[t] = i < n ? in[i] : 0x7fffffff;
  __syncthreads();
  if (t < 32) {
    for (int half = 32; half > 0; half /= 2) {
      if (t < half)
        low[t] = min(low[t], low[t + half]);
      __syncwarp();
    }
    if (t == 0)
      atomicMin(least, low[0]);
  }
  unsigned bits = __reduce_max_sync(~0u, i < n ? unsigned(in[i]) ^ 0x80000000u : 0u);
  if (t % 32 == 0)
    atomicMax(most, bits);
}

int main() {
  const int n = 10007, blocks = 9;
  Buffer<int> in(n, [](size_t i) { return int(i * 2654435761u) >> 12; });
  Buffer<long long> partial(blocks);
  Buffer<int> sum(1), least(1);
  Buffer<unsigned> most(1);
  tree<128><<<blocks, 128>>>(in, n, partial);
  shuffles<<<blocks, 160>>>(in, n, sum);
  extremes<<<(n + 63) / 64, 64>>>(in, n, least, most);
  long long total = 0;
  int low = 0, high = 0;
  for (int x : in.host) {
    total += x;
    low = std::min(low, x);
    high = std::max(high, x);
  }
  partial.check("partial", [&](size_t b) {
    long long s = 0;
    for (int i = 0; i < n; ++i)
      s += size_t(i) / 128 % blocks == b ? in.host[i] : 0;
    return s;
  });
  sum.check("sum", [&](size_t) { return int(total); });
  least.check("least", [&](size_t) { return low; });
  most.check("most", [&](size_t) { return unsigned(high) ^ 0x80000000u; });
  return finish();
}
