// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts the k-mers of DNA reads, the first step of the streaming application
// "DNA Assembly" of the S-L1 paper: each thread walks byte by byte over its own
// contiguous chunk of the reads, shifts each base into the code of the last k
// and counts that code in a table in global memory. One read of the text and
// one atomic on a random place per base: limited by the atomics and by how many
// cache lines the L1 keeps.
//
#include "common.h"

// Bytes of the text that are a thread's.
#ifndef CHUNK
#define CHUNK bench::bySize(256, 1024, 1024)
#endif

constexpr int BlockSize = 256;
constexpr int Blocks = bench::bySize(8, 1024, 132 * 2048 / BlockSize);
constexpr int Threads = Blocks * BlockSize;
constexpr int Chunk = CHUNK;
constexpr int Length = Threads * Chunk;
constexpr int K = bench::bySize(7, 11, 11);
constexpr int Codes = 1 << 2 * K;
constexpr uint32_t SeedGenome = 1;
constexpr uint32_t SeedRead = 2;

namespace bench {
// The text has a read of the genome in each line. Lines cross the chunks' ends,
// and the last one is cut short.
constexpr int Genome = bySize(1 << 14, 1 << 22, 1 << 22);
constexpr int Read = 100;
constexpr int Line = Read + 1;
constexpr int Lines = (Length + Line - 1) / Line;

__host__ __device__ inline unsigned baseAt(size_t Place) {
  return bitsAt(SeedGenome, Place) >> 8 & 3;
}

/// Where in the genome a read begins.
__host__ __device__ inline unsigned placeOf(size_t Line) {
  return (bitsAt(SeedRead, Line) >> 8) % (Genome - Read + 1);
}

__global__ void fillReads(char *Text) {
  int Step = gridDim.x * blockDim.x;
  for (int I = blockIdx.x * blockDim.x + threadIdx.x; I < Length; I += Step)
    Text[I] =
        I % Line == Read ? '\n' : "ACGT"[baseAt(placeOf(I / Line) + I % Line)];
}
} // namespace bench

__device__ int codeOf(char base) {
  switch (base) {
  case 'A':
    return 0;
  case 'C':
    return 1;
  case 'G':
    return 2;
  case 'T':
    return 3;
  }
  return -1;
}

__global__ void kmers(const char *BENCH_MAY_RESTRICT text,
                      int *BENCH_MAY_RESTRICT counts) {
  int begin = (blockIdx.x * blockDim.x + threadIdx.x) * Chunk;
  // The k-mers that begin in the chunk; the last of them end behind it.
  int end = min(begin + Chunk + K - 1, Length);
  unsigned code = 0;
  int bases = 0;
  for (int i = begin; i < end; ++i) {
    int base = codeOf(text[i]);
    if (base < 0) {
      bases = 0;
      continue;
    }
    code = (code << 2 | base) % Codes;
    if (++bases >= K)
      atomicAdd(&counts[code], 1);
  }
}

/// Counts how many reads cover each k-mer of the genome instead of reading the
/// text.
static std::vector<int> expectedCounts() {
  std::vector<int> Change(bench::Genome + 1);
  for (int Line = 0; Line < bench::Lines; ++Line) {
    int Bases = std::min(bench::Read, Length - Line * bench::Line);
    if (Bases < K)
      continue;
    int Place = bench::placeOf(Line);
    ++Change[Place];
    --Change[Place + Bases - K + 1];
  }
  std::vector<int> Counts(Codes);
  unsigned Code = 0;
  for (int I = 0; I < K - 1; ++I)
    Code = Code << 2 | bench::baseAt(I);
  for (int Place = 0, Covering = 0; Place <= bench::Genome - K; ++Place) {
    Code = (Code << 2 | bench::baseAt(Place + K - 1)) % Codes;
    Covering += Change[Place];
    Counts[Code] += Covering;
  }
  return Counts;
}

int main() {
  bench::DeviceArray<char> Text(Length);
  bench::DeviceArray<int> Counts(Codes);
  bench::fillReads<<<Blocks, BlockSize>>>(Text);
  CUDA_CHECK(cudaGetLastError());

  kmers<<<Blocks, BlockSize>>>(Text, Counts);
  CUDA_CHECK(cudaGetLastError());

  bench::Program Program("kmers");
  Program.check("counts", Counts, expectedCounts());
  return Program.verdict();
}
