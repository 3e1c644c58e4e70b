// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// A rough estimate of what a plan's loops cost, to order plans by before any
/// of them has run.

#ifndef SLUICE_PLAN_FILLESTIMATE_H
#define SLUICE_PLAN_FILLESTIMATE_H

#include "sluice/Plan/Plan.h"
#include "sluice/Target/GPUModel.h"

namespace sluice {

/// L1 fills of a warp's iterations, in sectors, summed over the loops of
/// \p Kernel, plus what turns cost. Only ratios between plans of one kernel
/// mean something. A sector that stays in the L1 is filled once for all the
/// iterations that use it, one that does not is filled each time; which share
/// of them stays falls from all to none as the footprint grows from the L1's
/// size to twice that (docs/internals/throttle-thresholds.md has the sweep). It
/// knows nothing of trip counts, L2, DRAM or arithmetic.
double estimateFills(const KernelPlan &Kernel, const GPUModel &GPU);

} // namespace sluice

#endif
