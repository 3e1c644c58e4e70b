// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What happens to a load of a sector that is on its way: does it wait for it or
// ask the L2 a second time, and does ncu call it a hit?
//
// One block; in each round all its warps load at the same time from a line that
// no round before used. Run under
//   ncu --clock-control none -k regex:pendingLoads --metrics ...
// (the metrics are in the results' README), once as it is, so that the lines
// come from memory, and once with --cache-control none: before each launch the
// lines are loaded into the L2, so they come from there. The k-th launch that
// ncu reports is the k-th line printed.
//
// Alone it prints the cycles of each warp's load, the mean over the rounds.
//
#include "probe.h"

using bench::DeviceArray;
using namespace probe;

namespace {

enum Mode {
  OneSector,     // all warps: one word of the line
  WholeLine,     // all warps: the whole line, coalesced
  OwnSector,     // warp w: a word of sector w % 4
  ManyLines,     // all warps: the same 32 lines, a word of each
  Twice,         // each warp: one word, and at once its neighbour in the sector
  FourTimes,     // each warp: four words of one sector at once
  FourSectors,   // each warp: a word of each of the four sectors at once
  FourTimesMany, // each warp: as FourTimes, on the same 32 lines
  Later,         // each warp: a word, and when it is there its neighbour
  OtherLater,    // each warp: a word, and when it is there one of sector 1
};

struct {
  const char *Name;
  int LoadsPerWarp, LinesPerRound;
} Modes[] = {{"one_sector", 1, 1},   {"whole_line", 1, 1},
             {"own_sector", 1, 1},   {"many_lines", 1, 32},
             {"twice", 2, 1},        {"four_times", 4, 1},
             {"four_sectors", 4, 1}, {"four_times_many", 4, 32},
             {"later", 2, 1},        {"other_sector_later", 2, 1}};

constexpr int Rounds = 64;

} // namespace

__global__ void loadIntoL2(const uint32_t *Lines, int Count) {
  for (int I = threadIdx.x; I < Count * 4; I += blockDim.x)
    waitFor(load<Hint::CG>(Lines + I * 8));
}

template <Mode M>
__global__ void __launch_bounds__(1024)
    pendingLoads(const uint32_t *Lines, uint32_t *Cycles) {
  int Lane = threadIdx.x % WarpSize, Warp = threadIdx.x / WarpSize;
  uint32_t Sum = 0;
  for (int Round = 0; Round < Rounds; ++Round) {
    const uint32_t *P = Lines + Round * WordsPerLine;
    if (M == WholeLine)
      P += Lane;
    if (M == OwnSector)
      P += Warp % 4 * 8;
    if (M == ManyLines || M == FourTimesMany)
      P = Lines + (Round * WarpSize + Lane) * WordsPerLine;
    settle();
    uint32_t Begin = clock32();
    constexpr int Loads =
        M == Twice || M == Later || M == OtherLater                ? 2
        : M == FourTimes || M == FourSectors || M == FourTimesMany ? 4
                                                                   : 1;
    uint32_t Values[Loads];
#pragma unroll
    for (int I = 0; I < Loads; ++I) {
      Values[I] = load<Hint::Plain>(
          P + I * (M == FourSectors || M == OtherLater ? 8 : 1));
      if (M == Later || M == OtherLater)
        waitFor(Values[I]);
    }
    uint32_t All = 0;
#pragma unroll
    for (int I = 0; I < Loads; ++I)
      All ^= Values[I];
    waitFor(All);
    Sum += clock32() - Begin;
  }
  if (Lane == 0)
    Cycles[Warp] = Sum / Rounds;
}

namespace {

template <Mode M> void measure(const DeviceArray<uint32_t> &Lines) {
  DeviceArray<uint32_t> Cycles(32);
  for (int Warps : {1, 2, 8, 32}) {
    int Count = Rounds * Modes[M].LinesPerRound;
    loadIntoL2<<<1, 1024>>>(Lines, Count);
    pendingLoads<M><<<1, Warps * WarpSize>>>(Lines, Cycles);
    finish();
    auto Host = Cycles.toHost();
    double Sum = 0;
    for (int Warp = 0; Warp < Warps; ++Warp)
      Sum += Host[Warp];
    std::printf("pending,%s,%d,%d,%d,%u,%.0f,%u\n", Modes[M].Name, Warps,
                Rounds * Warps * Modes[M].LoadsPerWarp, Count,
                *std::min_element(Host.begin(), Host.begin() + Warps),
                Sum / Warps,
                *std::max_element(Host.begin(), Host.begin() + Warps));
  }
}

} // namespace

int main() {
  printDevice();
  std::printf("\npending,mode,warps,requests,lines,first_warp_cycles,"
              "mean_cycles,last_warp_cycles\n");
  DeviceArray<uint32_t> Lines(Rounds * 32 * WordsPerLine);
  measure<OneSector>(Lines);
  measure<WholeLine>(Lines);
  measure<OwnSector>(Lines);
  measure<ManyLines>(Lines);
  measure<Twice>(Lines);
  measure<FourTimes>(Lines);
  measure<FourSectors>(Lines);
  measure<FourTimesMany>(Lines);
  measure<Later>(Lines);
  measure<OtherLater>(Lines);
}
