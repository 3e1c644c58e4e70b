// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// gesummv with the rows and the threads of a block from the command line: a
// compiler knows neither the block nor the grid. With -DRUN_TIME_COLUMNS the
// columns are from there too: then it does not know how far apart rows are.
//
//   gesummv_launch [--rows=R] [--block=THREADS] [--columns=C]
//
#include "common.h"

#ifdef RUN_TIME_COLUMNS
#define WIDTH columns
#else
#define WIDTH UsualColumns
#endif
constexpr int UsualColumns = bench::bySize(64, 512, 512);
constexpr float Alpha = 1.5f;
constexpr float Beta = 0.75f;
constexpr uint32_t SeedA = 1;
constexpr uint32_t SeedB = 2;
constexpr uint32_t SeedX = 3;

__global__ void gesummvLaunch(const float *BENCH_MAY_RESTRICT A,
                              const float *BENCH_MAY_RESTRICT B,
                              const float *BENCH_MAY_RESTRICT x,
                              float *BENCH_MAY_RESTRICT tmp,
                              float *BENCH_MAY_RESTRICT y, int rows,
                              int columns) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < rows) {
    tmp[i] = 0;
    y[i] = 0;
    for (int j = 0; j < WIDTH; ++j) {
      tmp[i] += A[i * WIDTH + j] * x[j];
      y[i] += B[i * WIDTH + j] * x[j];
    }
    y[i] = Alpha * tmp[i] + Beta * y[i];
  }
}

int main(int ArgC, char **ArgV) {
  const int Rows = bench::numberOption(ArgC, ArgV, "rows",
                                       bench::bySize(512, 20480, 132 * 2048));
  const int BlockSize = bench::numberOption(ArgC, ArgV, "block", 256);
#ifdef RUN_TIME_COLUMNS
  const int Columns = bench::numberOption(ArgC, ArgV, "columns", UsualColumns);
#else
  const int Columns = UsualColumns;
#endif
  bench::DeviceArray<float> A(size_t(Rows) * Columns, SeedA);
  bench::DeviceArray<float> B(size_t(Rows) * Columns, SeedB);
  bench::DeviceArray<float> X(Columns, SeedX), Tmp(Rows), Y(Rows);

  gesummvLaunch<<<(Rows + BlockSize - 1) / BlockSize, BlockSize>>>(
      A, B, X, Tmp, Y, Rows, Columns);
  CUDA_CHECK(cudaGetLastError());

  bench::Program Program("gesummv_launch");
  Program.check("y", Y, [&](size_t I, float Got) {
    double SumA = 0, SumB = 0;
    for (size_t J = 0; J < size_t(Columns); ++J) {
      double X = bench::valueAt(SeedX, J);
      SumA += bench::valueAt(SeedA, I * Columns + J) * X;
      SumB += bench::valueAt(SeedB, I * Columns + J) * X;
    }
    return bench::isClose(Got, Alpha * SumA + Beta * SumB);
  });
  return Program.verdict();
}
