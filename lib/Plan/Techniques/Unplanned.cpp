// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Unplanned.h"
#include "llvm/Support/YAMLTraits.h"

using namespace llvm;
using namespace sluice;

namespace {

class UnplannedTechnique final : public Technique {
public:
  explicit UnplannedTechnique(const UnplannedTraits &T) : T(T) {}
  StringLiteral name() const override { return T.Specs.front().Key; }
  unsigned changes() const override { return Kernel; }

  ArrayRef<OptionSpec> options() const override { return T.Specs; }
  bool isOn(const Options &Opts) const override { return Opts.*T.Switch; }
  bool needsFacts(const Options &) const override { return false; }
  void switchOff(Options &Opts) const override { Opts.*T.Switch = false; }
  ArrayRef<PlantedFault> faults() const override { return T.Planted; }

  unsigned newestVersion() const override { return T.Version; }
  unsigned versionOf(const KernelPlan &K) const override {
    return K.*T.Answer ? T.Version : 1;
  }
  void mapKernel(yaml::IO &YAML, KernelPlan &K) const override {
    YAML.mapOptional(T.Key.data(), K.*T.Answer);
  }
  void takeGiven(const KernelPlan *Given, const KernelFacts &Facts,
                 KernelPlan &Ours) const override {
    if (!Facts.Off && Given) // the source has the last word
      Ours.*T.Answer = Given->*T.Answer;
  }
  void forget(KernelPlan &K) const override { (K.*T.Answer).reset(); }

  TechniquePass pass() const override { return T.Pass; }

private:
  const UnplannedTraits &T;
};

} // namespace

std::unique_ptr<Technique>
sluice::makeUnplanned(const UnplannedTraits &Traits) {
  return std::make_unique<UnplannedTechnique>(Traits);
}
