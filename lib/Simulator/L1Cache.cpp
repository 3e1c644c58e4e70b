// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tables are what probing a GPU found: the address bits that choose set and
// slice, and the order in which a full slice goes through its sets to evict.

#include "L1Cache.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"

using namespace sluice;

namespace {

constexpr uint32_t bits(std::initializer_list<unsigned> Of) {
  uint32_t Mask = 0;
  for (unsigned Bit : Of)
    Mask |= uint32_t(1) << Bit;
  return Mask;
}

// The bits of a line's number whose sum, without carry, is each bit of its set.
// Measured up to bit 22 (1 GiB); of those above nothing is known.
constexpr uint32_t SetBits[9] = {
    bits({0, 9, 10, 12, 13, 14, 15, 18, 21}),
    bits({1, 10, 11, 16, 21, 22}),
    bits({2, 11, 15, 16, 17, 18, 19, 20, 21}),
    bits({3, 10, 12, 13, 15, 16, 18, 19, 21}),
    bits({4, 9, 10, 11, 13, 15, 17, 20}),
    bits({5, 9, 11, 13, 14, 16, 19, 20, 21}),
    bits({6, 9, 11, 12, 14, 15, 16, 20}),
    bits({7, 14, 15, 16, 17, 18, 19, 20, 22}),
    bits({8, 11, 12, 14, 15, 17, 19, 21}),
};
// And of the set's bits, those of the slice.
constexpr uint32_t SliceBits[2] = {bits({0, 2, 4, 5, 7}),
                                   bits({1, 3, 4, 6, 7, 8})};

/// For each byte of a line's number what it adds to the place.
struct PlaceTable {
  uint16_t OfByte[4][256];

  static unsigned placeOf(uint32_t Number) {
    uint32_t Set = 0, Slice = 0;
    for (unsigned I = 0; I < 9; ++I)
      Set |= uint32_t(llvm::popcount(Number & SetBits[I]) & 1) << I;
    for (unsigned I = 0; I < 2; ++I)
      Slice |= uint32_t(llvm::popcount(Set & SliceBits[I]) & 1) << I;
    return (Set >> 2) << 2 | Slice;
  }
  PlaceTable() {
    for (unsigned Byte = 0; Byte < 3; ++Byte)
      for (unsigned V = 0; V < 256; ++V)
        OfByte[Byte][V] = uint16_t(placeOf(V << (8 * Byte)));
    // Not known: something, so that distant lines do not all meet.
    for (unsigned V = 0; V < 256; ++V)
      OfByte[3][V] = uint16_t(placeOf(V * 0x2b));
  }
};

// The hand's order: bit I of its position adds this to the number of the set.
constexpr unsigned HandSteps[7] = {13, 73, 124, 116, 55, 39, 111};

constexpr std::array<uint8_t, 128> handOrder() {
  std::array<uint8_t, 128> Sets = {};
  for (unsigned Position = 0; Position < 128; ++Position)
    for (unsigned I = 0; I < 7; ++I)
      if (Position >> I & 1)
        Sets[Position] ^= uint8_t(HandSteps[I]);
  return Sets;
}
constexpr std::array<uint8_t, 128> HandOrder = handOrder();

} // namespace

static const PlaceTable Table;

static unsigned lookUp(uint64_t Number) {
  return Table.OfByte[0][Number & 255] ^ Table.OfByte[1][Number >> 8 & 255] ^
         Table.OfByte[2][Number >> 16 & 255] ^
         Table.OfByte[3][(Number >> 24 ^ Number >> 32) & 255];
}

unsigned L1Cache::placeOf(uint64_t Number) { return lookUp(Number); }

void L1Cache::placesOf(const LineAccess &A, uint16_t *Places) {
  for (unsigned I = 0; I < A.Count; ++I)
    Places[I] = uint16_t(lookUp(A.Line[I]));
}

// The line was used again.
void L1Cache::raise(CacheLine &L, unsigned Place, L1Hint Hint) {
  if (L.Rank == CacheLine::First && Hint == L1Hint::EvictFirst) {
    L.Rank = CacheLine::Once;
    return;
  }
  L.Rank = CacheLine::Again;
  // If all of the set were used again, that says nothing: begin anew.
  Set &S = Sets[Place];
  for (const CacheLine &Other : S)
    if (Other.Rank != CacheLine::Again && Other.Rank != CacheLine::Absent)
      return;
  for (CacheLine &Other : S)
    if (&Other != &L && Other.Rank == CacheLine::Again)
      Other.Rank = CacheLine::Once;
}

// Of the lines with the lowest rank the one that was not used for longest; of
// those with evict_first the newest, so that they replace each other.
void L1Cache::evictFrom(unsigned Place) {
  CacheLine *Victim = nullptr;
  for (CacheLine &L : Sets[Place]) {
    if (L.Rank == CacheLine::Absent)
      continue;
    if (!Victim || L.Rank < Victim->Rank ||
        (L.Rank == Victim->Rank &&
         (int32_t(L.Used - Victim->Used) < 0) != (L.Rank == CacheLine::First)))
      Victim = &L;
  }
  *Victim = CacheLine();
  Tags[Place][size_t(Victim - Sets[Place].data())] = ~uint64_t(0);
  --Used[sliceOf(Place)];
}

CacheLine *L1Cache::allocate(uint64_t Number, unsigned Place, L1Hint Hint) {
  if (SliceLines == 0)
    return nullptr;
  const unsigned Slice = sliceOf(Place);
  auto FreeWay = [&] {
    unsigned Way = 0;
    while (Way < Ways && Sets[Place][Way].Rank != CacheLine::Absent)
      ++Way;
    return Way;
  };
  if (FreeWay() == Ways)
    evictFrom(Place);
  while (Used[Slice] >= SliceLines) {
    const unsigned Next = HandOrder[Hand[Slice]] * Slices + Slice;
    Hand[Slice] = (Hand[Slice] + 1) % SetsOfSlice;
    if (llvm::any_of(Sets[Next], [](const CacheLine &L) {
          return L.Rank != CacheLine::Absent;
        }))
      evictFrom(Next);
  }
  const unsigned Way = FreeWay();
  ++Used[Slice];
  Tags[Place][Way] = Number;
  CacheLine &L = Sets[Place][Way];
  L = CacheLine();
  L.Used = ++Clock;
  L.Rank = Hint == L1Hint::EvictFirst  ? CacheLine::First
           : Hint == L1Hint::EvictLast ? CacheLine::Again
                                       : CacheLine::Once;
  return &L;
}
