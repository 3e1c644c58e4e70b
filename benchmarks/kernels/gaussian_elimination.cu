// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rodinia's gaussian: a system of linear equations by Gaussian elimination
// without pivots. For each column one kernel divides what is below the diagonal
// by the diagonal, one thread per row, and another subtracts multiples of the
// row from all rows below, one thread per element; the CPU then solves upwards.
// The first is short and limited by latency, the second by memory.
//
#include "common.h"

constexpr int Size = bench::bySize(64, 1024, 4096);
constexpr int BlockSize = 256;
constexpr int TileSize = 16;
constexpr uint32_t SeedMatrix = 1;
constexpr uint32_t SeedSolution = 2;

namespace bench {
/// So heavy on the diagonal that no pivots are needed.
inline float elementAt(size_t Row, size_t Column) {
  return valueAt(SeedMatrix, Row * Size + Column) +
         (Row == Column ? float(Size) : 0.0f);
}
} // namespace bench

__global__ void multipliers(const float *BENCH_MAY_RESTRICT matrix,
                            float *BENCH_MAY_RESTRICT factors, int size,
                            int step) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int row = step + 1 + i;
  if (row < size)
    factors[row] = matrix[row * size + step] / matrix[step * size + step];
}

__global__ void eliminate(float *BENCH_MAY_RESTRICT matrix,
                          float *BENCH_MAY_RESTRICT right,
                          const float *BENCH_MAY_RESTRICT factors, int size,
                          int step) {
  int column = step + blockIdx.x * blockDim.x + threadIdx.x;
  int row = step + 1 + blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= size || column >= size)
    return;
  float factor = factors[row];
  matrix[row * size + column] -= factor * matrix[step * size + column];
  if (column == step)
    right[row] -= factor * right[step];
}

int main() {
  std::vector<float> Host(size_t(Size) * Size), RightSide(Size), Solution(Size);
  for (size_t I = 0; I < Size; ++I)
    Solution[I] = 1 + bench::valueAt(SeedSolution, I);
  for (size_t Row = 0; Row < Size; ++Row) {
    double Sum = 0;
    for (size_t Column = 0; Column < Size; ++Column) {
      float Element = bench::elementAt(Row, Column);
      Host[Row * Size + Column] = Element;
      Sum += double(Element) * Solution[Column];
    }
    RightSide[Row] = static_cast<float>(Sum);
  }
  bench::DeviceArray<float> Matrix(Host), Right(RightSide), Factors(Size);

  for (int Step = 0; Step < Size - 1; ++Step) {
    int Rows = Size - 1 - Step, Columns = Size - Step;
    multipliers<<<(Rows + BlockSize - 1) / BlockSize, BlockSize>>>(
        Matrix, Factors, Size, Step);
    CUDA_CHECK(cudaGetLastError());
    dim3 Grid((Columns + TileSize - 1) / TileSize,
              (Rows + TileSize - 1) / TileSize);
    eliminate<<<Grid, dim3(TileSize, TileSize)>>>(Matrix, Right, Factors, Size,
                                                  Step);
    CUDA_CHECK(cudaGetLastError());
  }

  Host = Matrix.toHost();
  RightSide = Right.toHost();
  std::vector<double> Got(Size);
  for (size_t Row = Size; Row-- > 0;) {
    double Sum = RightSide[Row];
    for (size_t Column = Row + 1; Column < Size; ++Column)
      Sum -= Host[Row * Size + Column] * Got[Column];
    Got[Row] = Sum / Host[Row * Size + Row];
  }
  bench::Program Program("gaussian_elimination");
  bool IsRight = true, IsUpper = true;
  for (size_t I = 0; I < Size; ++I) {
    IsRight &= bench::isClose(Got[I], Solution[I], 1e-3);
    for (size_t J = 0; J < I; ++J)
      IsUpper &= std::abs(Host[I * Size + J]) < 1e-4;
  }
  Program.check("solution", IsRight);
  Program.check("lower triangle", IsUpper);
  return Program.verdict();
}
