// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two heuristics, and the exact solution part by part (TrafficParts.h). An
// answer that is not proven is the heuristic's, so that no plan depends on how
// fast a machine is.

#include "sluice/Plan/TrafficSolver.h"
#include "TrafficParts.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"
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

LoadSet sluice::improve(const TrafficReductionGraph &Graph, LoadSet Cached) {
  const unsigned Loads = Graph.size();
  std::vector<int64_t> Marginal(Loads);
  for (unsigned V = 0; V < Loads; ++V)
    Marginal[V] = Graph.marginal(Cached, V);
  while (true) {
    unsigned Best = Loads;
    int64_t Most = 0;
    for (unsigned V = 0; V < Loads; ++V) {
      const int64_t Gain = Cached.test(V) ? -Marginal[V] : Marginal[V];
      if (Gain > Most) {
        Most = Gain;
        Best = V;
      }
    }
    if (Best == Loads)
      return Cached;
    Cached.flip(Best);
    for (unsigned V = 0; V < Loads; ++V)
      if (V != Best)
        Marginal[V] +=
            Cached.test(Best) ? Graph.edge(V, Best) : -Graph.edge(V, Best);
  }
}

LoadSet sluice::solveHeuristically(const TrafficReductionGraph &Graph) {
  LoadSet Best = improve(Graph, LoadSet(Graph.size(), true));
  for (const LoadSet &Start : {LoadSet(Graph.size()), solveGreedily(Graph)}) {
    LoadSet Found = improve(Graph, Start);
    if (Graph.reduction(Found) > Graph.reduction(Best))
      Best = Found;
  }
  return Best;
}

static std::string timeLimit(double Seconds) {
  std::string Text;
  raw_string_ostream(Text) << "the time limit of " << format("%g", Seconds)
                           << " s was reached";
  return Text;
}

ExactSolution sluice::solveExactly(const TrafficReductionGraph &Graph,
                                   double Seconds) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point End =
      Clock::now() + std::chrono::duration_cast<Clock::duration>(
                         std::chrono::duration<double>(Seconds));
  const LoadSet Heuristic = solveHeuristically(Graph);
  SettledLoads Settled = settleLoads(Graph);
  ExactSolution Result;
  Result.Cached = Settled.Cached;
  for (const std::vector<unsigned> &Part : partsOf(Graph, Settled.Open)) {
    std::chrono::duration<double> Left = End - Clock::now();
    PartSolution S =
        solvePart(Graph, Settled.Cached, Part, Heuristic, Left.count());
    for (unsigned V : Part)
      if (S.Cached.test(V))
        Result.Cached.set(V);
    if (S.Stopped)
      Result.WhyNot = timeLimit(Seconds);
    else if (!S.Failure.empty())
      Result.WhyNot = S.Failure;
  }
  Result.Proven = Result.WhyNot.empty();
  if (!Result.Proven &&
      Graph.reduction(Result.Cached) < Graph.reduction(Heuristic))
    Result.Cached = Heuristic;
  // Of an optimum, those that make no difference.
  for (unsigned V = 0; V < Graph.size(); ++V)
    if (Graph.marginal(Result.Cached, V) >= 0)
      Result.Cached.set(V);
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
    Result.Cached = solveHeuristically(Graph);
  Result.Reduction = Graph.reduction(Result.Cached);
  return Result;
}
