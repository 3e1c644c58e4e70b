// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The L1's tags and data against plain sets and maps.

#include "L1Cache.h"
#include "gtest/gtest.h"
#include <map>
#include <random>
#include <set>

using namespace sluice;

namespace {

/// The L1 as an access uses it.
class Cache {
public:
  explicit Cache(uint64_t Bytes) : L1(Bytes) {}

  bool holds(uint64_t Line) { return L1.find(Line, L1Cache::placeOf(Line)); }
  /// Whether the line was there; now it is.
  bool use(uint64_t Line, L1Hint Hint = L1Hint::Normal) {
    const unsigned Place = L1Cache::placeOf(Line);
    if (CacheLine *L = L1.find(Line, Place)) {
      L1.touch(*L, Place, Hint);
      return true;
    }
    CacheLine *L = L1.allocate(Line, Place, Hint);
    EXPECT_TRUE(L);
    EXPECT_EQ(L1.find(Line, Place), L);
    EXPECT_EQ(L->Valid, 0u);
    return false;
  }

  L1Cache L1;
};

TEST(L1Cache, PlacesAreEvenlyUsed) {
  std::map<unsigned, unsigned> Count;
  for (uint64_t Line = 0; Line < 1 << 16; ++Line)
    ++Count[L1Cache::placeOf(Line)];
  EXPECT_EQ(Count.size(), 512u);
  for (auto [Place, N] : Count)
    EXPECT_EQ(N, 128u) << Place;
}

TEST(L1Cache, HoldsAsManyLinesAsFit) {
  for (unsigned KiB : {32, 64, 100, 228}) {
    Cache C(KiB * 1024);
    const unsigned Fit = KiB * 8;
    for (uint64_t Line = 0; Line < Fit; ++Line)
      EXPECT_FALSE(C.use(Line));
    for (uint64_t Line = 0; Line < Fit; ++Line)
      EXPECT_TRUE(C.holds(Line)) << KiB << " KiB, line " << Line;
    for (uint64_t Line = Fit; Line < 3 * Fit; ++Line)
      C.use(Line);
    unsigned Held = 0;
    for (uint64_t Line = 0; Line < 3 * Fit; ++Line)
      Held += C.holds(Line);
    EXPECT_LE(Held, Fit);
    EXPECT_GE(Held, Fit * 9 / 10);
  }
}

TEST(L1Cache, OfNoSizeHoldsNothing) {
  Cache C(0);
  EXPECT_FALSE(C.L1.allocate(1, L1Cache::placeOf(1), L1Hint::Normal));
  EXPECT_FALSE(C.holds(1));
}

/// Lines that meet in one set.
std::vector<uint64_t> linesOfOneSet(unsigned Count) {
  std::vector<uint64_t> Lines;
  for (uint64_t Line = 0; Lines.size() < Count; ++Line)
    if (L1Cache::placeOf(Line) == L1Cache::placeOf(0))
      Lines.push_back(Line);
  return Lines;
}

TEST(L1Cache, EvictLastOutlivesOthers) {
  Cache C(128 * 1024);
  auto Lines = linesOfOneSet(30);
  C.use(Lines[0], L1Hint::EvictLast);
  for (unsigned I = 1; I < 30; ++I)
    C.use(Lines[I]);
  EXPECT_TRUE(C.holds(Lines[0]));
}

TEST(L1Cache, EvictFirstGoesBeforeOthers) {
  Cache C(128 * 1024);
  auto Lines = linesOfOneSet(30);
  for (unsigned I = 0; I < 3; ++I)
    C.use(Lines[I]);
  for (unsigned I = 3; I < 30; ++I)
    C.use(Lines[I], L1Hint::EvictFirst);
  for (unsigned I = 0; I < 3; ++I)
    EXPECT_TRUE(C.holds(Lines[I])) << I;
}

TEST(L1Cache, WhatIsUsedAgainOutlivesWhatIsNot) {
  Cache C(128 * 1024);
  auto Lines = linesOfOneSet(30);
  C.use(Lines[0]);
  for (unsigned I = 1; I < 30; ++I) {
    C.use(Lines[I]);
    EXPECT_TRUE(C.use(Lines[0])) << I;
  }
}

// Whatever comes: a line is there once, a line that was allocated last is
// there, one that never came is not, and no more than fit are there.
TEST(L1Cache, KeepsItsPromisesUnderAMillionRandomOperations) {
  constexpr unsigned Lines = 1024; // that fit
  Cache C(Lines * 128);
  std::mt19937 Random(1);
  std::set<uint64_t> Came;
  std::map<uint64_t, uint8_t> Valid; // as it was left in the line
  constexpr L1Hint Hints[] = {L1Hint::Normal, L1Hint::EvictFirst,
                              L1Hint::EvictLast, L1Hint::Unchanged};
  for (unsigned I = 0; I < 1000000; ++I) {
    const uint64_t Line = Random() % 5000 * (Random() % 3 ? 1 : 97);
    const L1Hint Hint = Hints[Random() % 4];
    const unsigned Place = L1Cache::placeOf(Line);
    CacheLine *L = C.L1.find(Line, Place);
    if (L) {
      ASSERT_TRUE(Came.count(Line));
      ASSERT_EQ(L->Valid, Valid[Line]);
      C.L1.touch(*L, Place, Hint);
    } else {
      L = C.L1.allocate(Line, Place, Hint);
      ASSERT_TRUE(L);
      ASSERT_EQ(L->Valid, 0u);
      Valid[Line] = 0;
    }
    Came.insert(Line);
    Valid[Line] |= L->Valid |= uint8_t(1u << Random() % 4);
    ASSERT_EQ(C.L1.find(Line, Place), L);
    if (I % 50000 == 0) {
      unsigned Held = 0;
      for (uint64_t Known : Came)
        Held += C.holds(Known);
      ASSERT_LE(Held, Lines);
    }
  }
}

class SharedCacheTest : public testing::Test {
protected:
  SharedCache L2{1024 * 128, 128 * 128, /*LeastWeight=*/1};
  bool holds(uint64_t Line) { return L2.find(Line, 1, false); }
  void stream(double Lines, bool LeavesFirst) {
    for (uint64_t I = 0; I < 4; ++I)
      L2.allocate(1000 + I, Lines / 4, LeavesFirst);
  }
};

TEST_F(SharedCacheTest, ForgetsWhatMoreThanItHoldsCameAfter) {
  L2.allocate(1, 1, false).Valid = 15;
  EXPECT_EQ(L2.find(1, 1, false)->Valid, 15u);
  stream(1000, false);
  EXPECT_TRUE(holds(1)); // a use
  stream(1000, false);
  EXPECT_TRUE(holds(1));
  stream(2000, false);
  EXPECT_FALSE(holds(1));
  EXPECT_FALSE(holds(5));
}

// l2_eviction on an H100: all of 16 MiB is there behind 256 that leave first.
TEST_F(SharedCacheTest, WhatLeavesFirstEvictsNothingElse) {
  L2.allocate(1, 1, false);
  stream(100000, true);
  EXPECT_TRUE(holds(1));
}

TEST_F(SharedCacheTest, WhatLeavesFirstHasAPartForItself) {
  L2.allocate(1, 1, true);
  stream(100000, false);
  stream(100, true);
  EXPECT_TRUE(L2.find(1, 1, true));
  stream(200, true);
  EXPECT_FALSE(L2.find(1, 1, true));
}

TEST_F(SharedCacheTest, TheLastUseSaysWhetherALineLeavesFirst) {
  L2.allocate(1, 1, true);
  L2.allocate(2, 1, false);
  EXPECT_TRUE(L2.find(1, 1, false));
  EXPECT_TRUE(L2.find(2, 1, true));
  stream(200, true);
  EXPECT_TRUE(holds(1));
  EXPECT_FALSE(holds(2));
}

} // namespace
