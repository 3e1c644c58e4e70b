// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// From a device plan to what the host compile must be told.

#ifndef SLUICE_FRONTEND_BLOCKREQUESTS_H
#define SLUICE_FRONTEND_BLOCKREQUESTS_H

#include "sluice/Frontend/DevicePlanner.h"
#include "sluice/Plan/HostRecord.h"

namespace sluice {

/// Requests for the kernels whose thread blocks \p Device's plan limits.
/// \p CannotReach says why the host would not get them; empty: it will. Each
/// decision becomes one of \p Device's remarks.
HostRequests requestBlocks(DevicePlan &Device, llvm::StringRef CannotReach);

} // namespace sluice

#endif
