// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// A knob of the tuner: one thing that can be chosen about a kernel.

#ifndef SLUICE_PLAN_CHOICE_H
#define SLUICE_PLAN_CHOICE_H

#include "sluice/Plan/Plan.h"
#include <functional>

namespace sluice {

struct Choice {
  std::string Name; ///< "throttle gesummv.cu:27:5"; with a value, unique.
  /// In an order in which neighbours behave alike. The first is what a kernel
  /// without a plan has.
  std::vector<std::string> Values;
  unsigned Planned = 0; ///< Index of what the static plan has.
  /// Where a choice goes.
  enum Place {
    InCode,   ///< Into the kernel's code, which is the same if it is refused.
    AtLaunch, ///< Said at the launch, and never refused.
    InRecord, ///< Told to the host (HostRecord.h), if it is not refused.
  } Goes = InCode;
  /// The choice that has no say where this one is not at its first value.
  std::string Overrides;
  std::function<void(KernelPlan &, unsigned Index)> Set;
};

} // namespace sluice

#endif
