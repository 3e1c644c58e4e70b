// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// `sluice hints`: which loads to cache, by the traffic reduction graph of each
/// kernel of a profile.

#include "Subcommands.h"
#include "sluice/Plan/HintPlanner.h"
#include "sluice/Plan/TrafficSolver.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"
#include <chrono>
#include <cstdlib>
#include <tuple>

using namespace llvm;
using namespace sluice;

using Clock = std::chrono::steady_clock;

namespace {

/// Made when the subcommand runs, so that other subcommands can have options
/// of the same names.
struct Options {
  cl::OptionCategory Category{"sluice hints options"};
  cl::list<std::string> Profiles{cl::Positional, cl::OneOrMore,
                                 cl::desc("PROFILE.yaml..."),
                                 cl::cat(Category)};
  cl::opt<bool> Table{"table", cl::desc("One line for each kernel"),
                      cl::cat(Category)};
  cl::opt<bool> JSON{"json", cl::desc("All loads, for programs"),
                     cl::cat(Category)};
  cl::opt<unsigned> Most{
      "most", cl::desc("No more than so many pairs of a kernel"),
      cl::value_desc("count"), cl::init(10), cl::cat(Category)};
  cl::opt<double> Seconds{
      "seconds",
      cl::desc("Time for the exact solution of a kernel (default 2)"),
      cl::value_desc("s"), cl::init(SolverLimits().Seconds), cl::cat(Category)};
};

/// What the solvers make of a kernel.
struct Choices {
  LoadSet Chosen, Heuristic, Algorithm1, All;
  std::string Why;
  double Milliseconds = 0; ///< Graph and Chosen.
};

} // namespace

/// \p Bytes in KiB, of 12 columns.
static std::string kib(int64_t Bytes) {
  return formatv("{0,12:F1}", double(Bytes) / 1024);
}

static std::string plural(size_t N, StringRef One) {
  return formatv("{0} {1}{2}", N, One, N == 1 ? "" : "s");
}

static void printLoads(raw_ostream &OS, const KernelProfile &K,
                       const KernelTrafficGraph &G, const Choices &C) {
  OS << "  KiB saved by caching\n"
     << "       alone   with others  here   Alg. 1  load\n";
  auto Word = [](bool Cached) { return Cached ? "cache" : "bypass"; };
  for (unsigned V = 0; V < G.Graph.size(); ++V)
    OS << kib(G.Graph.node(V)) << "  " << kib(G.Graph.marginal(C.Chosen, V))
       << "  " << left_justify(Word(C.Chosen.test(V)), 7)
       << left_justify(Word(C.Algorithm1.test(V)), 8)
       << K.Accesses[G.Accesses[V]].Id.str() << '\n';
}

static void printPairs(raw_ostream &OS, const KernelProfile &K,
                       const KernelTrafficGraph &G, unsigned Most) {
  struct Pair {
    int64_t Saved;
    unsigned V, W;
  };
  std::vector<Pair> Pairs;
  for (unsigned V = 0; V < G.Graph.size(); ++V)
    for (unsigned W = V + 1; W < G.Graph.size(); ++W)
      if (int64_t Saved = G.Graph.edge(V, W))
        Pairs.push_back({Saved, V, W});
  if (!Pairs.empty())
    OS << "  KiB saved by caching both beyond that\n";
  llvm::sort(Pairs, [](const Pair &A, const Pair &B) {
    return std::make_tuple(-std::abs(A.Saved), A.V, A.W) <
           std::make_tuple(-std::abs(B.Saved), B.V, B.W);
  });
  for (const Pair &P : ArrayRef(Pairs).take_front(Most))
    OS << kib(P.Saved) << "  " << K.Accesses[G.Accesses[P.V]].Id.str()
       << " and " << K.Accesses[G.Accesses[P.W]].Id.str() << '\n';
  if (Pairs.size() > Most)
    OS << "              and " << Pairs.size() - Most << " more\n";
}

static void printSum(raw_ostream &OS, const KernelTrafficGraph &G,
                     const Choices &C) {
  auto Line = [&](StringRef What, const LoadSet &Set) {
    OS << kib(G.Graph.reduction(Set)) << "  " << What << ": " << Set.count()
       << " of " << plural(G.Graph.size(), "load") << " cached\n";
  };
  OS << "  KiB saved, of those that come if all bypass\n";
  Line("all", C.All);
  Line("Algorithm 1", C.Algorithm1);
  Line("improved", C.Heuristic);
  Line(C.Why, C.Chosen);
}

/// \p Start: before \p G was built.
static Choices choose(const KernelTrafficGraph &G, double Seconds,
                      Clock::time_point Start) {
  SolverLimits Limits;
  Limits.Seconds = Seconds;
  TrafficSolution S = solve(G.Graph, Limits);
  std::chrono::duration<double, std::milli> Time = Clock::now() - Start;
  return {S.Cached,
          solveHeuristically(G.Graph),
          solveGreedily(G.Graph),
          LoadSet(G.Graph.size(), true),
          S.Why,
          Time.count()};
}

static void printRow(raw_ostream &OS, const KernelProfile &K, StringRef Name,
                     const KernelTrafficGraph &G, const Choices &C) {
  OS << formatv("{0,6}{1,6}", K.L1Bytes / 1024, G.Graph.size());
  for (const LoadSet *Set : {&C.All, &C.Algorithm1, &C.Heuristic, &C.Chosen})
    OS << kib(G.Graph.reduction(*Set));
  OS << formatv("{0,8}{1,9:F2}  {2}  {3}\n", C.Chosen.count(), C.Milliseconds,
                Name, C.Why);
}

static void printKernel(raw_ostream &OS, const KernelProfile &K,
                        const Options &Opts) {
  const Clock::time_point Start = Clock::now();
  Expected<KernelTrafficGraph> G = buildTrafficReductionGraph(K);
  const std::string Name = demangle(K.Name);
  if (!G) {
    OS << Name << ": " << toString(G.takeError()) << '\n';
    return;
  }
  const Choices C = choose(*G, Opts.Seconds, Start);
  if (Opts.Table) {
    printRow(OS, K, StringRef(Name).split('(').first, *G, C);
    return;
  }
  OS << '\n'
     << Name << "\n  " << plural(G->Graph.size(), "load") << ", "
     << K.SimulatedBlocks << " of " << plural(K.Blocks, "block")
     << " simulated, L1 of " << K.L1Bytes / 1024 << " KiB\n";
  if (G->Graph.size() == 0)
    return;
  printLoads(OS, K, *G, C);
  printPairs(OS, K, *G, Opts.Most);
  printSum(OS, *G, C);
}

//===----------------------------------------------------------------------===//
// For programs
//===----------------------------------------------------------------------===//

static void writeLoads(json::OStream &J, const KernelProfile &K,
                       const KernelTrafficGraph &G, const Choices &C,
                       const HintDecision &Compile) {
  auto Word = [](bool Cached) { return Cached ? "cache" : "bypass"; };
  for (unsigned V = 0; V < G.Graph.size(); ++V) {
    const CodeId &Id = K.Accesses[G.Accesses[V]].Id;
    auto Planned = find_if(
        Compile.Loads, [&](const LoadPlan &Load) { return Load.isFor(Id); });
    const CacheHint Hint =
        Planned == Compile.Loads.end() ? CacheHint() : Planned->Hint;
    J.object([&] {
      J.attribute("at", json::fixUTF8(Id.Place.str()));
      J.attributeArray("inlined-at", [&] {
        for (const SourcePlace &Call : Id.InlinedAt)
          J.value(json::fixUTF8(Call.str()));
      });
      J.attribute("alone", G.Graph.node(V));
      J.attribute("with-others", G.Graph.marginal(C.Chosen, V));
      J.attribute("algorithm-1", Word(C.Algorithm1.test(V)));
      J.attribute("chosen", Word(C.Chosen.test(V)));
      J.attribute("compile", Hint.str());
    });
  }
}

static void writeKernel(json::OStream &J, const KernelProfile &K,
                        double Seconds) {
  const Clock::time_point Start = Clock::now();
  Expected<KernelTrafficGraph> G = buildTrafficReductionGraph(K);
  J.attribute("name", json::fixUTF8(K.Name));
  if (!G) {
    J.attribute("refused", json::fixUTF8(toString(G.takeError())));
    return;
  }
  const Choices C = choose(*G, Seconds, Start);
  const HintDecision Compile = planHints(K);
  J.attribute("l1-bytes", K.L1Bytes);
  J.attribute("milliseconds", C.Milliseconds);
  J.attributeObject("saved", [&] {
    J.attribute("all", G->Graph.reduction(C.All));
    J.attribute("algorithm-1", G->Graph.reduction(C.Algorithm1));
    J.attribute("improved", G->Graph.reduction(C.Heuristic));
    J.attribute("chosen", G->Graph.reduction(C.Chosen));
  });
  J.attribute("chosen-by", C.Why);
  J.attribute("compile-why", json::fixUTF8(Compile.Why));
  J.attributeArray("loads", [&] { writeLoads(J, K, *G, C, Compile); });
}

static void printJSON(raw_ostream &OS, ArrayRef<Profile> Profiles,
                      double Seconds) {
  json::OStream J(OS, 2);
  J.array([&] {
    for (const Profile &P : Profiles)
      J.object([&] {
        J.attribute("source", json::fixUTF8(P.Source));
        J.attribute("gpu", json::fixUTF8(P.GPU));
        J.attributeArray("kernels", [&] {
          for (const KernelProfile &K : P.Kernels)
            J.object([&] { writeKernel(J, K, Seconds); });
        });
      });
  });
  OS << '\n';
}

int sluice::hintsMain(int argc, char **argv) {
  static Options Opts;
  cl::HideUnrelatedOptions(Opts.Category);
  if (!cl::ParseCommandLineOptions(
          argc, argv,
          "Which loads to cache, by the traffic between L2 and L1 that a "
          "profile predicts\n",
          &errs()))
    return 1;
  if (Opts.Table && Opts.JSON) {
    WithColor::error(errs(), argv[0])
        << "--json and --table exclude each other\n";
    return 1;
  }
  std::vector<Profile> Profiles;
  for (const std::string &Path : Opts.Profiles) {
    Expected<Profile> P = readProfileFile(Path);
    if (!P) {
      WithColor::error(errs(), argv[0]) << toString(P.takeError()) << '\n';
      return 1;
    }
    Profiles.push_back(std::move(*P));
  }
  if (Opts.JSON) {
    printJSON(outs(), Profiles, Opts.Seconds);
    return 0;
  }
  if (Opts.Table)
    outs() << "    L1              KiB saved by caching\n"
              "   KiB loads         all      Alg. 1    improved      chosen  "
              "cached       ms  kernel\n";
  for (const Profile &P : Profiles) {
    if (!Opts.Table)
      outs() << P.Source << " on " << P.GPU << '\n';
    for (const KernelProfile &K : P.Kernels)
      printKernel(outs(), K, Opts);
  }
  return 0;
}
