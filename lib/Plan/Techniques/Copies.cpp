// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Structs that are read whole before they are written. There is nothing to
// choose, so nothing is planned; a plan may keep it from a kernel.

#include "sluice/Plan/Technique.h"
#include "llvm/Support/YAMLTraits.h"

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

namespace {

class CopiesTechnique final : public Technique {
public:
  StringLiteral name() const override { return "copies"; }
  StringLiteral title() const override { return "copying of structs"; }
  unsigned changes() const override { return Kernel; }

  ArrayRef<OptionSpec> options() const override { return Specs; }
  bool isOn(const Options &Opts) const override { return Opts.Copies; }
  /// Its pass sees by itself what a copy is.
  bool needsFacts(const Options &) const override { return false; }
  void switchOff(Options &Opts) const override { Opts.Copies = false; }
  ArrayRef<PlantedFault> faults() const override { return Planted; }

  unsigned newestVersion() const override { return 12; }
  unsigned versionOf(const KernelPlan &K) const override {
    return K.ReadFirst ? 12 : 1;
  }
  void mapKernel(yaml::IO &YAML, KernelPlan &K) const override {
    YAML.mapOptional("read-first", K.ReadFirst);
  }
  void takeGiven(const KernelPlan *Given, const KernelFacts &Facts,
                 KernelPlan &Ours) const override {
    if (!Facts.Off && Given) // the source has the last word
      Ours.ReadFirst = Given->ReadFirst;
  }
  void forget(KernelPlan &K) const override { K.ReadFirst.reset(); }

  TechniquePass pass() const override {
    return {"sluice-copies", PassStage::Last};
  }
};

} // namespace

const Technique &sluice::copiesTechnique() {
  static const CopiesTechnique Row;
  return Row;
}
