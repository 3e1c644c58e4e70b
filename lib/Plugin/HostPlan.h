// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// What the clang plugin tells the passes of the same compile.

#ifndef SLUICE_PLUGIN_HOSTPLAN_H
#define SLUICE_PLUGIN_HOSTPLAN_H

#include "sluice/Plan/HostRecord.h"

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

} // namespace sluice

#endif
