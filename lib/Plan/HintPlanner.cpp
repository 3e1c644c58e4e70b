// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "sluice/Plan/HintPlanner.h"
#include "sluice/Plan/TrafficReductionGraph.h"
#include "sluice/Plan/TrafficSolver.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;
using namespace sluice;

/// Bytes that the loads fetch from the L2 as the code is.
static uint64_t bytesFetched(const KernelProfile &K) {
  uint64_t Sectors = 0;
  for (const AccessProfile &A : K.Accesses)
    if (A.Kind == "load")
      Sectors += A.Counts.misses();
  return Sectors * 32;
}

/// Of the loads that bypass in \p Best those that hit next to nothing alone.
static LoadSet streamsOf(const KernelProfile &K, const KernelTrafficGraph &G,
                         const LoadSet &Best, double MostOwnHits) {
  LoadSet Streams(G.Graph.size());
  for (unsigned V = 0; V < G.Graph.size(); ++V) {
    const AccessProfile &A = K.Accesses[G.Accesses[V]];
    Streams[V] = !Best.test(V) &&
                 double(A.HitsAlone) <= MostOwnHits * double(A.SectorsAlone);
  }
  return Streams;
}

HintDecision sluice::planHints(const KernelProfile &Measured,
                               const HintThresholds &Thresholds) {
  auto None = [](const Twine &Why) {
    return HintDecision{{}, ("no load bypasses the L1: " + Why).str()};
  };
  Expected<KernelTrafficGraph> G = buildTrafficReductionGraph(Measured);
  if (!G)
    return None(toString(G.takeError()));
  const TrafficSolution Best = solve(G->Graph);
  if (Best.Cached.all())
    return None("by the profile none costs the others hits");
  const LoadSet Streams =
      streamsOf(Measured, *G, Best.Cached, Thresholds.MostOwnHits);
  if (Streams.none())
    return None("by the profile those that cost the others hits have hits of "
                "their own");
  LoadSet Cached(G->Graph.size(), true), All = Cached;
  Cached.reset(Streams);
  // T is of blocks that were simulated, as the counts are.
  const uint64_t Fetched = bytesFetched(Measured);
  const int64_t Saved = std::min(
      G->Graph.reduction(Cached) - G->Graph.reduction(All), int64_t(Fetched));
  const std::string Part =
      formatv("{0:F1} % of what comes from the L2",
              100 * double(Saved) / double(std::max<uint64_t>(Fetched, 1)));
  if (double(Saved) < Thresholds.LeastSaved * double(Fetched) || Fetched == 0)
    return None(formatv("that would save {0}, and pays from {1:F0} % on", Part,
                        100 * Thresholds.LeastSaved));
  if (StringRef(Measured.Time.boundBy()) == "issue")
    return None("instructions are what takes the time, not what comes from "
                "the L2");
  HintDecision D;
  for (unsigned V : Streams.set_bits()) {
    LoadPlan Load;
    Load.Id = Measured.Accesses[G->Accesses[V]].Id;
    Load.Hint.L1 = CacheHint::L1Eviction::NoAllocate;
    Load.Why =
        formatv("by the profile it has no hits and costs other loads {0} "
                "KiB of theirs",
                -G->Graph.marginal(Cached, V) / 1024);
    D.Loads.push_back(std::move(Load));
  }
  D.Why = formatv("{0} of {1} loads bypass the L1, which by the profile saves "
                  "{2}",
                  D.Loads.size(), G->Graph.size(), Part);
  return D;
}
