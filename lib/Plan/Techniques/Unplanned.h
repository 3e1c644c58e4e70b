// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Techniques in which there is nothing to choose: their pass sees by itself
/// where it is to act, an option `auto|off` switches it, and a plan may keep it
/// from a kernel.

#ifndef SLUICE_LIB_PLAN_TECHNIQUES_UNPLANNED_H
#define SLUICE_LIB_PLAN_TECHNIQUES_UNPLANNED_H

#include "sluice/Plan/Technique.h"

namespace sluice {

/// The option of such a technique; \p Switch is a member of Options.
template <auto Switch>
constexpr OptionSpec autoOrOff(llvm::StringLiteral Key,
                               llvm::StringLiteral Help,
                               llvm::StringLiteral Default = "auto") {
  return {Key,
          "auto|off",
          Default,
          "auto or off",
          Help,
          [](llvm::StringRef Value, Options &Result) {
            Result.*Switch = Value == "auto";
            return check(Value == "auto" || Value == "off");
          }};
}

/// What distinguishes one from another.
struct UnplannedTraits {
  llvm::ArrayRef<OptionSpec> Specs;
  llvm::ArrayRef<PlantedFault> Planted;
  bool Options::*Switch;
  /// In a plan: the key, the version that has it first, and the kernel's
  /// answer, which is none but where the plan has the key.
  llvm::StringLiteral Key;
  unsigned Version;
  std::optional<bool> KernelPlan::*Answer;
  TechniquePass Pass;
};

/// One of \p Traits, which outlive it.
std::unique_ptr<Technique> makeUnplanned(const UnplannedTraits &Traits);

} // namespace sluice

#endif
