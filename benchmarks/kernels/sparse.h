// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The matrix of the spmv programs: rows of 16 to 48 entries, random in number
// and in value, at random columns in a band about the diagonal.
//
#ifndef SLUICE_BENCHMARKS_KERNELS_SPARSE_H
#define SLUICE_BENCHMARKS_KERNELS_SPARSE_H

#include "common.h"

namespace sparse {

constexpr int Band = bench::bySize(1024, 16384, 16384);
constexpr int LeastLength = 16;
constexpr int MostLength = 48;
constexpr uint32_t SeedLength = 1;
constexpr uint32_t SeedColumn = 2;
constexpr uint32_t SeedValue = 3;
constexpr uint32_t SeedX = 4;

__host__ __device__ inline int lengthOf(int Row) {
  return LeastLength +
         bench::bitsAt(SeedLength, Row) % (MostLength - LeastLength + 1);
}

/// The column of a row's entry, which rises with Entry, in a band of Width
/// columns. Index: the entry's place in the matrix.
__host__ __device__ inline int columnOf(int Columns, int Row, int Entry,
                                        size_t Index, int Width = Band) {
  int First = Row - Width / 2;
  if (First > Columns - Width)
    First = Columns - Width;
  if (First < 0)
    First = 0;
  int64_t Offset = bench::bitsAt(SeedColumn, Index) % Width;
  return First +
         static_cast<int>((int64_t(Entry) * Width + Offset) / lengthOf(Row));
}

/// The index of a row's first entry where every row has room for the longest.
__host__ __device__ inline size_t paddedStart(int Row) {
  return size_t(Row) * MostLength;
}

__host__ __device__ inline float valueOf(size_t Index) {
  return bench::valueAt(SeedValue, Index);
}

/// What y should have for a row, whose first entry has the index First.
inline double rowTimesX(int Columns, int Row, size_t First, int Width = Band) {
  double Sum = 0;
  for (int Entry = 0; Entry < lengthOf(Row); ++Entry)
    Sum += double(valueOf(First + Entry)) *
           bench::valueAt(SeedX,
                          columnOf(Columns, Row, Entry, First + Entry, Width));
  return Sum;
}

} // namespace sparse

#endif
