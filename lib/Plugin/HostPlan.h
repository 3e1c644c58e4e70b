// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// What the clang plugin tells the passes of the same compile.

#ifndef SLUICE_PLUGIN_HOSTPLAN_H
#define SLUICE_PLUGIN_HOSTPLAN_H

#include "sluice/Plan/HostRecord.h"
#include "sluice/Plan/Plan.h"
#include "sluice/Transforms/SumPromotion.h"
#include <optional>

namespace sluice {

/// In the host compile: what to do at launches.
inline AgreedRequests &hostPlan() {
  static AgreedRequests Plan;
  return Plan;
}

/// In the device compile: what to leave for the host compile.
inline HostRequests &requestsForHost() {
  static HostRequests All;
  return All;
}

/// In the device compile: the plan whose cache hints are to be set, with the
/// kernels named as in the module; empty: none are.
inline std::vector<Plan> &plannedHints() {
  static std::vector<Plan> Plans;
  return Plans;
}

/// In the device compile: where sums stay in memory. Empty: everywhere.
inline std::optional<SumLimits> &sumLimits() {
  static std::optional<SumLimits> Limits;
  return Limits;
}

} // namespace sluice

#endif
