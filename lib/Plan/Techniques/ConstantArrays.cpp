// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays in constant memory that are read through the L1.

#include "Unplanned.h"

using namespace llvm;
using namespace sluice;

static constexpr OptionSpec Specs[] = {autoOrOff<&Options::ConstantArrays>(
    "constant-arrays",
    "read arrays in constant memory through the L1, where the caches for "
    "constants would miss or serve lane after lane")};

static constexpr PlantedFault Planted[] = {
    {"skewed-array",
     [](Options &Opts) { Opts.Wrong = WrongRewrite::SkewedArray; }},
};

static constexpr UnplannedTraits Traits = {
    Specs,
    Planted,
    &Options::ConstantArrays,
    "constants-through-l1",
    17,
    &KernelPlan::ConstantsThroughL1,
    {"sluice-constant-arrays", PassStage::Last}};

const Technique &sluice::constantArraysTechnique() {
  static const auto Row = makeUnplanned(Traits);
  return *Row;
}
