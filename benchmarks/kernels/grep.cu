// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts the lines in which a pattern occurs, after the streaming application
// "Grep" of the S-L1 paper: each thread takes the lines that begin in its own
// contiguous chunk, and tries the pattern, which is in shared memory, at every
// byte of a line until it matches. Lanes diverge at once: limited by branches
// as much as by how many cache lines the L1 keeps.
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
constexpr int MaxPattern = 32;
constexpr uint32_t SeedText = 1;

namespace bench {
/// Byte Index of the text: words of the frequent letters, lines of 64 bytes on
/// average.
__host__ __device__ inline char textAt(size_t Index) {
  uint32_t Bits = bitsAt(SeedText, Index) >> 8;
  uint32_t Kind = Bits % 64;
  if (Kind < 10)
    return ' ';
  if (Kind == 10)
    return '\n';
  return "etaoinsh"[Bits / 64 % 8];
}

__global__ void fillText(char *Text, size_t Length) {
  size_t Step = static_cast<size_t>(gridDim.x) * blockDim.x;
  for (size_t I = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
       I < Length; I += Step)
    Text[I] = textAt(I);
}
} // namespace bench

/// A '.' of the pattern matches any byte but the end of a line.
__device__ bool matches(const char *text, int at, int length,
                        const char *pattern) {
  for (; *pattern; ++pattern, ++at) {
    if (at >= length || text[at] == '\n')
      return false;
    if (*pattern != '.' && *pattern != text[at])
      return false;
  }
  return true;
}

__global__ void grep(const char *BENCH_MAY_RESTRICT text, int length,
                     const char *BENCH_MAY_RESTRICT pattern,
                     int *BENCH_MAY_RESTRICT counts) {
  __shared__ char wanted[MaxPattern];
  if (threadIdx.x < MaxPattern)
    wanted[threadIdx.x] = pattern[threadIdx.x];
  __syncthreads();

  int thread = blockIdx.x * blockDim.x + threadIdx.x;
  int i = thread * Chunk;
  int end = min(i + Chunk, length);
  // The line that reaches into the chunk is its predecessor's.
  if (i > 0)
    while (i < end && text[i - 1] != '\n')
      ++i;

  int count = 0;
  bool found = false;
  bool inLine = i < end;
  while (inLine) {
    if (i >= length || text[i] == '\n') {
      count += found;
      found = false;
      inLine = i + 1 < end;
    } else if (!found) {
      found = matches(text, i, length, wanted);
    }
    ++i;
  }
  counts[thread] = count;
}

/// How many of the lines that begin in [Begin, End) hold Pattern.
static int linesWith(const char *Pattern, size_t Begin, size_t End) {
  auto IsEnd = [](size_t I) { return I >= Length || bench::textAt(I) == '\n'; };
  size_t PatternLength = std::strlen(Pattern);
  int Count = 0;
  for (size_t Start = Begin; Start < End; ++Start) {
    if (Start > 0 && bench::textAt(Start - 1) != '\n')
      continue;
    std::vector<char> Line;
    for (size_t I = Start; !IsEnd(I); ++I)
      Line.push_back(bench::textAt(I));
    auto At =
        std::search(Line.begin(), Line.end(), Pattern, Pattern + PatternLength,
                    [](char C, char P) { return P == '.' || C == P; });
    Count += At != Line.end();
  }
  return Count;
}

int main(int ArgC, char **ArgV) {
  std::vector<char> Wanted(MaxPattern);
  std::snprintf(Wanted.data(), MaxPattern, "%s",
                bench::option(ArgC, ArgV, "pattern", "t.e"));
  bench::DeviceArray<char> Text(Length), Pattern(Wanted);
  bench::DeviceArray<int> Counts(Threads);
  bench::fillText<<<Blocks, BlockSize>>>(Text, Length);
  CUDA_CHECK(cudaGetLastError());

  grep<<<Blocks, BlockSize>>>(Text, Length, Pattern, Counts);
  CUDA_CHECK(cudaGetLastError());

  bench::Program Program("grep");
  Program.check("counts", Counts, [&](size_t Thread, int Got) {
    return Got ==
           linesWith(Wanted.data(), Thread * Chunk, (Thread + 1) * Chunk);
  });
  return Program.verdict();
}
