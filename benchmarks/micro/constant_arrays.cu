// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What reading an array in constant memory costs, as the compiler has it and
// through the L1, by the array's size: in a loop in which all lanes read the
// same element, with little and with much work beside it, and where the lanes
// of a warp read 1 to 32 different elements. Prints a table; milliseconds, the
// median of five. docs/passes/constant-arrays.md has the results.
//
//   sluice-clang++ --sluice-constant-arrays=off -O3 --cuda-gpu-arch=sm_90 ...
//   nvcc -O3 -arch=sm_90 constant_arrays.cu
//
#include <algorithm>
#include <cstdio>
#include <vector>

constexpr int Most = 4096, Threads = 256, Blocks = 8 * 132, Reads = 16384;
__constant__ float4 table[Most];

enum Way { AsIs, ThroughL1 };
enum Work { Little, Much, Lanes };

/// The address of the table, for the compiler any address.
__device__ const float4 *generic() {
  const float4 *hidden;
  asm("mov.u64 %0, %1;" : "=l"(hidden) : "l"((const float4 *)table));
  return hidden;
}

template <Way W, Work K>
__global__ void read(const float *in, float *out, int count, int different) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float a = in[i], b = in[i + 1], sum = 0, last = 0;
  const float4 *array = W == ThroughL1 ? generic() : table;
  const int lane = threadIdx.x % different;
  for (int done = 0; done < Reads; done += count)
    for (int j = 0; j < count; ++j) {
      float4 v = array[K == Lanes ? (j * 7 + lane) & (count - 1) : j];
      float t = v.x * a + v.y * b + v.z * last;
      if (K == Much)
        t = sinf(t);
      sum += v.w * t;
      last = t;
    }
  out[i] = sum + last;
}

static float *In, *Out;

template <Way W, Work K> static float time(int count, int different = 1) {
  cudaEvent_t begin, end;
  cudaEventCreate(&begin);
  cudaEventCreate(&end);
  std::vector<float> all;
  for (int round = 0; round < 6; ++round) {
    cudaEventRecord(begin);
    read<W, K><<<Blocks, Threads>>>(In, Out, count, different);
    cudaEventRecord(end);
    cudaEventSynchronize(end);
    float ms;
    cudaEventElapsedTime(&ms, begin, end);
    if (round)
      all.push_back(ms);
  }
  std::sort(all.begin(), all.end());
  return all[all.size() / 2];
}

/// Do both ways give the same?
template <Work K> static bool same(int count, int different) {
  std::vector<float> one(Threads), other(Threads);
  read<AsIs, K><<<1, Threads>>>(In, Out, count, different);
  cudaMemcpy(one.data(), Out, Threads * sizeof(float), cudaMemcpyDefault);
  read<ThroughL1, K><<<1, Threads>>>(In, Out, count, different);
  cudaMemcpy(other.data(), Out, Threads * sizeof(float), cudaMemcpyDefault);
  return one == other;
}

int main() {
  std::vector<float4> values(Most);
  for (int i = 0; i < Most; ++i)
    values[i] = {0.5f + i % 5, 0.25f, 0.125f, 1.0f / (1 + i)};
  cudaMemcpyToSymbol(table, values.data(), Most * sizeof(float4));
  const int Elements = Blocks * Threads + 1;
  std::vector<float> in(Elements);
  for (int i = 0; i < Elements; ++i)
    in[i] = float(i % 1000) / 1000;
  cudaMalloc(&In, Elements * sizeof(float));
  cudaMalloc(&Out, Elements * sizeof(float));
  cudaMemcpy(In, in.data(), Elements * sizeof(float), cudaMemcpyDefault);
  std::printf("bytes   little: as is, L1   much: as is, L1   the same\n");
  for (int count = 16; count <= Most; count *= 2)
    std::printf("%5d  %8.3f %8.3f  %8.3f %8.3f  %s\n", 16 * count,
                time<AsIs, Little>(count), time<ThroughL1, Little>(count),
                time<AsIs, Much>(count), time<ThroughL1, Much>(count),
                same<Little>(count, 1) && same<Much>(count, 1) ? "yes" : "NO");
  std::printf("bytes  different elements of a warp: as is, L1\n");
  for (int count : {16, 64, 256, 1024})
    for (int different : {1, 2, 4, 8, 32})
      std::printf("%5d  %2d  %8.3f %8.3f  %s\n", 16 * count, different,
                  time<AsIs, Lanes>(count, different),
                  time<ThroughL1, Lanes>(count, different),
                  same<Lanes>(count, different) ? "yes" : "NO");
  std::printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
