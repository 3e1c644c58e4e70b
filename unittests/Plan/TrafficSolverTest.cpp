// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Which loads the solvers cache: exactly against all sets, and by Algorithm 1
/// of Liang et al. (TCAD 2015) step by step.

#include "sluice/Plan/TrafficSolver.h"
#include "TrafficGraphsByHand.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace sluice;

namespace {

/// Four loads in the spirit of the paper's Figure 4:
///
///     a 6, b 4, c 2, d 3;  ab 5, ac -6, ad 1, bc -4, bd -2, cd -3
///
/// c gains the least from the others, -13, and loses with its own 2: it
/// bypasses. Of a, b and d, which gain 6, 3 and -1 now, d is next, and with
/// its own 3 is cached; b and a follow.
TrafficReductionGraph fourLoads() {
  TrafficReductionGraph G(4);
  enum { A, B, C, D };
  G.setNode(A, 6), G.setNode(B, 4), G.setNode(C, 2), G.setNode(D, 3);
  G.setEdge(A, B, 5), G.setEdge(A, C, -6), G.setEdge(A, D, 1);
  G.setEdge(B, C, -4), G.setEdge(B, D, -2), G.setEdge(C, D, -3);
  return G;
}

/// Two loads that hit alone and evict each other's lines.
TrafficReductionGraph rivals(int64_t First, int64_t Second, int64_t Edge) {
  TrafficReductionGraph G(2);
  G.setNode(0, First), G.setNode(1, Second), G.setEdge(0, 1, Edge);
  return G;
}

LoadSet exactly(const TrafficReductionGraph &G) {
  ExactSolution S = solveExactly(G, 60);
  EXPECT_TRUE(S.Proven) << S.WhyNot;
  return S.Cached;
}

TEST(TrafficSolver, FourLoadsOfWhichOneFightsTheOthers) {
  TrafficReductionGraph G = fourLoads();
  EXPECT_EQ(bestByLookingAtAll(G), 17);
  EXPECT_EQ(G.reduction(loads("1111")), 6) << "cache all";
  EXPECT_EQ(solveGreedily(G), loads("1101"));
  EXPECT_EQ(exactly(G), loads("1101"));
}

TEST(TrafficSolver, OfTwoRivalsOneBypasses) {
  EXPECT_EQ(exactly(rivals(10, 9, -12)), loads("10"));
  EXPECT_EQ(exactly(rivals(9, 10, -12)), loads("01"));
  EXPECT_EQ(exactly(rivals(9, 10, -8)), loads("11")) << "they can both stay";
}

// The heuristic looks at edges first, and of equals takes the last: the load
// that goes is the second, whatever it weighs.
TEST(TrafficSolver, Algorithm1IsNotAlwaysRight) {
  EXPECT_EQ(solveGreedily(rivals(10, 9, -12)), loads("10"));
  EXPECT_EQ(solveGreedily(rivals(9, 10, -12)), loads("10"));
  EXPECT_EQ(solveHeuristically(rivals(9, 10, -12)), loads("01"));
}

// Three small loads each cost a heavy one more than they save: it has the most
// to lose, so Algorithm 1 has it bypass, for the sake of loads of no weight.
TEST(TrafficSolver, Algorithm1LosesAHeavyLoadToSmallOnes) {
  TrafficReductionGraph G(4);
  G.setNode(0, 1000);
  for (unsigned V = 1; V < 4; ++V)
    G.setNode(V, 1), G.setEdge(0, V, -400);
  EXPECT_EQ(solveGreedily(G), loads("0111"));
  EXPECT_EQ(solveHeuristically(G), loads("1000"));
  EXPECT_EQ(exactly(G), loads("1000"));
}

TEST(TrafficSolver, ImprovingEndsWhereNoChangeGains) {
  RandomWeights Random(5);
  for (unsigned Round = 0; Round < 100; ++Round) {
    TrafficReductionGraph G = uniformGraph(12, 60, Random);
    const LoadSet Start = solveGreedily(G), Found = improve(G, Start);
    EXPECT_GE(G.reduction(Found), G.reduction(Start));
    for (unsigned V = 0; V < 12; ++V)
      EXPECT_EQ(Found.test(V) ? G.marginal(Found, V) < 0
                              : G.marginal(Found, V) > 0,
                false);
    EXPECT_GE(G.reduction(solveHeuristically(G)), G.reduction(Found));
  }
}

TEST(TrafficSolver, WhatMakesNoDifference) {
  TrafficReductionGraph Streams(3);
  EXPECT_EQ(solveGreedily(Streams), loads("000")) << "T <= 0 bypasses";
  EXPECT_EQ(exactly(Streams), loads("111")) << "nothing to gain by a change";
  EXPECT_EQ(exactly(TrafficReductionGraph(0)), LoadSet());
  EXPECT_EQ(solveGreedily(TrafficReductionGraph(0)), LoadSet());
}

// A stream that hits nothing and evicts what others would hit.
TEST(TrafficSolver, AStreamBypassesForItsNeighbour) {
  EXPECT_EQ(exactly(rivals(100, 0, -1)), loads("10"));
  EXPECT_EQ(solveGreedily(rivals(100, 0, -1)), loads("10"));
}

// Neither hits alone: one fetches what the other uses.
TEST(TrafficSolver, LoadsThatHelpEachOtherAreCachedTogether) {
  EXPECT_EQ(exactly(rivals(-3, -4, 8)), loads("11"));
  EXPECT_EQ(solveGreedily(rivals(-3, -4, 8)), loads("11"));
  EXPECT_EQ(exactly(rivals(-3, -4, 6)), loads("00"));
}

TEST(TrafficSolver, ExactIsAsGoodAsLookingAtAllSets) {
  RandomWeights Random(2015);
  for (unsigned Round = 0; Round < 300; ++Round) {
    const auto Loads = unsigned(Random.between(1, 16));
    const auto Density = unsigned(Random.between(20, 100));
    TrafficReductionGraph G = Round % 2 ? uniformGraph(Loads, Density, Random)
                                        : profiledGraph(Loads, Density, Random);
    LoadSet Heuristic = solveHeuristically(G), Exact = exactly(G);
    EXPECT_EQ(G.reduction(Exact), bestByLookingAtAll(G)) << Round;
    EXPECT_GE(G.reduction(Exact), G.reduction(Heuristic));
    for (unsigned V = 0; V < Loads; ++V)
      EXPECT_TRUE(Exact.test(V) ? G.marginal(Exact, V) >= 0
                                : G.marginal(Exact, V) < 0)
          << Round << ": changing one load must not help";
  }
}

// Raising what caching a load saves never makes it bypass, nor saves less.
TEST(TrafficSolver, ALoadThatGainsMoreStaysCached) {
  RandomWeights Random(7);
  for (unsigned Round = 0; Round < 50; ++Round) {
    TrafficReductionGraph G = uniformGraph(10, 70, Random);
    LoadSet Before = exactly(G);
    const auto V = unsigned(Random.between(0, 9));
    const int64_t Saved = G.reduction(Before);
    G.setNode(V, G.node(V) + 10);
    LoadSet After = exactly(G);
    EXPECT_EQ(G.reduction(After), bestByLookingAtAll(G));
    EXPECT_GE(G.reduction(After), Saved);
    if (Before.test(V)) {
      EXPECT_TRUE(After.test(V));
      EXPECT_EQ(G.reduction(After), Saved + 10);
    }
  }
}

TEST(TrafficSolver, HugeWeightsAreExactToo) {
  const int64_t Huge = int64_t(1) << 43;
  RandomWeights Random(3);
  for (unsigned Round = 0; Round < 20; ++Round) {
    TrafficReductionGraph G = uniformGraph(10, 100, Random);
    for (unsigned V = 0; V < 10; ++V) {
      G.setNode(V, G.node(V) * (Huge / 100));
      for (unsigned W = 0; W < V; ++W)
        G.setEdge(V, W, G.edge(V, W) * (Huge / 100));
    }
    EXPECT_EQ(G.reduction(exactly(G)), bestByLookingAtAll(G));
  }
}

TEST(TrafficSolver, SaysHowItSolved) {
  TrafficReductionGraph G = fourLoads();
  TrafficSolution S = solve(G);
  EXPECT_EQ(S.Why, "exact");
  EXPECT_TRUE(S.Proven);
  EXPECT_EQ(S.Cached, loads("1101"));
  EXPECT_EQ(S.Reduction, 17);

  SolverLimits Few;
  Few.MostExactLoads = 3;
  S = solve(G, Few);
  EXPECT_EQ(S.Why, "heuristic: 4 loads are more than 3");
  EXPECT_FALSE(S.Proven);
  EXPECT_EQ(S.Reduction, 17);
}

// Too hard for the time: the heuristic's answer, and the reason.
TEST(TrafficSolver, ATimeLimitFallsBack) {
  RandomWeights Random(11);
  TrafficReductionGraph G = uniformGraph(120, 100, Random);
  SolverLimits Short;
  Short.Seconds = 0.05;
  TrafficSolution S = solve(G, Short);
  EXPECT_EQ(S.Why, "heuristic: the time limit of 0.05 s was reached");
  EXPECT_EQ(S.Cached, solveHeuristically(G));
  ExactSolution E = solveExactly(G, 0.05);
  EXPECT_FALSE(E.Proven);
  EXPECT_GE(G.reduction(E.Cached), S.Reduction);
}

} // namespace
