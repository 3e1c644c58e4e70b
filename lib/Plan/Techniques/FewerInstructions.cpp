// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The same results by fewer instructions.

#include "Unplanned.h"

using namespace llvm;
using namespace sluice;

static constexpr OptionSpec Specs[] = {
    autoOrOff<&Options::FewerInstructions>(
        "fewer-instructions",
        "sums with a sign, SIMD intrinsics, choices in loops, equal calls and "
        "small arrays by fewer instructions, with the same results"),
    autoOrOff<&Options::InlineCalls>(
        "inline-calls",
        "inline functions that a kernel calls once, if it then has fewer "
        "instructions; with fewer-instructions=auto")};

static constexpr PlantedFault Planted[] = {
    {"lost-factor",
     [](Options &Opts) { Opts.Wrong = WrongRewrite::LostFactor; }},
    {"carried-lane",
     [](Options &Opts) { Opts.Wrong = WrongRewrite::CarriedLane; }},
    {"swapped-choice",
     [](Options &Opts) { Opts.Wrong = WrongRewrite::SwappedChoice; }},
    {"other-constant",
     [](Options &Opts) { Opts.Wrong = WrongRewrite::OtherConstant; }},
    {"other-call", [](Options &Opts) { Opts.Wrong = WrongRewrite::OtherCall; }},
    {"passed-store",
     [](Options &Opts) { Opts.Wrong = WrongRewrite::PassedStore; }},
    {"other-way", [](Options &Opts) { Opts.Wrong = WrongRewrite::OtherWay; }},
    {"other-offset",
     [](Options &Opts) { Opts.Wrong = WrongRewrite::OtherOffset; }},
    {"late-end", [](Options &Opts) { Opts.Wrong = WrongRewrite::LateEnd; }},
    {"other-piece",
     [](Options &Opts) { Opts.Wrong = WrongRewrite::OtherPiece; }},
    {"other-copy", [](Options &Opts) { Opts.Wrong = WrongRewrite::OtherCopy; }},
    {"lost-condition",
     [](Options &Opts) { Opts.Wrong = WrongRewrite::LostCondition; }},
    {"other-byte", [](Options &Opts) { Opts.Wrong = WrongRewrite::OtherByte; }},
    {"swapped-halves",
     [](Options &Opts) { Opts.Wrong = WrongRewrite::SwappedHalves; }},
    {"read-store", [](Options &Opts) { Opts.Wrong = WrongRewrite::ReadStore; }},
    {"lost-case", [](Options &Opts) { Opts.Wrong = WrongRewrite::LostCase; }},
    {"other-arm", [](Options &Opts) { Opts.Wrong = WrongRewrite::OtherArm; }},
    {"mixed-pair", [](Options &Opts) { Opts.Wrong = WrongRewrite::MixedPair; }},
    {"other-start",
     [](Options &Opts) { Opts.Wrong = WrongRewrite::OtherStart; }},
    {"other-base", [](Options &Opts) { Opts.Wrong = WrongRewrite::OtherBase; }},
    {"wrong-next", [](Options &Opts) { Opts.Wrong = WrongRewrite::WrongNext; }},
    {"other-quotient",
     [](Options &Opts) { Opts.Wrong = WrongRewrite::OtherQuotient; }},
    {"next-constant",
     [](Options &Opts) { Opts.Wrong = WrongRewrite::NextConstant; }},
    {"rounded-anew",
     [](Options &Opts) { Opts.Wrong = WrongRewrite::RoundedAnew; }},
    {"store-anyway",
     [](Options &Opts) { Opts.Wrong = WrongRewrite::StoreAnyway; }},
    {"lost-first", [](Options &Opts) { Opts.Wrong = WrongRewrite::LostFirst; }},
    {"uneven-place",
     [](Options &Opts) { Opts.Wrong = WrongRewrite::UnevenPlace; }},
};

static constexpr UnplannedTraits Traits = {
    Specs,
    Planted,
    &Options::FewerInstructions,
    "fewer-instructions",
    20,
    &KernelPlan::FewerInstructions,
    {"sluice-fewer-instructions", PassStage::Last}};

const Technique &sluice::fewerInstructionsTechnique() {
  static const auto Row = makeUnplanned(Traits);
  return *Row;
}
