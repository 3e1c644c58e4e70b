// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// The weights of a kernel's traffic reduction graph, and what sets of loads
/// save by them.

#include "sluice/Plan/TrafficReductionGraph.h"
#include "TrafficGraphsByHand.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace sluice;

namespace {

AccessProfile loadOf(unsigned Line, uint64_t Sectors, uint64_t Hits) {
  AccessProfile A;
  A.Id.Place = {"k.cu", Line, 3};
  A.Kind = "load";
  A.Counts.Sectors = A.SectorsAlone = Sectors;
  A.HitsAlone = Hits;
  return A;
}

std::string refusalOf(const KernelProfile &K) {
  Expected<KernelTrafficGraph> G = buildTrafficReductionGraph(K);
  return G ? "" : toString(G.takeError());
}

TEST(TrafficReductionGraph, IsDefinition1InBytes) {
  KernelProfile K;
  AccessProfile Store = loadOf(3, 10, 0), DidNotRun = loadOf(9, 0, 0);
  Store.Kind = "store";
  K.Accesses = {loadOf(2, 1000, 900), Store, loadOf(5, 400, 0), DidNotRun,
                loadOf(7, 50, 10)};
  // Of 0 and 2, 600 of 900 hits are left; 2 and 4 hit 30 where alone they hit
  // 10; of 0 and 4 nothing is known.
  K.Pairs = {{0, 2, 600}, {2, 4, 30}};
  KernelTrafficGraph G = cantFail(buildTrafficReductionGraph(K));
  EXPECT_EQ(G.Accesses, (std::vector<unsigned>{0, 2, 4}));
  ASSERT_EQ(G.Graph.size(), 3u);
  EXPECT_EQ(G.Graph.node(0), 900 * 32);
  EXPECT_EQ(G.Graph.node(1), 0);
  EXPECT_EQ(G.Graph.node(2), 10 * 32);
  EXPECT_EQ(G.Graph.edge(0, 1), -300 * 32);
  EXPECT_EQ(G.Graph.edge(1, 0), -300 * 32);
  EXPECT_EQ(G.Graph.edge(1, 2), 20 * 32);
  EXPECT_EQ(G.Graph.edge(0, 2), 0);
}

// Of two loads nothing is approximate: what both save is their hits together.
TEST(TrafficReductionGraph, APairSavesItsHits) {
  KernelProfile K;
  K.Accesses = {loadOf(2, 1000, 900), loadOf(5, 400, 100)};
  K.Pairs = {{0, 1, 640}};
  KernelTrafficGraph G = cantFail(buildTrafficReductionGraph(K));
  EXPECT_EQ(G.Graph.reduction(loads("11")), 640 * 32);
  EXPECT_EQ(G.Graph.reduction(loads("10")), 900 * 32);
  EXPECT_EQ(G.Graph.reduction(loads("01")), 100 * 32);
  EXPECT_EQ(G.Graph.reduction(loads("00")), 0);
  EXPECT_EQ(G.Graph.marginal(loads("11"), 1), -260 * 32);
  EXPECT_EQ(G.Graph.marginal(loads("10"), 1), -260 * 32);
  EXPECT_EQ(G.Graph.marginal(loads("01"), 1), 100 * 32);
}

TEST(TrafficReductionGraph, RefusesAProfileWithoutPairs) {
  KernelProfile K;
  K.Accesses = {loadOf(2, 1000, 900)};
  EXPECT_EQ(refusalOf(K), "");
  K.Accesses[0].SectorsAlone = K.Accesses[0].HitsAlone = 0;
  EXPECT_EQ(refusalOf(K),
            "the profile does not say what the load at k.cu:2:3 hits when it "
            "alone is cached: profile the program with pairs of loads");
  K.Accesses[0] = loadOf(2, UINT64_MAX, 0);
  EXPECT_EQ(refusalOf(K), "the profile has more sectors of the load at "
                          "k.cu:2:3 than can be added up");
}

TEST(TrafficReductionGraph, NoLoadsAreAGraphToo) {
  KernelTrafficGraph G = cantFail(buildTrafficReductionGraph(KernelProfile()));
  EXPECT_EQ(G.Graph.size(), 0u);
  EXPECT_EQ(G.Graph.reduction(LoadSet()), 0);
}

TEST(TrafficReductionGraph, MarginalsAreDifferences) {
  RandomWeights Random(1);
  for (unsigned Round = 0; Round < 100; ++Round) {
    TrafficReductionGraph G = uniformGraph(8, 60, Random);
    LoadSet Without(8);
    for (unsigned V = 0; V < 8; ++V)
      Without[V] = Random.percent(50);
    const unsigned V = Round % 8;
    Without.reset(V);
    LoadSet With = Without;
    With.set(V);
    EXPECT_EQ(G.marginal(Without, V), G.reduction(With) - G.reduction(Without));
    EXPECT_EQ(G.marginal(With, V), G.marginal(Without, V));
  }
}

} // namespace
