// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// The software L1: which loops keep chunks of their threads' rows in shared
/// memory or in registers.

#ifndef SLUICE_PLAN_STAGINGPLANNER_H
#define SLUICE_PLAN_STAGINGPLANNER_H

#include "sluice/Analysis/KernelFacts.h"
#include "sluice/Plan/Plan.h"
#include "sluice/Target/GPUModel.h"
#include "sluice/Target/StagingBuffers.h"

namespace sluice {

/// Chunks that a row must have: the lock and the first copy are to pay.
inline constexpr unsigned LeastChunks = 2;

/// Stages the rows of loops that read nothing else which spreads over lines as
/// they do: neighbouring lanes a line or more apart, a little of it in each
/// iteration. The L1 looks up one line a cycle, so such a loop takes 3 times
/// DRAM's time even where all its lines fit; staged it takes 1.1
/// (docs/passes/software-l1.md). In place of turns, where these were planned.
/// With \p Settings.StageAll all rows that can be.
///
/// Rows that would gain so and cannot be staged, of older GPUs, without room in
/// shared memory, or that are written too, are widened: kept in registers. With
/// \p Settings.WidenAll all rows that can be.
void planStaging(const KernelFacts &Kernel, const GPUModel &GPU,
                 const SoftwareL1Settings &Settings, KernelPlan &Plan);

} // namespace sluice

#endif
