// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// The traffic reduction graph (Liang et al., TCAD 2015, Definition 1 and
/// section V-A): a node for each load of a kernel, weighted with the traffic
/// from the L2 that caching it saves, and an edge for each pair, weighted with
/// what caching both saves beyond that. The loads to cache are those whose
/// nodes and edges together weigh the most (Problem 1).
///
///     gemm's A, a line per warp: 700, and B, a column per warp: 40, evict
///     each other's lines: -90. Caching A alone saves 700, both save 650.
///
/// Weights are bytes, of the thread blocks that the profile simulated.

#ifndef SLUICE_PLAN_TRAFFICREDUCTIONGRAPH_H
#define SLUICE_PLAN_TRAFFICREDUCTIONGRAPH_H

#include "sluice/Analysis/Profile.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <vector>

namespace sluice {

/// By the number of the node; set: cached, else it bypasses the L1.
using LoadSet = llvm::BitVector;

class TrafficReductionGraph {
public:
  /// \p Loads nodes; all weights are 0.
  explicit TrafficReductionGraph(unsigned Loads)
      : Loads(Loads), Weights(size_t(Loads) * Loads) {}

  unsigned size() const { return Loads; }
  /// W(v), bytes.
  int64_t node(unsigned V) const { return Weights[at(V, V)]; }
  /// W(e(v, w)) of two different nodes, bytes.
  int64_t edge(unsigned V, unsigned W) const { return Weights[at(V, W)]; }
  void setNode(unsigned V, int64_t Weight) { Weights[at(V, V)] = Weight; }
  void setEdge(unsigned V, unsigned W, int64_t Weight) {
    Weights[at(V, W)] = Weights[at(W, V)] = Weight;
  }

  /// T(G') of section V-A: bytes saved if the loads in \p Cached are cached and
  /// all others bypass. \p Cached has size() bits.
  int64_t reduction(const LoadSet &Cached) const;
  /// Of these bytes, those that caching \p V saves (it is cached) or would save
  /// (it is not), all others staying as they are. Below 0: it had better
  /// bypass. 0: it makes no difference.
  int64_t marginal(const LoadSet &Cached, unsigned V) const;

private:
  size_t at(unsigned V, unsigned W) const { return size_t(V) * Loads + W; }
  unsigned Loads;
  std::vector<int64_t>
      Weights; ///< A row for each node, its own on the diagonal.
};

/// The graph of a kernel, and which load each node is.
struct KernelTrafficGraph {
  TrafficReductionGraph Graph;
  std::vector<unsigned> Accesses; ///< By node: its index in the profile.
};

/// For an L1 that fills sectors (since Maxwell): W(v) = 32 * hit_i and W(e) =
/// 32 * (hit_ij - hit_i - hit_j). Loads that did not run have no node. A pair
/// that the profile lacks weighs 0.
/// Refuses, in a sentence, a profile that has loads and not what they do alone:
/// it was taken without pairs, or the kernel has too many loads for them; and
/// counts of more than 2^38 sectors.
llvm::Expected<KernelTrafficGraph>
buildTrafficReductionGraph(const KernelProfile &Kernel);

} // namespace sluice

#endif
