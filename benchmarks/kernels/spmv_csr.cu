// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sparse matrix times vector in CSR, a row per thread ("CSR scalar"): each
// thread walks along its own row of 16 to 48 entries, so a warp reads 32
// distant places of the entries at a time and depends on the L1 to keep their
// lines until the next step. The columns are random in a band about the
// diagonal, and so are the reads of x.
//
#include "common.h"

constexpr int DefaultRows = bench::bySize(8192, 146689, 16 << 20);
constexpr int Band = bench::bySize(1024, 16384, 16384);
constexpr int BlockSize = 256;
constexpr uint32_t SeedLength = 1;
constexpr uint32_t SeedColumn = 2;
constexpr uint32_t SeedValue = 3;
constexpr uint32_t SeedX = 4;

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

static int lengthOf(int Row) {
  return 16 + bench::bitsAt(SeedLength, Row) % 33;
}

/// The column of a row's entry, which rises with Entry.
__host__ __device__ static int columnOf(int Rows, int Row, int Length,
                                        int Entry, size_t Index) {
  int First = Row - Band / 2;
  if (First > Rows - Band)
    First = Rows - Band;
  if (First < 0)
    First = 0;
  int Offset = bench::bitsAt(SeedColumn, Index) % Band;
  return First + (Entry * Band + Offset) / Length;
}

namespace bench {
__global__ void fillColumns(int Rows, const int *RowStart, int *Columns) {
  int Step = gridDim.x * blockDim.x;
  for (int Row = blockIdx.x * blockDim.x + threadIdx.x; Row < Rows; Row += Step)
    for (int I = RowStart[Row]; I < RowStart[Row + 1]; ++I)
      Columns[I] = columnOf(Rows, Row, RowStart[Row + 1] - RowStart[Row],
                            I - RowStart[Row], I);
}
} // namespace bench

int main(int ArgC, char **ArgV) {
  int Rows = bench::numberOption(ArgC, ArgV, "rows", DefaultRows);
  if (Rows < Band) {
    std::fprintf(stderr, "--rows= needs at least %d\n", Band);
    return 2;
  }
  std::vector<int> HostStart(Rows + 1);
  for (int Row = 0; Row < Rows; ++Row)
    HostStart[Row + 1] = HostStart[Row] + lengthOf(Row);

  bench::DeviceArray<int> RowStart(HostStart), Columns(HostStart[Rows]);
  bench::DeviceArray<float> Values(HostStart[Rows], SeedValue);
  bench::DeviceArray<float> X(Rows, SeedX), Y(Rows);
  bench::fillColumns<<<2048, 256>>>(Rows, RowStart, Columns);
  CUDA_CHECK(cudaGetLastError());

  spmv_csr<<<(Rows + BlockSize - 1) / BlockSize, BlockSize>>>(
      Rows, RowStart, Columns, Values, X, Y);
  CUDA_CHECK(cudaGetLastError());

  bench::Program Program("spmv_csr");
  Program.check("y", Y, [&](size_t Row, float Got) {
    double Sum = 0;
    for (int I = HostStart[Row]; I < HostStart[Row + 1]; ++I) {
      int Column = columnOf(Rows, Row, HostStart[Row + 1] - HostStart[Row],
                            I - HostStart[Row], I);
      Sum +=
          double(bench::valueAt(SeedValue, I)) * bench::valueAt(SeedX, Column);
    }
    return bench::isClose(Got, Sum);
  });
  return Program.verdict();
}
