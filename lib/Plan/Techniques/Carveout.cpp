// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The split of the on-chip memory into L1 and shared memory, asked for at the
// launch. It is decided with the turns (Throttle.cpp).

#include "sluice/Analysis/YAMLScalars.h"
#include "sluice/Plan/Technique.h"

using namespace llvm;
using namespace sluice;

static constexpr OptionSpec Specs[] = {
    {"carveout", "auto|off", "auto", "auto or off",
     "choose the split of the on-chip memory into L1 and shared memory where "
     "the driver's is predicted to be slower",
     [](StringRef Value, Options &Result) {
       Result.Carveout = Value != "off";
       return check(Value == "auto" || Value == "off");
     }},
};

namespace {

/// A number from 0 to 100.
struct Percentage {
  unsigned Value;
};

} // namespace

namespace llvm::yaml {

template <> struct ScalarTraits<Percentage> {
  static void output(const Percentage &P, void *, raw_ostream &OS) {
    OS << P.Value;
  }
  static StringRef input(StringRef Text, void *, Percentage &P) {
    if (Text.getAsInteger(10, P.Value) || P.Value > 100)
      return "carveout is a percentage from 0 to 100";
    return "";
  }
  static QuotingType mustQuote(StringRef) { return QuotingType::None; }
};

} // namespace llvm::yaml

/// The share of the on-chip memory that is asked for as shared memory, one for
/// each size the hardware has. A kernel's own need is met whatever is asked
/// for.
static std::vector<Choice> carveouts(const KernelPlan &Kernel,
                                     const GPUModel &GPU) {
  Choice C;
  C.Name = "carveout";
  C.Goes = Choice::AtLaunch;
  C.Values.push_back("default");
  std::vector<unsigned> Percents;
  for (unsigned KiB : GPU.CarveoutKiB) {
    if (Kernel.CarveoutPercent && !Kernel.ResidentBlocks &&
        KiB == GPU.carveoutOfPercent(*Kernel.CarveoutPercent))
      C.Planned = C.Values.size();
    Percents.push_back(GPU.percentOfCarveout(KiB));
    C.Values.push_back(std::to_string(Percents.back()));
  }
  C.Set = [Percents](KernelPlan &K, unsigned Index) {
    K.CarveoutPercent.reset();
    if (Index)
      K.CarveoutPercent = Percents[Index - 1];
  };
  return {C};
}

namespace {

class CarveoutTechnique final : public Technique {
public:
  StringLiteral name() const override { return "carveout"; }
  unsigned changes() const override { return Host; }

  ArrayRef<OptionSpec> options() const override { return Specs; }
  bool isOn(const Options &Opts) const override {
    return Opts.Throttle && Opts.Carveout;
  }
  void switchOff(Options &Opts) const override { Opts.Carveout = false; }
  StringLiteral saidByPlans() const override { return "carveouts"; }
  bool isSaidByOptions(const Options &Opts) const override {
    return !Opts.Carveout;
  }

  unsigned newestVersion() const override { return 5; }
  unsigned versionOf(const KernelPlan &K) const override {
    return K.CarveoutWhy.empty() ? 1 : 5;
  }
  void mapKernel(yaml::IO &YAML, KernelPlan &K) const override {
    mapOptionalAs<Percentage>(YAML, "carveout", K.CarveoutPercent);
    YAML.mapOptional("carveout-why", K.CarveoutWhy, std::string());
  }
  /// The host compile sets it; emit-plan= must not lose it.
  void takeGiven(const KernelPlan *Given, const KernelFacts &,
                 KernelPlan &Ours) const override {
    forget(Ours);
    if (Given)
      Ours.CarveoutPercent = Given->CarveoutPercent;
  }
  void forget(KernelPlan &K) const override {
    K.CarveoutPercent.reset();
    K.CarveoutWhy.clear();
  }

  TechniquePass pass() const override {
    return {"sluice-host-record", PassStage::Start};
  }
  std::vector<Choice> knobs(const KernelPlan &K,
                            const GPUModel &GPU) const override {
    return carveouts(K, GPU);
  }
};

} // namespace

const Technique &sluice::carveoutTechnique() {
  static const CarveoutTechnique Row;
  return Row;
}
