// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CUDA's atomic functions with the order and scope that CUDA says, where clang
// gives them more. There is nothing to choose, so nothing is planned; a plan
// may keep it from a kernel.

#include "Unplanned.h"

using namespace llvm;
using namespace sluice;

static constexpr OptionSpec Specs[] = {autoOrOff<&Options::Atomics>(
    "atomics",
    "let atomicCAS have the order and scope that CUDA says, without the "
    "fences of clang")};

static constexpr PlantedFault Planted[] = {
    {"narrow-scope",
     [](Options &Opts) { Opts.Wrong = WrongRewrite::NarrowScope; }},
    {"every-exchange",
     [](Options &Opts) { Opts.Wrong = WrongRewrite::EveryExchange; }},
};

static constexpr UnplannedTraits Traits = {Specs,
                                           Planted,
                                           &Options::Atomics,
                                           "relax-atomics",
                                           10,
                                           &KernelPlan::RelaxAtomics,
                                           {"sluice-atomics", PassStage::Last}};

const Technique &sluice::atomicsTechnique() {
  static const auto Row = makeUnplanned(Traits);
  return *Row;
}
