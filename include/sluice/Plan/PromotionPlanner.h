// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Scalar promotion: which loops keep in registers what they add up in memory.

#ifndef SLUICE_PLAN_PROMOTIONPLANNER_H
#define SLUICE_PLAN_PROMOTIONPLANNER_H

#include "sluice/Analysis/KernelFacts.h"
#include "sluice/Plan/Plan.h"

namespace sluice {

/// Fewer iterations do not pay. A test takes about four instructions for each
/// pair of pointers and as many for each one's range; an iteration saves a load
/// and a store, each of which holds the L1's one look-up a cycle for a warp's
/// lines. LLVM has no such bound here; its vectoriser wants 16 known iterations
/// where it tests.
inline constexpr unsigned MinSumIterations = 8;

/// Decides for the loops of \p Kernel in which promotion is foreseen, and
/// against it where a profile saw too few iterations. Adds the loops to \p Plan
/// if it has none.
void planPromotion(const KernelFacts &Kernel, KernelPlan &Plan);

} // namespace sluice

#endif
