// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pairs of halves and of bfloat16 go to a thread's array, and its elements are
// read: with the toolkit's headers, whose pairs are written as integers.
//
// RUN: %sluice emulate %s --cuda-gpu-arch=sm_90 -O3 -std=c++17 -- | FileCheck %s
// CHECK: half 408, bfloat16 408

#include <cstdio>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

constexpr int Tile = 4, Depth = 8, Width = 64;

template <typename Number, typename Both>
__global__ void multiply(const Number *from, Number *to, int tiles) {
  __shared__ Number left[Depth][Width], right[Depth][Width];
  Number a[Tile], b[Tile], sum[Tile][Tile] = {};
  auto pair = [](auto &first) -> auto & {
    return *reinterpret_cast<Both *>(&first);
  };
  const int t = 2 * threadIdx.x;
  for (int tile = 0; tile < tiles; ++tile) {
    for (int k = 0; k < Depth; ++k) {
      auto &row = const_cast<Number &>(from[(tile * Depth + k) * Width + t]);
      pair(left[k][t]) = pair(row);
      pair(right[k][t]) = pair(row);
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < Depth; ++k) {
      pair(a[0]) = pair(left[k][t]);
      pair(a[2]) = pair(left[k][Width - 2 - t]);
      pair(b[0]) = pair(right[k][t]);
      pair(b[2]) = pair(right[k][Width - 2 - t]);
      for (int i = 0; i < Tile; ++i)
        for (int j = 0; j < Tile; ++j)
          sum[i][j] += a[i] * b[j];
    }
    __syncthreads();
  }
  for (int i = 0; i < Tile; ++i)
    pair(to[(threadIdx.x * Tile + i) * 2]) = pair(sum[i][0]);
}

template <typename Number, typename Both> static float run() {
  constexpr int Numbers = 2 * Depth * Width, Results = 256;
  Number host[Numbers], result[Results], *from, *to;
  for (int i = 0; i < Numbers; ++i)
    host[i] = Number(float(i / Width % Depth + 1)); // 2 * sum of squares to 8
  cudaMalloc(&from, sizeof host);
  cudaMalloc(&to, sizeof result);
  cudaMemcpy(from, host, sizeof host, cudaMemcpyHostToDevice);
  multiply<Number, Both><<<1, Width / 2>>>(from, to, 2);
  cudaMemcpy(result, to, sizeof result, cudaMemcpyDeviceToHost);
  return float(result[0]);
}

int main() {
  std::printf("half %g, bfloat16 %g\n", run<__half, __half2>(),
              run<__nv_bfloat16, __nv_bfloat162>());
}
