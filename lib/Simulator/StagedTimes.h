// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// What a kernel would take with rows in shared memory.

#ifndef SLUICE_LIB_SIMULATOR_STAGEDTIMES_H
#define SLUICE_LIB_SIMULATOR_STAGEDTIMES_H

#include "TraceStatistics.h"
#include "sluice/Simulator/Simulator.h"

namespace sluice {

/// Fills LoopProfile::Staged of those loops of \p K, the profile of \p Trace
/// alone, in which lanes read or write lines of their own. Whether they may be
/// staged is not known here; the planner asks the code that.
void addStagedTimes(const LaunchTrace &Trace,
                    const SimulationOptions &Simulation,
                    const TraceStatistics &Counts, KernelProfile &K);

} // namespace sluice

#endif
