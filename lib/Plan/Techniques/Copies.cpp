// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Structs that are read whole before they are written.

#include "Unplanned.h"

using namespace llvm;
using namespace sluice;

static constexpr OptionSpec Specs[] = {
    {"copies", "auto|off", "auto", "auto or off",
     "read a struct whole before it is written elsewhere, by accesses as wide "
     "as its alignment allows",
     [](StringRef Value, Options &Result) {
       Result.Copies = Value == "auto";
       return check(Value == "auto" || Value == "off");
     }},
};

static constexpr PlantedFault Planted[] = {
    {"short-copy", [](Options &Opts) { Opts.Wrong = WrongRewrite::ShortCopy; }},
};

static const UnplannedTraits Traits = {"copying of structs",
                                       Specs,
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
