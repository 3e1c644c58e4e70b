// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Upper-cases a text, after the streaming application "Upper" of the S-L1
// paper: each thread walks byte by byte over its own contiguous chunk and
// writes the same place of the output. Every lane of a warp is in another cache
// line, and a line is used up only after 128 iterations: limited by how many
// lines the L1 keeps.
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
/// Byte Index of the text: letters of both cases, some digits, white space.
__host__ __device__ inline char textAt(size_t Index) {
  uint32_t Bits = bitsAt(SeedText, Index) >> 8;
  uint32_t Kind = Bits % 64, Letter = Bits / 64 % 26;
  if (Kind < 9)
    return ' ';
  if (Kind == 9)
    return '\n';
  if (Kind < 13)
    return static_cast<char>('0' + Letter % 10);
  return static_cast<char>((Kind < 20 ? 'A' : 'a') + Letter);
}

__global__ void fillText(char *Text, size_t Length) {
  size_t Step = static_cast<size_t>(gridDim.x) * blockDim.x;
  for (size_t I = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
       I < Length; I += Step)
    Text[I] = textAt(I);
}
} // namespace bench

__global__ void upper(const char *BENCH_MAY_RESTRICT text,
                      char *BENCH_MAY_RESTRICT result) {
  int begin = (blockIdx.x * blockDim.x + threadIdx.x) * Chunk;
  int end = min(begin + Chunk, Length);
  for (int i = begin; i < end; ++i) {
    char c = text[i];
    if (c >= 'a' && c <= 'z')
      c -= 'a' - 'A';
    result[i] = c;
  }
}

int main() {
  bench::DeviceArray<char> Text(Length), Result(Length);
  bench::fillText<<<Blocks, BlockSize>>>(Text, Length);
  CUDA_CHECK(cudaGetLastError());

  upper<<<Blocks, BlockSize>>>(Text, Result);
  CUDA_CHECK(cudaGetLastError());

  bench::Program Program("upper");
  // Whole chunks, from the first to the last.
  constexpr int Samples = 64;
  bool Right = true;
  for (int Sample = 0; Sample < Samples; ++Sample) {
    size_t Thread = size_t(Threads - 1) * Sample / (Samples - 1);
    size_t Begin = Thread * Chunk;
    std::vector<char> Got(std::min<size_t>(Chunk, Length - Begin));
    CUDA_CHECK(cudaMemcpy(Got.data(), Result + Begin, Got.size(),
                          cudaMemcpyDeviceToHost));
    for (size_t I = 0; I < Got.size(); ++I) {
      char C = bench::textAt(Begin + I);
      Right &= Got[I] == (C >= 'a' && C <= 'z' ? C - 'a' + 'A' : C);
    }
  }
  Program.check("result", Right);
  return Program.verdict();
}
