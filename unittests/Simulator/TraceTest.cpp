// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How an access is written into a trace, and taken apart into lines again.

#include "TracesByHand.h"
#include "gtest/gtest.h"
#include <map>
#include <random>
#include <set>

using namespace sluice;
using namespace sluice::byhand;

namespace {

using Addresses = std::array<uint64_t, 32>;
/// Sectors of each line.
using Touched = std::map<uint64_t, uint8_t>;

Touched touchedBy(uint32_t Lanes, const Addresses &At, unsigned Bytes) {
  Touched T;
  for (unsigned L = 0; L < 32; ++L)
    if (Lanes >> L & 1)
      for (uint64_t B = At[L]; B < At[L] + Bytes; ++B)
        T[B / 128] |= uint8_t(1u << (B / 32 % 4));
  return T;
}

/// Encodes the access and takes it apart again, checking what is said of each
/// part on the way.
Touched throughTrace(uint32_t Lanes, const Addresses &At, unsigned Bytes) {
  std::vector<uint32_t> Words;
  WarpTrace::encodeAccess(7, Lanes, At.data(), Words);
  Touched T;
  uint32_t Met = 0;
  LineAccess A;
  const uint32_t *P = Words.data(), *E = P + Words.size();
  while (P < E) {
    EXPECT_EQ(WarpTrace::argument(*P), 7u);
    EXPECT_EQ(Met & P[1], 0u) << "a lane twice";
    Met |= P[1];
    const uint32_t *Next = expandAccess(P, Bytes, A);
    EXPECT_EQ(Next, skipAccess(P));
    std::set<uint64_t> Lines;
    unsigned Sectors = 0;
    for (unsigned I = 0; I < A.Count; ++I) {
      EXPECT_TRUE(Lines.insert(A.Line[I]).second) << "a line twice";
      EXPECT_NE(A.Sectors[I], 0u);
      Sectors += unsigned(__builtin_popcount(A.Sectors[I]));
      T[A.Line[I]] |= A.Sectors[I];
    }
    EXPECT_EQ(A.NumSectors, Sectors);
    P = Next;
  }
  EXPECT_EQ(P, E);
  EXPECT_EQ(Met, Lanes);
  return T;
}

TEST(WarpTrace, AccessOfNoLanesIsNothing) {
  std::vector<uint32_t> Words;
  WarpTrace::encodeAccess(0, 0, Addresses().data(), Words);
  EXPECT_TRUE(Words.empty());
}

TEST(WarpTrace, EvenlySpacedLanesAreFiveWords) {
  for (int64_t Stride : {0, 4, -4, 128, -128, 132, 4096}) {
    Addresses At;
    for (unsigned L = 0; L < 32; ++L)
      At[L] = (uint64_t(1) << 40) + uint64_t(Stride * int64_t(L));
    for (uint32_t Lanes : {AllLanes, 0x0000ff00u, 0x80000001u, 1u, 1u << 31}) {
      std::vector<uint32_t> Words;
      WarpTrace::encodeAccess(3, Lanes, At.data(), Words);
      EXPECT_EQ(Words.size(), 5u) << Stride;
      EXPECT_EQ(WarpTrace::op(Words[0]), WarpTrace::Affine);
      EXPECT_EQ(throughTrace(Lanes, At, 4), touchedBy(Lanes, At, 4)) << Stride;
    }
  }
}

TEST(WarpTrace, LanesFarApartAreAccessesOfTheirOwn) {
  Addresses At;
  for (unsigned L = 0; L < 32; ++L)
    At[L] = (uint64_t(L % 3) << 36) + L * L * 4;
  EXPECT_EQ(throughTrace(AllLanes, At, 4), touchedBy(AllLanes, At, 4));
}

TEST(WarpTrace, RoundTripOfRandomAccesses) {
  std::mt19937_64 Random(1);
  for (unsigned Round = 0; Round < 20000; ++Round) {
    const unsigned Bytes = 1u << Random() % 5;
    const uint32_t Lanes = Round % 4 ? uint32_t(Random()) : AllLanes;
    const unsigned Span = 1u << Random() % 40 % 34;
    const uint64_t Base = (uint64_t(1) << 41) + Random() % (1 << 20) * Bytes;
    const auto Stride = int64_t(Random() % 512) - 256;
    Addresses At;
    for (unsigned L = 0; L < 32; ++L)
      switch (Round % 3) {
      case 0: // evenly spaced, not always aligned
        At[L] = Base + uint64_t(Stride * int64_t(L));
        break;
      case 1:
        At[L] = Base + Random() % Span / Bytes * Bytes;
        break;
      default: // some the same
        At[L] = Base + Random() % 4 * 64;
        break;
      }
    if (!Lanes)
      continue;
    ASSERT_EQ(throughTrace(Lanes, At, Bytes), touchedBy(Lanes, At, Bytes))
        << "round " << Round;
  }
}

} // namespace
