// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scalar promotion: what a loop adds up in memory stays in registers.

#include "sluice/Plan/PromotionPlanner.h"
#include "sluice/Plan/Technique.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/YAMLTraits.h"

using namespace llvm;
using namespace sluice;

static constexpr OptionSpec Specs[] = {
    {"promote", "on|off", "on", "on or off",
     "keep in registers what a loop adds up in memory, where it overlaps "
     "nothing else",
     [](StringRef Value, Options &Result) {
       Result.Promote = Value == "on";
       Result.PromoteIsGiven = true;
       return check(Value == "on" || Value == "off");
     }},
};

static constexpr PlantedFault Planted[] = {
    {"untested-overlap",
     [](Options &Opts) { Opts.Wrong = WrongRewrite::UntestedOverlap; }},
    {"unfused", [](Options &Opts) { Opts.Wrong = WrongRewrite::Unfused; }},
    {"reordered", [](Options &Opts) { Opts.Wrong = WrongRewrite::Reordered; }},
};

/// On or off, for each loop of which the plan says one of the two. On is what a
/// kernel without a plan has.
static std::vector<Choice> promotions(const KernelPlan &Kernel) {
  std::vector<Choice> Result;
  for (size_t L = 0; L < Kernel.Loops.size(); ++L) {
    const LoopPlan &Loop = Kernel.Loops[L];
    if (!Loop.Promote)
      continue;
    Choice C;
    C.Name = "promote " + Loop.Id.str();
    C.Values = {"on", "off"};
    C.Planned = *Loop.Promote ? 0 : 1;
    C.Set = [L](KernelPlan &K, unsigned Index) {
      K.Loops[L].Promote = Index == 0;
    };
    Result.push_back(std::move(C));
  }
  return Result;
}

namespace {

class PromotionTechnique final : public Technique {
public:
  StringLiteral name() const override { return "promote"; }
  unsigned changes() const override { return Kernel; }

  ArrayRef<OptionSpec> options() const override { return Specs; }
  bool isOn(const Options &Opts) const override { return Opts.Promote; }
  /// Its pass proves what it needs.
  bool needsFacts(const Options &) const override { return false; }
  void switchOff(Options &Opts) const override { Opts.Promote = false; }
  ArrayRef<PlantedFault> faults() const override { return Planted; }

  unsigned newestVersion() const override { return 6; }
  unsigned versionOf(const KernelPlan &K) const override {
    return any_of(K.Loops, [](const LoopPlan &L) { return L.Promote; }) ? 6 : 1;
  }
  void mapLoop(yaml::IO &YAML, LoopPlan &Loop) const override {
    YAML.mapOptional("promote", Loop.Promote);
    YAML.mapOptional("promote-why", Loop.PromoteWhy, std::string());
  }
  void takeGiven(const KernelPlan *Given, const KernelFacts &Facts,
                 KernelPlan &Ours) const override {
    if (Facts.Off)
      return; // the source has the last word
    for (LoopPlan &Loop : Ours.Loops)
      if (const LoopPlan *L = findLoop(Given, Loop.Id); L && L->Promote) {
        Loop.Promote = L->Promote;
        Loop.PromoteWhy = "the given plan says so";
      }
  }
  void forget(KernelPlan &K) const override {
    for (LoopPlan &L : K.Loops)
      L.Promote.reset();
  }

  void plan(PlanningContext &Context) const override {
    if (isOn(Context.Opts))
      for (KernelToPlan &Work : Context.Kernels)
        planPromotion(Work.Facts, Work.Plan);
  }
  TechniquePass pass() const override {
    return {"sluice-promote", PassStage::BeforeUnrolling, "<planned>"};
  }
  std::vector<Choice> knobs(const KernelPlan &K,
                            const GPUModel &) const override {
    return promotions(K);
  }
};

} // namespace

const Technique &sluice::promotionTechnique() {
  static const PromotionTechnique Row;
  return Row;
}
