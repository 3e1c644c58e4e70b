// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts a web log's hits of each URL, after the streaming application "Page
// View Count" of the S-L1 paper: each thread takes the records that begin in
// its own contiguous chunk, hashes each one's URL byte by byte and counts it in
// a hash table in global memory. Limited by how many cache lines the L1 keeps,
// and by the table's atomics. Which slot a URL gets depends on their order; its
// count does not.
//
#include "common.h"
#include <unordered_map>

// Bytes of the text that are a thread's.
#ifndef CHUNK
#define CHUNK bench::bySize(256, 1024, 1024)
#endif

using Key = unsigned long long;

constexpr int BlockSize = 256;
constexpr int Blocks = bench::bySize(8, 1024, 132 * 2048 / BlockSize);
constexpr int Threads = Blocks * BlockSize;
constexpr int Chunk = CHUNK;
constexpr int Length = Threads * Chunk;
constexpr int Urls = bench::bySize(1 << 12, 1 << 18, 1 << 18);
constexpr int Slots = 4 * Urls;
constexpr int StampBytes = 10;
constexpr Key NoKey = 0;
constexpr Key HashStart = 0xcbf29ce484222325;
constexpr uint32_t SeedUrl = 1;
constexpr uint32_t SeedLetter = 2;
constexpr uint32_t SeedStamp = 3;

namespace bench {
// The log is made in pieces of whole records. A piece is no multiple of a
// chunk, so that records cross the chunks' ends. What is left of a piece are
// empty lines.
constexpr int Piece = 1000;
constexpr int Pieces = Length / Piece;
constexpr int MaxRecords = 64;

__host__ __device__ inline int urlBytes(uint32_t Url) {
  return 16 + Url * 7 % 32;
}

__host__ __device__ inline char urlByte(uint32_t Url, int Index) {
  return Index < 7 ? "http://"[Index]
                   : 'a' + bitsAt(SeedLetter, Url * 64 + Index) % 26;
}

__host__ __device__ inline uint32_t urlOf(int Piece, int Record) {
  return (bitsAt(SeedUrl, Piece * MaxRecords + Record) >> 8) % Urls;
}

/// "URL TIMESTAMP STATUS\n"
__host__ __device__ inline int recordBytes(uint32_t Url) {
  return urlBytes(Url) + 1 + StampBytes + 5;
}

__global__ void fillLog(char *Log) {
  int Thread = blockIdx.x * blockDim.x + threadIdx.x;
  for (int P = Thread; P < Pieces; P += gridDim.x * blockDim.x) {
    char *Begin = Log + size_t(P) * Piece, *Next = Begin;
    for (int Record = 0;; ++Record) {
      uint32_t Url = urlOf(P, Record);
      if (Next + recordBytes(Url) > Begin + Piece)
        break;
      for (int I = 0; I < urlBytes(Url); ++I)
        *Next++ = urlByte(Url, I);
      *Next++ = ' ';
      for (int I = 0; I < StampBytes; ++I)
        *Next++ = '0' + bitsAt(SeedStamp, Next - Log) % 10;
      for (int I = 0; I < 5; ++I)
        *Next++ = " 200\n"[I];
    }
  }
}
} // namespace bench

__host__ __device__ inline Key addToHash(Key hash, char c) {
  return (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
}

__device__ void count(Key *keys, int *counts, Key key) {
  unsigned slot = static_cast<unsigned>(key) % Slots;
  while (true) {
    Key found = atomicCAS(&keys[slot], NoKey, key);
    if (found == NoKey || found == key) {
      atomicAdd(&counts[slot], 1);
      return;
    }
    slot = (slot + 1) % Slots;
  }
}

__global__ void page_views(const char *BENCH_MAY_RESTRICT log,
                           Key *BENCH_MAY_RESTRICT keys,
                           int *BENCH_MAY_RESTRICT counts) {
  int i = (blockIdx.x * blockDim.x + threadIdx.x) * Chunk;
  int end = min(i + Chunk, Length);
  // The record that reaches into the chunk is its predecessor's.
  if (i > 0)
    while (i < end && log[i - 1] != '\n')
      ++i;
  while (i < end) {
    Key hash = HashStart;
    char c = log[i];
    while (c != ' ' && c != '\n') {
      hash = addToHash(hash, c);
      c = log[++i];
    }
    if (c == ' ')
      count(keys, counts, hash);
    while (c != '\n')
      c = log[++i];
    ++i;
  }
}

static Key hashOf(uint32_t Url) {
  Key Hash = HashStart;
  for (int I = 0; I < bench::urlBytes(Url); ++I)
    Hash = addToHash(Hash, bench::urlByte(Url, I));
  return Hash;
}

/// How often each URL is in the log.
static std::vector<int> hitsByUrl() {
  std::vector<int> Hits(Urls);
  for (int P = 0; P < bench::Pieces; ++P) {
    int Left = bench::Piece;
    for (int Record = 0;; ++Record) {
      uint32_t Url = bench::urlOf(P, Record);
      Left -= bench::recordBytes(Url);
      if (Left < 0)
        break;
      ++Hits[Url];
    }
  }
  return Hits;
}

static bool isRight(const std::vector<Key> &Keys,
                    const std::vector<int> &Counts) {
  std::unordered_map<Key, int> Expected(2 * Urls);
  std::vector<int> Hits = hitsByUrl();
  for (int Url = 0; Url < Urls; ++Url)
    if (Hits[Url] > 0)
      Expected[hashOf(Url)] += Hits[Url];
  for (int Slot = 0; Slot < Slots; ++Slot) {
    if (Keys[Slot] == NoKey)
      continue;
    auto Found = Expected.find(Keys[Slot]);
    if (Found == Expected.end() || Found->second != Counts[Slot])
      return false;
    Expected.erase(Found);
  }
  return Expected.empty();
}

int main() {
  bench::DeviceArray<char> Log(Length);
  bench::DeviceArray<Key> Keys(Slots);
  bench::DeviceArray<int> Counts(Slots);
  CUDA_CHECK(cudaMemset(Log, '\n', Length));
  bench::fillLog<<<Blocks, BlockSize>>>(Log);
  CUDA_CHECK(cudaGetLastError());

  page_views<<<Blocks, BlockSize>>>(Log, Keys, Counts);
  CUDA_CHECK(cudaGetLastError());

  bench::Program Program("page_views");
  Program.check("the table", isRight(Keys.toHost(), Counts.toHost()));
  return Program.verdict();
}
