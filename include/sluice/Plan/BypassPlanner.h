// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// How many warps of a block use the L1 (A. Li, thesis, section 5.4.2): as many
/// as have lines that fit, or as many as a profile predicts to be fastest.

#ifndef SLUICE_PLAN_BYPASSPLANNER_H
#define SLUICE_PLAN_BYPASSPLANNER_H

#include "sluice/Analysis/KernelFacts.h"
#include "sluice/Plan/Plan.h"
#include "sluice/Plan/PlanningContext.h"

namespace sluice {

struct BypassDecision {
  std::optional<unsigned> CachedWarps; ///< None: all, as the code is.
  std::string Why;                     ///< In one sentence with its numbers.
};

struct BypassOptions {
  unsigned SMs = 0;              ///< Of the GPU.
  std::optional<unsigned> L1KiB; ///< Pretend an L1 of this size.
  /// Rows that can be will be in shared memory, or in registers.
  bool StagesRows = false;
};

/// The most warps of each block whose lines of one iteration fit the L1, of the
/// loops whose loads touch their lines again. Loads of which \p Plan has all
/// warps bypass do not count, nor do loops that take turns by it. All warps
/// where a loop's lines fit, where those of one warp do not, and where nothing
/// is known of any.
BypassDecision planBypassByFootprint(const KernelFacts &Kernel,
                                     const KernelPlan &Plan,
                                     const GPUModel &GPU,
                                     const RegisterFact &Registers,
                                     const BypassOptions &Options);

/// What predicted times have to gain.
inline constexpr double LeastBypassGain = 1.1;

/// The number with which the simulated kernel was fastest; of those that are as
/// good but for 2 % the largest. All warps where that gains too little.
BypassDecision planBypassAsPredicted(const KernelProfile &Measured,
                                     const KernelPlan &Plan);

} // namespace sluice

#endif
