// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rodinia's pathfinder: the cheapest way down a grid of costs, to each cell
// from the three above it. A column per thread; one launch takes a block
// through PyramidHeight rows in shared memory, and the blocks overlap by the
// columns that are lost at their sides. Limited by memory and by barriers.
//
#include "common.h"

constexpr int DefaultColumns = bench::bySize(10000, 100000, 4 << 20);
constexpr int DefaultRows = bench::bySize(31, 100, 101);
constexpr int PyramidHeight = 20;
constexpr int BlockSize = 256;
constexpr uint32_t SeedWall = 1;

__global__ void dynproc_kernel(int iteration,
                               const int *BENCH_MAY_RESTRICT gpuWall,
                               const int *BENCH_MAY_RESTRICT gpuSrc,
                               int *BENCH_MAY_RESTRICT gpuResults, int cols,
                               int startStep, int border) {
  __shared__ int prev[BlockSize];
  __shared__ int result[BlockSize];

  int bx = blockIdx.x;
  int tx = threadIdx.x;

  // The columns of the block, and those of them that exist.
  int small_block_cols = BlockSize - iteration * 2;
  int blkX = small_block_cols * bx - border;
  int blkXmax = blkX + BlockSize - 1;
  int xidx = blkX + tx;
  int validXmin = blkX < 0 ? -blkX : 0;
  int validXmax =
      blkXmax > cols - 1 ? BlockSize - 1 - (blkXmax - cols + 1) : BlockSize - 1;
  int W = max(tx - 1, validXmin);
  int E = min(tx + 1, validXmax);
  bool isValid = tx >= validXmin && tx <= validXmax;

  if (xidx >= 0 && xidx <= cols - 1)
    prev[tx] = gpuSrc[xidx];
  __syncthreads();

  bool computed = false;
  for (int i = 0; i < iteration; ++i) {
    computed = false;
    if (tx >= i + 1 && tx <= BlockSize - i - 2 && isValid) {
      computed = true;
      int left = prev[W];
      int up = prev[tx];
      int right = prev[E];
      int shortest = min(min(left, up), right);
      int index = cols * (startStep + i) + xidx;
      result[tx] = shortest + gpuWall[index];
    }
    __syncthreads();
    if (i == iteration - 1)
      break;
    if (computed)
      prev[tx] = result[tx];
    __syncthreads();
  }

  if (computed)
    gpuResults[xidx] = result[tx];
}

__host__ __device__ static int costAt(size_t Index) {
  return bench::bitsAt(SeedWall, Index) % 10;
}

namespace bench {
__global__ void fillCosts(int *Costs, size_t Count) {
  size_t Step = static_cast<size_t>(gridDim.x) * blockDim.x;
  for (size_t I = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
       I < Count; I += Step)
    Costs[I] = costAt(I);
}
} // namespace bench

/// The cheapest way to a cell of the last row: only as many columns to its
/// sides count as there are rows.
static int cheapestWayTo(int Column, int Columns, int Rows) {
  int First = std::max(Column - Rows, 0);
  int Last = std::min(Column + Rows, Columns - 1);
  std::vector<int> Ways(Last - First + 1), Above;
  for (int Row = 0; Row < Rows; ++Row) {
    Above = Ways;
    for (int C = First; C <= Last; ++C) {
      int Best = Above[C - First];
      if (C > First)
        Best = std::min(Best, Above[C - First - 1]);
      if (C < Last)
        Best = std::min(Best, Above[C - First + 1]);
      Ways[C - First] = Best + costAt(size_t(Row) * Columns + C);
    }
  }
  return Ways[Column - First];
}

int main(int ArgC, char **ArgV) {
  int Columns = bench::numberOption(ArgC, ArgV, "columns", DefaultColumns);
  int Rows = bench::numberOption(ArgC, ArgV, "rows", DefaultRows);
  bench::DeviceArray<int> Costs(size_t(Columns) * Rows);
  bench::fillCosts<<<2048, 256>>>(Costs, Costs.size());
  CUDA_CHECK(cudaGetLastError());

  // The first row is where the ways start, the others are the wall.
  bench::DeviceArray<int> WaysA(Columns), WaysB(Columns);
  CUDA_CHECK(cudaMemcpy(WaysA, Costs, Columns * sizeof(int),
                        cudaMemcpyDeviceToDevice));
  const int *Wall = Costs + Columns;

  constexpr int Border = PyramidHeight;
  constexpr int ColumnsPerBlock = BlockSize - 2 * PyramidHeight;
  int Blocks = (Columns + ColumnsPerBlock - 1) / ColumnsPerBlock;
  bool SourceIsA = true;
  for (int Row = 0; Row < Rows - 1; Row += PyramidHeight) {
    dynproc_kernel<<<Blocks, BlockSize>>>(
        std::min(PyramidHeight, Rows - 1 - Row), Wall,
        SourceIsA ? WaysA : WaysB, SourceIsA ? WaysB : WaysA, Columns, Row,
        Border);
    SourceIsA = !SourceIsA;
  }
  CUDA_CHECK(cudaGetLastError());

  bench::Program Program("pathfinder");
  Program.check("ways", SourceIsA ? WaysA : WaysB, [&](size_t I, int Got) {
    return Got == cheapestWayTo(static_cast<int>(I), Columns, Rows);
  });
  return Program.verdict();
}
