// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// What an SM holds at each of a kernel's launches (CATT, Eq. 1 to 4).

#ifndef SLUICE_LIB_PLAN_LAUNCHCASES_H
#define SLUICE_LIB_PLAN_LAUNCHCASES_H

#include "sluice/Plan/ResourceLedger.h"
#include "sluice/Plan/ThrottlePlanner.h"

namespace sluice {

/// A launch with what an SM then holds.
struct LaunchState {
  LaunchConfig Launch;
  Occupancy Held;
  std::string Unknown; ///< Why there is no occupancy; empty when there is.
};

/// What a launch could be: where its block is not known, one state for each
/// candidate.
struct LaunchCase {
  LaunchConfig Launch;
  std::vector<LaunchState> States;
  bool AnyBlock = false;
  std::string Unknown; ///< Why there is no state.
};

/// One for each launch of the kernel; where there is none in the file, one of
/// any grid and any block of one dimension, unless its shared memory is not
/// known.
std::vector<LaunchCase> launchCases(const ResourceLedger &Ledger);

/// Were the profile's times predicted with the L1 that is planned for?
bool isPredictedForL1(const KernelFacts &Kernel,
                      const ThrottleOptions &Options);

/// How a remark calls it.
std::string launchName(const LaunchConfig &Launch);

} // namespace sluice

#endif
