// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cache hints of global loads: what the L1 and the L2 keep.

#include "AsSimulated.h"
#include "sluice/Analysis/Profile.h"
#include "sluice/Analysis/YAMLScalars.h"
#include "sluice/Plan/HintPlanner.h"
#include "sluice/Plan/Technique.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace sluice;

static constexpr OptionSpec Specs[] = {
    {"hints", "auto|off|profile", "auto", "auto, off, or profile",
     "choose cache hints for global loads; profile: demand one",
     [](StringRef Value, Options &Result) {
       Result.Hints = Value != "off";
       Result.HintsNeedProfile = Value == "profile";
       return check(Value == "auto" || Value == "off" || Value == "profile");
     }},
    {"test-hints", "SEED", "none", "a number of 64 bits",
     "put random cache hints on the loads that no plan lists",
     [](StringRef Value, Options &Result) {
       uint64_t Seed;
       if (!parseNumber(Value, 0, UINT64_MAX, Seed))
         return ParseResult::Bad;
       Result.RandomHints = Seed;
       return ParseResult::OK;
     },
     /*Repeatable=*/false, /*Hidden=*/true},
};

static constexpr PlantedFault Planted[] = {
    {"unproven-nc",
     [](Options &Opts) { Opts.Wrong = WrongRewrite::UnprovenNC; }},
};

LLVM_YAML_IS_SEQUENCE_VECTOR(sluice::LoadPlan)

namespace llvm::yaml {

template <> struct MappingTraits<LoadPlan> {
  static void mapping(IO &YAML, LoadPlan &Load) {
    YAML.mapRequired("load", Load.Id.Place);
    YAML.mapOptional("inlined-at", Load.Id.InlinedAt);
    mapRequiredAs<HintText>(YAML, "hint", Load.Hint);
    YAML.mapOptional("why", Load.Why, std::string());
  }
};

} // namespace llvm::yaml

/// What each load asks of the caches.
static void chooseHints(PlanningContext &Context) {
  for (KernelToPlan &Work : Context.Kernels) {
    if (Work.Facts.Off)
      continue;
    HintDecision D = Work.Measured
                         ? planHints(*Work.Measured, runsAsSimulated(Work))
                         : planStaticHints(Work.Facts);
    if (D.Why.empty())
      continue;
    Context.Remarks.push_back({Remark::Analysis,
                               D.Loads.empty() ? "NoHints" : "Hints",
                               Work.Facts.Name, Work.Facts.Place, D.Why,
                               /*Location=*/0, "sluice-cache-hints"});
    Work.Plan.Loads = std::move(D.Loads);
  }
}

namespace {

class HintsTechnique final : public Technique {
public:
  StringLiteral name() const override { return "hints"; }
  unsigned changes() const override { return Kernel; }

  ArrayRef<OptionSpec> options() const override { return Specs; }
  bool isOn(const Options &Opts) const override {
    return Opts.Hints || Opts.RandomHints;
  }
  bool needsFacts(const Options &Opts) const override { return Opts.Hints; }
  void switchOff(Options &Opts) const override { Opts.Hints = false; }
  StringLiteral saidByPlans() const override { return "hints"; }
  bool isSaidByOptions(const Options &Opts) const override {
    return !Opts.Hints;
  }
  ArrayRef<PlantedFault> faults() const override { return Planted; }

  unsigned newestVersion() const override { return 4; }
  unsigned versionOf(const KernelPlan &K) const override {
    return K.Loads.empty() ? 1 : 4;
  }
  void mapLists(yaml::IO &YAML, KernelPlan &K) const override {
    YAML.mapOptional("loads", K.Loads);
  }
  std::string faultInKernel(const KernelPlan &K) const override {
    return entryThatIsTwice(K.Loads, "load");
  }
  void takeGiven(const KernelPlan *Given, const KernelFacts &Facts,
                 KernelPlan &Ours) const override {
    Ours.Loads.clear();
    if (Given && !Facts.Off) // the source has the last word
      Ours.Loads = Given->Loads;
  }
  void forget(KernelPlan &K) const override { K.Loads.clear(); }

  void plan(PlanningContext &Context) const override {
    if (Context.Opts.Hints && Context.Opts.PlanFile.empty())
      chooseHints(Context);
  }
  TechniquePass pass() const override {
    return {"sluice-cache-hints", PassStage::Last, "<quiet>",
            "<quiet;link-makes-code>"};
  }
};

} // namespace

const Technique &sluice::hintsTechnique() {
  static const HintsTechnique Row;
  return Row;
}
