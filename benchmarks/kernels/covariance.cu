// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PolyBench's covariance of every pair of columns. The last kernel has one
// column j1 per thread, which goes over the columns j2 from there on and for
// each over the rows i. The loads are coalesced; the running sum symmat[j1][j2]
// is in memory, a cache line per thread. Threads are few: one per column, and
// the first have the most to do.
//
#include "common.h"

constexpr int Rows = bench::bySize(32, 2048, 32);
constexpr int Columns = bench::bySize(288, 2048, 8192);
constexpr int BlockSize = 256;
constexpr int Blocks = (Columns + BlockSize - 1) / BlockSize;
constexpr uint32_t SeedData = 1;
static_assert(Rows % 8 == 0 && Columns % 32 == 0, "whole blocks");

__global__ void covarianceMean(float *BENCH_MAY_RESTRICT mean,
                               const float *BENCH_MAY_RESTRICT data) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j < Columns) {
    mean[j] = 0;
    for (int i = 0; i < Rows; ++i)
      mean[j] += data[i * Columns + j];
    mean[j] /= Rows;
  }
}

__global__ void covarianceReduce(const float *BENCH_MAY_RESTRICT mean,
                                 float *BENCH_MAY_RESTRICT data) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  int i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < Rows && j < Columns)
    data[i * Columns + j] -= mean[j];
}

__global__ void covarianceCovar(float *BENCH_MAY_RESTRICT symmat,
                                const float *BENCH_MAY_RESTRICT data) {
  int j1 = blockIdx.x * blockDim.x + threadIdx.x;
  if (j1 < Columns)
    for (int j2 = j1; j2 < Columns; ++j2) {
      symmat[j1 * Columns + j2] = 0;
      for (int i = 0; i < Rows; ++i)
        symmat[j1 * Columns + j2] +=
            data[i * Columns + j1] * data[i * Columns + j2];
      symmat[j1 * Columns + j2] /= Rows - 1;
      symmat[j2 * Columns + j1] = symmat[j1 * Columns + j2];
    }
}

static double covariance(size_t J1, size_t J2) {
  double Mean1 = 0, Mean2 = 0, Sum = 0;
  for (size_t I = 0; I < Rows; ++I) {
    Mean1 += double(bench::valueAt(SeedData, I * Columns + J1)) / Rows;
    Mean2 += double(bench::valueAt(SeedData, I * Columns + J2)) / Rows;
  }
  for (size_t I = 0; I < Rows; ++I)
    Sum += (bench::valueAt(SeedData, I * Columns + J1) - Mean1) *
           (bench::valueAt(SeedData, I * Columns + J2) - Mean2);
  return Sum / (Rows - 1);
}

int main() {
  bench::DeviceArray<float> Data(size_t(Rows) * Columns, SeedData);
  bench::DeviceArray<float> Mean(Columns);
  bench::DeviceArray<float> Symmat(size_t(Columns) * Columns);

  covarianceMean<<<Blocks, BlockSize>>>(Mean, Data);
  CUDA_CHECK(cudaGetLastError());
  covarianceReduce<<<dim3(Columns / 32, Rows / 8), dim3(32, 8)>>>(Mean, Data);
  CUDA_CHECK(cudaGetLastError());
  covarianceCovar<<<Blocks, BlockSize>>>(Symmat, Data);
  CUDA_CHECK(cudaGetLastError());

  bench::Program Program("covariance");
  Program.check("symmat", Symmat, [](size_t Element, float Got) {
    size_t J1 = Element / Columns, J2 = Element % Columns;
    // The sums cancel, so what counts is the error against the variance, 1/12.
    return std::abs(Got - covariance(J1, J2)) <= 1e-4 / 12;
  });
  return Program.verdict();
}
