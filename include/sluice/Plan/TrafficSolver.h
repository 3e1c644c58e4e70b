// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Which loads to cache: the nodes of a traffic reduction graph that weigh the
/// most (Liang et al., TCAD 2015, Problem 1, which is NP-hard). Exactly by
/// integer linear programming (section V-B), and by the paper's heuristic
/// (Algorithm 1) and one that is built on it, both in about n^2 steps for n
/// loads.

#ifndef SLUICE_PLAN_TRAFFICSOLVER_H
#define SLUICE_PLAN_TRAFFICSOLVER_H

#include "sluice/Plan/TrafficReductionGraph.h"
#include <string>

namespace sluice {

/// Algorithm 1: the load that gains the least from the others is cached if that
/// and its own weight are above 0 together, else bypasses and no longer counts
/// for the rest; then the next. As printed, but for line 17, which must also
/// take a bypassed load from those that remain; and of equals the last goes
/// first, as line 7 says.
LoadSet solveGreedily(const TrafficReductionGraph &Graph);

/// \p Cached with one load after the other changed, the one that gains the most
/// first, until no single change gains.
LoadSet improve(const TrafficReductionGraph &Graph, LoadSet Cached);

/// The best of three sets that are improved: all loads, none, and those of
/// Algorithm 1, which alone loses much where small loads fight a heavy one: it
/// looks at the heavy one first (docs/passes/cache-hints-traffic.md). Of equals
/// the one first named.
LoadSet solveHeuristically(const TrafficReductionGraph &Graph);

struct ExactSolution {
  LoadSet Cached;      ///< Never worse than solveGreedily.
  bool Proven = false; ///< No set is better.
  /// Why not: "the time limit of 2 s was reached". Empty: it is proven.
  std::string WhyNot;
};

/// The ILP of section V-B, within \p Seconds of wall time. A load that
/// makes no difference is cached: all that bypass have a marginal below 0.
///
/// Loads that are cached or bypass in some optimum whatever the others do are
/// settled first, and what falls apart is solved part by part. CBC solves
/// these; it is in SluiceILP.so beside Sluice's own libraries, and is loaded
/// when a part is left. If that cannot be loaded, WhyNot says so.
ExactSolution solveExactly(const TrafficReductionGraph &Graph, double Seconds);

struct SolverLimits {
  unsigned MostExactLoads = 200; ///< More: the heuristic.
  double Seconds = 2;            ///< Of wall time, for the exact solution.
};

struct TrafficSolution {
  LoadSet Cached;
  int64_t Reduction = 0; ///< Of it, bytes.
  bool Proven = false;   ///< No set is better.
  std::string Why; ///< "exact" or "heuristic: ..." with the reason, to print.
};

/// solveExactly within \p Limits, else solveHeuristically.
TrafficSolution solve(const TrafficReductionGraph &Graph,
                      const SolverLimits &Limits = SolverLimits());

} // namespace sluice

#endif
