// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PolyBench's bicg, s = A^T r and q = A p: down the columns, coalesced, and
// along the rows, contending for the L1.
//
// To give each kernel a thread for every slot of the chip, the same memory is
// read as Terms x Threads by the first and as Threads x Terms by the second.
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
constexpr uint32_t SeedR = 2;
constexpr uint32_t SeedP = 3;

__global__ void bicgS(const float *BENCH_MAY_RESTRICT A,
                      const float *BENCH_MAY_RESTRICT r,
                      float *BENCH_MAY_RESTRICT s) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j < Threads) {
    s[j] = 0.0f;
    for (int i = 0; i < Terms; ++i)
      s[j] += A[i * Threads + j] * r[i];
  }
}

__global__ void bicgQ(const float *BENCH_MAY_RESTRICT A,
                      const float *BENCH_MAY_RESTRICT p,
                      float *BENCH_MAY_RESTRICT q) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < Threads) {
    q[i] = 0.0f;
    for (int j = 0; j < Terms; ++j)
      q[i] += A[i * Terms + j] * p[j];
  }
}

int main() {
  bench::DeviceArray<float> A(size_t(Threads) * Terms, SeedA);
  bench::DeviceArray<float> R(Terms, SeedR), P(Terms, SeedP);
  bench::DeviceArray<float> S(Threads), Q(Threads);

  bicgS<<<Blocks, BlockSize>>>(A, R, S);
  CUDA_CHECK(cudaGetLastError());
  bicgQ<<<Blocks, BlockSize>>>(A, P, Q);
  CUDA_CHECK(cudaGetLastError());

  bench::Program Program("bicg");
  Program.check("s", S, [](size_t J, float Got) {
    double Sum = 0;
    for (size_t I = 0; I < Terms; ++I)
      Sum += double(bench::valueAt(SeedA, I * Threads + J)) *
             bench::valueAt(SeedR, I);
    return bench::isClose(Got, Sum);
  });
  Program.check("q", Q, [](size_t I, float Got) {
    double Sum = 0;
    for (size_t J = 0; J < Terms; ++J)
      Sum += double(bench::valueAt(SeedA, I * Terms + J)) *
             bench::valueAt(SeedP, J);
    return bench::isClose(Got, Sum);
  });
  return Program.verdict();
}
