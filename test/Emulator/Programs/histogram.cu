// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %sluice emulate %s --fail-fast --check=memory,races | FileCheck %s
// CHECK: PASS
// Bytes counted in shared memory, one table for each warp; and in one table per
// block of counters of 16 bits, two to a word.
#include "Inputs/check.h"

const int Bins = 256, Warps = 4;

__global__ void byWarp(const uchar4 *in, int n, int *out) {
  __shared__ int tables[Warps][Bins];
  int t = threadIdx.x, *mine = tables[t / 32];
  for (int k = t; k < Warps * Bins; k += blockDim.x)
    (&tables[0][0])[k] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x) {
    uchar4 four = in[i];
    atomicAdd(&mine[four.x], 1);
    atomicAdd(&mine[four.y], 1);
    atomicAdd(&mine[four.z], 1);
    atomicAdd(&mine[four.w], 1);
  }
  __syncthreads();
  for (int bin = t; bin < Bins; bin += blockDim.x) {
    int sum = 0;
    for (int w = 0; w < Warps; ++w)
      sum += tables[w][bin];
    atomicAdd(&out[bin], sum);
  }
}

__global__ void packed(const unsigned char *in, int n, int *out) {
  extern __shared__ unsigned words[];
  for (int k = threadIdx.x; k < Bins / 2; k += blockDim.x)
    words[k] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&words[in[i] / 2], 1u << in[i] % 2 * 16);
  __syncthreads();
  for (int bin = threadIdx.x; bin < Bins; bin += blockDim.x)
    if (unsigned count = words[bin / 2] >> bin % 2 * 16 & 0xffff)
      atomicAdd(&out[bin], count);
}

int main() {
  const int n = 20000;
  Buffer<unsigned char> in(n, [](size_t i) { return (unsigned char)(i * i / 7 + i % 3); });
  Buffer<int> first(Bins), second(Bins);
  byWarp<<<5, 32 * Warps>>>((const uchar4 *)in.device, n / 4, first);
  packed<<<3, 96, Bins / 2 * sizeof(unsigned)>>>(in, n, second);
  std::vector<int> want(Bins);
  for (unsigned char x : in.host)
    ++want[x];
  first.check("by warp", [&](size_t i) { return want[i]; });
  second.check("packed", [&](size_t i) { return want[i]; });
  return finish();
}
