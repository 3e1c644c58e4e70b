// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Needleman-Wunsch in one launch, with <sluice/wavefront.h>: how well do two
// sequences align? Each cell of a table needs those to its north-west, west and
// north. docs/channel.md explains it.
//
//   nvcc -O3 -std=c++17 -arch=sm_90 -Iinclude examples/alignment.cu -o
//   alignment build/bin/sluice emulate examples/alignment.cu -Iinclude -- 500
//
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <sluice/wavefront.h>
#include <vector>

constexpr int Gap = 2, Match = 3, Mismatch = -1;

struct Aligner {
  const char *First, *Second;
  int *Scores, Columns;

  __device__ int outside(int i, int j) const { return -(i + j + 2) * Gap; }
  __device__ int fetch(int i, int j) const {
    return First[i] == Second[j] ? Match : Mismatch;
  }
  __device__ int fire(int, int, int similarity, int northWest, int west,
                      int north) const {
    return max(northWest + similarity, max(west, north) - Gap);
  }
  __device__ void store(int i, int j, int score) const {
    Scores[size_t(i) * Columns + j] = score;
  }
};
using Alignment = sluice::Wavefront<int, sluice::From<1, 1>, sluice::From<0, 1>,
                                    sluice::From<1, 0>>;

__global__ void align(Aligner aligner, void *space, int rows, int columns) {
  __shared__ Alignment::Shared<4> shared;
  Alignment::run(shared, space, rows, columns, aligner);
}

int main(int argc, char **argv) {
  const int length = argc > 1 ? std::atoi(argv[1]) : 4096;
  if (length < 1 || length > 30000) {
    std::fprintf(stderr, "usage: alignment [length, 1 to 30000]\n");
    return 2;
  }
  char *first, *second;
  int *scores;
  void *space;
  const size_t spaceBytes = Alignment::spaceBytes<4>(length, length);
  cudaMallocManaged(&first, length);
  cudaMallocManaged(&second, length);
  cudaMallocManaged(&scores, size_t(length) * length * sizeof(int));
  cudaMalloc(&space, spaceBytes);
  cudaMemset(space, 0, spaceBytes);
  for (unsigned k = 0; k < unsigned(length); ++k) {
    first[k] = "ACGT"[(k * 2654435761u) >> 30];
    second[k] = "ACGT"[(k * 2654435761u + k / 7 * 40503u) >> 30];
  }

  align<<<(length + 127) / 128, 128>>>({first, second, scores, length}, space,
                                       length, length);
  if (cudaError_t error = cudaDeviceSynchronize()) {
    std::fprintf(stderr, "alignment: %s\n", cudaGetErrorString(error));
    return 1;
  }

  // The same on the CPU, row by row.
  std::vector<int> row(length + 1);
  for (int j = 0; j <= length; ++j)
    row[j] = -j * Gap;
  for (int i = 0; i < length; ++i) {
    int northWest = row[0];
    row[0] = -(i + 1) * Gap;
    for (int j = 0; j < length; ++j) {
      const int north = row[j + 1];
      const int similarity = first[i] == second[j] ? Match : Mismatch;
      row[j + 1] =
          std::max(northWest + similarity, std::max(row[j], north) - Gap);
      northWest = north;
      if (row[j + 1] != scores[size_t(i) * length + j]) {
        std::printf("cell (%d, %d) is wrong\n", i, j);
        return 1;
      }
    }
  }
  std::printf("score %d\n", row[length]);
}
