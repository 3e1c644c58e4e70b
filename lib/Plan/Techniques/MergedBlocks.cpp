// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Small blocks that are launched several as one.

#include "Unplanned.h"

using namespace llvm;
using namespace sluice;

static constexpr OptionSpec Specs[] = {
    {"merge-blocks", "auto|off|1|2|4|8", "auto", "auto, off, 1, 2, 4, or 8",
     "large grids are launched as fewer blocks that do more: several small "
     "ones "
     "as one, and as many as is said here, or as pays, by each thread",
     [](StringRef Value, Options &Result) {
       Result.MergeBlocks = Value != "off";
       const bool IsNumber = is_contained({"1", "2", "4", "8"}, Value);
       Result.BlocksTogether = IsNumber ? Value[0] - '0' : 0;
       return check(IsNumber || Value == "auto" || Value == "off");
     }},
};

static constexpr PlantedFault Planted[] = {
    {"one-block", [](Options &Opts) { Opts.Wrong = WrongRewrite::OneBlock; }},
    {"other-block",
     [](Options &Opts) { Opts.Wrong = WrongRewrite::OtherBlock; }},
};

static constexpr UnplannedTraits Traits = {
    Specs,
    Planted,
    &Options::MergeBlocks,
    "merged-blocks",
    24,
    &KernelPlan::MergesBlocks,
    {"sluice-merged-blocks", PassStage::Code}};

const Technique &sluice::mergedBlocksTechnique() {
  static const auto Row = makeUnplanned(Traits);
  return *Row;
}
