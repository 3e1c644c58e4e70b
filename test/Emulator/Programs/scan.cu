// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %sluice emulate %s --fail-fast --check=memory,races | FileCheck %s
// CHECK: PASS
// Prefix sums: the work-efficient tree (exclusive), and by warps (inclusive) in one
// launch, where each block waits for what the one before it has published.
#include "Inputs/check.h"

const int Threads = 128;

__global__ void tree(const int *in, int *out, int *totals, int n) {
  __shared__ int a[2 * Threads];
  int t = threadIdx.x, at = blockIdx.x * 2 * Threads;
  for (int k = t; k < 2 * Threads; k += Threads)
    a[k] = at + k < n ? in[at + k] : 0;
  int stride = 1;
  for (int pairs = Threads; pairs > 0; pairs /= 2, stride *= 2) { // up
    __syncthreads();
    if (t < pairs)
      a[stride * (2 * t + 2) - 1] += a[stride * (2 * t + 1) - 1];
  }
  __syncthreads();
  if (t == 0) {
    if (totals)
      totals[blockIdx.x] = a[2 * Threads - 1];
    a[2 * Threads - 1] = 0;
  }
  for (int pairs = 1; pairs <= Threads; pairs *= 2) { // down
    stride /= 2;
    __syncthreads();
    if (t < pairs) {
      int left = stride * (2 * t + 1) - 1, right = stride * (2 * t + 2) - 1;
      int sum = a[left];
      a[left] = a[right];
      a[right] += sum;
    }
  }
  __syncthreads();
  for (int k = t; k < 2 * Threads; k += Threads)
    if (at + k < n)
      out[at + k] = a[k];
}

__global__ void addTotals(int *out, const int *totals, int n) {
  int i = blockIdx.x * 2 * Threads + threadIdx.x;
  for (int k = 0; k < 2; ++k, i += Threads)
    if (i < n)
      out[i] += totals[blockIdx.x];
}

__device__ int scanOfWarp(int value) {
  for (int distance = 1; distance < 32; distance *= 2) {
    int other = __shfl_up_sync(~0u, value, distance);
    if (threadIdx.x % 32 >= distance)
      value += other;
  }
  return value;
}

struct Published {
  int sum, ready;
};

__global__ void chained(const int *in, int *out, int n, Published *published, int *tickets) {
  __shared__ int warps[Threads / 32], block, before;
  int t = threadIdx.x;
  if (t == 0)
    block = atomicAdd(tickets, 1); // in the order of starting, so that nobody starves
  __syncthreads();
  int i = block * Threads + t;
  int value = scanOfWarp(i < n ? in[i] : 0);
  if (t % 32 == 31)
    warps[t / 32] = value;
  __syncthreads();
  if (t < 32) {
    int sum = scanOfWarp(t < Threads / 32 ? warps[t] : 0);
    if (t < Threads / 32)
      warps[t] = sum;
  }
  __syncthreads();
  if (t >= 32)
    value += warps[t / 32 - 1];
  if (t == 0) {
    before = 0;
    if (block > 0) {
      while (!atomicAdd(&published[block - 1].ready, 0))
        ;
      __threadfence();
      before = atomicAdd(&published[block - 1].sum, 0);
    }
    atomicExch(&published[block].sum, before + warps[Threads / 32 - 1]);
    __threadfence();
    atomicExch(&published[block].ready, 1);
  }
  __syncthreads();
  if (i < n)
    out[i] = value + before;
}

int main() {
  const int n = 5000, blocks = (n + 2 * Threads - 1) / (2 * Threads);
  Buffer<int> in(n, [](size_t i) { return int(i * 2654435761u >> 22) - 500; });
  Buffer<int> exclusive(n), inclusive(n), totals(blocks), tickets(1);
  tree<<<blocks, Threads>>>(in, exclusive, totals, n);
  tree<<<1, Threads>>>(totals, totals, nullptr, blocks);
  addTotals<<<blocks, Threads>>>(exclusive, totals, n);
  const int chain = (n + Threads - 1) / Threads;
  Published *published;
  CUDA(cudaMalloc((void **)&published, chain * sizeof(Published)));
  CUDA(cudaMemset(published, 0, chain * sizeof(Published)));
  chained<<<chain, Threads>>>(in, inclusive, n, published, tickets);
  std::vector<int> sums(n + 1);
  for (int i = 0; i < n; ++i)
    sums[i + 1] = sums[i] + in.host[i];
  exclusive.check("exclusive", [&](size_t i) { return sums[i]; });
  inclusive.check("inclusive", [&](size_t i) { return sums[i + 1]; });
  CUDA(cudaFree(published));
  return finish();
}
