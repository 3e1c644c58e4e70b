// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PolyBench's atax, y = A^T (A x), as the CATT paper has it: the first kernel
// goes along rows, a thread each, and contends for the L1; the second goes down
// columns, coalesced, and does not.
//
// Both kernels need a thread for each SM's every slot, which one matrix cannot
// give with 512 elements to a sum. So the same memory is read twice: as
// Threads x Terms by the first, as Terms x Threads by the second, which takes
// the first Terms results of the first. atax_square.cu has one matrix.
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
constexpr uint32_t SeedX = 2;
static_assert(Threads >= Terms, "the second kernel reads Terms results");

__global__ void ataxRows(const float *BENCH_MAY_RESTRICT A,
                         const float *BENCH_MAY_RESTRICT x,
                         float *BENCH_MAY_RESTRICT tmp) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < Threads)
    for (int j = 0; j < Terms; ++j)
      tmp[i] += A[i * Terms + j] * x[j];
}

__global__ void ataxColumns(const float *BENCH_MAY_RESTRICT A,
                            const float *BENCH_MAY_RESTRICT tmp,
                            float *BENCH_MAY_RESTRICT y) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j < Threads)
    for (int i = 0; i < Terms; ++i)
      y[j] += A[i * Threads + j] * tmp[i];
}

int main() {
  bench::DeviceArray<float> A(size_t(Threads) * Terms, SeedA);
  bench::DeviceArray<float> X(Terms, SeedX), Tmp(Threads), Y(Threads);

  ataxRows<<<Blocks, BlockSize>>>(A, X, Tmp);
  CUDA_CHECK(cudaGetLastError());
  ataxColumns<<<Blocks, BlockSize>>>(A, Tmp, Y);
  CUDA_CHECK(cudaGetLastError());

  bench::Program Program("atax");
  Program.check("tmp", Tmp, [](size_t I, float Got) {
    double Sum = 0;
    for (size_t J = 0; J < Terms; ++J)
      Sum += double(bench::valueAt(SeedA, I * Terms + J)) *
             bench::valueAt(SeedX, J);
    return bench::isClose(Got, Sum);
  });

  std::vector<float> HostTmp = Tmp.toHost();
  Program.check("y", Y, [&](size_t J, float Got) {
    double Sum = 0;
    for (size_t I = 0; I < Terms; ++I)
      Sum += double(bench::valueAt(SeedA, I * Threads + J)) * HostTmp[I];
    return bench::isClose(Got, Sum);
  });
  return Program.verdict();
}
