// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Local arrays that are kept in registers, by unrolling the loops over them.

#include "Unplanned.h"

using namespace llvm;
using namespace sluice;

static constexpr OptionSpec Specs[] = {
    autoOrOff<&Options::LocalArrays>(
        "local-arrays",
        "keep a thread's small arrays in registers, by unrolling the loops "
        "over them whole"),
    autoOrOff<&Options::WriteRounding>(
        "write-rounding",
        "write down which products clang fuses with sums, where a loop over "
        "small arrays could not be unrolled otherwise")};

static constexpr PlantedFault Planted[] = {
    {"summed-array",
     [](Options &Opts) { Opts.Wrong = WrongRewrite::SummedArray; }},
    {"other-struct",
     [](Options &Opts) { Opts.Wrong = WrongRewrite::OtherStruct; }},
};

static constexpr UnplannedTraits Traits = {
    Specs,
    Planted,
    &Options::LocalArrays,
    "arrays-in-registers",
    13,
    &KernelPlan::ArraysInRegisters,
    {"sluice-local-arrays", PassStage::BeforeUnrolling}};

const Technique &sluice::localArraysTechnique() {
  static const auto Row = makeUnplanned(Traits);
  return *Row;
}
