// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Loops of which several iterations are taken together, so that their loads
/// are on their way together.

#ifndef SLUICE_PLAN_LOADSINFLIGHTPLANNER_H
#define SLUICE_PLAN_LOADSINFLIGHTPLANNER_H

#include "sluice/Analysis/KernelFacts.h"
#include "sluice/Analysis/UnrollFacts.h"
#include "sluice/Plan/Plan.h"
#include "sluice/Target/GPUModel.h"

namespace sluice {

/// Copies of a loop's body, at most: what a plan may say.
inline constexpr unsigned MostUnrolled = 64;

/// Does another technique keep what the loop reads, in the L1 by turns or in
/// copies of its own? More loads on their way would throw it out.
bool keepsLinesOrRows(const LoopPlan &Loop);

/// Threads that an SM holds, of the launch with the fewest; none where a
/// launch's size is not known, or no launch.
std::optional<unsigned> threadsOnSM(const KernelPlan &Kernel,
                                    const GPUModel &GPU);

/// How many iterations of a loop of \p Kernel to take together, so that what
/// the threads of an SM have on their way keeps memory busy (Little's law), as
/// far as the instruction cache allows. 0: as clang has it. \p Why: the
/// decision, with its numbers.
unsigned iterationsTogether(const UnrollFacts &Loop, const KernelPlan &Kernel,
                            const GPUModel &GPU, std::string &Why);

/// Has loops unrolled whole over rows that a loop around reads again, where a
/// thread can keep the rows in registers: their loads do not depend on the loop
/// around then, and LLVM does them once. In place of rows kept 16 bytes at a
/// time; not beside turns, and what is in shared memory.
void planRowsReadAgain(const KernelFacts &Kernel, KernelPlan &Plan);

} // namespace sluice

#endif
