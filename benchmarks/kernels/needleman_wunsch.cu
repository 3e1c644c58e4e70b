// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rodinia's needle: the scores of aligning two sequences, by dynamic
// programming over tiles of 16 x 16 in shared memory. A launch takes one
// anti-diagonal of tiles, one kernel up to the longest, another one after it; a
// block of 16 threads goes over the anti-diagonals in its tile. Limited by
// latency: blocks are half a warp, and the longest anti-diagonal has 256.
//
#include "common.h"

constexpr int Length = bench::bySize(256, 2048, 4096);
constexpr int Columns = Length + 1;
constexpr int BlockSize = 16;
constexpr int BlockWidth = Length / BlockSize;
constexpr int Penalty = 10;
constexpr int Letters = 24;
constexpr uint32_t SeedFirst = 1;
constexpr uint32_t SeedSecond = 2;
constexpr uint32_t SeedSimilarity = 3;

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

int main() {
  // A random matrix of similarities between letters, from -4 to 5, with more on
  // the diagonal, and what it says for each pair of the sequences' letters.
  int Similarity[Letters][Letters];
  for (int A = 0; A < Letters; ++A)
    for (int B = 0; B <= A; ++B)
      Similarity[A][B] = Similarity[B][A] =
          static_cast<int>(bench::bitsAt(SeedSimilarity, A * Letters + B) %
                           10) -
          4 + (A == B ? 5 : 0);
  std::vector<int> Reference(size_t(Columns) * Columns);
  for (size_t I = 1; I < Columns; ++I) {
    const int *Row = Similarity[bench::bitsAt(SeedFirst, I) % Letters];
    for (size_t J = 1; J < Columns; ++J)
      Reference[I * Columns + J] = Row[bench::bitsAt(SeedSecond, J) % Letters];
  }
  std::vector<int> Scores(size_t(Columns) * Columns);
  for (size_t I = 1; I < Columns; ++I) {
    Scores[I * Columns] = -static_cast<int>(I) * Penalty;
    Scores[I] = -static_cast<int>(I) * Penalty;
  }

  bench::DeviceArray<int> DeviceReference(Reference), Matrix(Scores);
  for (int I = 1; I <= BlockWidth; ++I) {
    needle_upper_left<<<I, BlockSize>>>(DeviceReference, Matrix, Columns,
                                        Penalty, I);
    CUDA_CHECK(cudaGetLastError());
  }
  for (int I = BlockWidth - 1; I >= 1; --I) {
    needle_lower_right<<<I, BlockSize>>>(DeviceReference, Matrix, Columns,
                                         Penalty, I, BlockWidth);
    CUDA_CHECK(cudaGetLastError());
  }

  for (size_t I = 1; I < Columns; ++I)
    for (size_t J = 1; J < Columns; ++J) {
      size_t At = I * Columns + J;
      Scores[At] =
          maximum(Scores[At - Columns - 1] + Reference[At],
                  Scores[At - 1] - Penalty, Scores[At - Columns] - Penalty);
    }
  bench::Program Program("needleman_wunsch");
  Program.check("scores", Matrix, Scores);
  return Program.verdict();
}
