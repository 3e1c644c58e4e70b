// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Greedy: each hint alone on each of the heaviest loads, then one change more
// on the best so far. All sets would be three to the power of the loads, each
// of them a simulation.

#include "HintSearch.h"
#include "sluice/Simulator/Profiler.h"
#include "llvm/ADT/STLExtras.h"
#include <numeric>
#include <tuple>

using namespace llvm;
using namespace sluice;

using Eviction = CacheHint::L1Eviction;

static CacheHint hintOf(Eviction L1) {
  CacheHint Hint;
  Hint.L1 = L1;
  return Hint;
}

/// Sectors that were asked of the L2 although they had been before. Reuse knows
/// lines: each first touch of one may be followed by one of each other sector.
static uint64_t refetched(const AccessProfile &A) {
  return A.Counts.misses() - std::min(A.Counts.misses(), 4 * A.Reuse.Never);
}

/// Indices of the loads that ask the L2 for the most, those first.
static std::vector<unsigned> heaviestLoads(const KernelProfile &K,
                                           unsigned Most) {
  std::vector<unsigned> Loads;
  for (const auto &[I, A] : enumerate(K.Accesses))
    if (A.Kind == "load" && A.Counts.misses() > 0)
      Loads.push_back(unsigned(I));
  llvm::sort(Loads, [&](unsigned A, unsigned B) {
    const uint64_t OfA = K.Accesses[A].Counts.misses(),
                   OfB = K.Accesses[B].Counts.misses();
    return std::tie(OfB, A) < std::tie(OfA, B);
  });
  Loads.resize(std::min<size_t>(Loads.size(), Most));
  return Loads;
}

/// \p Loads with \p Hint on \p Access, in place of what it had.
static std::vector<LoadHint> with(std::vector<LoadHint> Loads, unsigned Access,
                                  const CacheHint &Hint) {
  auto At = lower_bound(Loads, Access, [](const LoadHint &L, unsigned A) {
    return L.Access < A;
  });
  if (At != Loads.end() && At->Access == Access)
    At->Hint = Hint;
  else
    Loads.insert(At, {Access, Hint});
  return Loads;
}

uint64_t HintSearch::nanosecondsWith(ArrayRef<LoadHint> Loads) const {
  SimulationOptions Other = Simulation;
  Other.Order = nullptr;
  if (Other.Hints.empty())
    for (const AccessSite &Site : Trace.Sites.Accesses)
      Other.Hints.push_back(Site.Hint);
  for (const LoadHint &Load : Loads)
    for (unsigned Site : SitesOf[Load.Access])
      Other.Hints[Site] = l1HintOf(Load.Hint);
  return predictedNanoseconds(Trace, Other, simulate(Trace, Other));
}

std::vector<HintsPrediction>
HintSearch::repeat(ArrayRef<HintsPrediction> Known) const {
  std::vector<HintsPrediction> Times(Known);
  for (HintsPrediction &Set : Times)
    Set.Nanoseconds =
        Set.Loads.empty() ? K.Time.Nanoseconds : nanosecondsWith(Set.Loads);
  return Times;
}

std::vector<HintsPrediction>
HintSearch::search(const HintSearchLimits &Limits) const {
  uint64_t Missed = 0, Again = 0;
  for (const AccessProfile &A : K.Accesses)
    if (A.Kind == "load") {
      Missed += A.Counts.misses();
      Again += refetched(A);
    }
  if (K.Time.boundBy() != BindingUnit::DRAM ||
      double(Again) <= Limits.LeastRefetched * double(Missed))
    return {};
  const std::vector<unsigned> Loads = heaviestLoads(K, Limits.MostLoads);
  const CacheHint Kinds[] = {hintOf(Eviction::First),
                             hintOf(Eviction::NoAllocate)};
  if (Loads.empty())
    return {};
  std::vector<HintsPrediction> All;
  auto Try = [&](std::vector<LoadHint> Set) {
    auto Known =
        find_if(All, [&](const HintsPrediction &H) { return H.Loads == Set; });
    if (Known != All.end())
      return Known->Nanoseconds;
    const uint64_t Nanoseconds = nanosecondsWith(Set);
    All.push_back({std::move(Set), Nanoseconds});
    return Nanoseconds;
  };
  for (unsigned Access : Loads)
    for (const CacheHint &Hint : Kinds)
      Try({{Access, Hint}});
  auto IsFaster = [](const HintsPrediction &A, const HintsPrediction &B) {
    return A.Nanoseconds < B.Nanoseconds;
  };
  HintsPrediction Best = *llvm::min_element(All, IsFaster);
  for (unsigned Access : Loads)
    for (const CacheHint &Hint : Kinds) {
      std::vector<LoadHint> Set = with(Best.Loads, Access, Hint);
      if (uint64_t Time = Try(Set);
          double(Time) * Limits.LeastGainOfOne < double(Best.Nanoseconds))
        Best = {std::move(Set), Time};
    }
  // Of equals those with the fewest hints, and those that were tried first.
  std::vector<unsigned> Order(All.size());
  std::iota(Order.begin(), Order.end(), 0U);
  llvm::sort(Order, [&](unsigned A, unsigned B) {
    const size_t HintsA = All[A].Loads.size(), HintsB = All[B].Loads.size();
    return std::tie(All[A].Nanoseconds, HintsA, A) <
           std::tie(All[B].Nanoseconds, HintsB, B);
  });
  std::vector<HintsPrediction> Kept = {{{}, K.Time.Nanoseconds}};
  for (unsigned I : ArrayRef(Order).take_front(Limits.MostSets))
    if (double(All[I].Nanoseconds) * Limits.LeastGain <=
        double(K.Time.Nanoseconds))
      Kept.push_back(std::move(All[I]));
  if (Kept.size() == 1)
    Kept.clear();
  return Kept;
}
