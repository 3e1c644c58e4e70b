// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// What can be chosen about a kernel, and the plans that these choices span.

#ifndef SLUICE_TUNING_SEARCHSPACE_H
#define SLUICE_TUNING_SEARCHSPACE_H

#include "sluice/Plan/Plan.h"
#include "sluice/Target/GPUModel.h"
#include <functional>

namespace sluice {

/// One thing to choose.
struct Choice {
  std::string Name; ///< "throttle gesummv.cu:27:5"; with a value, unique.
  /// In an order in which neighbours behave alike. The first is what a kernel
  /// without a plan has.
  std::vector<std::string> Values;
  unsigned Planned = 0; ///< Index of what the static plan has.
  /// Whether it is in the kernel's code (else it is said at the launch).
  bool IsInCode = true;
  std::function<void(KernelPlan &, unsigned Index)> Set;
};

/// An index into the values of each choice.
using Point = std::vector<unsigned>;

struct SearchSpace {
  KernelPlan Static; ///< The plan that the planners made.
  std::vector<Choice> Choices;

  Point untuned() const { return Point(Choices.size(), 0); }
  Point planned() const;
  uint64_t size() const; ///< Number of points; saturates.
  KernelPlan at(const Point &P) const;
  /// What the point chooses other than the untuned: "throttle f.cu:3:5=4
  /// carveout=50"; empty for the untuned point. Equal texts, equal plans.
  std::string describe(const Point &P) const;
  /// The point of a text that describe() made; none if it is of another space.
  std::optional<Point> parse(llvm::StringRef Text) const;
  /// All points, the untuned one first.
  std::vector<Point> all() const;
  /// Points that differ in one choice by one step.
  std::vector<Point> neighbours(const Point &P) const;
};

/// The choices that all transforms have about \p Kernel. A transform adds its
/// own by one line in SearchSpace.cpp.
SearchSpace searchSpace(const KernelPlan &Kernel, const GPUModel &GPU);

} // namespace sluice

#endif
