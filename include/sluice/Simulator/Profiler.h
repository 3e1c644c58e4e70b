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
  /// Simulate turns of N groups at outermost loops, fewer blocks, other
  /// carveouts and cache hints.
  bool Turns = true;
  /// Simulate fewer warps that use the L1. Not among the above: nobody plans by
  /// it who is not asked to.
  bool CachedWarps = false;
  /// Loops of a kernel for which that is done, the most frequent first.
  unsigned MostTurnLoops = 4;
  /// In place of the code's own hints and of no throttling: for all loads, for
  /// all loops that are in no other.
  std::optional<L1Hint> Hint;
  unsigned WarpGroups = 1;
  /// Blocks that stay on an SM, by a claim (BlockClaim.h); none: all.
  std::optional<unsigned> ResidentBlocks;
};

/// How one launch is simulated on the GPU: how many blocks are resident and
/// what L1 they have. Errors as computeOccupancy.
llvm::Expected<SimulationOptions> simulationOf(const LaunchTrace &Trace,
                                               const ProfilerOptions &Options);

/// How long a launch takes of which \p Result was simulated: the SM that gets
/// the most of its blocks takes for each as long as the simulated one. 0 if
/// none was simulated.
uint64_t predictedNanoseconds(const LaunchTrace &Trace,
                              const SimulationOptions &Options,
                              const SimulationResult &Result);

/// Adds up what traces tell of a program.
class Profiler {
public:
  explicit Profiler(const ProfilerOptions &Options) : Options(Options) {}

  /// A launch without blocks counts as one that did as much as the last one of
  /// this kernel, block for block. Returns the time of this launch alone.
  llvm::Expected<PredictedTime> add(const LaunchTrace &Trace);
  /// GPU and Origin are the caller's to fill in.
  Profile take();

private:
  ProfilerOptions Options;
  Profile Result;
  void addFewerBlocks(const LaunchTrace &Trace,
                      const SimulationOptions &Simulation,
                      KernelProfile &K) const;
  void addCachedWarps(const LaunchTrace &Trace,
                      const SimulationOptions &Simulation,
                      KernelProfile &K) const;
  std::vector<CarveoutPrediction>
  withCarveouts(const LaunchTrace &Trace, const SimulationOptions &Simulation,
                uint64_t Nanoseconds) const;
  void addTurns(const LaunchTrace &Trace, const SimulationOptions &Simulation,
                const struct TraceStatistics &Counts, KernelProfile &K) const;
  void addHints(const LaunchTrace &Trace, const SimulationOptions &Simulation,
                llvm::ArrayRef<std::vector<unsigned>> SitesOf,
                KernelProfile &K) const;
  llvm::Error addSimulated(const LaunchTrace &Trace, KernelProfile &K);

  /// Of the last simulated launch of each kernel.
  llvm::StringMap<double> NanosecondsOfBlock;
};

} // namespace sluice

#endif
