// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sparse matrix times vector in ELLPACK, a row per thread: all rows are padded
// to one length and stored column-major, so that a warp reads the entries of
// its 32 rows side by side. What is left are the reads of x, at random columns
// in a band about the diagonal.
//
#include "common.h"

constexpr int DefaultRows = bench::bySize(8192, 146689, 16 << 20);
constexpr int Band = bench::bySize(1024, 16384, 16384);
constexpr int BlockSize = 256;
constexpr int LeastLength = 16;
constexpr int MostLength = 48;
constexpr uint32_t SeedLength = 1;
constexpr uint32_t SeedColumn = 2;
constexpr uint32_t SeedValue = 3;
constexpr uint32_t SeedX = 4;

__global__ void spmv_ell(int num_rows, int num_cols_per_row,
                         const int *BENCH_MAY_RESTRICT indices,
                         const float *BENCH_MAY_RESTRICT data,
                         const float *BENCH_MAY_RESTRICT x,
                         float *BENCH_MAY_RESTRICT y) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < num_rows) {
    float dot = 0;
    for (int n = 0; n < num_cols_per_row; ++n) {
      int col = indices[num_rows * n + row];
      float val = data[num_rows * n + row];
      if (val != 0)
        dot += val * x[col];
    }
    y[row] = dot;
  }
}

__host__ __device__ static int lengthOf(int Row) {
  return LeastLength +
         bench::bitsAt(SeedLength, Row) % (MostLength - LeastLength + 1);
}

/// The column of a row's entry, which rises with Entry.
__host__ __device__ static int columnOf(int Rows, int Row, int Entry) {
  int First = Row - Band / 2;
  if (First > Rows - Band)
    First = Rows - Band;
  if (First < 0)
    First = 0;
  int Offset = bench::bitsAt(SeedColumn, Row * MostLength + Entry) % Band;
  return First + (Entry * Band + Offset) / lengthOf(Row);
}

__host__ __device__ static float valueOf(int Row, int Entry) {
  return bench::valueAt(SeedValue, Row * MostLength + Entry);
}

namespace bench {
// The padding stays as DeviceArray leaves it, zero.
__global__ void fillEntries(int Rows, int *Columns, float *Values) {
  int Step = gridDim.x * blockDim.x;
  for (int Row = blockIdx.x * blockDim.x + threadIdx.x; Row < Rows; Row += Step)
    for (int Entry = 0; Entry < lengthOf(Row); ++Entry) {
      Columns[Rows * Entry + Row] = columnOf(Rows, Row, Entry);
      Values[Rows * Entry + Row] = valueOf(Row, Entry);
    }
}
} // namespace bench

int main(int ArgC, char **ArgV) {
  int Rows = bench::numberOption(ArgC, ArgV, "rows", DefaultRows);
  if (Rows < Band) {
    std::fprintf(stderr, "--rows= needs at least %d\n", Band);
    return 2;
  }
  bench::DeviceArray<int> Columns(size_t(Rows) * MostLength);
  bench::DeviceArray<float> Values(size_t(Rows) * MostLength);
  bench::DeviceArray<float> X(Rows, SeedX), Y(Rows);
  bench::fillEntries<<<2048, 256>>>(Rows, Columns, Values);
  CUDA_CHECK(cudaGetLastError());

  spmv_ell<<<(Rows + BlockSize - 1) / BlockSize, BlockSize>>>(
      Rows, MostLength, Columns, Values, X, Y);
  CUDA_CHECK(cudaGetLastError());

  bench::Program Program("spmv_ell");
  Program.check("y", Y, [&](size_t Row, float Got) {
    double Sum = 0;
    for (int Entry = 0; Entry < lengthOf(Row); ++Entry)
      Sum += double(valueOf(Row, Entry)) *
             bench::valueAt(SeedX, columnOf(Rows, Row, Entry));
    return bench::isClose(Got, Sum);
  });
  return Program.verdict();
}
