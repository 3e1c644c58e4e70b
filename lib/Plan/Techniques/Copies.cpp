// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Structs that are read whole before they are written.

#include "Unplanned.h"

using namespace llvm;
using namespace sluice;

static constexpr OptionSpec Specs[] = {autoOrOff<&Options::Copies>(
    "copies",
    "read a struct whole before it is written elsewhere, by accesses as wide "
    "as its alignment allows")};

static constexpr PlantedFault Planted[] = {
    {"short-copy", [](Options &Opts) { Opts.Wrong = WrongRewrite::ShortCopy; }},
};

static constexpr UnplannedTraits Traits = {Specs,
                                           Planted,
                                           &Options::Copies,
                                           "read-first",
                                           12,
                                           &KernelPlan::ReadFirst,
                                           {"sluice-copies", PassStage::Last}};

const Technique &sluice::copiesTechnique() {
  static const auto Row = makeUnplanned(Traits);
  return *Row;
}
