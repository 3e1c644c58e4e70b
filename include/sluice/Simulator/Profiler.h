// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// From traces to a profile: what each access did is counted, the L1 is
/// simulated, pairs of loads and reuse distances are looked at.

#ifndef SLUICE_SIMULATOR_PROFILER_H
#define SLUICE_SIMULATOR_PROFILER_H

#include "sluice/Analysis/Profile.h"
#include "sluice/Simulator/Simulator.h"
#include "llvm/ADT/StringMap.h"

namespace sluice {

struct ProfilerOptions {
  const GPUModel *GPU = nullptr;
  unsigned SMs = 0;
  std::optional<uint64_t> L1Bytes; ///< Pretend this; else as the driver does.
  WarpScheduler Scheduler = WarpScheduler::LooseRoundRobin;
  bool Pairs = true;
  /// Kernels with more loads get no pairs: they would take too long.
  unsigned MostPairedLoads = 32;
  /// In place of the code's own hints and of no throttling: for all loads, for
  /// all loops that are in no other.
  std::optional<CacheHint> Hint;
  unsigned WarpGroups = 1;
};

/// How one launch is simulated on the GPU: how many blocks are resident and
/// what L1 they have. Errors as computeOccupancy.
llvm::Expected<SimulationOptions> simulationOf(const LaunchTrace &Trace,
                                               const ProfilerOptions &Options);

/// Adds up what traces tell of a program.
class Profiler {
public:
  explicit Profiler(const ProfilerOptions &Options) : Options(Options) {}

  llvm::Error add(const LaunchTrace &Trace);
  /// Source, GPU and Origin are the caller's to fill in.
  Profile take();

private:
  ProfilerOptions Options;
  Profile Result;
  llvm::StringMap<unsigned> KernelOf; ///< Index into Result.Kernels.
};

} // namespace sluice

#endif
