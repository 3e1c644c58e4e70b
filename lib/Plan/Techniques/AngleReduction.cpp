// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The angle of a sine and a cosine, reduced once and in registers.

#include "Unplanned.h"

using namespace llvm;
using namespace sluice;

static constexpr OptionSpec Specs[] = {autoOrOff<&Options::AngleReduction>(
    "angle-reduction",
    "reduce the angle of a sine and a cosine once, and without an array in "
    "local memory")};

static constexpr PlantedFault Planted[] = {
    {"other-word", [](Options &Opts) { Opts.Wrong = WrongRewrite::OtherWord; }},
    {"lost-offset",
     [](Options &Opts) { Opts.Wrong = WrongRewrite::LostOffset; }},
};

static constexpr UnplannedTraits Traits = {
    Specs,
    Planted,
    &Options::AngleReduction,
    "angles-once",
    20,
    &KernelPlan::AnglesOnce,
    {"sluice-angle-reduction", PassStage::Last}};

const Technique &sluice::angleReductionTechnique() {
  static const auto Row = makeUnplanned(Traits);
  return *Row;
}
