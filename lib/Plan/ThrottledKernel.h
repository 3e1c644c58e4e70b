// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Plans one kernel: N of its loops in ThrottlePlanner.cpp, then M and the
/// carveout in ThrottledBlocks.cpp.

#ifndef SLUICE_LIB_PLAN_THROTTLEDKERNEL_H
#define SLUICE_LIB_PLAN_THROTTLEDKERNEL_H

#include "LaunchCases.h"
#include "LaunchWishes.h"
#include "ThrottleDecision.h"
#include "sluice/Plan/Carveout.h"
#include "sluice/Plan/LaunchTable.h"
#include "sluice/Plan/ResidentBlocks.h"
#include "sluice/Plan/ResourceLedger.h"
#include "sluice/Plan/ThrottlePlanner.h"

namespace sluice {

class ThrottlePlanner {
public:
  ThrottlePlanner(const KernelFacts &Kernel, const GPUModel &GPU,
                  const RegisterFact &Registers, const ThrottleOptions &Options,
                  const ThrottleThresholds &Thresholds,
                  LoopFootprints &Footprints)
      : Kernel(Kernel), GPU(GPU), Registers(Registers), Options(Options),
        Thresholds(Thresholds), Decider(Kernel, GPU, Options, Thresholds),
        Footprints(Footprints),
        Ledger(Kernel, GPU, Registers.Count, Options.SMs, Options.L1KiB) {}

  KernelPlan plan();

private:
  // ThrottlePlanner.cpp
  LaunchPlan launchPlan(const LaunchCase &Case) const;
  LoopPlan planLoop(unsigned LoopIndex);
  Decision decideState(unsigned LoopIndex, const LaunchState &State,
                       GridSteps &Steps);
  Decision decideCase(unsigned LoopIndex, const LaunchCase &Case,
                      LoopPlan &Plan, std::vector<Wish> &Wishes);
  LoopPlan planForced(unsigned LoopIndex, LoopPlan Plan);
  void setTable(unsigned LoopIndex, LaunchTable Table, LoopPlan &Plan);
  std::string refusalOf(unsigned LoopIndex) const;
  void heedRegion(unsigned LoopIndex, LoopPlan &Plan);
  void describeAccesses(const LoopFootprint &Footprint, LoopPlan &Plan) const;
  void settleNests(KernelPlan &Plan);
  std::string heldUp(unsigned LoopIndex, const KernelPlan &Plan) const;
  void settleBranches(KernelPlan &Plan);
  void settleRegions(KernelPlan &Plan);
  bool suitsAll(const LaunchTable &Table) const;

  // ThrottledBlocks.cpp
  std::vector<ThrashingLoop> thrashingLoops(const KernelPlan &Plan);
  void limitBlocks(KernelPlan &Plan);
  BlocksDecision blocksOfThrashingLoops(KernelPlan &Plan);
  bool isMeasured() const;
  ThrashingLoop thrashingLoop(unsigned LoopIndex, const LaunchState &State,
                              const LoopFootprint &Footprint) const;
  void replaceTurns(unsigned Blocks, llvm::StringRef Because, KernelPlan &Plan);
  BlocksDecision predictedBlocks(KernelPlan &Plan);
  std::optional<unsigned> onlyLoop(const KernelPlan &Plan) const;
  BlocksDecision blocksOfOnlyLoop(KernelPlan &Plan);
  bool mayChooseCarveout() const;
  void chooseCarveout(BlocksDecision &Blocks, KernelPlan &Plan);
  void setBlocks(BlocksDecision D, KernelPlan &Plan);
  bool setCarveout(CarveoutDecision D, KernelPlan &Plan);

  const KernelFacts &Kernel;
  const GPUModel &GPU;
  const RegisterFact &Registers;
  const ThrottleOptions &Options;
  const ThrottleThresholds &Thresholds;
  const ThrottleDecider Decider;
  std::vector<LaunchCase> Cases;
  std::vector<LaunchTable> Tables; ///< By loop.
  /// By loop: it has no turns because of what is beside it.
  std::vector<bool> HoldsUp;
  LoopFootprints &Footprints;
  ResourceLedger Ledger;
};

} // namespace sluice

#endif
