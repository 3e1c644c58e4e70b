// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PolyBench's fdtd-2d: the electric field's two components and the magnetic
// field in turn, a kernel each, one element per thread in blocks of 32 x 8.
// Every load is coalesced and used once or twice: the memory's bandwidth limits
// it.
//
#include "common.h"

constexpr int Rows = bench::bySize(96, 2048, 8192);
constexpr int Columns = bench::bySize(128, 2048, 8192);
constexpr int Steps = bench::bySize(4, 500, 10);
constexpr uint32_t SeedSource = 1;
constexpr uint32_t SeedEx = 2;
constexpr uint32_t SeedEy = 3;
constexpr uint32_t SeedHz = 4;
static_assert(Rows % 8 == 0 && Columns % 32 == 0, "whole blocks");

// ex has a column more than hz, and ey a row.

__global__ void fdtdEy(const float *BENCH_MAY_RESTRICT source,
                       float *BENCH_MAY_RESTRICT ey,
                       const float *BENCH_MAY_RESTRICT hz, int t) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  int i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < Rows && j < Columns) {
    if (i == 0)
      ey[j] = source[t];
    else
      ey[i * Columns + j] -=
          0.5f * (hz[i * Columns + j] - hz[(i - 1) * Columns + j]);
  }
}

__global__ void fdtdEx(float *BENCH_MAY_RESTRICT ex,
                       const float *BENCH_MAY_RESTRICT hz) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  int i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < Rows && j > 0 && j < Columns)
    ex[i * (Columns + 1) + j] -=
        0.5f * (hz[i * Columns + j] - hz[i * Columns + j - 1]);
}

__global__ void fdtdHz(const float *BENCH_MAY_RESTRICT ex,
                       const float *BENCH_MAY_RESTRICT ey,
                       float *BENCH_MAY_RESTRICT hz) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  int i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < Rows && j < Columns)
    hz[i * Columns + j] -=
        0.7f * (ex[i * (Columns + 1) + j + 1] - ex[i * (Columns + 1) + j] +
                ey[(i + 1) * Columns + j] - ey[i * Columns + j]);
}

/// Whether the square of PatchSize elements from (Row, Column) is right. The
/// CPU computes it and what is within Steps of it: from farther away nothing
/// gets there in time.
constexpr int PatchSize = 8;
static bool isPatchRight(const std::vector<float> &HostHz, int Row,
                         int Column) {
  int Top = std::max(0, Row - Steps), Left = std::max(0, Column - Steps);
  int Height = std::min(Rows, Row + PatchSize + Steps) - Top;
  int Width = std::min(Columns, Column + PatchSize + Steps) - Left;

  int Pitch = Width + 1;
  std::vector<double> Ex((Height + 1) * Pitch), Ey(Ex), Hz(Ex);
  for (int I = 0; I <= Height; ++I)
    for (int J = 0; J <= Width; ++J) {
      size_t At = size_t(Top + I) * Columns + Left + J;
      Ex[I * Pitch + J] = bench::valueAt(SeedEx, At + Top + I);
      Ey[I * Pitch + J] = bench::valueAt(SeedEy, At);
      Hz[I * Pitch + J] = bench::valueAt(SeedHz, At);
    }

  for (int T = 0; T < Steps; ++T) {
    if (Top == 0)
      for (int J = 0; J < Width; ++J)
        Ey[J] = bench::valueAt(SeedSource, T);
    for (int I = 1; I < Height; ++I)
      for (int J = 0; J < Width; ++J)
        Ey[I * Pitch + J] -=
            0.5 * (Hz[I * Pitch + J] - Hz[(I - 1) * Pitch + J]);
    for (int I = 0; I < Height; ++I)
      for (int J = 1; J < Width; ++J)
        Ex[I * Pitch + J] -= 0.5 * (Hz[I * Pitch + J] - Hz[I * Pitch + J - 1]);
    for (int I = 0; I < Height; ++I)
      for (int J = 0; J < Width; ++J)
        Hz[I * Pitch + J] -=
            0.7 * (Ex[I * Pitch + J + 1] - Ex[I * Pitch + J] +
                   Ey[(I + 1) * Pitch + J] - Ey[I * Pitch + J]);
  }

  for (int I = Row; I < Row + PatchSize; ++I)
    for (int J = Column; J < Column + PatchSize; ++J) {
      double Expected = Hz[(I - Top) * Pitch + J - Left];
      // The fields are about 1 and may cancel.
      if (!(std::abs(HostHz[size_t(I) * Columns + J] - Expected) <= 1e-4))
        return false;
    }
  return true;
}

int main() {
  bench::DeviceArray<float> Source(Steps, SeedSource);
  bench::DeviceArray<float> Ex(size_t(Rows) * (Columns + 1), SeedEx);
  bench::DeviceArray<float> Ey(size_t(Rows + 1) * Columns, SeedEy);
  bench::DeviceArray<float> Hz(size_t(Rows) * Columns, SeedHz);

  const dim3 Grid(Columns / 32, Rows / 8), Block(32, 8);
  for (int T = 0; T < Steps; ++T) {
    fdtdEy<<<Grid, Block>>>(Source, Ey, Hz, T);
    fdtdEx<<<Grid, Block>>>(Ex, Hz);
    fdtdHz<<<Grid, Block>>>(Ex, Ey, Hz);
  }
  CUDA_CHECK(cudaGetLastError());

  bench::Program Program("fdtd2d");
  std::vector<float> HostHz = Hz.toHost();
  Program.check("hz at the first corner", isPatchRight(HostHz, 0, 0));
  Program.check("hz in the middle",
                isPatchRight(HostHz, Rows / 2, Columns / 2));
  Program.check("hz at the last corner",
                isPatchRight(HostHz, Rows - PatchSize, Columns - PatchSize));
  return Program.verdict();
}
