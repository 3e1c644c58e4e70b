// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "L1Cache.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace sluice;

// Fitted to the hit rates of the benchmark programs, with and without
// evict_first.
static constexpr double RecentShare = 0.8;

L1Cache::L1Cache(uint64_t Bytes) {
  const uint64_t Total = std::max<uint64_t>(Bytes / 128, NumSets);
  for (unsigned I = 0; I < NumSets; ++I) {
    Set &S = Sets[I];
    S.Lines.resize(size_t((Total + NumSets - 1 - I) / NumSets));
    S.MostRecent = std::max(1u, unsigned(double(S.Lines.size()) * RecentShare));
    S.Recent.resize((S.Lines.size() + 63) / 64);
    S.Table.assign(llvm::PowerOf2Ceil(S.Lines.size() * 2 + 2), Empty);
    S.Mask = uint32_t(S.Table.size()) - 1;
  }
}

// Takes a number out of the table, and closes the gap.
void L1Cache::Set::remove(uint64_t Number) {
  uint32_t At = hash(Number) & Mask;
  while (Lines[Table[At]].Number != Number)
    At = (At + 1) & Mask;
  for (uint32_t Next = (At + 1) & Mask; Table[Next] != Empty;
       Next = (Next + 1) & Mask) {
    uint32_t Home = hash(Lines[Table[Next]].Number) & Mask;
    if (((Next - Home) & Mask) >= ((Next - At) & Mask)) {
      Table[At] = Table[Next];
      At = Next;
    }
  }
  Table[At] = Empty;
}

// A line to replace: one that was not used recently, chosen at random; of
// evict_last only if there are no others.
unsigned L1Cache::Set::victim(uint32_t Random) {
  const unsigned Start = Random % Lines.size();
  const auto Words = unsigned(Recent.size());
  for (unsigned I = 0; I <= Words; ++I) {
    unsigned W = (Start / 64 + I) % Words;
    uint64_t Free = ~Recent[W];
    if (W + 1 == Words && Lines.size() % 64)
      Free &= (uint64_t(1) << (Lines.size() % 64)) - 1;
    if (I == 0)
      Free &= ~uint64_t(0) << (Start % 64);
    for (; Free; Free &= Free - 1) {
      unsigned Way = W * 64 + unsigned(llvm::countr_zero(Free));
      if (!Kept || Lines[Way].Hint != CacheHint::EvictLast)
        return Way;
    }
  }
  // All that are not recent are to be kept: any other, or one of them.
  for (unsigned I = 0; I < Lines.size() && Kept < Lines.size(); ++I) {
    unsigned Way = (Start + I) % unsigned(Lines.size());
    if (Lines[Way].Hint != CacheHint::EvictLast)
      return Way;
  }
  return Start;
}

CacheLine &L1Cache::allocate(uint64_t Number, CacheHint Hint) {
  Set &S = Sets[setOf(Number)];
  unsigned Way;
  if (S.Filled < S.Lines.size())
    Way = S.Filled++;
  else {
    Random = Random * 1664525 + 1013904223;
    Way = S.victim(Random >> 8);
    S.remove(S.Lines[Way].Number);
    S.Kept -= S.Lines[Way].Hint == CacheHint::EvictLast;
    S.forget(Way);
  }
  CacheLine &L = S.Lines[Way];
  L.Number = Number;
  L.Valid = L.Dirty = 0;
  L.Hint = Hint;
  S.Kept += Hint == CacheHint::EvictLast;
  // With evict_first a line counts as used when it is used again.
  if (Hint != CacheHint::EvictFirst && Hint != CacheHint::Unchanged)
    S.use(Way);
  uint32_t At = hash(Number) & S.Mask;
  while (S.Table[At] != Empty)
    At = (At + 1) & S.Mask;
  S.Table[At] = uint16_t(Way);
  return L;
}
