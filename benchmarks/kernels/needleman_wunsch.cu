// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rodinia's needle: the scores of aligning two sequences, by dynamic
// programming over tiles of 16 x 16 in shared memory. A launch takes one
// anti-diagonal of tiles, one kernel up to the longest, another one after it; a
// block of 16 threads goes over the anti-diagonals in its tile. Limited by
// latency: blocks are half a warp, and the longest anti-diagonal has 256.
//
#include "needleman_wunsch.h"

constexpr int Length = bench::bySize(256, 2048, 4096);
constexpr int Columns = Length + 1;
constexpr int BlockWidth = Length / BlockSize;
constexpr int Penalty = 10;
constexpr int Letters = 24;
constexpr uint32_t SeedFirst = 1;
constexpr uint32_t SeedSecond = 2;
constexpr uint32_t SeedSimilarity = 3;

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
