// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// What the clang plugin tells the passes of the same compile.

#ifndef SLUICE_PLUGIN_HOSTPLAN_H
#define SLUICE_PLUGIN_HOSTPLAN_H

#include "sluice/Plan/HostRecord.h"
#include "sluice/Plan/Plan.h"
#include "sluice/Transforms/CacheHintPass.h"
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

/// In the device compile: the cache hints that are to be set, with the kernels
/// of the plan named as in the module; no plan: none are.
inline CacheHintRequest &plannedHints() {
  static CacheHintRequest Request;
  return Request;
}

/// In the device compile: where sums stay in memory. Empty: everywhere.
inline std::optional<SumLimits> &sumLimits() {
  static std::optional<SumLimits> Limits;
  return Limits;
}

/// In the device compile: WrongRewrite::LostSign.
inline bool &losesSign() {
  static bool Loses = false;
  return Loses;
}

} // namespace sluice

#endif
