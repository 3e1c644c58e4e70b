// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads in flight: iterations of a loop are taken together, so that their loads
// are on their way together. Its planner is LoadsInFlightPlanner.cpp.

#include "Unplanned.h"
#include "sluice/Analysis/YAMLScalars.h"
#include "sluice/Plan/LoadsInFlightPlanner.h"
#include "sluice/Plan/PlanningContext.h"
#include "sluice/Plan/Technique.h"
#include "sluice/Target/CriticalPoints.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace sluice;

static constexpr OptionSpec Specs[] = {
    {"loads-in-flight", "auto|off|N", "auto",
     "auto, off, or N (a number of iterations from 2 to 64)",
     "take several iterations of a loop together, so that their loads are on "
     "their way together; N: of each loop where that can be",
     [](StringRef Value, Options &Result) {
       Result.LoadsInFlight = Value != "off";
       Result.ForcedUnroll.reset();
       if (Value == "auto" || Value == "off")
         return ParseResult::OK;
       uint64_t N;
       if (!parseNumber(Value, 2, MostUnrolled, N))
         return ParseResult::Bad;
       Result.ForcedUnroll = unsigned(N);
       return ParseResult::OK;
     }},
    autoOrOff<&Options::ConditionsFirst>(
        "conditions-first",
        "conditions that do not change in a loop, and that all threads decide "
        "alike, are asked before it"),
};

static constexpr PlantedFault Planted[] = {
    {"unrolled-product",
     [](Options &Opts) { Opts.Wrong = WrongRewrite::UnrolledProduct; }},
    {"one-more-stride",
     [](Options &Opts) { Opts.Wrong = WrongRewrite::OneMoreStride; }},
    {"any-place", [](Options &Opts) { Opts.Wrong = WrongRewrite::AnyPlace; }},
    {"swapped-bodies",
     [](Options &Opts) { Opts.Wrong = WrongRewrite::SwappedBodies; }},
};

/// Of kernels whose blocks are so few that a thread may have what one of the
/// largest block can have: where it takes no more by itself.
static void findLoadRegisters(PlanningContext &Context) {
  const unsigned Most =
      mostRegisters(Context.GPU, MostThreadsPerBlock, /*Blocks=*/1);
  std::vector<size_t> Small;
  for (auto [Number, Work] : enumerate(Context.Kernels)) {
    const KernelFacts &Facts = Work.Facts;
    const auto Threads = threadsOnSM(Work.Plan, Context.GPU);
    if (Threads && *Threads * Most <= Context.GPU.Registers && !Facts.Off &&
        !Facts.MaxThreadsPerBlock && !Facts.MaxRegisters &&
        any_of(zip(Facts.Loops, Work.Plan.Loops), [](const auto &Both) {
          return !std::get<0>(Both).Accesses.empty() &&
                 !keepsLinesOrRows(std::get<1>(Both));
        }))
      Small.push_back(Number);
  }
  if (Small.empty() || !Context.OwnRegisters)
    return;
  for (auto [Work, Own] :
       zip_equal(Context.Kernels, Context.OwnRegisters(Small)))
    if (Own && Own->Count <= Most)
      Work.Plan.LoadRegisters = Most;
}

namespace {

class LoadsInFlightTechnique final : public Technique {
public:
  StringLiteral name() const override { return "loads-in-flight"; }
  unsigned changes() const override { return Kernel; }

  ArrayRef<OptionSpec> options() const override { return Specs; }
  bool isOn(const Options &Opts) const override { return Opts.LoadsInFlight; }
  ArrayRef<PlantedFault> faults() const override { return Planted; }
  void switchOff(Options &Opts) const override { Opts.LoadsInFlight = false; }

  unsigned newestVersion() const override { return 23; }
  unsigned versionOf(const KernelPlan &K) const override {
    if (K.ConditionsFirst)
      return 23;
    const bool IsUsed =
        K.LoadRegisters ||
        any_of(K.Loops, [](const LoopPlan &L) { return L.Unroll; });
    return IsUsed ? 12 : 1;
  }
  void mapKernel(yaml::IO &YAML, KernelPlan &K) const override {
    YAML.mapOptional("load-registers", K.LoadRegisters, 0U);
    YAML.mapOptional("conditions-first", K.ConditionsFirst);
  }
  void mapLoop(yaml::IO &YAML, LoopPlan &L) const override {
    YAML.mapOptional("unroll", L.Unroll, 0U);
    YAML.mapOptional("unroll-why", L.UnrollWhy, std::string());
  }
  std::string faultInLoop(const LoopPlan &L) const override {
    static_assert(MostUnrolled == 64, "the message names the limit");
    return L.Unroll <= MostUnrolled ? "" : "unroll must be a number up to 64";
  }
  void takeGiven(const KernelPlan *Given, const KernelFacts &Facts,
                 KernelPlan &Ours) const override {
    if (Facts.Off)
      return; // the source has the last word
    static_cast<LoadsInKernelPlan &>(Ours) =
        Given ? LoadsInKernelPlan(*Given) : LoadsInKernelPlan();
    for (LoopPlan &Loop : Ours.Loops)
      if (const LoopPlan *L = findLoop(Given, Loop.Id); L && L->Unroll) {
        Loop.Unroll = L->Unroll;
        Loop.UnrollWhy = "the given plan says so";
      }
  }
  void forget(KernelPlan &K) const override {
    static_cast<LoadsInKernelPlan &>(K) = {};
    for (LoopPlan &L : K.Loops)
      static_cast<LoadsInFlightPlan &>(L) = {};
  }

  void plan(PlanningContext &Context) const override {
    if (!isOn(Context.Opts) || !Context.Opts.PlanFile.empty())
      return;
    for (KernelToPlan &Work : Context.Kernels)
      planRowsReadAgain(Work.Facts, Work.Plan);
    findLoadRegisters(Context);
  }
  TechniquePass pass() const override {
    return {"sluice-loads-in-flight", PassStage::BeforeUnrolling};
  }
};

} // namespace

const Technique &sluice::loadsInFlightTechnique() {
  static const LoadsInFlightTechnique Row;
  return Row;
}
