// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The Box-Muller transform of the CUDA SDK's MersenneTwister: pairs of uniform
// numbers become pairs of normal ones in place. Thread t has the numbers t,
// t + Threads, t + 2 * Threads, ...: all accesses are coalesced. A logarithm, a
// root, a sine and a cosine per pair of 8 bytes.
//
#include "common.h"

constexpr int BlockSize = 128;
constexpr int Blocks = bench::bySize(8, 32, 132 * 2048 / BlockSize);
constexpr int Threads = Blocks * BlockSize;
constexpr int PerThread = bench::bySize(32, 5860, 256);
constexpr size_t Numbers = size_t(Threads) * PerThread;
constexpr uint32_t SeedUniform = 1;

namespace bench {
/// In (0, 1]: the logarithm of 0 has no value.
__host__ __device__ inline float uniformAt(size_t Index) {
  return 1 - valueAt(SeedUniform, Index);
}

__global__ void fillUniform(float *Data) {
  size_t Step = static_cast<size_t>(gridDim.x) * blockDim.x;
  for (size_t I = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
       I < Numbers; I += Step)
    Data[I] = uniformAt(I);
}
} // namespace bench

__device__ inline void boxMuller(float &a, float &b) {
  float radius = sqrtf(-2.0f * logf(a));
  float sine, cosine;
  sincosf(6.28318530717958647692f * b, &sine, &cosine);
  a = radius * cosine;
  b = radius * sine;
}

__global__ void box_muller(float *data, int perThread) {
  int thread = blockIdx.x * blockDim.x + threadIdx.x;
  for (int i = 0; i < perThread; i += 2)
    boxMuller(data[thread + i * Threads], data[thread + (i + 1) * Threads]);
}

int main() {
  bench::DeviceArray<float> Data(Numbers);
  bench::fillUniform<<<2048, 256>>>(Data);
  CUDA_CHECK(cudaGetLastError());

  box_muller<<<Blocks, BlockSize>>>(Data, PerThread);
  CUDA_CHECK(cudaGetLastError());

  bench::Program Program("box_muller");
  Program.check("data", Data, [](size_t I, float Got) {
    size_t Row = I / Threads;
    size_t First = I - Row % 2 * Threads;
    double Radius = std::sqrt(-2 * std::log(double(bench::uniformAt(First))));
    double Angle = 2 * M_PI * bench::uniformAt(First + Threads);
    double Expected = Radius * (Row % 2 ? std::sin(Angle) : std::cos(Angle));
    return std::abs(Got - Expected) < 1e-5 * (1 + Radius);
  });
  return Program.verdict();
}
