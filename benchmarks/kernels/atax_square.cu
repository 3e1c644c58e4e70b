// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PolyBench's atax, y = A^T (A x), on one square matrix of 4 GB, as the CATT
// paper ran it. Its 128 blocks of 256 threads leave an H100 at an eighth of its
// occupancy, so the lines in use fit the L1 and throttling can only lose.
//
#include "common.h"

constexpr int Size = bench::bySize(256, 40960, 32768);
constexpr int BlockSize = 256;
constexpr int Blocks = (Size + BlockSize - 1) / BlockSize;
constexpr uint32_t SeedA = 1;
constexpr uint32_t SeedX = 2;

__global__ void ataxSquareRows(const float *BENCH_MAY_RESTRICT A,
                               const float *BENCH_MAY_RESTRICT x,
                               float *BENCH_MAY_RESTRICT tmp) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < Size)
    for (int j = 0; j < Size; ++j)
      tmp[i] += A[i * Size + j] * x[j];
}

__global__ void ataxSquareColumns(const float *BENCH_MAY_RESTRICT A,
                                  const float *BENCH_MAY_RESTRICT tmp,
                                  float *BENCH_MAY_RESTRICT y) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j < Size)
    for (int i = 0; i < Size; ++i)
      y[j] += A[i * Size + j] * tmp[i];
}

int main() {
  bench::DeviceArray<float> A(size_t(Size) * Size, SeedA);
  bench::DeviceArray<float> X(Size, SeedX), Tmp(Size), Y(Size);

  ataxSquareRows<<<Blocks, BlockSize>>>(A, X, Tmp);
  CUDA_CHECK(cudaGetLastError());
  ataxSquareColumns<<<Blocks, BlockSize>>>(A, Tmp, Y);
  CUDA_CHECK(cudaGetLastError());

  bench::Program Program("atax_square");
  Program.check("tmp", Tmp, [](size_t I, float Got) {
    double Sum = 0;
    for (size_t J = 0; J < Size; ++J)
      Sum += double(bench::valueAt(SeedA, I * Size + J)) *
             bench::valueAt(SeedX, J);
    return bench::isClose(Got, Sum);
  });

  std::vector<float> HostTmp = Tmp.toHost();
  Program.check("y", Y, [&](size_t J, float Got) {
    double Sum = 0;
    for (size_t I = 0; I < Size; ++I)
      Sum += double(bench::valueAt(SeedA, I * Size + J)) * HostTmp[I];
    return bench::isClose(Got, Sum);
  });
  return Program.verdict();
}
