// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// The L1 data cache of one SM, as micro-benchmarks of sm_90 show it
/// (docs/internals/gpu-model.md, "Caches, measured"; benchmarks/micro/
/// simulate_l1.py is the same in Python), and the L2 as that SM sees it.

#ifndef SLUICE_LIB_SIMULATOR_L1CACHE_H
#define SLUICE_LIB_SIMULATOR_L1CACHE_H

#include "sluice/Simulator/Trace.h"
#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace sluice {

/// One line. Of each sector that is in Valid, Arrives says when it is or was
/// there: until then it is pending.
struct alignas(32) CacheLine {
  uint64_t Number = ~uint64_t(0); ///< Address / 128.
  uint32_t Used = 0;              ///< When last, on the cache's own clock.
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
      : SliceLines(unsigned(Bytes / 128 / Slices)) {}

  static constexpr unsigned Slices = 4;
  /// Where the line of that number can be: its set in the slice, * 4, + slice.
  static unsigned placeOf(uint64_t Number);
  static unsigned sliceOf(unsigned Place) { return Place & 3; }

  /// The line of that number, whose place is \p Place, or null.
  CacheLine *find(uint64_t Number, unsigned Place) {
    for (CacheLine &L : set(Place))
      if (L.Number == Number)
        return &L;
    return nullptr;
  }

  /// Notes that \p L was used again by a load with \p Hint, or a store.
  void touch(CacheLine &L, unsigned Place, CacheHint Hint);

  /// Makes room for the line, which must not be there, and returns it with no
  /// valid sector. Null if this L1 has no room for any.
  CacheLine *allocate(uint64_t Number, unsigned Place, CacheHint Hint);

private:
  static constexpr unsigned Ways = 4, SetsOfSlice = 128;
  using Set = std::array<CacheLine, Ways>;

  Set &set(unsigned Place) { return Sets[Place & 3][Place >> 2]; }
  void evictFrom(Set &S, unsigned Slice);

  unsigned SliceLines;
  uint32_t Clock = 0;
  std::array<unsigned, Slices> Used = {}, Hand = {};
  std::array<std::array<Set, SetsOfSlice>, Slices> Sets;
};

/// The L2 as one SM sees it, of which only that SM's accesses are simulated.
/// The others do about the same in the same time: while this SM fetches a line
/// that D of A SMs use, A / D lines come in. So each line has the volume that
/// had come in when it was last used, and is there while no more than the L2
/// holds came after it.
class SharedCache {
public:
  struct Line {
    uint8_t Valid = 0;
    uint8_t Dirty = 0;
    uint32_t Arrives[4] = {};
  };

  /// \p LeastWeight: of those that allocate will be given.
  SharedCache(uint64_t Bytes, double LeastWeight)
      : MostVolume(double(Bytes) / 128),
        NumSets(uint32_t(
            std::min(65536.0, 2 * MostVolume / LeastWeight / Ways + 1))),
        Sets(NumSets) {}

  /// The line of that number if it is still there, or null. Counts as a use.
  Line *find(uint64_t Number) {
    Set &S = set(Number);
    for (unsigned I = 0; I < Ways; ++I)
      if (S.Number[I] == Number) {
        if (Volume - S.Volume[I] > MostVolume)
          return nullptr;
        S.Volume[I] = Volume;
        return &S.Lines[I];
      }
    return nullptr;
  }
  /// Brings a line in that is not there, for which \p Weight lines come in in
  /// all. \p Evicted is what was in its place.
  Line &allocate(uint64_t Number, double Weight, Line &Evicted) {
    Set &S = set(Number);
    unsigned Victim = 0;
    for (unsigned I = 0; I < Ways; ++I) {
      if (S.Number[I] == Number) { // it is there, but too old
        Victim = I;
        break;
      }
      if (S.Volume[I] < S.Volume[Victim])
        Victim = I;
    }
    Evicted = S.Lines[Victim];
    Volume += Weight;
    S.Number[Victim] = Number;
    S.Volume[Victim] = Volume;
    return S.Lines[Victim] = Line();
  }

private:
  static constexpr unsigned Ways = 8;
  struct Set {
    uint64_t Number[Ways];
    double Volume[Ways] = {};
    Line Lines[Ways];
    Set() { std::fill(std::begin(Number), std::end(Number), ~uint64_t(0)); }
  };
  Set &set(uint64_t Number) {
    auto Hash = uint32_t((Number * 0x9E3779B97F4A7C15u) >> 32);
    return Sets[size_t((uint64_t(Hash) * NumSets) >> 32)];
  }

  double Volume = 0;
  double MostVolume;
  uint32_t NumSets;
  std::vector<Set> Sets;
};

} // namespace sluice

#endif
