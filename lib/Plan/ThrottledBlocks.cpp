// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// M, in place of turns or where there can be none, and where neither helps the
// carveout.

#include "ThrottledKernel.h"
#include "sluice/Plan/Technique.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <algorithm>

using namespace sluice;
using llvm::formatv;

/// For the ledger.
static Taking takingOf(const BlocksDecision &D) {
  Taking T;
  T.Technique = blocksTechnique().name();
  T.ClaimedSharedBytes = D.Claim.Bytes;
  T.CarveoutPercent = D.Claim.CarveoutPercent;
  T.Nanoseconds = D.Nanoseconds;
  return T;
}

static Taking takingOf(const CarveoutDecision &D) {
  Taking T;
  T.Technique = carveoutTechnique().name();
  T.CarveoutPercent = D.Percent;
  T.Nanoseconds = D.Nanoseconds;
  return T;
}

ThrashingLoop
ThrottlePlanner::thrashingLoop(unsigned LoopIndex, const LaunchState &State,
                               const LoopFootprint &Footprint) const {
  return {Kernel.Loops[LoopIndex].Id,
          State.Held.BlocksPerSM,
          State.Held.WarpsPerSM / State.Held.BlocksPerSM,
          Footprint.linesPerBlock(1),
          State.Launch.Grid.total().value_or(0),
          State.Held.L1Bytes};
}

/// The innermost loops that thrash at every launch and do not take turns; one
/// entry for each launch. Of those whose turns would hold up other threads the
/// lines of all threads were counted, which is too many.
std::vector<ThrashingLoop>
ThrottlePlanner::thrashingLoops(const KernelPlan &Plan) {
  std::vector<ThrashingLoop> All;
  std::vector<bool> HasInner(Kernel.Loops.size());
  for (unsigned L = Kernel.Loops.size(); L-- > 0;) {
    std::vector<ThrashingLoop> OfLaunches;
    for (const LaunchCase &Case : Cases) {
      if (HasInner[L] || Plan.Loops[L].WarpGroups > 1 || Case.AnyBlock ||
          !Case.States.front().Unknown.empty() || HoldsUp[L])
        break;
      const LaunchState &State = Case.States.front();
      const LoopFootprint &Footprint = Footprints.of(L, State.Launch);
      if (!Footprint.Unknown.empty() || Footprint.Accesses.empty() ||
          !Decider.decide(L, State, Footprint).Thrashes)
        break;
      OfLaunches.push_back(thrashingLoop(L, State, Footprint));
    }
    if (OfLaunches.size() != Cases.size())
      continue;
    for (auto Outer = Kernel.Loops[L].Parent; Outer;
         Outer = Kernel.Loops[*Outer].Parent)
      HasInner[*Outer] = true;
    llvm::append_range(All, OfLaunches);
  }
  return All;
}

/// Did the profile see all launches, with this L1?
bool ThrottlePlanner::isMeasured() const {
  return !Cases.empty() && isPredictedForL1(Kernel, Options) &&
         llvm::all_of(Cases, [](const LaunchCase &Case) {
           return Case.Launch.Measured;
         });
}

/// \p Blocks take the place of all loops' turns.
void ThrottlePlanner::replaceTurns(unsigned Blocks, llvm::StringRef Because,
                                   KernelPlan &Plan) {
  for (unsigned L = 0; L < Plan.Loops.size(); ++L) {
    LoopPlan &Loop = Plan.Loops[L];
    if (Loop.WarpGroups == 1)
      continue;
    Loop.Why = formatv("M={0} in place of N={1}, {2} ({3})", Blocks,
                       Loop.WarpGroups, Because, Loop.Why);
    setTable(L, {}, Loop);
    Loop.ByLaunch.clear();
  }
}

/// The predicted M in place of turns, if it is as fast as they are.
BlocksDecision ThrottlePlanner::predictedBlocks(KernelPlan &Plan) {
  uint64_t Turns = 0;
  bool HasTurns = false;
  for (const LoopPlan &Loop : Plan.Loops)
    if (Loop.WarpGroups > 1) {
      Turns = HasTurns ? std::min(Turns, Loop.PredictedNanoseconds)
                       : Loop.PredictedNanoseconds;
      HasTurns = true;
    }
  // Turns of which no time is known stay.
  if (HasTurns && (!Options.BlocksForTurns || Turns == 0))
    return {};
  BlocksDecision D = predictedResidentBlocks(Ledger, Turns, Thresholds);
  if (D.Blocks) {
    replaceTurns(*D.Blocks, "predicted to be as fast without barriers", Plan);
    Ledger.weigh(takingOf(D), Thresholds.PredictedTie);
  }
  return D;
}

/// The loop that has turns, if it, what is in it and what it is in are all the
/// loops of the kernel.
std::optional<unsigned>
ThrottlePlanner::onlyLoop(const KernelPlan &Plan) const {
  std::optional<unsigned> Only;
  for (unsigned L = 0; L < Plan.Loops.size(); ++L)
    if (Plan.Loops[L].WarpGroups > 1) {
      if (Only)
        return std::nullopt;
      Only = L;
    }
  auto IsIn = [&](unsigned Inner, unsigned Outer) {
    std::optional<unsigned> L = Inner;
    while (L && *L != Outer)
      L = Kernel.Loops[*L].Parent;
    return L.has_value();
  };
  for (unsigned L = 0; Only && L < Plan.Loops.size(); ++L)
    if (!IsIn(L, *Only) && !IsIn(*Only, L))
      return std::nullopt;
  return Only;
}

/// M in place of the turns of a regular loop that is all the kernel does.
BlocksDecision ThrottlePlanner::blocksOfOnlyLoop(KernelPlan &Plan) {
  std::optional<unsigned> L = onlyLoop(Plan);
  if (!L || !Plan.Loops[*L].OnlyIf.empty())
    return {};
  std::vector<ThrashingLoop> OfLaunches;
  for (const LaunchCase &Case : Cases) {
    if (Case.AnyBlock || !Case.Launch.Grid.total())
      return {};
    const LoopFootprint &Footprint = Footprints.of(*L, Case.Launch);
    if (!isRegular(Footprint))
      return {};
    OfLaunches.push_back(thrashingLoop(*L, Case.States.front(), Footprint));
  }
  BlocksDecision D =
      planBlocksForTurns(Ledger, OfLaunches, Options, Thresholds);
  if (D.Blocks)
    replaceTurns(*D.Blocks, "since the loop is all there is of the kernel",
                 Plan);
  return D;
}

/// The carveout or M, where the loops' N cannot do it or is slower.
void ThrottlePlanner::limitBlocks(KernelPlan &Plan) {
  if (Options.ForcedResidentBlocks) {
    setBlocks(forceResidentBlocks(Ledger, *Options.ForcedResidentBlocks), Plan);
    return;
  }
  if (Options.ForcedWarpGroups || Kernel.Off)
    return;
  BlocksDecision D;
  if (isMeasured()) {
    if (Options.LimitBlocks)
      D = predictedBlocks(Plan);
    chooseCarveout(D, Plan);
  } else if (Options.LimitBlocks && Options.PreferBlocks) {
    D = blocksOfOnlyLoop(Plan);
  }
  if (D.Why.empty() && !Plan.CarveoutPercent)
    D = blocksOfThrashingLoops(Plan);
  setBlocks(std::move(D), Plan);
}

/// Where loops thrash whose warps cannot take turns: the carveout with which
/// they fit, else M.
BlocksDecision ThrottlePlanner::blocksOfThrashingLoops(KernelPlan &Plan) {
  const bool MayChooseCarveout = mayChooseCarveout() && !isMeasured();
  if (!MayChooseCarveout && !Options.LimitBlocks)
    return {};
  BlocksDecision D;
  std::vector<ThrashingLoop> Loops = thrashingLoops(Plan);
  auto Throttled = llvm::find_if(
      Plan.Loops, [](const LoopPlan &L) { return L.WarpGroups > 1; });
  if (!Loops.empty() && Throttled != Plan.Loops.end())
    D.Why = formatv("the loop at {0} thrashes too, but N of the loop at {1} "
                    "is chosen for all blocks that fit",
                    Loops.front().Id.str(), Throttled->Id.str());
  else if (MayChooseCarveout &&
           setCarveout(planCarveout(Ledger, Loops, Thresholds), Plan))
    return {};
  else
    D = planResidentBlocks(Ledger, Loops, Options, Thresholds);
  return Options.LimitBlocks ? D : BlocksDecision();
}

bool ThrottlePlanner::mayChooseCarveout() const {
  return Options.ChooseCarveout && !Options.L1KiB;
}

/// The predicted carveout, with the turns that there are, or in place of
/// \p Blocks.
void ThrottlePlanner::chooseCarveout(BlocksDecision &Blocks, KernelPlan &Plan) {
  if (!mayChooseCarveout())
    return;
  llvm::ArrayRef<CarveoutPrediction> Predicted = Kernel.Carveouts;
  unsigned Throttled = 0;
  for (unsigned L = 0; L < Plan.Loops.size(); ++L)
    if (unsigned N = Plan.Loops[L].WarpGroups; N > 1) {
      ++Throttled;
      Predicted = {};
      for (const TurnsPrediction &T : Kernel.Loops[L].Measured.Turns)
        if (T.WarpGroups == N && Plan.Loops[L].ByLaunch.empty())
          Predicted = T.Carveouts;
    }
  if (Throttled > 1) // of turns at two loops nothing is predicted
    return;
  unsigned Resident = 0;
  for (const LaunchCase &Case : Cases)
    Resident = std::max(Resident, Case.States.front().Held.BlocksPerSM);
  CarveoutDecision D =
      predictedCarveout(Ledger, Predicted, Resident, Thresholds);
  if (Blocks.Blocks) { // M is for a carveout too: one of the two
    if (!D.Percent || !Ledger.weigh(takingOf(D), Thresholds.PredictedTie))
      return;
    Blocks = {};
  }
  setCarveout(std::move(D), Plan);
}

/// Is there one?
bool ThrottlePlanner::setCarveout(CarveoutDecision D, KernelPlan &Plan) {
  if (D.Percent)
    Ledger.weigh(takingOf(D), Thresholds.PredictedTie);
  Plan.CarveoutPercent = D.Percent;
  Plan.CarveoutWhy = std::move(D.Why);
  return D.Percent.has_value();
}

void ThrottlePlanner::setBlocks(BlocksDecision D, KernelPlan &Plan) {
  Plan.BlocksWhy = std::move(D.Why);
  if (!D.Blocks || !Ledger.weigh(takingOf(D), Thresholds.PredictedTie))
    return;
  Plan.ResidentBlocks = D.Blocks;
  Plan.ClaimedSharedBytes = D.Claim.Bytes;
  Plan.CarveoutPercent = D.Claim.CarveoutPercent;
}
