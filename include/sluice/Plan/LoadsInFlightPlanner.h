// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Loops of which several iterations are taken together, so that their loads
/// are on their way together.

#ifndef SLUICE_PLAN_LOADSINFLIGHTPLANNER_H
#define SLUICE_PLAN_LOADSINFLIGHTPLANNER_H

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

} // namespace sluice

#endif
