// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads before the stores that they do not depend on.

#include "Unplanned.h"

using namespace llvm;
using namespace sluice;

static constexpr OptionSpec Specs[] = {autoOrOff<&Options::EarlyLoads>(
    "early-loads",
    "move loads before stores that they do not depend on, so that they are on "
    "their way together")};

static constexpr PlantedFault Planted[] = {
    {"passed-alias",
     [](Options &Opts) { Opts.Wrong = WrongRewrite::PassedAlias; }},
};

static constexpr UnplannedTraits Traits = {
    Specs,
    Planted,
    &Options::EarlyLoads,
    "loads-first",
    18,
    &KernelPlan::LoadsFirst,
    {"sluice-early-loads", PassStage::Last}};

const Technique &sluice::earlyLoadsTechnique() {
  static const auto Row = makeUnplanned(Traits);
  return *Row;
}
