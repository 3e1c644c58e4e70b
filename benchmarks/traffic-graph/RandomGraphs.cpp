// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// How much of the optimum the heuristics find on random traffic reduction
/// graphs, and how large a graph is solved exactly in time. Prints the tables
/// of benchmarks/results/2026-11-traffic-graph; what is not a time is the same
/// wherever it runs.

#include "TrafficGraphsByHand.h"
#include "sluice/Plan/TrafficSolver.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <chrono>

using namespace llvm;
using namespace sluice;

namespace {

using MakeGraph = TrafficReductionGraph (*)(unsigned Loads, unsigned Density,
                                            RandomWeights &Random);
struct Family {
  const char *Name;
  MakeGraph Make;
};
constexpr Family Families[] = {{"uniform", uniformGraph},
                               {"profiled", profiledGraph}};

/// Shares of the optimum.
struct Shares {
  double Sum = 0, Least = 1;
  unsigned Optimal = 0, Below90 = 0;

  void add(int64_t Found, int64_t Best) {
    const double Share = double(Found) / double(Best);
    Sum += Share;
    Least = std::min(Least, Share);
    Optimal += Found == Best;
    Below90 += Share < 0.9;
  }
};

} // namespace

static void printShares(const char *Family, const char *Solver, const Shares &S,
                        unsigned Graphs) {
  outs() << "| " << Family << " | " << Solver
         << format(" | %.2f | %.1f | %.1f | %.1f |\n", 100 * S.Sum / Graphs,
                   100 * S.Least, 100.0 * S.Optimal / Graphs,
                   100.0 * S.Below90 / Graphs);
}

/// Graphs of 2 to 16 loads, 20 to 100 % of the pairs with an edge, and of which
/// some set saves anything.
static void measureShares(const Family &F, unsigned Graphs) {
  RandomWeights Random(2015);
  Shares Greedy, Improved, Exact, All;
  for (unsigned Done = 0; Done < Graphs;) {
    const auto Loads = unsigned(Random.between(2, 16));
    const auto Density = unsigned(Random.between(20, 100));
    const TrafficReductionGraph G = F.Make(Loads, Density, Random);
    const int64_t Best = bestByLookingAtAll(G);
    if (Best == 0)
      continue;
    ++Done;
    Greedy.add(G.reduction(solveGreedily(G)), Best);
    Improved.add(G.reduction(solveHeuristically(G)), Best);
    Exact.add(G.reduction(solveExactly(G, 60).Cached), Best);
    All.add(G.reduction(LoadSet(Loads, true)), Best);
  }
  printShares(F.Name, "cache all", All, Graphs);
  printShares(F.Name, "Algorithm 1", Greedy, Graphs);
  printShares(F.Name, "improved", Improved, Graphs);
  printShares(F.Name, "ILP", Exact, Graphs);
}

static double seconds(function_ref<void()> Of) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point Start = Clock::now();
  Of();
  return std::chrono::duration<double>(Clock::now() - Start).count();
}

static void measureTime(const Family &F, unsigned Loads, unsigned Density) {
  constexpr unsigned Graphs = 5;
  RandomWeights Random(Loads * 101 + Density);
  unsigned Proven = 0;
  double Sum = 0, Most = 0;
  for (unsigned I = 0; I < Graphs; ++I) {
    const TrafficReductionGraph G = F.Make(Loads, Density, Random);
    double Time = seconds([&] { Proven += solve(G).Proven; });
    Sum += Time;
    Most = std::max(Most, Time);
  }
  outs() << "| " << F.Name
         << format(" | %u | %u | %u of %u | %.3f | %.3f |\n", Loads, Density,
                   Proven, Graphs, Sum / Graphs, Most);
}

int main() {
  outs() << "| graphs | solver | mean % of the optimum | least | optimal % | "
            "below 90 % of it, % |\n|---|---|---:|---:|---:|---:|\n";
  for (const Family &F : Families)
    measureShares(F, 1000);
  outs()
      << "\n| graphs | loads | pairs with an edge % | proven in 2 s | mean s "
         "| most s |\n|---|---:|---:|---:|---:|---:|\n";
  for (const Family &F : Families)
    for (unsigned Density : {5, 10, 30, 100})
      for (unsigned Loads : {16, 32, 64, 100, 200})
        measureTime(F, Loads, Density);
  RandomWeights Random(500);
  const TrafficReductionGraph Large = profiledGraph(500, 100, Random);
  double Heuristic = seconds([&] { solve(Large); });
  double Greedy = seconds([&] { solveGreedily(Large); });
  outs() << format("\n500 loads, all pairs with an edge: heuristic %.1f ms, "
                   "Algorithm 1 %.1f ms\n",
                   1e3 * Heuristic, 1e3 * Greedy);
  return 0;
}
