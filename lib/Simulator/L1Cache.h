// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// The L1 data cache of one SM, as micro-benchmarks on sm_90 show it
/// (docs/internals/gpu-model.md, "Caches, measured"): lines of 128 bytes in
/// sectors of 32; four sets by the low bits of the line's number, each fully
/// associative; a line that was not used recently is replaced.

#ifndef SLUICE_LIB_SIMULATOR_L1CACHE_H
#define SLUICE_LIB_SIMULATOR_L1CACHE_H

#include "sluice/Simulator/Trace.h"
#include "llvm/ADT/bit.h"
#include <cstdint>
#include <vector>

namespace sluice {

/// One line. Of each sector that is in Valid, Arrives says when it is or was
/// there: until then it is pending.
struct alignas(32) CacheLine {
  uint64_t Number = ~uint64_t(0); ///< Address / 128.
  uint8_t Valid = 0;
  uint8_t Dirty = 0;
  CacheHint Hint = CacheHint::Normal; ///< That it was loaded with.
  uint32_t Arrives[4] = {};
};

class L1Cache {
public:
  explicit L1Cache(uint64_t Bytes);

  static constexpr unsigned NumSets = 4;

  /// The two low bits and all pairs above them, folded: no stride keeps to one
  /// set.
  static unsigned setOf(uint64_t Number) {
    uint64_t Folded = Number ^ Number >> 32;
    Folded ^= Folded >> 16;
    Folded ^= Folded >> 8;
    Folded ^= Folded >> 4;
    return (Folded ^ Folded >> 2) % NumSets;
  }

  /// The line of that number, or null.
  CacheLine *find(uint64_t Number) {
    const Set &S = Sets[setOf(Number)];
    for (uint32_t At = hash(Number);; At = (At + 1) & S.Mask) {
      At &= S.Mask;
      const uint16_t Way = S.Table[At];
      if (Way == Empty)
        return nullptr;
      if (S.Lines[Way].Number == Number)
        return const_cast<CacheLine *>(&S.Lines[Way]);
    }
  }

  /// Notes a use of a line that find or allocate gave.
  void touch(CacheLine &L) {
    Set &S = Sets[setOf(L.Number)];
    S.use(unsigned(&L - S.Lines.data()));
  }

  /// Makes room for the line, which must not be there, and returns it with no
  /// valid sector.
  CacheLine &allocate(uint64_t Number, CacheHint Hint);

private:
  static constexpr uint16_t Empty = 0xffff;

  static uint32_t hash(uint64_t Number) {
    return uint32_t((Number * 0x9E3779B97F4A7C15u) >> 40);
  }

  struct Set {
    std::vector<CacheLine> Lines;
    std::vector<uint64_t> Recent; ///< A bit for each line: used lately.
    unsigned Recents = 0;
    unsigned MostRecent = 0; ///< With so many all are forgotten.
    unsigned Filled = 0;
    std::vector<uint16_t> Table; ///< Open addressing, by hash: ways.
    uint32_t Mask = 0;
    unsigned Kept = 0; ///< Lines of evict_last.

    void use(unsigned Way) {
      uint64_t Bit = uint64_t(1) << (Way % 64);
      if (Recent[Way / 64] & Bit)
        return;
      Recent[Way / 64] |= Bit;
      if (++Recents < MostRecent)
        return;
      std::fill(Recent.begin(), Recent.end(), 0);
      Recent[Way / 64] |= Bit;
      Recents = 1;
    }
    void forget(unsigned Way) {
      uint64_t Bit = uint64_t(1) << (Way % 64);
      Recents -= (Recent[Way / 64] & Bit) != 0;
      Recent[Way / 64] &= ~Bit;
    }
    void remove(uint64_t Number);
    unsigned victim(uint32_t Random);
  };

  Set Sets[NumSets];
  uint32_t Random = 1;
};

/// The L2 as one SM sees it, of which only that SM's accesses are simulated.
/// The others do about the same in the same time: while this SM fetches a line
/// that D of A SMs use, A / D lines come in. So each line has the volume that
/// had come in when it was last used, and is there while no more than the L2
/// holds came after it.
class SharedCache {
public:
  explicit SharedCache(uint64_t Bytes)
      : MostVolume(double(Bytes) / 128), Lines(size_t(Sets) * Ways) {}

  /// The line of that number if it is still there, or null.
  CacheLine *find(uint64_t Number) {
    Entry *Set = set(Number);
    for (unsigned I = 0; I < Ways; ++I)
      if (Set[I].Line.Number == Number)
        return Volume - Set[I].Volume <= MostVolume ? &Set[I].Line : nullptr;
    return nullptr;
  }
  /// Brings a line in, for which \p Weight lines come in all. \p Evicted is
  /// what was in its place.
  CacheLine &allocate(uint64_t Number, double Weight, CacheLine &Evicted) {
    Entry *Set = set(Number), *Victim = Set;
    for (unsigned I = 0; I < Ways; ++I) {
      if (Set[I].Line.Number == Number) { // it is there, but too old
        Victim = &Set[I];
        break;
      }
      if (Set[I].Volume < Victim->Volume)
        Victim = &Set[I];
    }
    Evicted = Victim->Line;
    Volume += Weight;
    Victim->Line = CacheLine();
    Victim->Line.Number = Number;
    Victim->Volume = Volume;
    return Victim->Line;
  }
  void touch(CacheLine &L) { reinterpret_cast<Entry *>(&L)->Volume = Volume; }

private:
  static constexpr unsigned Ways = 8;
  static constexpr uint32_t Sets = 1 << 15;
  struct Entry {
    CacheLine Line;
    double Volume = 0;
  };
  Entry *set(uint64_t Number) {
    auto Hash = uint32_t((Number * 0x9E3779B97F4A7C15u) >> 32);
    return &Lines[size_t(Hash % Sets) * Ways];
  }

  double Volume = 0;
  double MostVolume;
  std::vector<Entry> Lines;
};

} // namespace sluice

#endif
