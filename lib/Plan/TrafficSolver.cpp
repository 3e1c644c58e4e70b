// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "sluice/Plan/TrafficSolver.h"
#include "TrafficParts.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <chrono>

using namespace llvm;
using namespace sluice;

LoadSet sluice::solveGreedily(const TrafficReductionGraph &Graph) {
  const unsigned Loads = Graph.size();
  LoadSet Remaining(Loads, true), Cached(Loads);
  // T_other of line 6: edges to all that do not bypass.
  std::vector<int64_t> Others(Loads, 0);
  for (unsigned V = 0; V < Loads; ++V)
    for (unsigned W = 0; W < Loads; ++W)
      Others[V] += V != W ? Graph.edge(V, W) : 0;
  while (Remaining.any()) {
    unsigned Least = unsigned(Remaining.find_first());
    for (unsigned V : Remaining.set_bits())
      if (Others[V] <= Others[Least])
        Least = V;
    Remaining.reset(Least);
    if (Others[Least] + Graph.node(Least) > 0) {
      Cached.set(Least);
      continue;
    }
    for (unsigned V : Remaining.set_bits())
      Others[V] -= Graph.edge(V, Least);
  }
  return Cached;
}

ExactSolution sluice::solveExactly(const TrafficReductionGraph &Graph,
                                   double Seconds) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point End =
      Clock::now() + std::chrono::duration_cast<Clock::duration>(
                         std::chrono::duration<double>(Seconds));
  const LoadSet Greedy = solveGreedily(Graph);
  SettledLoads Settled = settleLoads(Graph);
  ExactSolution Result;
  Result.Cached = Settled.Cached;
  for (const std::vector<unsigned> &Part : partsOf(Graph, Settled.Open)) {
    std::chrono::duration<double> Left = End - Clock::now();
    PartSolution S =
        solvePart(Graph, Settled.Cached, Part, Greedy, Left.count());
    for (unsigned V : Part)
      if (S.Cached.test(V))
        Result.Cached.set(V);
    if (Result.WhyNot.empty())
      Result.WhyNot =
          S.Stopped
              ? formatv("the time limit of {0} s was reached", Seconds).str()
              : S.Failure;
  }
  Result.Proven = Result.WhyNot.empty();
  if (!Result.Proven &&
      Graph.reduction(Result.Cached) < Graph.reduction(Greedy))
    Result.Cached = Greedy;
  return Result;
}

TrafficSolution sluice::solve(const TrafficReductionGraph &Graph,
                              const SolverLimits &Limits) {
  TrafficSolution Result;
  if (Graph.size() > Limits.MostExactLoads) {
    Result.Why = formatv("heuristic: {0} loads are more than {1}", Graph.size(),
                         Limits.MostExactLoads);
  } else {
    ExactSolution Exact = solveExactly(Graph, Limits.Seconds);
    Result.Proven = Exact.Proven;
    Result.Cached = Exact.Cached;
    Result.Why = Exact.Proven ? "exact" : "heuristic: " + Exact.WhyNot;
  }
  // What a solver had found when its time was up depends on the machine.
  if (!Result.Proven)
    Result.Cached = solveGreedily(Graph);
  Result.Reduction = Graph.reduction(Result.Cached);
  return Result;
}
