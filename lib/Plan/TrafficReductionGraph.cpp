// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A node weighs what the load's hits save when it alone is cached, an edge the
// hits that a pair has beyond those of each alone. A profile has simulated
// both.

#include "sluice/Plan/TrafficReductionGraph.h"
#include "sluice/Analysis/ProfileReport.h"
#include "sluice/Plan/LoadEfficiency.h"
#include "llvm/ADT/DenseMap.h"

using namespace llvm;
using namespace sluice;

int64_t TrafficReductionGraph::reduction(const LoadSet &Cached) const {
  int64_t Sum = 0;
  for (unsigned V : Cached.set_bits()) {
    Sum += node(V);
    for (unsigned W : Cached.set_bits())
      Sum += W < V ? edge(V, W) : 0;
  }
  return Sum;
}

int64_t TrafficReductionGraph::marginal(const LoadSet &Cached,
                                        unsigned V) const {
  int64_t Sum = node(V);
  for (unsigned W : Cached.set_bits())
    Sum += W != V ? edge(V, W) : 0;
  return Sum;
}

Expected<KernelTrafficGraph>
sluice::buildTrafficReductionGraph(const KernelProfile &Kernel) {
  constexpr int64_t SectorBytes = 32;
  constexpr uint64_t MostSectors = uint64_t(1) << 38;
  std::vector<unsigned> Accesses;
  DenseMap<unsigned, unsigned> NodeOf; // by the index of the access
  for (unsigned I = 0; I < Kernel.Accesses.size(); ++I) {
    const AccessProfile &A = Kernel.Accesses[I];
    if (A.Kind != "load" || A.Counts.Sectors == 0)
      continue;
    if (A.SectorsAlone == 0)
      return createStringError(
          "the profile does not say what the load at " + A.Id.Place.str() +
          " hits when it alone is cached: profile the program with pairs of "
          "loads");
    // So that no sum of weights overflows.
    if (A.SectorsAlone > MostSectors)
      return createStringError("the profile has more sectors of the load at " +
                               A.Id.Place.str() + " than can be added up");
    NodeOf[I] = unsigned(Accesses.size());
    Accesses.push_back(I);
  }
  TrafficReductionGraph Graph(unsigned(Accesses.size()));
  for (unsigned V = 0; V < Graph.size(); ++V) {
    const AccessProfile &A = Kernel.Accesses[Accesses[V]];
    Graph.setNode(V, trafficOfSectors(A.SectorsAlone, A.HitsAlone).reduction());
  }
  for (const PairProfile &Pair : Kernel.Pairs) {
    auto First = NodeOf.find(Pair.First), Second = NodeOf.find(Pair.Second);
    if (First != NodeOf.end() && Second != NodeOf.end())
      Graph.setEdge(First->second, Second->second,
                    gainOfPair(Kernel, Pair) * SectorBytes);
  }
  return KernelTrafficGraph{std::move(Graph), std::move(Accesses)};
}
