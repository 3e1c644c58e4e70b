// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kernels of needleman_wunsch.cu, which benchmarks/micro/dataflow.cu runs
// too.
//
#ifndef SLUICE_BENCHMARKS_KERNELS_NEEDLEMAN_WUNSCH_H
#define SLUICE_BENCHMARKS_KERNELS_NEEDLEMAN_WUNSCH_H

#include "common.h"

constexpr int BlockSize = 16;

__device__ __host__ inline int maximum(int a, int b, int c) {
  int k = a <= b ? b : a;
  return k <= c ? c : k;
}

/// One tile: element (x, y) of the tile and what is left of and above it stand
/// at [y + 1][x + 1].
__device__ inline void scoreTile(const int *BENCH_MAY_RESTRICT reference,
                                 int *BENCH_MAY_RESTRICT matrix, int cols,
                                 int penalty, int b_index_x, int b_index_y) {
  int tx = threadIdx.x;
  int base = cols * BlockSize * b_index_y + BlockSize * b_index_x;
  int index = base + tx + (cols + 1);
  int index_n = base + tx + 1;
  int index_w = base + cols;
  int index_nw = base;

  __shared__ int temp[BlockSize + 1][BlockSize + 1];
  __shared__ int ref[BlockSize][BlockSize];

  if (tx == 0)
    temp[tx][0] = matrix[index_nw];
  for (int ty = 0; ty < BlockSize; ty++)
    ref[ty][tx] = reference[index + cols * ty];
  __syncthreads();
  temp[tx + 1][0] = matrix[index_w + cols * tx];
  __syncthreads();
  temp[0][tx + 1] = matrix[index_n];
  __syncthreads();

  for (int m = 0; m < BlockSize; m++) {
    if (tx <= m) {
      int x = tx + 1;
      int y = m - tx + 1;
      temp[y][x] = maximum(temp[y - 1][x - 1] + ref[y - 1][x - 1],
                           temp[y][x - 1] - penalty, temp[y - 1][x] - penalty);
    }
    __syncthreads();
  }
  for (int m = BlockSize - 2; m >= 0; m--) {
    if (tx <= m) {
      int x = tx + BlockSize - m;
      int y = BlockSize - tx;
      temp[y][x] = maximum(temp[y - 1][x - 1] + ref[y - 1][x - 1],
                           temp[y][x - 1] - penalty, temp[y - 1][x] - penalty);
    }
    __syncthreads();
  }

  for (int ty = 0; ty < BlockSize; ty++)
    matrix[index + cols * ty] = temp[ty + 1][tx + 1];
}

// The anti-diagonals of tiles in the upper left half: i tiles.
__global__ void needle_upper_left(const int *BENCH_MAY_RESTRICT reference,
                                  int *BENCH_MAY_RESTRICT matrix, int cols,
                                  int penalty, int i) {
  int bx = blockIdx.x;
  scoreTile(reference, matrix, cols, penalty, bx, i - 1 - bx);
}

// Those in the lower right half.
__global__ void needle_lower_right(const int *BENCH_MAY_RESTRICT reference,
                                   int *BENCH_MAY_RESTRICT matrix, int cols,
                                   int penalty, int i, int block_width) {
  int bx = blockIdx.x;
  scoreTile(reference, matrix, cols, penalty, bx + block_width - i,
            block_width - bx - 1);
}

#endif // SLUICE_BENCHMARKS_KERNELS_NEEDLEMAN_WUNSCH_H
