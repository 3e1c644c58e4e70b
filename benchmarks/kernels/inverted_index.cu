// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The map phase of an inverted index of hyperlinks, after the streaming
// application "Inverted Index" of the S-L1 paper: each thread looks for
// `<a href="` in its own contiguous chunk of HTML, hashes the URL behind it and
// appends the pair of hash and position to the output, whose places an atomic
// counter hands out. Limited by how many cache lines the L1 keeps. The order of
// the pairs depends on the atomics; the set of them does not.
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
constexpr int MaxLinks = Length / 64;
constexpr int Urls = 100000;
constexpr uint32_t HashStart = 0x811c9dc5;
constexpr uint32_t SeedItem = 1;
constexpr uint32_t SeedText = 2;
constexpr uint32_t SeedLetter = 3;

#define ANCHOR "<a href=\""
constexpr int AnchorBytes = sizeof(ANCHOR) - 1;

namespace bench {
// The HTML is made in pieces, each a sequence of links, other tags and runs of
// text. A piece is no multiple of a chunk, so that links cross the chunks'
// ends. What is left of a piece are spaces.
constexpr int Piece = 1000;
constexpr int Pieces = Length / Piece;
constexpr int MaxItems = 256;

struct Item {
  enum { Link, Tag, Run } Kind;
  uint32_t Url;
  int Bytes;
};

__host__ __device__ inline int urlBytes(uint32_t Url) {
  return 16 + Url * 7 % 32;
}

__host__ __device__ inline char urlByte(uint32_t Url, int Index) {
  return Index < 7 ? "http://"[Index]
                   : 'a' + bitsAt(SeedLetter, Url * 64 + Index) % 26;
}

__host__ __device__ inline Item itemOf(int Piece, int Number) {
  uint32_t Bits = bitsAt(SeedItem, size_t(Piece) * MaxItems + Number) >> 8;
  uint32_t Kind = Bits % 4, Rest = Bits / 4;
  if (Kind == 0)
    return {Item::Link, Rest % Urls, AnchorBytes + urlBytes(Rest % Urls) + 2};
  if (Kind == 1)
    return {Item::Tag, 0, 8};
  return {Item::Run, 0, 32 + static_cast<int>(Rest % 64)};
}

__host__ __device__ inline char textAt(size_t Index) {
  uint32_t Bits = bitsAt(SeedText, Index) >> 8;
  return Bits % 6 ? static_cast<char>('a' + Bits / 6 % 26) : ' ';
}

__global__ void fillHtml(char *Html) {
  int Thread = blockIdx.x * blockDim.x + threadIdx.x;
  for (int P = Thread; P < Pieces; P += gridDim.x * blockDim.x) {
    char *Begin = Html + size_t(P) * Piece, *Next = Begin;
    for (int Number = 0;; ++Number) {
      Item Item = itemOf(P, Number);
      if (Next + Item.Bytes > Begin + Piece)
        break;
      for (int I = 0; I < Item.Bytes; ++I) {
        if (Item.Kind == Item::Run)
          Next[I] = textAt(Next - Html + I);
        else if (Item.Kind == Item::Tag)
          Next[I] = "<a id=7>"[I];
        else if (I < AnchorBytes)
          Next[I] = ANCHOR[I];
        else if (I < Item.Bytes - 2)
          Next[I] = urlByte(Item.Url, I - AnchorBytes);
        else
          Next[I] = I == Item.Bytes - 2 ? '"' : '>';
      }
      Next += Item.Bytes;
    }
  }
}
} // namespace bench

__host__ __device__ inline uint32_t addToHash(uint32_t hash, char c) {
  return (hash ^ static_cast<unsigned char>(c)) * 0x01000193;
}

__global__ void inverted_index(const char *BENCH_MAY_RESTRICT html,
                               uint2 *BENCH_MAY_RESTRICT links,
                               int *BENCH_MAY_RESTRICT count) {
  int i = (blockIdx.x * blockDim.x + threadIdx.x) * Chunk;
  int end = min(i + Chunk, Length);
  while (i < end) {
    int start = i;
    int matched = 0;
    while (matched < AnchorBytes && i < Length && html[i] == ANCHOR[matched]) {
      ++i;
      ++matched;
    }
    if (matched == AnchorBytes) {
      uint32_t hash = HashStart;
      for (; i < Length && html[i] != '"'; ++i)
        hash = addToHash(hash, html[i]);
      int place = atomicAdd(count, 1);
      if (place < MaxLinks)
        links[place] = make_uint2(hash, start);
    } else if (matched == 0) {
      ++i;
    }
  }
}

/// All links, in the order of their positions.
static std::vector<uint2> expectedLinks() {
  std::vector<uint32_t> Hashes(Urls, HashStart);
  for (int Url = 0; Url < Urls; ++Url)
    for (int I = 0; I < bench::urlBytes(Url); ++I)
      Hashes[Url] = addToHash(Hashes[Url], bench::urlByte(Url, I));
  std::vector<uint2> Links;
  for (int P = 0; P < bench::Pieces; ++P) {
    int At = P * bench::Piece, End = At + bench::Piece;
    for (int Number = 0;; ++Number) {
      bench::Item Item = bench::itemOf(P, Number);
      if (At + Item.Bytes > End)
        break;
      if (Item.Kind == bench::Item::Link)
        Links.push_back(make_uint2(Hashes[Item.Url], At));
      At += Item.Bytes;
    }
  }
  return Links;
}

int main() {
  bench::DeviceArray<char> Html(Length);
  bench::DeviceArray<uint2> Links(MaxLinks);
  bench::DeviceArray<int> Count(1);
  CUDA_CHECK(cudaMemset(Html, ' ', Length));
  bench::fillHtml<<<Blocks, BlockSize>>>(Html);
  CUDA_CHECK(cudaGetLastError());

  inverted_index<<<Blocks, BlockSize>>>(Html, Links, Count);
  CUDA_CHECK(cudaGetLastError());

  bench::Program Program("inverted_index");
  std::vector<uint2> Expected = expectedLinks(), Got = Links.toHost();
  bool Right = Count.toHost()[0] == static_cast<int>(Expected.size()) &&
               Expected.size() <= Got.size();
  if (Right) {
    Got.resize(Expected.size());
    std::sort(Got.begin(), Got.end(),
              [](uint2 A, uint2 B) { return A.y < B.y; });
    Right =
        std::equal(Got.begin(), Got.end(), Expected.begin(),
                   [](uint2 A, uint2 B) { return A.x == B.x && A.y == B.y; });
  }
  Program.check("links", Right);
  return Program.verdict();
}
