// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PolyBench's correlation of every pair of columns. The last kernel has one
// column j1 per thread, which goes over the columns j2 behind it and for each
// over the rows i. The loads are coalesced; the running sum symmat[j1][j2] is
// in memory, a cache line per thread. Threads are few: one per column, and the
// first have the most to do.
//
#include "common.h"

constexpr int Rows = bench::bySize(32, 2048, 32);
constexpr int Columns = bench::bySize(288, 2048, 8192);
constexpr int BlockSize = 256;
constexpr int Blocks = (Columns + BlockSize - 1) / BlockSize;
constexpr float Epsilon = 0.005f;
constexpr uint32_t SeedData = 1;
static_assert(Rows % 8 == 0 && Columns % 32 == 0, "whole blocks");

__global__ void correlationMean(float *BENCH_MAY_RESTRICT mean,
                                const float *BENCH_MAY_RESTRICT data) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j < Columns) {
    mean[j] = 0;
    for (int i = 0; i < Rows; ++i)
      mean[j] += data[i * Columns + j];
    mean[j] /= Rows;
  }
}

__global__ void correlationStd(const float *BENCH_MAY_RESTRICT mean,
                               float *BENCH_MAY_RESTRICT std,
                               const float *BENCH_MAY_RESTRICT data) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j < Columns) {
    std[j] = 0;
    for (int i = 0; i < Rows; ++i)
      std[j] +=
          (data[i * Columns + j] - mean[j]) * (data[i * Columns + j] - mean[j]);
    std[j] = sqrtf(std[j] / Rows);
    // A column that does not vary is divided by one, not by about zero.
    if (std[j] <= Epsilon)
      std[j] = 1;
  }
}

__global__ void correlationReduce(const float *BENCH_MAY_RESTRICT mean,
                                  const float *BENCH_MAY_RESTRICT std,
                                  float *BENCH_MAY_RESTRICT data) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  int i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < Rows && j < Columns) {
    data[i * Columns + j] -= mean[j];
    data[i * Columns + j] /= sqrtf(Rows) * std[j];
  }
}

__global__ void correlationCorr(float *BENCH_MAY_RESTRICT symmat,
                                const float *BENCH_MAY_RESTRICT data) {
  int j1 = blockIdx.x * blockDim.x + threadIdx.x;
  if (j1 < Columns) {
    symmat[j1 * Columns + j1] = 1;
    for (int j2 = j1 + 1; j2 < Columns; ++j2) {
      symmat[j1 * Columns + j2] = 0;
      for (int i = 0; i < Rows; ++i)
        symmat[j1 * Columns + j2] +=
            data[i * Columns + j1] * data[i * Columns + j2];
      symmat[j2 * Columns + j1] = symmat[j1 * Columns + j2];
    }
  }
}

static double sumOfProducts(size_t J1, size_t J2) {
  double Mean1 = 0, Mean2 = 0, Sum = 0;
  for (size_t I = 0; I < Rows; ++I) {
    Mean1 += double(bench::valueAt(SeedData, I * Columns + J1)) / Rows;
    Mean2 += double(bench::valueAt(SeedData, I * Columns + J2)) / Rows;
  }
  for (size_t I = 0; I < Rows; ++I)
    Sum += (bench::valueAt(SeedData, I * Columns + J1) - Mean1) *
           (bench::valueAt(SeedData, I * Columns + J2) - Mean2);
  return Sum;
}

int main() {
  bench::DeviceArray<float> Data(size_t(Rows) * Columns, SeedData);
  bench::DeviceArray<float> Mean(Columns), Std(Columns);
  bench::DeviceArray<float> Symmat(size_t(Columns) * Columns);

  correlationMean<<<Blocks, BlockSize>>>(Mean, Data);
  CUDA_CHECK(cudaGetLastError());
  correlationStd<<<Blocks, BlockSize>>>(Mean, Std, Data);
  CUDA_CHECK(cudaGetLastError());
  correlationReduce<<<dim3(Columns / 32, Rows / 8), dim3(32, 8)>>>(Mean, Std,
                                                                   Data);
  CUDA_CHECK(cudaGetLastError());
  correlationCorr<<<Blocks, BlockSize>>>(Symmat, Data);
  CUDA_CHECK(cudaGetLastError());

  bench::Program Program("correlation");
  Program.check("symmat", Symmat, [](size_t Element, float Got) {
    size_t J1 = Element / Columns, J2 = Element % Columns;
    double Expected = sumOfProducts(J1, J2) /
                      std::sqrt(sumOfProducts(J1, J1) * sumOfProducts(J2, J2));
    // The sums cancel, so what counts is the error against a correlation of 1.
    return std::abs(Got - Expected) <= 1e-4;
  });
  return Program.verdict();
}
