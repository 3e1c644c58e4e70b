// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// A plan's launches as far as the choice of registers goes.

#ifndef SLUICE_PLAN_LAUNCHSHAPES_H
#define SLUICE_PLAN_LAUNCHSHAPES_H

#include "sluice/Plan/Plan.h"
#include "sluice/Target/RegisterCandidates.h"

namespace sluice {

/// None: its block is not known. Dynamic shared memory that is not known counts
/// as 0, and \p ClaimedBytes of a block as well, which throttling claims at
/// each launch so that an SM holds fewer.
std::optional<LaunchShape> shapeOf(const LaunchPlan &Launch,
                                   uint64_t ClaimedBytes = 0);

/// Why no shared memory can be taken for spills of the kernel that \p Plan is
/// for, as the rest of a sentence; empty: it can.
std::string whyNoSharedSpills(const KernelPlan &Plan);

/// Fills RegisterPoints of the kernels of \p P that \p Code, their PTX, has and
/// whose source says nothing of registers.
llvm::Error findRegisterPoints(const AssemblyCache &Cache,
                               const AssemblyRequest &Code, const GPUModel &GPU,
                               Plan &P);

} // namespace sluice

#endif
