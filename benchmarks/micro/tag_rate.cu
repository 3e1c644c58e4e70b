// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How many load requests an SM serves when all hit its L1. 32 warps each have
// eight independent loads under way, over and over the same 256 lines or fewer;
// the time over the number of requests is the cycles one request occupies the
// L1's busiest stage.
//
// What varies is which bytes the 32 lanes of a request load: how many lines
// (tag look-ups), how many sectors, how many bytes, and how many words in one
// of the 32 banks. Comparing them separates those limits.
//
#include "probe.h"

using bench::DeviceArray;
using namespace probe;

namespace {

constexpr int InFlight = 8;
constexpr int Rounds = 64;

template <int Bytes> __device__ uint32_t loadBytes(const char *P) {
  uint32_t A, B, C, D;
  if constexpr (Bytes == 4) {
    asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(A) : "l"(P) : "memory");
    return A;
  } else if constexpr (Bytes == 8) {
    asm volatile("ld.global.ca.v2.u32 {%0, %1}, [%2];"
                 : "=r"(A), "=r"(B)
                 : "l"(P)
                 : "memory");
    return A ^ B;
  } else {
    asm volatile("ld.global.ca.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(A), "=r"(B), "=r"(C), "=r"(D)
                 : "l"(P)
                 : "memory");
    return A ^ B ^ C ^ D;
  }
}

} // namespace

/// Cycles of Rounds * InFlight requests of each warp, in one block. Advance is
/// 0: it keeps ptxas from loading once what every round loads.
template <int Bytes>
__global__ void __launch_bounds__(1024)
    issue(const char *Base, const uint32_t *Offsets, uint32_t Step, int Advance,
          uint64_t *Cycles) {
  __shared__ unsigned long long First, Last;
  if (threadIdx.x == 0) {
    First = ~0ull;
    Last = 0;
  }
  const char *P = Base + Offsets[threadIdx.x % WarpSize];
  uint32_t Sum = 0;
  for (int I = 0; I < InFlight; ++I)
    Sum ^= loadBytes<Bytes>(P + I * Step);
  waitFor(Sum);
  __syncthreads();
  unsigned long long Begin = clock64();
#pragma unroll 1
  for (int Round = 0; Round < Rounds; ++Round) {
    uint32_t Values[InFlight];
#pragma unroll
    for (int I = 0; I < InFlight; ++I)
      Values[I] = loadBytes<Bytes>(P + I * Step);
#pragma unroll
    for (int I = 0; I < InFlight; ++I)
      Sum ^= Values[I];
    P += Advance;
  }
  waitFor(Sum);
  unsigned long long End = clock64();
  atomicMin(&First, Begin);
  atomicMax(&Last, End);
  __syncthreads();
  if (threadIdx.x == 0)
    Cycles[0] = Last - First;
}

namespace {

struct Pattern {
  const char *Name;
  int Bytes;     // a lane's load
  uint32_t Step; // from one of a warp's eight loads to the next
  uint32_t Offset[WarpSize];
};

/// Distinct values of Offset / Unit over all bytes that are loaded.
int distinct(const Pattern &P, uint32_t Unit) {
  std::vector<uint32_t> Units;
  for (uint32_t Offset : P.Offset)
    for (int Byte = 0; Byte < P.Bytes; Byte += 4)
      Units.push_back((Offset + Byte) / Unit);
  std::sort(Units.begin(), Units.end());
  return static_cast<int>(std::unique(Units.begin(), Units.end()) -
                          Units.begin());
}

/// The most distinct words of one request in one of 32 banks.
int wordsInOneBank(const Pattern &P) {
  std::vector<uint32_t> Words;
  for (uint32_t Offset : P.Offset)
    for (int Byte = 0; Byte < P.Bytes; Byte += 4)
      Words.push_back((Offset + Byte) / 4);
  std::sort(Words.begin(), Words.end());
  Words.erase(std::unique(Words.begin(), Words.end()), Words.end());
  int Counts[32] = {};
  for (uint32_t Word : Words)
    ++Counts[Word % 32];
  return *std::max_element(Counts, Counts + 32);
}

/// Launches of each setting; the fastest is printed.
int Reps = 3;

template <typename OffsetT>
void measure(const char *Name, int Bytes, uint32_t Step, OffsetT OffsetOf) {
  static DeviceArray<char> Buffer(1 << 20);
  static DeviceArray<uint32_t> Offsets(WarpSize);
  static DeviceArray<uint64_t> Cycles(1);
  Pattern P = {Name, Bytes, Step, {}};
  for (int Lane = 0; Lane < WarpSize; ++Lane)
    P.Offset[Lane] = OffsetOf(Lane);
  Offsets.fromHost(std::vector<uint32_t>(P.Offset, P.Offset + WarpSize));
  auto Kernel = Bytes == 4 ? issue<4> : Bytes == 8 ? issue<8> : issue<16>;
  for (int Warps : {4, 32}) {
    double Best = 1e30;
    for (int Rep = 0; Rep < Reps; ++Rep) {
      Kernel<<<1, Warps * WarpSize>>>(Buffer, Offsets, Step, 0, Cycles);
      finish();
      Best = std::min(Best, static_cast<double>(Cycles.toHost()[0]) /
                                (Rounds * InFlight * Warps));
    }
    std::printf("tag_rate,%s,%d,%d,%d,%d,%d,%.2f\n", Name, Bytes, Warps,
                distinct(P, LineBytes), distinct(P, SectorBytes),
                wordsInOneBank(P), Best);
  }
}

} // namespace

int main(int ArgC, char **ArgV) {
  Reps = bench::numberOption(ArgC, ArgV, "reps", 3);
  printDevice();
  std::printf("\ntag_rate,pattern,bytes_per_lane,warps,lines,sectors,"
              "words_in_one_bank,cycles_per_request\n");
  measure("one word", 4, 128, [](int) { return 0; });
  measure("one word", 16, 128, [](int) { return 0; });
  for (int Bytes : {4, 8, 16})
    measure("coalesced", Bytes, 4096, [=](int Lane) { return Lane * Bytes; });
  for (int Words : {2, 4, 8, 16, 32})
    measure("stride", 4, 4096, [=](int Lane) { return Lane * Words * 4; });
  // One sector a line, the lanes of a line load neighbouring words of it (or
  // the same word, where there are more than a sector has).
  for (int Lines : {1, 2, 4, 8, 16, 32})
    measure("own banks", 4, 4096, [=](int Lane) {
      int Line = Lane * Lines / WarpSize, Lanes = WarpSize / Lines;
      int Word = Lines >= 4 ? Lane : Line * 8 + Lane % Lanes % 8;
      return Line * LineBytes + Word * 4;
    });
  for (int Lines : {2, 4, 8, 16, 32})
    measure("one bank", 4, 4096,
            [=](int Lane) { return Lane * Lines / WarpSize * LineBytes; });
  // A column's words, as a row-per-thread kernel loads them.
  for (int RowBytes : {256, 512, 1024, 2048, 2048 + 4, 2048 + 16, 2048 + 32,
                       2048 + 128, 4096}) {
    char Name[32];
    std::snprintf(Name, sizeof Name, "rows of %d B", RowBytes);
    measure(Name, 4, 4, [=](int Lane) { return Lane * RowBytes; });
  }
  for (int Bytes : {8, 16}) {
    measure("32 lines", Bytes, 4096, [](int Lane) { return Lane * LineBytes; });
    measure("32 lines, own banks", Bytes, 4096, [=](int Lane) {
      return Lane * LineBytes + Lane * Bytes % LineBytes;
    });
    measure("8 lines, every sector", Bytes, 4096,
            [](int Lane) { return Lane * SectorBytes; });
  }
  // Every lane another sector of the same 8 lines, with and without a bank of
  // its own.
  measure("8 lines, own banks", 4, 4096,
          [](int Lane) { return Lane * SectorBytes + Lane / 4 * 4; });
}
