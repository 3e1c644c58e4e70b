// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PolyBench's gesummv, y = alpha * A * x + beta * B * x, one row per thread.
// Two matrices: 64 cache lines a warp, twice what an H100's L1 holds at full
// occupancy.
//
#include "common.h"

#ifndef ROWS
#define ROWS bench::bySize(512, 20480, 132 * 2048)
#endif
#ifndef COLUMNS
#define COLUMNS bench::bySize(64, 20480, 512)
#endif

constexpr int Rows = ROWS;
constexpr int Columns = COLUMNS;
constexpr int BlockSize = 256;
constexpr float Alpha = 1.5f;
constexpr float Beta = 0.75f;
constexpr uint32_t SeedA = 1;
constexpr uint32_t SeedB = 2;
constexpr uint32_t SeedX = 3;

__global__ void gesummv(const float *BENCH_MAY_RESTRICT A,
                        const float *BENCH_MAY_RESTRICT B,
                        const float *BENCH_MAY_RESTRICT x,
                        float *BENCH_MAY_RESTRICT tmp,
                        float *BENCH_MAY_RESTRICT y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < Rows) {
    tmp[i] = 0;
    y[i] = 0;
    for (int j = 0; j < Columns; ++j) {
      tmp[i] += A[i * Columns + j] * x[j];
      y[i] += B[i * Columns + j] * x[j];
    }
    y[i] = Alpha * tmp[i] + Beta * y[i];
  }
}

int main() {
  bench::DeviceArray<float> A(size_t(Rows) * Columns, SeedA);
  bench::DeviceArray<float> B(size_t(Rows) * Columns, SeedB);
  bench::DeviceArray<float> X(Columns, SeedX), Tmp(Rows), Y(Rows);

  gesummv<<<(Rows + BlockSize - 1) / BlockSize, BlockSize>>>(A, B, X, Tmp, Y);
  CUDA_CHECK(cudaGetLastError());

  bench::Program Program("gesummv");
  Program.check("y", Y, [](size_t I, float Got) {
    double SumA = 0, SumB = 0;
    for (size_t J = 0; J < Columns; ++J) {
      double X = bench::valueAt(SeedX, J);
      SumA += bench::valueAt(SeedA, I * Columns + J) * X;
      SumB += bench::valueAt(SeedB, I * Columns + J) * X;
    }
    return bench::isClose(Got, Alpha * SumA + Beta * SumB);
  });
  return Program.verdict();
}
