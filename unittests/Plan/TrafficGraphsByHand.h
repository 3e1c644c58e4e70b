// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Traffic reduction graphs for tests and for measuring the heuristic: random
/// ones, and the best set of a small one by looking at all.

#ifndef SLUICE_UNITTESTS_PLAN_TRAFFICGRAPHSBYHAND_H
#define SLUICE_UNITTESTS_PLAN_TRAFFICGRAPHSBYHAND_H

#include "sluice/Plan/TrafficReductionGraph.h"
#include <algorithm>
#include <random>

namespace sluice {

/// The same on every machine, which the standard's distributions are not.
class RandomWeights {
public:
  explicit RandomWeights(uint64_t Seed) : Engine(Seed) {}
  int64_t between(int64_t Least, int64_t Most) {
    return Least + int64_t(Engine() % uint64_t(Most - Least + 1));
  }
  bool percent(unsigned Of100) { return between(1, 100) <= int64_t(Of100); }

private:
  std::mt19937_64 Engine;
};

/// Weights from -100 to 100; \p Density per cent of the pairs have an edge.
inline TrafficReductionGraph uniformGraph(unsigned Loads, unsigned Density,
                                          RandomWeights &Random) {
  TrafficReductionGraph G(Loads);
  for (unsigned V = 0; V < Loads; ++V) {
    G.setNode(V, Random.between(-100, 100));
    for (unsigned W = 0; W < V; ++W)
      if (Random.percent(Density))
        G.setEdge(V, W, Random.between(-100, 100));
  }
  return G;
}

/// Weights that a profile of a sectored L1 can have: a load hits 0 to all of
/// its sectors alone; of the pairs with an edge, two in three lose up to all
/// hits of both and the others gain up to all their misses.
inline TrafficReductionGraph profiledGraph(unsigned Loads, unsigned Density,
                                           RandomWeights &Random) {
  TrafficReductionGraph G(Loads);
  std::vector<int64_t> Sectors, Hits;
  for (unsigned V = 0; V < Loads; ++V) {
    Sectors.push_back(int64_t(1) << Random.between(4, 20));
    Hits.push_back(Random.between(0, Sectors[V]));
    G.setNode(V, 32 * Hits[V]);
    for (unsigned W = 0; W < V; ++W) {
      if (!Random.percent(Density))
        continue;
      const int64_t Both = Hits[V] + Hits[W];
      const int64_t Gain =
          Random.percent(67)
              ? -Random.between(0, Both)
              : Random.between(0, Sectors[V] + Sectors[W] - Both);
      G.setEdge(V, W, 32 * Gain);
    }
  }
  return G;
}

/// The most that any set saves: 2^n sets, each one load away from the last.
inline int64_t bestByLookingAtAll(const TrafficReductionGraph &G) {
  LoadSet Cached(G.size());
  int64_t Now = 0, Best = 0;
  for (uint64_t Set = 1; Set < uint64_t(1) << G.size(); ++Set) {
    unsigned Flipped = 0;
    while ((Set >> Flipped & 1) == 0)
      ++Flipped;
    const int64_t Marginal = G.marginal(Cached, Flipped);
    Now += Cached.test(Flipped) ? -Marginal : Marginal;
    Cached.flip(Flipped);
    Best = std::max(Best, Now);
  }
  return Best;
}

/// A set from "1101": the first node first.
inline LoadSet loads(llvm::StringRef Bits) {
  LoadSet Set(unsigned(Bits.size()));
  for (unsigned V = 0; V < Bits.size(); ++V)
    Set[V] = Bits[V] == '1';
  return Set;
}

} // namespace sluice

#endif
