// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// The L1 data cache of one SM, as micro-benchmarks of sm_90 show it
/// (docs/internals/gpu-model.md, "Caches, measured"; benchmarks/micro/
/// simulate_l1.py is the same in Python), and the L2 as that SM sees it.

#ifndef SLUICE_LIB_SIMULATOR_L1CACHE_H
#define SLUICE_LIB_SIMULATOR_L1CACHE_H

#include "sluice/Simulator/Trace.h"
#include "llvm/ADT/bit.h"
#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace sluice {

/// One line. Of each sector that is in Valid, Arrives says when it is or was
/// there: until then it is pending.
struct alignas(32) CacheLine {
  uint32_t Used = 0; ///< When last, on the cache's own clock.
  uint8_t Valid = 0;
  /// Of a line that is not there 0. Else who goes first: a line that came with
  /// evict_first, one that was not used again, one that was.
  enum RankTy : uint8_t { Absent, First, Once, Again } Rank = Absent;
  uint32_t Arrives[4] = {};
};

/// Tags: four slices of 128 sets of four ways, whatever the carveout; the set
/// is a sum of address bits. Data: each slice has a quarter of the lines that
/// fit. When they are used up, a hand goes round the slice's sets and takes a
/// line from the next that has one.
class L1Cache {
public:
  explicit L1Cache(uint64_t Bytes)
      : SliceLines(unsigned(Bytes / 128 / Slices)) {
    for (TagSet &T : Tags)
      T.fill(~uint64_t(0));
  }

  static constexpr unsigned Slices = 4;
  /// Where the line of that number can be: its set in the slice, * 4, + slice.
  static unsigned placeOf(uint64_t Number);
  static void placesOf(const LineAccess &A, uint16_t *Places);
  static unsigned sliceOf(unsigned Place) { return Place & 3; }

  /// The line of that number, whose place is \p Place, or null.
  CacheLine *find(uint64_t Number, unsigned Place) {
    // Without branches: which way it is nobody can predict.
    const TagSet &T = Tags[Place];
    const unsigned Way = unsigned(T[1] == Number) | (T[2] == Number) << 1 |
                         (T[3] == Number) * 3u;
    return Way || T[0] == Number ? &Sets[Place][Way] : nullptr;
  }

  /// Notes that \p L was used again by a load with \p Hint, or a store.
  void touch(CacheLine &L, unsigned Place, L1Hint Hint) {
    L.Used = ++Clock;
    if (L.Rank != CacheLine::Again)
      raise(L, Place, Hint);
  }

  /// Makes room for the line, which must not be there, and returns it with no
  /// valid sector. Null if this L1 has no room for any.
  CacheLine *allocate(uint64_t Number, unsigned Place, L1Hint Hint);

private:
  static constexpr unsigned Ways = 4, SetsOfSlice = 128;
  using Set = std::array<CacheLine, Ways>;
  using TagSet = std::array<uint64_t, Ways>; ///< Address / 128; ~0: none.

  void raise(CacheLine &L, unsigned Place, L1Hint Hint);
  void evictFrom(unsigned Place);

  unsigned SliceLines;
  uint32_t Clock = 0;
  std::array<unsigned, Slices> Used = {}, Hand = {};
  std::array<TagSet, Slices * SetsOfSlice> Tags; ///< By place.
  std::array<Set, Slices * SetsOfSlice> Sets;
};

/// The L2 as one SM sees it, of which only that SM's accesses are simulated.
/// The others do about the same in the same time: while this SM fetches a line
/// that D of A SMs use, A / D lines come in. So each line has the volume that
/// had come in when it was last used, and is there while no more than the L2
/// holds came after it.
///
/// Lines that leave first (lowEvictionPriority) take the place of none that do
/// not: those of the program's earlier kernels are still there, so that they
/// have a part of the L2 among themselves, whatever else there is
/// (docs/internals/gpu-model.md, "What the L2 keeps").
class SharedCache {
public:
  struct Line {
    uint8_t Valid = 0;
    uint8_t Dirty = 0;
    bool LeavesFirst = false;
    uint8_t Pending = 0;  ///< Sectors that came last,
    uint32_t Arrives = 0; ///< and when they are there.
  };

  /// \p LeastWeight: of those that allocate will be given.
  SharedCache(uint64_t Bytes, uint64_t FirstBytes, double LeastWeight)
      : MostVolume(uint32_t(Bytes / 128)),
        MostFirstVolume(uint32_t(FirstBytes / 128)),
        NumSets(uint32_t(
            std::min(65536.0, 2.0 * MostVolume / LeastWeight / Ways + 1))),
        Sets(NumSets) {}

  /// Fetches what find and allocate will look at into the host's cache.
  void prefetch(uint64_t Number) const {
    const Set &S = Sets[setOf(Number)];
    __builtin_prefetch(&S, 1);
    __builtin_prefetch(S.Lines, 1);
  }

  /// The line of that number if it is still there, or null. Counts as a use,
  /// and the last one says whether the line leaves first; for each that begins
  /// or ceases to, \p Weight lines do in all.
  Line *find(uint64_t Number, double Weight, bool LeavesFirst) {
    Set &S = Sets[setOf(Number)];
    const unsigned Way = wayOf(S, Number);
    if (Way == Ways || age(S, Way) > most(S.Lines[Way]))
      return nullptr;
    Line &L = S.Lines[Way];
    if (L.LeavesFirst != LeavesFirst)
      Volume[LeavesFirst] += Weight;
    L.LeavesFirst = LeavesFirst;
    S.Volume[Way] = now(LeavesFirst);
    return &L;
  }
  /// Brings a line in that is not there, for which \p Weight lines come in in
  /// all.
  Line &allocate(uint64_t Number, double Weight, bool LeavesFirst) {
    Set &S = Sets[setOf(Number)];
    unsigned Victim = wayOf(S, Number); // if it is there, it is too old
    if (Victim == Ways) {
      Victim = 0;
      for (unsigned I = 1; I < Ways; ++I)
        if (relativeAge(S, I) > relativeAge(S, Victim))
          Victim = I;
    }
    Volume[LeavesFirst] += Weight;
    S.Tag[Victim] = tagOf(Number);
    S.Volume[Victim] = now(LeavesFirst);
    S.Lines[Victim] = Line();
    S.Lines[Victim].LeavesFirst = LeavesFirst;
    return S.Lines[Victim];
  }

private:
  static constexpr unsigned Ways = 8;
  /// Two cache lines of the host.
  struct alignas(128) Set {
    uint32_t Tag[Ways];
    uint32_t Volume[Ways] = {}; ///< When last used; goes round.
    Line Lines[Ways];
    Set() { std::fill(std::begin(Tag), std::end(Tag), ~uint32_t(0)); }
  };
  /// Lines 512 GiB apart are taken for one.
  static uint32_t tagOf(uint64_t Number) { return uint32_t(Number); }
  static unsigned wayOf(const Set &S, uint64_t Number) {
    unsigned Match = 1u << Ways;
    for (unsigned I = 0; I < Ways; ++I)
      Match |= unsigned(S.Tag[I] == tagOf(Number)) << I;
    return unsigned(llvm::countr_zero(Match));
  }
  size_t setOf(uint64_t Number) const {
    auto Hash = uint32_t((Number * 0x9E3779B97F4A7C15u) >> 32);
    return size_t((uint64_t(Hash) * NumSets) >> 32);
  }
  uint32_t now(bool First) const { return uint32_t(uint64_t(Volume[First])); }
  uint32_t most(const Line &L) const {
    return L.LeavesFirst ? MostFirstVolume : MostVolume;
  }
  uint32_t age(const Set &S, unsigned Way) const {
    return now(S.Lines[Way].LeavesFirst) - S.Volume[Way];
  }
  /// Above 1 the line is gone.
  float relativeAge(const Set &S, unsigned Way) const {
    return float(age(S, Way)) / float(most(S.Lines[Way]));
  }

  double Volume[2] = {0, 0}; ///< Of lines that stay, and that leave first.
  uint32_t MostVolume, MostFirstVolume;
  uint32_t NumSets;
  std::vector<Set> Sets;
};

} // namespace sluice

#endif
