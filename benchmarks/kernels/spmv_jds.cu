// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parboil's spmv: sparse matrix times vector in jagged diagonals, a row per
// thread. The rows are sorted by length and stored column-major, each warp's 32
// padded to the longest of them, so that entries are read side by side; the
// permutation puts each sum in its place. What is left are the reads of x, at
// random columns in a band about the diagonal.
//
#include "sparse.h"

constexpr int DefaultRows = bench::bySize(8192, 146688, 16 << 20);
constexpr int BlockSize = 256;
constexpr int WarpSize = 32;

/// Where each jagged diagonal starts.
__constant__ int jds_ptr_int[sparse::MostLength + 1];

__global__ void spmv_jds(float *BENCH_MAY_RESTRICT dst_vector,
                         const float *BENCH_MAY_RESTRICT d_data,
                         const int *BENCH_MAY_RESTRICT d_index,
                         const int *BENCH_MAY_RESTRICT d_perm,
                         const float *BENCH_MAY_RESTRICT x_vec, int dim,
                         const int *BENCH_MAY_RESTRICT sh_zcnt_int) {
  int ix = blockIdx.x * blockDim.x + threadIdx.x;
  if (ix < dim) {
    float sum = 0;
    int bound = sh_zcnt_int[ix / WarpSize];
    for (int k = 0; k < bound; ++k) {
      int j = jds_ptr_int[k] + ix;
      sum += d_data[j] * x_vec[d_index[j]];
    }
    dst_vector[d_perm[ix]] = sum;
  }
}

namespace bench {
// The padding stays as DeviceArray leaves it, zero.
__global__ void fillEntries(int Rows, const int *Permutation, int *Columns,
                            float *Values) {
  int Step = gridDim.x * blockDim.x;
  for (int I = blockIdx.x * blockDim.x + threadIdx.x; I < Rows; I += Step) {
    int Row = Permutation[I];
    for (int Entry = 0; Entry < sparse::lengthOf(Row); ++Entry) {
      size_t Index = sparse::paddedStart(Row) + Entry;
      int At = jds_ptr_int[Entry] + I;
      Columns[At] = sparse::columnOf(Rows, Row, Entry, Index);
      Values[At] = sparse::valueOf(Index);
    }
  }
}
} // namespace bench

/// All rows, the longest first.
static std::vector<int> rowsByLength(int Rows) {
  std::vector<int> Next(sparse::MostLength + 1);
  for (int Row = 0; Row < Rows; ++Row)
    ++Next[sparse::lengthOf(Row)];
  for (int Length = sparse::MostLength, First = 0; Length >= 0; --Length) {
    int Count = Next[Length];
    Next[Length] = First;
    First += Count;
  }
  std::vector<int> Permutation(Rows);
  for (int Row = 0; Row < Rows; ++Row)
    Permutation[Next[sparse::lengthOf(Row)]++] = Row;
  return Permutation;
}

int main(int ArgC, char **ArgV) {
  int Rows = bench::numberOption(ArgC, ArgV, "rows", DefaultRows);
  if (Rows < sparse::Band || Rows % WarpSize) {
    std::fprintf(stderr, "--rows= needs a multiple of %d from %d on\n",
                 WarpSize, sparse::Band);
    return 2;
  }
  std::vector<int> HostPermutation = rowsByLength(Rows);
  std::vector<int> HostLengths(Rows / WarpSize);
  std::vector<int> HostStarts(sparse::MostLength + 1);
  for (int Warp = 0; Warp < Rows / WarpSize; ++Warp) {
    HostLengths[Warp] = sparse::lengthOf(HostPermutation[Warp * WarpSize]);
    for (int Entry = 0; Entry < HostLengths[Warp]; ++Entry)
      HostStarts[Entry + 1] += WarpSize;
  }
  for (int Entry = 0; Entry < sparse::MostLength; ++Entry)
    HostStarts[Entry + 1] += HostStarts[Entry];
  CUDA_CHECK(cudaMemcpyToSymbol(jds_ptr_int, HostStarts.data(),
                                HostStarts.size() * sizeof(int)));

  bench::DeviceArray<int> Permutation(HostPermutation), Lengths(HostLengths);
  bench::DeviceArray<int> Columns(HostStarts.back());
  bench::DeviceArray<float> Values(HostStarts.back());
  bench::DeviceArray<float> X(Rows, sparse::SeedX), Y(Rows);
  bench::fillEntries<<<2048, 256>>>(Rows, Permutation, Columns, Values);
  CUDA_CHECK(cudaGetLastError());

  spmv_jds<<<(Rows + BlockSize - 1) / BlockSize, BlockSize>>>(
      Y, Values, Columns, Permutation, X, Rows, Lengths);
  CUDA_CHECK(cudaGetLastError());

  bench::Program Program("spmv_jds");
  Program.check("y", Y, [&](size_t Row, float Got) {
    size_t First = sparse::paddedStart(Row);
    return bench::isClose(Got, sparse::rowTimesX(Rows, Row, First));
  });
  return Program.verdict();
}
