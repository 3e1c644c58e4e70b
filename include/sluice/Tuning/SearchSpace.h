// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// What can be chosen about a kernel, and the plans that these choices span.

#ifndef SLUICE_TUNING_SEARCHSPACE_H
#define SLUICE_TUNING_SEARCHSPACE_H

#include "sluice/Plan/Choice.h"
#include "sluice/Target/GPUModel.h"

namespace sluice {

/// An index into the values of each choice.
using Point = std::vector<unsigned>;

struct SearchSpace {
  KernelPlan Static; ///< The plan that the planners made.
  std::vector<Choice> Choices;

  Point untuned() const { return Point(Choices.size(), 0); }
  Point planned() const;
  uint64_t size() const; ///< Number of points; saturates.
  /// \p P with choices that have no say at their first values: the point that
  /// stands for all with its plan.
  Point canonical(Point P) const;
  /// N for every loop, or the largest that a loop can have below it, and M
  /// blocks on an SM if these are fewer than there would be; M=0: no limit.
  Point fixed(unsigned WarpGroups, unsigned ResidentBlocks) const;
  std::vector<unsigned> factors() const;     ///< N that some loop can have.
  std::vector<unsigned> blockLimits() const; ///< M, without "all".
  KernelPlan at(const Point &P) const;
  /// What the point chooses other than the untuned: "throttle f.cu:3:5=4
  /// carveout=50"; empty for the untuned point. Equal texts, equal plans.
  std::string describe(const Point &P) const;
  /// The point of a text that describe() made; none if it is of another space.
  std::optional<Point> parse(llvm::StringRef Text) const;
  /// All points that are canonical, the untuned one first.
  std::vector<Point> all() const;
  /// Canonical points that differ in one choice by one step.
  std::vector<Point> neighbours(const Point &P) const;
};

/// The choices that all techniques have about \p Kernel.
SearchSpace searchSpace(const KernelPlan &Kernel, const GPUModel &GPU);

} // namespace sluice

#endif
