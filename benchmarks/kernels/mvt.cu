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
#define THREADS bench::bySize(512, 40960, 132 * 2048)
#endif
#ifndef TERMS
#define TERMS bench::bySize(64, 40960, 512)
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

__global__ void mvtX1(const float *BENCH_MAY_RESTRICT A,
                      const float *BENCH_MAY_RESTRICT y1,
                      float *BENCH_MAY_RESTRICT x1) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < Threads)
    for (int j = 0; j < Terms; ++j)
      x1[i] += A[i * Terms + j] * y1[j];
}

__global__ void mvtX2(const float *BENCH_MAY_RESTRICT A,
                      const float *BENCH_MAY_RESTRICT y2,
                      float *BENCH_MAY_RESTRICT x2) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < Threads)
    for (int j = 0; j < Terms; ++j)
      x2[i] += A[j * Threads + i] * y2[j];
}

int main() {
  bench::DeviceArray<float> A(size_t(Threads) * Terms, SeedA);
  bench::DeviceArray<float> Y1(Terms, SeedY1), Y2(Terms, SeedY2);
  bench::DeviceArray<float> X1(Threads, SeedX1), X2(Threads, SeedX2);

  mvtX1<<<Blocks, BlockSize>>>(A, Y1, X1);
  CUDA_CHECK(cudaGetLastError());
  mvtX2<<<Blocks, BlockSize>>>(A, Y2, X2);
  CUDA_CHECK(cudaGetLastError());

  bench::Program Program("mvt");
  Program.check("x1", X1, [](size_t I, float Got) {
    double Sum = bench::valueAt(SeedX1, I);
    for (size_t J = 0; J < Terms; ++J)
      Sum += double(bench::valueAt(SeedA, I * Terms + J)) *
             bench::valueAt(SeedY1, J);
    return bench::isClose(Got, Sum);
  });
  Program.check("x2", X2, [](size_t I, float Got) {
    double Sum = bench::valueAt(SeedX2, I);
    for (size_t J = 0; J < Terms; ++J)
      Sum += double(bench::valueAt(SeedA, J * Threads + I)) *
             bench::valueAt(SeedY2, J);
    return bench::isClose(Got, Sum);
  });
  return Program.verdict();
}
