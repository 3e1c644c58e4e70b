// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads before the stores that they do not depend on, and loads of shared
// memory in the loops that need them.

#include "Unplanned.h"

using namespace llvm;
using namespace sluice;

static constexpr OptionSpec Specs[] = {
    {"early-loads", "auto|all|off", "auto", "auto, all, or off",
     "move loads before stores that they do not depend on, so that they are on "
     "their way together, and loads of shared memory back into loops that have "
     "too few registers for that; all: into every loop",
     [](StringRef Value, Options &Result) {
       Result.EarlyLoads = Value != "off";
       Result.AllLateLoads = Value == "all";
       return check(Value == "auto" || Value == "all" || Value == "off");
     }},
};

static constexpr PlantedFault Planted[] = {
    {"passed-alias",
     [](Options &Opts) { Opts.Wrong = WrongRewrite::PassedAlias; }},
    {"late-alias", [](Options &Opts) { Opts.Wrong = WrongRewrite::LateAlias; }},
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
