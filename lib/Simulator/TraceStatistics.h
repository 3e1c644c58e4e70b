// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// What can be counted of a trace without a cache: by access and by loop, and
/// the distances between uses of a line.

#ifndef SLUICE_LIB_SIMULATOR_TRACESTATISTICS_H
#define SLUICE_LIB_SIMULATOR_TRACESTATISTICS_H

#include "sluice/Analysis/Profile.h"
#include "sluice/Simulator/Trace.h"

namespace sluice {

/// By access: requests, lanes, bytes, useful bytes, lines and sectors. By loop:
/// entries, iterations and the lines of one iteration.
struct LoopStatistics : LoopProfile { ///< Without Id and Turns.
  bool HasBarrier = false;            ///< Of the block, when it ran.
};
struct TraceStatistics {
  std::vector<AccessCounts> Sites;
  std::vector<LoopStatistics> Loops;
};
TraceStatistics countTrace(const LaunchTrace &Trace);

/// By access, how many other lines the SM touched since it last touched each
/// line, of the accesses in \p Order. Of one line in \p Sample, chosen by a
/// hash of its number, distances are found exactly among those lines and
/// multiplied by Sample (Waldspurger et al., "Efficient MRC Construction with
/// SHARDS", FAST 2015).
std::vector<ReuseHistogram>
reuseDistances(llvm::ArrayRef<const uint32_t *> Order, const CodeSites &Code,
               unsigned Sample);

} // namespace sluice

#endif
