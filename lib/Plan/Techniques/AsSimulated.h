// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Whether times that a profile predicts are those of the kernel as planned.

#ifndef SLUICE_LIB_PLAN_TECHNIQUES_ASSIMULATED_H
#define SLUICE_LIB_PLAN_TECHNIQUES_ASSIMULATED_H

#include "sluice/Plan/PlanningContext.h"

namespace sluice {

/// Will the kernel, which a profile has, run as that simulated it? By what was
/// planned so far.
bool runsAsSimulated(const KernelToPlan &Work);

} // namespace sluice

#endif
