// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CUDA's atomic functions with the order and scope that CUDA says, where clang
// gives them more. There is nothing to choose, so nothing is planned; a plan
// may keep it from a kernel.

#include "sluice/Plan/Technique.h"
#include "llvm/Support/YAMLTraits.h"

using namespace llvm;
using namespace sluice;

static constexpr OptionSpec Specs[] = {
    {"atomics", "auto|off", "auto", "auto or off",
     "let atomicCAS have the order and scope that CUDA says, without the "
     "fences of clang",
     [](StringRef Value, Options &Result) {
       Result.Atomics = Value == "auto";
       return check(Value == "auto" || Value == "off");
     }},
};

static constexpr PlantedFault Planted[] = {
    {"narrow-scope",
     [](Options &Opts) { Opts.Wrong = WrongRewrite::NarrowScope; }},
    {"every-exchange",
     [](Options &Opts) { Opts.Wrong = WrongRewrite::EveryExchange; }},
};

namespace {

class AtomicsTechnique final : public Technique {
public:
  StringLiteral name() const override { return "atomics"; }
  StringLiteral title() const override { return "relaxing of atomics"; }
  unsigned changes() const override { return Kernel; }

  ArrayRef<OptionSpec> options() const override { return Specs; }
  bool isOn(const Options &Opts) const override { return Opts.Atomics; }
  /// Its pass sees by itself what a function of CUDA's is.
  bool needsFacts(const Options &) const override { return false; }
  void switchOff(Options &Opts) const override { Opts.Atomics = false; }
  ArrayRef<PlantedFault> faults() const override { return Planted; }

  unsigned newestVersion() const override { return 10; }
  unsigned versionOf(const KernelPlan &K) const override {
    return K.RelaxAtomics ? 10 : 1;
  }
  void mapKernel(yaml::IO &YAML, KernelPlan &K) const override {
    YAML.mapOptional("relax-atomics", K.RelaxAtomics);
  }
  void takeGiven(const KernelPlan *Given, const KernelFacts &Facts,
                 KernelPlan &Ours) const override {
    if (!Facts.Off && Given) // the source has the last word
      Ours.RelaxAtomics = Given->RelaxAtomics;
  }
  void forget(KernelPlan &K) const override { K.RelaxAtomics.reset(); }

  TechniquePass pass() const override {
    return {"sluice-atomics", PassStage::Last};
  }
};

} // namespace

const Technique &sluice::atomicsTechnique() {
  static const AtomicsTechnique Row;
  return Row;
}
