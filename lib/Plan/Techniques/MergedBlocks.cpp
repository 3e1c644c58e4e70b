// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Small blocks that are launched several as one.

#include "Unplanned.h"

using namespace llvm;
using namespace sluice;

static constexpr OptionSpec Specs[] = {autoOrOff<&Options::MergeBlocks>(
    "merge-blocks",
    "large grids of small blocks are launched as fewer, larger blocks")};

static constexpr PlantedFault Planted[] = {
    {"one-block", [](Options &Opts) { Opts.Wrong = WrongRewrite::OneBlock; }},
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
