// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// What a plan decides for a kernel, as moves in its X-graph.

#ifndef SLUICE_XMODEL_PLANNEDMOVES_H
#define SLUICE_XMODEL_PLANNEDMOVES_H

#include "sluice/Plan/Plan.h"
#include "sluice/XModel/Moves.h"

namespace sluice {

/// One for each decision of \p Plan that changes a parameter, as if it were
/// the only one. Of a loop, as if the kernel were this loop. A decision that
/// the profile of \p K has already, as it was taken with it, does nothing more.
std::vector<Move> plannedMoves(const KernelX &K, const KernelPlan &Plan);

/// What \p Plan's footprints say of the loop that touches most; none: there is
/// none with loads.
std::optional<LoopReads> largestReads(const KernelPlan &Plan,
                                      const GPUModel &GPU);

/// The launches of \p Plan whose block is known.
std::vector<LaunchX> launchesOf(const KernelPlan &Plan, const GPUModel &GPU,
                                unsigned SMs);

} // namespace sluice

#endif
