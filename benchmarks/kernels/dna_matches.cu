// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rodinia's mummergpu: where short reads of DNA occur in a reference. The CPU
// makes the reference's suffix tree (E. Ukkonen's way); a thread has one read,
// and from each of its bases walks down the tree for as long as there is a
// branch that fits. Every step depends on the one before, and threads go
// different ways: limited by the latency of caches.
//
#include "common.h"
#include <string>

constexpr int Length = bench::bySize(1 << 10, 1 << 16, 1 << 18);
constexpr int Reads = bench::bySize(1 << 9, 50000, 2 * 132 * 2048);
constexpr int ReadLength = bench::bySize(16, 25, 25);
constexpr int BlockSize = 256;
constexpr int Alphabet = 4;
constexpr uint32_t SeedReference = 1;
constexpr uint32_t SeedRead = 2;
constexpr uint32_t SeedFault = 3;

/// A node, and the text of the edge to it.
struct Node {
  int child[Alphabet]; // 0: none, as the root is no child
  int begin, end;
};

struct Match {
  int length;
  int place; // in the reference, of one such
};

namespace bench {
__host__ __device__ inline int baseAt(size_t Place) {
  return bitsAt(SeedReference, Place) >> 8 & 3;
}

/// A piece of the reference, where one base in 16 is any other.
__host__ __device__ inline int readAt(size_t I) {
  size_t Place = bitsAt(SeedRead, I / ReadLength) % (Length - ReadLength);
  uint32_t Fault = bitsAt(SeedFault, I);
  return Fault % 16 ? baseAt(Place + I % ReadLength) : Fault >> 8 & 3;
}

__global__ void fillReads(char *All) {
  for (int I = blockIdx.x * blockDim.x + threadIdx.x; I < Reads * ReadLength;
       I += gridDim.x * blockDim.x)
    All[I] = readAt(I);
}
} // namespace bench

/// matches[base of the read * count + read]
__global__ void dna_matches(const Node *BENCH_MAY_RESTRICT nodes,
                            const char *BENCH_MAY_RESTRICT reference,
                            const char *BENCH_MAY_RESTRICT reads,
                            Match *BENCH_MAY_RESTRICT matches, int count) {
  int read = blockIdx.x * blockDim.x + threadIdx.x;
  if (read >= count)
    return;
  const char *bases = reads + read * ReadLength;
  for (int first = 0; first < ReadLength; ++first) {
    int node = 0, matched = 0, place = 0;
    bool fits = true;
    while (fits && first + matched < ReadLength) {
      node = nodes[node].child[int(bases[first + matched])];
      if (node == 0)
        break;
      int begin = nodes[node].begin, end = nodes[node].end;
      place = begin - matched;
      for (int i = begin; i < end && fits; ++i) {
        fits = first + matched < ReadLength &&
               reference[i] == bases[first + matched];
        matched += fits;
      }
    }
    matches[first * count + read] = {matched, place};
  }
}

/// Grows the tree by one base after the other. What is still to be done for the
/// suffixes of the text so far that do not end in a leaf is at (Active, Edge,
/// Along); links lead from a node to that of its text without the first base.
static std::vector<Node> makeTree(const std::vector<char> &Text) {
  const int End = Text.size();
  std::vector<Node> Nodes(1);
  std::vector<int> Links(1);
  auto add = [&](int Begin, int EndOfEdge) {
    Nodes.push_back({{}, Begin, EndOfEdge});
    Links.push_back(0);
    return int(Nodes.size() - 1);
  };
  int Active = 0, Edge = 0, Along = 0, Left = 0;
  for (int I = 0; I < End; ++I) {
    int Unlinked = 0;
    auto link = [&](int To) {
      if (Unlinked)
        Links[Unlinked] = To;
      Unlinked = To;
    };
    for (++Left; Left > 0;) {
      if (Along == 0)
        Edge = I;
      int Next = Nodes[Active].child[int(Text[Edge])];
      if (Next == 0) {
        int Leaf = add(I, End);
        Nodes[Active].child[int(Text[Edge])] = Leaf;
        link(Active);
      } else {
        int Size = std::min(Nodes[Next].end, I) - Nodes[Next].begin;
        if (Along >= Size) {
          Active = Next;
          Edge += Size;
          Along -= Size;
          continue;
        }
        int Middle = Nodes[Next].begin + Along;
        if (Text[Middle] == Text[I]) {
          ++Along;
          link(Active);
          break;
        }
        int Split = add(Nodes[Next].begin, Middle);
        int Leaf = add(I, End);
        Nodes[Active].child[int(Text[Edge])] = Split;
        Nodes[Split].child[int(Text[I])] = Leaf;
        Nodes[Split].child[int(Text[Middle])] = Next;
        Nodes[Next].begin = Middle;
        link(Split);
      }
      --Left;
      if (Active == 0 && Along > 0) {
        --Along;
        Edge = I - Left + 1;
      } else {
        Active = Links[Active];
      }
    }
  }
  return Nodes;
}

int main() {
  std::vector<char> Text(Length);
  for (size_t I = 0; I < Length; ++I)
    Text[I] = bench::baseAt(I);
  bench::DeviceArray<Node> Nodes(makeTree(Text));
  bench::DeviceArray<char> Reference(Text);
  bench::DeviceArray<char> All(size_t(Reads) * ReadLength);
  bench::DeviceArray<Match> Matches(size_t(Reads) * ReadLength);
  bench::fillReads<<<bench::bySize(4, 1024, 1024), 256>>>(All);
  CUDA_CHECK(cudaGetLastError());

  dna_matches<<<(Reads + BlockSize - 1) / BlockSize, BlockSize>>>(
      Nodes, Reference, All, Matches, Reads);
  CUDA_CHECK(cudaGetLastError());

  bench::Program Program("dna_matches");
  const std::string Where(Text.begin(), Text.end());
  Program.check("matches", Matches, [&](size_t I, Match Got) {
    size_t Read = I % Reads, First = I / Reads;
    std::string Rest;
    for (size_t J = First; J < ReadLength; ++J)
      Rest += static_cast<char>(bench::readAt(Read * ReadLength + J));
    size_t Size = Got.length;
    return Size <= Rest.size() &&
           Where.compare(Got.place, Size, Rest, 0, Size) == 0 &&
           (Size == Rest.size() ||
            Where.find(Rest.substr(0, Size + 1)) == Where.npos);
  });
  return Program.verdict();
}
