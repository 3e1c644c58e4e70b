// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Techniques that are known by name and not in this version: their options are
// checked, so that a build that names them goes on, and warned of.

#include "sluice/Plan/Technique.h"

using namespace llvm;
using namespace sluice;

namespace {

class AnnouncedTechnique final : public Technique {
public:
  AnnouncedTechnique(StringLiteral Title, const OptionSpec &Spec)
      : Title(Title), Spec(Spec) {}
  StringLiteral name() const override { return Spec.Key; }
  StringLiteral title() const override { return Title; }
  unsigned changes() const override { return Kernel; }
  ArrayRef<OptionSpec> options() const override { return Spec; }
  bool isInThisVersion() const override { return false; }
  bool isOn(const Options &) const override { return false; }
  void switchOff(Options &) const override {}

private:
  StringLiteral Title;
  const OptionSpec &Spec;
};

} // namespace

const Technique &sluice::sfuTechnique() {
  static constexpr OptionSpec Spec = {
      "sfu",
      "off|LAMBDA",
      "off",
      "off, or LAMBDA (a number of warps up to 32)",
      "let the warps below LAMBDA use the approximate SFU path",
      [](StringRef Value, Options &) {
        return check(Value == "off" || isNumber(Value, 0, MaxWarpsPerBlock));
      }};
  static const AnnouncedTechnique Row("warp-partitioned SFU branching", Spec);
  return Row;
}
