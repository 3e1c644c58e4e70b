// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Little's law: what is on its way = latency * rate. Below that memory is not
// busy, whatever the code does.

#include "sluice/Plan/LoadsInFlightPlanner.h"
#include "sluice/Target/MemoryModel.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <algorithm>

using namespace llvm;
using namespace sluice;

/// More copies take instruction cache; LLVM's size of the copies.
static constexpr unsigned MostCopies = 32, MostSize = 512;

/// What nvcc takes together of a loop whose length is not known, and the most
/// that it may grow to. Where lanes read the same, memory is never busy, and
/// what counts is that a warp waits less often; where each reads its own, the
/// registers of more loads cost more than they gained
/// (docs/internals/clang-and-nvcc.md).
static constexpr unsigned NvccCopies = 4, MostNvccSize = 300;

/// How long a loop of known length may be. LLVM stops at 75, and nvcc later.
/// What was measured of longer loops and of those of unknown length, which
/// leave a rest, lost as often as it gained (docs/internals/clang-and-nvcc.md).
static constexpr unsigned MostKnownCopies = 16, MostKnownSize = 256;
/// And of one that reads a tile in shared memory, which nvcc unrolls whole.
static constexpr unsigned MostTileTrip = 16, MostTileSize = 512;

/// And of one that reads constant memory by its counter: whole, its constants
/// are operands, and no loads.
static constexpr unsigned MostConstantTrip = 16, MostConstantSize = 2048;

/// Of fewer words there are hardly pairs.
static constexpr unsigned FewestOddWords = 3;

/// Of a loop that writes what it reads, loads are only together behind a test
/// that what it writes is not read. So much less than memory could deliver has
/// to be on its way that they gain, and more copies gain no more (HeCBench's
/// modulateKernel: 2.50 times as fast with four, 2.58 with eight). Of long
/// iterations more than four cost instruction cache.
static constexpr unsigned FewestWriting = 4, MostWriting = 8,
                          MostWritingSize = 128;
/// Of one warp on an SM nothing else runs while it waits, and nvcc takes so
/// many.
static constexpr unsigned FewThreads = 32, MostOfFewThreads = 16;

static unsigned mostCopies(const UnrollFacts &Loop, unsigned Threads) {
  if (Loop.IsOfLoadedLength || Loop.WritesTile)
    return NvccCopies;
  if (!Loop.WritesOwn && !Loop.WritesApart)
    return MostCopies;
  if (Threads <= FewThreads)
    return MostOfFewThreads;
  return MostWriting * Loop.Size > MostWritingSize ? FewestWriting
                                                   : MostWriting;
}

bool sluice::keepsLinesOrRows(const LoopPlan &Loop) {
  return Loop.WarpGroups > 1 || !Loop.Staged.empty() || !Loop.Widened.empty() ||
         !Loop.Lines.empty();
}

std::optional<unsigned> sluice::threadsOnSM(const KernelPlan &Plan,
                                            const GPUModel &GPU) {
  std::optional<uint64_t> Fewest;
  for (const LaunchPlan &Launch : Plan.Launches) {
    const auto Threads = Launch.Block.total();
    if (!Threads || !Launch.Grid.total() || !Launch.BlocksPerSM)
      return std::nullopt;
    const uint64_t Held = *Threads * Launch.BlocksPerSM;
    Fewest = Fewest ? std::min(*Fewest, Held) : Held;
  }
  if (!Fewest)
    return std::nullopt;
  return unsigned(std::clamp<uint64_t>(*Fewest, GPU.WarpSize, GPU.MaxThreads));
}

/// The most iterations of a loop of known length that divide it, if clang takes
/// fewer; or 0.
static unsigned ofKnownLength(const UnrollFacts &Loop, std::string &Why) {
  if (!Loop.Trip)
    return 0;
  unsigned Copies = MostKnownCopies;
  while (Copies > Loop.Own &&
         (*Loop.Trip % Copies != 0 || *Loop.Trip < 2 * uint64_t(Copies) ||
          Copies * uint64_t(Loop.Size) > MostKnownSize))
    Copies /= 2;
  if (Copies <= Loop.Own || Copies < 2)
    return 0;
  Why = formatv("all {0} are known, and clang takes {1}", *Loop.Trip, Loop.Own);
  return Copies;
}

/// Of a loop over constant memory and others, as over a filter and an image:
/// all iterations, or 0.
static unsigned ofCountedConstants(const UnrollFacts &Loop, std::string &Why) {
  if (!Loop.Constants || !(Loop.Loads || Loop.TileLoads) || !Loop.Trip ||
      *Loop.Trip <= Loop.Own || *Loop.Trip > MostConstantTrip ||
      *Loop.Trip * Loop.Size > MostConstantSize)
    return 0;
  Why = formatv("they are all, and what they read of constant memory needs no "
                "loads then; clang takes {0}",
                Loop.Own);
  return unsigned(*Loop.Trip);
}

/// As many as nvcc takes of a loop over a part of a tile, which is not known.
static unsigned ofTileInPart(const UnrollFacts &Loop, std::string &Why) {
  unsigned Copies = NvccCopies;
  while (Copies > Loop.Own && Copies * Loop.Size > MostNvccSize)
    Copies /= 2;
  if (Copies <= Loop.Own)
    return 0;
  Why = formatv("they read shared memory, and clang takes {0}", Loop.Own);
  return Copies;
}

/// Of a loop over a tile in shared memory, without loads of global memory: all
/// iterations, so that elements beside each other are read at once.
static unsigned ofTile(const UnrollFacts &Loop, std::string &Why) {
  if (!Loop.TileLoads || Loop.WritesTile)
    return 0;
  if (!Loop.Trip)
    return Loop.HasRunTimeStep ? 0 : ofTileInPart(Loop, Why);
  if (*Loop.Trip <= Loop.Own)
    return 0;
  if (*Loop.Trip > MostTileTrip || *Loop.Trip * Loop.Size > MostTileSize)
    return ofKnownLength(Loop, Why);
  Why = formatv("they are all, and read shared memory; clang takes {0}",
                Loop.Own);
  return unsigned(*Loop.Trip);
}

/// Of a loop over structs of an odd number of words in constant memory, two:
/// what is read of them is pairs of words in one of both.
static unsigned ofConstants(const UnrollFacts &Loop, std::string &Why) {
  static constexpr unsigned Pair = 2;
  if (Loop.OddWords < FewestOddWords || !Loop.Trip || *Loop.Trip % Pair ||
      *Loop.Trip < 2 * Pair || Loop.Own >= Pair ||
      Loop.Size * Pair > MostNvccSize)
    return 0;
  Why = "they read an odd number of words of constant memory each, which are "
        "pairs so";
  return Pair;
}

unsigned sluice::iterationsTogether(const UnrollFacts &Loop,
                                    const KernelPlan &Kernel,
                                    const GPUModel &GPU, std::string &Why) {
  if (!Loop.Refusal.empty())
    return 0;
  if (const unsigned All = ofCountedConstants(Loop, Why))
    return All;
  if (!Loop.Loads)
    return Loop.TileLoads ? ofTile(Loop, Why) : ofConstants(Loop, Why);
  const bool FitsNvccs = Loop.Size * NvccCopies <= MostNvccSize;
  const unsigned Strided =
      Loop.HasRunTimeStep && !Loop.WritesOwn && FitsNvccs ? NvccCopies : 0;
  if (Strided)
    Why = "its step is known when it runs only, and clang takes one at a time";
  if (Loop.IsShort && Loop.WritesApart)
    return 0;
  if (Loop.IsShort && FitsNvccs) {
    Why = "it has few, how many is not known, and clang takes one at a time";
    return NvccCopies;
  }
  const double Wanted = bytesThatKeepBusy(GPU);
  const auto Known = threadsOnSM(Kernel, GPU);
  const unsigned Threads = Known.value_or(GPU.MaxThreads);
  const double ByOne = double(Threads) * Loop.Bytes;
  // The rest of a loop runs one by one.
  const unsigned Largest = Loop.WritesApart ? MostNvccSize : MostSize;
  const uint64_t Most = std::min<uint64_t>(
      {mostCopies(Loop, Threads), Largest / std::max(Loop.Size, 1U),
       Loop.Trip.value_or(MostCopies * 2) / 2});
  unsigned Copies = 1;
  while (Copies * 2 <= Most && Copies * ByOne < Wanted)
    Copies *= 2;
  if (Copies <= Strided || (Loop.WritesOwn && Copies < FewestWriting))
    return Strided;
  if (Copies <= Loop.Own || Loop.Own * ByOne >= Wanted) {
    if (Loop.WritesApart)
      return 0;
    if (const unsigned Known = ofKnownLength(Loop, Why))
      return Known;
    if (Loop.Trip || !Loop.IsShared || Loop.Own >= NvccCopies || !FitsNvccs)
      return 0;
    Why = formatv("their loads are the same for all lanes, and clang takes {0}",
                  Loop.Own);
    return NvccCopies;
  }
  Why = formatv("{0} threads of an SM{1} have {2} KiB on their way so, and {3} "
                "KiB as clang has it; {4} KiB keep memory busy",
                Threads, Known ? "" : ", if it is full,",
                unsigned(Copies * ByOne / 1024),
                unsigned(Loop.Own * ByOne / 1024), unsigned(Wanted / 1024));
  return Copies;
}

/// Bytes of rows that a thread may keep in registers, and instructions of a
/// loop and its copies.
static constexpr uint64_t MostRowBytes = 192, MostWhole = 2048;

/// The iterations of \p Loop, if its rows are read again and can be kept.
static uint64_t iterationsOfKeptRows(const LoopFacts &Loop,
                                     const KernelFacts &Kernel) {
  const uint64_t Trip = Loop.TripCount.value_or(0);
  if (Loop.Widenable.empty() || !Loop.Parent || Trip < 2 ||
      Trip > MostUnrolled || Trip * Loop.Instructions > MostWhole ||
      Loop.UnrollHint || Loop.WritesMemory ||
      Kernel.Loops[*Loop.Parent].WritesMemory)
    return 0;
  uint64_t Bytes = 0;
  for (const StageableStream &Row : Loop.Widenable) {
    if (Row.IsStore || Row.IsWithin || !Row.IsReadAgain)
      return 0;
    Bytes += Trip * uint64_t(Row.Step);
  }
  return Bytes > MostRowBytes ? 0 : Trip;
}

void sluice::planRowsReadAgain(const KernelFacts &Kernel, KernelPlan &Plan) {
  if (Kernel.Off || Plan.Loops.empty())
    return;
  for (auto [Facts, Loop] : zip_equal(Kernel.Loops, Plan.Loops)) {
    const uint64_t Trip = iterationsOfKeptRows(Facts, Kernel);
    if (!Trip || Loop.WarpGroups > 1 || !Loop.Staged.empty() ||
        !Loop.Lines.empty())
      continue;
    Loop.Widened.clear();
    Loop.WidenedWhy.clear();
    Loop.Unroll = unsigned(Trip);
    Loop.UnrollWhy =
        "the loop around it reads the same rows again, from registers then";
  }
}
