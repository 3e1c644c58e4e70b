// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hits of loads alone and in pairs, in orders that can be counted by hand.

#include "TracesByHand.h"
#include "sluice/Simulator/Simulator.h"
#include "gtest/gtest.h"

using namespace sluice;
using namespace sluice::byhand;

namespace {

constexpr uint64_t Large = 128 * 1024;

/// Loads of whole lines in their order: each a group and a line.
class Order {
public:
  Order(unsigned Groups,
        std::initializer_list<std::pair<unsigned, uint64_t>> Loads) {
    for (unsigned G = 0; G < Groups; ++G) {
      Sites.Accesses.push_back(site(G + 1));
      GroupOf.push_back(int(G));
    }
    for (auto [Group, Line] : Loads)
      add(Group, Line);
  }
  void add(unsigned Group, uint64_t Line) {
    Warps.push_back(WarpWriter().line(Group, Line).end());
  }
  PairSimulation simulation(uint64_t Bytes) {
    std::vector<const uint32_t *> Pointers;
    for (const WarpTrace &W : Warps)
      Pointers.push_back(W.Words.data());
    return PairSimulation(Pointers, Sites, GroupOf, Bytes);
  }

  CodeSites Sites;
  std::vector<int> GroupOf;

private:
  std::vector<WarpTrace> Warps;
};

TEST(PairSimulation, LoadsThatShareLinesHitMoreTogether) {
  Order O(2, {{0, 1}, {1, 1}, {0, 2}, {1, 2}});
  PairSimulation P = O.simulation(Large);
  EXPECT_EQ(P.hits(0, 0), 0u);
  EXPECT_EQ(P.hits(1, 1), 0u);
  EXPECT_EQ(P.hits(0, 1), 8u); // two lines of four sectors
  EXPECT_EQ(P.hits(1, 0), 8u);
}

TEST(PairSimulation, LoadsOfOtherLinesHitAsTheyDoAlone) {
  Order O(3, {{0, 1}, {1, 2}, {0, 1}, {1, 2}, {2, 1}, {1, 2}});
  PairSimulation P = O.simulation(Large);
  EXPECT_EQ(P.hits(0, 0), 4u);
  EXPECT_EQ(P.hits(1, 1), 8u);
  EXPECT_EQ(P.hits(0, 1), 12u);
  EXPECT_EQ(P.hits(2, 2), 0u);
  EXPECT_EQ(P.hits(1, 2), 8u);
}

TEST(PairSimulation, LoadsEvictEachOthersLines) {
  constexpr unsigned Lines = 128;
  Order O(2, {});
  for (unsigned Round = 0; Round < 4; ++Round)
    for (unsigned L = 0; L < Lines; ++L) {
      O.add(0, L);
      O.add(1, 100000 + Round * Lines + L); // never again
    }
  PairSimulation Fits = O.simulation(Large);
  EXPECT_EQ(Fits.hits(0, 0), 3u * 4 * Lines);
  EXPECT_EQ(Fits.hits(1, 1), 0u);
  PairSimulation Tight = O.simulation(Lines * 128);
  EXPECT_GT(Tight.hits(0, 0), Tight.hits(0, 1));
}

TEST(PairSimulation, StoresAndWhatIsNotOfInterestAreLeftOut) {
  Order O(3, {{0, 1}, {1, 1}, {2, 1}, {0, 1}});
  O.Sites.Accesses[1].Kind = AccessSite::Store;
  O.GroupOf[2] = -1;
  EXPECT_EQ(O.simulation(Large).hits(0, 0), 4u);
}

TEST(PairSimulation, AnL1OfNoSizeHasNoHits) {
  Order O(1, {{0, 1}, {0, 1}});
  EXPECT_EQ(O.simulation(0).hits(0, 0), 0u);
}

} // namespace
