// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// By the footprint: as turns are planned (ThrottleDecision.cpp), only that of a
// block not a group of warps is in the L1 at a time, but always the same ones.
// Stores are through the L1 in all warps. One number is for the whole kernel,
// so a loop that fits as it is speaks against any.

#include "sluice/Plan/BypassPlanner.h"
#include "LaunchCases.h"
#include "sluice/Analysis/LoopFootprint.h"
#include "sluice/Analysis/Profile.h"
#include "sluice/Plan/Technique.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <algorithm>

using namespace llvm;
using namespace sluice;

namespace {

/// Of one loop at one launch.
struct LoopShare {
  unsigned Warps = 0;    ///< Of a block.
  unsigned Fitting = 0;  ///< The most of them whose lines fit.
  uint64_t AllBytes = 0; ///< Of all of them, on an SM.
  uint64_t L1Bytes = 0;
  unsigned Blocks = 0; ///< On an SM.
};

class FootprintShare {
public:
  FootprintShare(const KernelFacts &Kernel, const KernelPlan &Plan,
                 const GPUModel &GPU, const BypassOptions &Options)
      : Kernel(Kernel), Plan(Plan), GPU(GPU), Options(Options),
        Footprints(Kernel, GPU) {}

  BypassDecision decide(const RegisterFact &Registers);

private:
  std::string whyNoShare(unsigned LoopIndex, const LoopFootprint &F) const;
  LoopShare shareOf(const LoopFootprint &F, const LaunchState &State) const;
  bool goesPast(const AccessFootprint &A) const;
  bool addLoop(unsigned LoopIndex, const LaunchState &State);

  const KernelFacts &Kernel;
  const KernelPlan &Plan;
  const GPUModel &GPU;
  const BypassOptions &Options;
  LoopFootprints Footprints;
  BypassDecision Best;
  std::string WhyNone; ///< The first reason against a loop.
};

} // namespace

static std::string nameOf(const LoopFacts &Loop) {
  return Loop.Id.Place.isKnown() ? "the loop at " + Loop.Id.str() : "a loop";
}

/// Do all warps' loads go past the L1 by their hint?
bool FootprintShare::goesPast(const AccessFootprint &A) const {
  using Operator = CacheHint::CacheOperator;
  return !A.Access->IsStore && any_of(Plan.Loads, [&](const LoadPlan &L) {
    return L.isFor(A.Access->Id) &&
           (L.Hint.L1 == CacheHint::L1Eviction::NoAllocate ||
            L.Hint.Operator == Operator::CG || L.Hint.Operator == Operator::CV);
  });
}

/// Why nothing can be said of the loop's lines; empty: something can.
std::string FootprintShare::whyNoShare(unsigned LoopIndex,
                                       const LoopFootprint &F) const {
  const LoopFacts &Loop = Kernel.Loops[LoopIndex];
  const LoopPlan *Planned = findLoop(&Plan, Loop.Id);
  if (Planned && Planned->WarpGroups > 1)
    return "takes turns";
  if (Options.StagesRows &&
      (!Loop.Stageable.empty() || !Loop.Widenable.empty()))
    return "has rows that may be in shared memory or in registers";
  if (!F.Unknown.empty())
    return "has a footprint that is unknown: " + F.Unknown;
  auto IsAgain = [&](const AccessFootprint &A) {
    return A.HasReuse && !goesPast(A);
  };
  if (none_of(F.Accesses, IsAgain))
    return "has no load that is known to touch its cache line again in the "
           "next iteration";
  for (const AccessFootprint &A : F.Accesses)
    if ((A.Assumed || A.UnknownDistance) && !goesPast(A))
      return "has an access whose lines are not known" +
             (A.Access->Id.Place.isKnown() ? ", at " + A.Access->Id.str() : "");
  return "";
}

LoopShare FootprintShare::shareOf(const LoopFootprint &F,
                                  const LaunchState &State) const {
  LoopShare Share;
  Share.Warps = F.WarpsPerBlock;
  Share.Blocks = std::min(State.Held.BlocksPerSM,
                          Plan.ResidentBlocks.value_or(State.Held.BlocksPerSM));
  Share.L1Bytes =
      Plan.CarveoutPercent && !Options.L1KiB
          ? GPU.l1Bytes(GPU.carveoutOfPercent(*Plan.CarveoutPercent))
          : State.Held.L1Bytes;
  DenseSet<LoopFootprint::Line> Lines;
  auto Add = [&](unsigned Warp, bool Stores) {
    for (auto [A, OfAccess] : zip_equal(F.Accesses, F.LinesOfWarp[Warp]))
      if (A.Access->IsStore == Stores && !goesPast(A))
        Lines.insert(OfAccess.begin(), OfAccess.end());
  };
  for (unsigned Warp = 0; Warp < Share.Warps; ++Warp)
    Add(Warp, /*Stores=*/true);
  for (unsigned Warp = 0; Warp < Share.Warps; ++Warp) {
    Add(Warp, /*Stores=*/false);
    Share.AllBytes = uint64_t(Lines.size()) * Share.Blocks * GPU.LineBytes;
    if (Share.AllBytes <= Share.L1Bytes)
      Share.Fitting = Warp + 1;
  }
  return Share;
}

/// False: all warps are to use the L1, and Best says why.
bool FootprintShare::addLoop(unsigned LoopIndex, const LaunchState &State) {
  const LoopFootprint &F = Footprints.of(LoopIndex, State.Launch);
  const std::string Name = nameOf(Kernel.Loops[LoopIndex]);
  if (std::string Why = whyNoShare(LoopIndex, F); !Why.empty()) {
    if (WhyNone.empty())
      WhyNone = Name + " " + Why;
    return true;
  }
  const LoopShare Share = shareOf(F, State);
  const std::string Size = formatv(
      "{0} has {1} B of lines ({2} blocks of {3} warps) for an L1 of {4} B",
      Name, Share.AllBytes, Share.Blocks, Share.Warps, Share.L1Bytes);
  if (Share.Fitting == Share.Warps) {
    Best = {std::nullopt, Size + ", in which those of all warps fit"};
    return false;
  }
  if (Share.Fitting == 0) {
    Best = {std::nullopt, Size + ", in which those of one warp do not fit"};
    return false;
  }
  if (Share.Fitting < Best.CachedWarps.value_or(~0u))
    Best = {Share.Fitting,
            formatv("{0}, in which those of {1} warps fit", Size,
                    Share.Fitting)};
  return true;
}

BypassDecision FootprintShare::decide(const RegisterFact &Registers) {
  const ResourceLedger Ledger(Kernel, GPU, Registers.Count, Options.SMs,
                              Options.L1KiB);
  if (Kernel.Launches.empty())
    return {std::nullopt, NoLaunch.str()};
  for (const LaunchCase &Case : launchCases(Ledger)) {
    if (Case.AnyBlock)
      return {std::nullopt, launchName(Case.Launch) +
                                " has blocks of a size that is not known at "
                                "compile time"};
    const LaunchState &State = Case.States.front();
    if (!State.Unknown.empty())
      return {std::nullopt, State.Unknown};
    for (unsigned L = 0; L < Kernel.Loops.size(); ++L)
      if (!Kernel.Loops[L].Accesses.empty() && !addLoop(L, State))
        return Best;
  }
  if (!Best.CachedWarps)
    Best.Why = WhyNone.empty() ? "it has no loop that loads" : WhyNone;
  return Best;
}

BypassDecision sluice::planBypassByFootprint(const KernelFacts &Kernel,
                                             const KernelPlan &Plan,
                                             const GPUModel &GPU,
                                             const RegisterFact &Registers,
                                             const BypassOptions &Options) {
  return FootprintShare(Kernel, Plan, GPU, Options).decide(Registers);
}

//===----------------------------------------------------------------------===//
// By a profile
//===----------------------------------------------------------------------===//

/// As the plan has the kernel without fewer warps in the L1.
static uint64_t nanosecondsOf(const KernelProfile &Measured,
                              const KernelPlan &Plan) {
  uint64_t Least = Measured.CachedWarps.back().Nanoseconds;
  if (!Plan.Loads.empty())
    for (const HintsPrediction &H : Measured.Hints)
      Least = std::min(Least, H.Nanoseconds);
  return Least;
}

BypassDecision sluice::planBypassAsPredicted(const KernelProfile &Measured,
                                             const KernelPlan &Plan) {
  const ArrayRef<BypassPrediction> All = Measured.CachedWarps;
  if (All.empty())
    return {std::nullopt, "the profile has no times with fewer warps in the "
                          "L1; make it with --cached-warps"};
  const uint64_t Now = nanosecondsOf(Measured, Plan);
  const BypassPrediction *Best =
      llvm::min_element(All, [](const auto &A, const auto &B) {
        return A.Nanoseconds < B.Nanoseconds;
      });
  const double Least = double(Best->Nanoseconds);
  for (const BypassPrediction &Other : All)
    if (double(Other.Nanoseconds) <= 1.02 * Least)
      Best = &Other;
  if (Best->CachedWarps == BypassPrediction::All)
    return {std::nullopt, "with all warps in the L1 the kernel is predicted "
                          "to be fastest"};
  std::string Why =
      formatv("with {0} warps of a block in the L1 the kernel is predicted to "
              "take {1:F3} ms, and else {2:F3}",
              Best->CachedWarps, double(Best->Nanoseconds) / 1e6,
              double(Now) / 1e6);
  if (double(Best->Nanoseconds) * LeastBypassGain > double(Now))
    return {std::nullopt, Why + ": too little to pay"};
  return {Best->CachedWarps, std::move(Why)};
}
