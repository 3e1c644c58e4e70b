// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts a text's words and lines, after the streaming application "WC" of the
// S-L1 paper: each thread walks byte by byte over its own contiguous chunk and
// writes its two counts. Hardly any work for a byte and a cache line per lane:
// limited by how many lines the L1 keeps.
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
// The last chunk is shorter, as it is for any text.
constexpr int Length = Threads * Chunk - Chunk / 3;
constexpr uint32_t SeedText = 1;

namespace bench {
/// Byte Index of the text: words of five letters on average, lines of ten
/// words, now and then several spaces in a row.
__host__ __device__ inline char textAt(size_t Index) {
  uint32_t Bits = bitsAt(SeedText, Index) >> 8;
  uint32_t Kind = Bits % 64;
  if (Kind < 10)
    return ' ';
  if (Kind == 10)
    return '\n';
  return static_cast<char>('a' + Bits / 64 % 26);
}

__global__ void fillText(char *Text, size_t Length) {
  size_t Step = static_cast<size_t>(gridDim.x) * blockDim.x;
  for (size_t I = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
       I < Length; I += Step)
    Text[I] = textAt(I);
}
} // namespace bench

__host__ __device__ inline bool isSpace(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

__global__ void word_count(const char *BENCH_MAY_RESTRICT text,
                           int *BENCH_MAY_RESTRICT words,
                           int *BENCH_MAY_RESTRICT lines) {
  int thread = blockIdx.x * blockDim.x + threadIdx.x;
  int begin = thread * Chunk;
  int end = min(begin + Chunk, Length);
  // A word belongs to the chunk in which it begins.
  bool between = begin == 0 || isSpace(text[begin - 1]);
  int word = 0, line = 0;
  for (int i = begin; i < end; ++i) {
    char c = text[i];
    bool space = isSpace(c);
    if (between && !space)
      ++word;
    if (c == '\n')
      ++line;
    between = space;
  }
  words[thread] = word;
  lines[thread] = line;
}

int main() {
  bench::DeviceArray<char> Text(Length);
  bench::DeviceArray<int> Words(Threads), Lines(Threads);
  bench::fillText<<<Blocks, BlockSize>>>(Text, Length);
  CUDA_CHECK(cudaGetLastError());

  word_count<<<Blocks, BlockSize>>>(Text, Words, Lines);
  CUDA_CHECK(cudaGetLastError());

  bench::Program Program("word_count");
  auto EndOf = [](size_t Thread) {
    return std::min<size_t>((Thread + 1) * Chunk, Length);
  };
  Program.check("words", Words, [&](size_t Thread, int Got) {
    int Expected = 0;
    for (size_t I = Thread * Chunk; I < EndOf(Thread); ++I)
      Expected += !isSpace(bench::textAt(I)) &&
                  (I == 0 || isSpace(bench::textAt(I - 1)));
    return Got == Expected;
  });
  Program.check("lines", Lines, [&](size_t Thread, int Got) {
    int Expected = 0;
    for (size_t I = Thread * Chunk; I < EndOf(Thread); ++I)
      Expected += bench::textAt(I) == '\n';
    return Got == Expected;
  });
  return Program.verdict();
}
