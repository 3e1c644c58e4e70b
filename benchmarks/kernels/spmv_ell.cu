// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sparse matrix times vector in ELLPACK, a row per thread: all rows are padded
// to one length and stored column-major, so that a warp reads the entries of
// its 32 rows side by side. What is left are the reads of x, at random columns
// in a band about the diagonal, or with --columns=N anywhere in an x of N.
//
#include "sparse.h"

constexpr int DefaultRows = bench::bySize(8192, 146689, 16 << 20);
constexpr int BlockSize = 256;

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

namespace bench {
// The padding stays as DeviceArray leaves it, zero.
__global__ void fillEntries(int Rows, int Elements, int Width, int *Columns,
                            float *Values) {
  int Step = gridDim.x * blockDim.x;
  for (int Row = blockIdx.x * blockDim.x + threadIdx.x; Row < Rows; Row += Step)
    for (int Entry = 0; Entry < sparse::lengthOf(Row); ++Entry) {
      size_t Index = sparse::paddedStart(Row) + Entry;
      Columns[Rows * Entry + Row] =
          sparse::columnOf(Elements, Row, Entry, Index, Width);
      Values[Rows * Entry + Row] = sparse::valueOf(Index);
    }
}
} // namespace bench

int main(int ArgC, char **ArgV) {
  int Rows = bench::numberOption(ArgC, ArgV, "rows", DefaultRows);
  // Of x. Where it is given, entries are at columns from all of them.
  int Given = bench::numberOption(ArgC, ArgV, "columns", 0);
  int Elements = Given ? Given : Rows;
  int Width = Given ? Given : sparse::Band;
  if (Rows < 1 || Elements < Width || Width < 1) {
    std::fprintf(stderr, "--rows= needs at least %d, or --columns= of x\n",
                 sparse::Band);
    return 2;
  }
  bench::DeviceArray<int> Columns(size_t(Rows) * sparse::MostLength);
  bench::DeviceArray<float> Values(size_t(Rows) * sparse::MostLength);
  bench::DeviceArray<float> X(Elements, sparse::SeedX), Y(Rows);
  bench::fillEntries<<<2048, 256>>>(Rows, Elements, Width, Columns, Values);
  CUDA_CHECK(cudaGetLastError());

  spmv_ell<<<(Rows + BlockSize - 1) / BlockSize, BlockSize>>>(
      Rows, sparse::MostLength, Columns, Values, X, Y);
  CUDA_CHECK(cudaGetLastError());

  bench::Program Program("spmv_ell");
  Program.check("y", Y, [&](size_t Row, float Got) {
    size_t First = sparse::paddedStart(Row);
    return bench::isClose(Got, sparse::rowTimesX(Elements, Row, First, Width));
  });
  return Program.verdict();
}
