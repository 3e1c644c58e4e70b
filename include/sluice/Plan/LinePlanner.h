// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// The software L1's way `shared`: how many lines each thread has, and of what.

#ifndef SLUICE_PLAN_LINEPLANNER_H
#define SLUICE_PLAN_LINEPLANNER_H

#include "sluice/Analysis/KernelFacts.h"
#include "sluice/Plan/Plan.h"
#include "sluice/Target/GPUModel.h"

namespace sluice {

/// A line, in bytes: what a thread can load at once.
inline constexpr unsigned ThreadLineBytes = 16;
/// Structures that a thread counts hits of, or has lines of.
inline constexpr unsigned MostStructures = 8;

/// Gives the threads lines in all loops where that is possible: nobody knows
/// before it runs whether it pays. Of loops in one another the outermost that
/// is still there when the plan is carried out gets them.
void planLines(const KernelFacts &Kernel, const GPUModel &GPU,
               const SoftwareL1Settings &Settings, KernelPlan &Plan);

} // namespace sluice

#endif
