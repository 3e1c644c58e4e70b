// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sparse matrix times vector in CSR, a row per thread ("CSR scalar"): each
// thread walks along its own row of 16 to 48 entries, so a warp reads 32
// distant places of the entries at a time and depends on the L1 to keep their
// lines until the next step. The columns are random in a band about the
// diagonal, and so are the reads of x.
//
#include "sparse.h"

constexpr int DefaultRows = bench::bySize(8192, 146689, 16 << 20);
constexpr int BlockSize = 256;

__global__ void spmv_csr(int num_rows, const int *BENCH_MAY_RESTRICT row_ptr,
                         const int *BENCH_MAY_RESTRICT columns,
                         const float *BENCH_MAY_RESTRICT values,
                         const float *BENCH_MAY_RESTRICT x,
                         float *BENCH_MAY_RESTRICT y) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < num_rows) {
    float dot = 0;
    int row_start = row_ptr[row];
    int row_end = row_ptr[row + 1];
    for (int j = row_start; j < row_end; ++j)
      dot += values[j] * x[columns[j]];
    y[row] = dot;
  }
}

namespace bench {
__global__ void fillColumns(int Rows, const int *RowStart, int *Columns) {
  int Step = gridDim.x * blockDim.x;
  for (int Row = blockIdx.x * blockDim.x + threadIdx.x; Row < Rows; Row += Step)
    for (int I = RowStart[Row]; I < RowStart[Row + 1]; ++I)
      Columns[I] = sparse::columnOf(Rows, Row, I - RowStart[Row], I);
}
} // namespace bench

int main(int ArgC, char **ArgV) {
  int Rows = bench::numberOption(ArgC, ArgV, "rows", DefaultRows);
  if (Rows < sparse::Band) {
    std::fprintf(stderr, "--rows= needs at least %d\n", sparse::Band);
    return 2;
  }
  std::vector<int> HostStart(Rows + 1);
  for (int Row = 0; Row < Rows; ++Row)
    HostStart[Row + 1] = HostStart[Row] + sparse::lengthOf(Row);

  bench::DeviceArray<int> RowStart(HostStart), Columns(HostStart[Rows]);
  bench::DeviceArray<float> Values(HostStart[Rows], sparse::SeedValue);
  bench::DeviceArray<float> X(Rows, sparse::SeedX), Y(Rows);
  bench::fillColumns<<<2048, 256>>>(Rows, RowStart, Columns);
  CUDA_CHECK(cudaGetLastError());

  spmv_csr<<<(Rows + BlockSize - 1) / BlockSize, BlockSize>>>(
      Rows, RowStart, Columns, Values, X, Y);
  CUDA_CHECK(cudaGetLastError());

  bench::Program Program("spmv_csr");
  Program.check("y", Y, [&](size_t Row, float Got) {
    return bench::isClose(Got, sparse::rowTimesX(Rows, Row, HostStart[Row]));
  });
  return Program.verdict();
}
