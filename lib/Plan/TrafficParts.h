// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// The steps of the exact solution: what can be settled without a search, what
/// is independent of what, and the ILP of each part.

#ifndef SLUICE_LIB_PLAN_TRAFFICPARTS_H
#define SLUICE_LIB_PLAN_TRAFFICPARTS_H

#include "sluice/Plan/TrafficReductionGraph.h"
#include <string>
#include <vector>

namespace sluice {

struct SettledLoads {
  LoadSet Cached; ///< In some optimum.
  LoadSet Open;   ///< Not settled; all others bypass in that optimum.
};

/// Settles every load that is to be cached, or is to bypass, whichever of the
/// open ones are cached: it saves at least nothing with the worst of them, or
/// at most nothing with the best. Again, until there is none.
SettledLoads settleLoads(const TrafficReductionGraph &Graph);

/// The loads in \p Open such that no edge goes from part to part.
std::vector<std::vector<unsigned>> partsOf(const TrafficReductionGraph &Graph,
                                           const LoadSet &Open);

struct PartSolution {
  LoadSet Cached;       ///< Of the part.
  bool Stopped = false; ///< The time was up; it may not be the best.
  std::string Failure;  ///< Why there is none; it is \p Start then.
};

/// The best loads to cache of \p Part, as \p Cached, no load of the part, are.
/// \p Start is a set to begin with.
PartSolution solvePart(const TrafficReductionGraph &Graph,
                       const LoadSet &Cached, const std::vector<unsigned> &Part,
                       const LoadSet &Start, double Seconds);

} // namespace sluice

#endif
