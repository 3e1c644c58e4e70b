// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Barriers, fences and locks that are for fewer threads than they wait for.

#include "Unplanned.h"

using namespace llvm;
using namespace sluice;

static constexpr OptionSpec Specs[] = {
    {"sync", "auto|all|off", "auto", "auto, all or off",
     "barriers of one warp and locks in shared memory cost no more than they "
     "must; all: fences of one block too",
     [](StringRef Value, Options &Result) {
       Result.Sync = Value != "off";
       Result.SyncFences = Value == "all";
       return check(Value == "auto" || Value == "all" || Value == "off");
     }}};

static constexpr PlantedFault Planted[] = {
    {"any-block", [](Options &Opts) { Opts.Wrong = WrongRewrite::AnyBlock; }},
    {"used-exchange",
     [](Options &Opts) { Opts.Wrong = WrongRewrite::UsedExchange; }},
};

static constexpr UnplannedTraits Traits = {Specs,
                                           Planted,
                                           &Options::Sync,
                                           "narrow-sync",
                                           19,
                                           &KernelPlan::NarrowSync,
                                           {"sluice-sync", PassStage::Last}};

const Technique &sluice::syncTechnique() {
  static const auto Row = makeUnplanned(Traits);
  return *Row;
}
