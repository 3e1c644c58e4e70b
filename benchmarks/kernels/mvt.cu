// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PolyBench's mvt, x1 += A y1 and x2 += A^T y2: along the rows, contending for
// the L1, and down the columns, coalesced.
//
// To give each kernel a thread for every slot of the chip, the same memory is
// read as Threads x Terms by the first and as Terms x Threads by the second.
//
#include "common.h"

#ifndef THREADS
#define THREADS (132 * 2048)
#endif
#ifndef TERMS
#define TERMS 512
#endif

constexpr int Threads = THREADS;
constexpr int Terms = TERMS;
constexpr int BlockSize = 256;
constexpr int Blocks = (Threads + BlockSize - 1) / BlockSize;
constexpr uint32_t SeedA = 1;
constexpr uint32_t SeedX1 = 2;
constexpr uint32_t SeedX2 = 3;
constexpr uint32_t SeedY1 = 4;
constexpr uint32_t SeedY2 = 5;

__global__ void mvtX1(const float *BENCH_RESTRICT A,
                      const float *BENCH_RESTRICT y1,
                      float *BENCH_RESTRICT x1) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < Threads)
    for (int j = 0; j < Terms; ++j)
      x1[i] += A[i * Terms + j] * y1[j];
}

__global__ void mvtX2(const float *BENCH_RESTRICT A,
                      const float *BENCH_RESTRICT y2,
                      float *BENCH_RESTRICT x2) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < Threads)
    for (int j = 0; j < Terms; ++j)
      x2[i] += A[j * Threads + i] * y2[j];
}

int main(int ArgC, char **ArgV) {
  bench::DeviceArray<float> A(size_t(Threads) * Terms, SeedA);
  bench::DeviceArray<float> Y1(Terms, SeedY1), Y2(Terms, SeedY2);
  bench::DeviceArray<float> X1(Threads), X2(Threads);

  bench::Program Program("mvt", ArgC, ArgV);
  Program.measure(
      "mvtX1", X1, [&] { X1.fill(SeedX1); },
      [&] { mvtX1<<<Blocks, BlockSize>>>(A, Y1, X1); },
      [](size_t I, float Got) {
        double Sum = bench::valueAt(SeedX1, I);
        for (size_t J = 0; J < Terms; ++J)
          Sum += double(bench::valueAt(SeedA, I * Terms + J)) *
                 bench::valueAt(SeedY1, J);
        return bench::isClose(Got, Sum);
      });
  Program.measure(
      "mvtX2", X2, [&] { X2.fill(SeedX2); },
      [&] { mvtX2<<<Blocks, BlockSize>>>(A, Y2, X2); },
      [](size_t I, float Got) {
        double Sum = bench::valueAt(SeedX2, I);
        for (size_t J = 0; J < Terms; ++J)
          Sum += double(bench::valueAt(SeedA, J * Threads + I)) *
                 bench::valueAt(SeedY2, J);
        return bench::isClose(Got, Sum);
      });
  return Program.exitCode();
}
