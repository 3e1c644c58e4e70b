// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Which cache hints on its loads make a launch fastest, by simulation.

#ifndef SLUICE_LIB_SIMULATOR_HINTSEARCH_H
#define SLUICE_LIB_SIMULATOR_HINTSEARCH_H

#include "sluice/Analysis/Profile.h"
#include "sluice/Simulator/Simulator.h"

namespace sluice {

struct HintSearchLimits {
  /// Loads whose hints are varied: those that ask the L2 for the most.
  unsigned MostLoads = 4;
  /// Of what all loads ask the L2 for, the part that other hints might save: a
  /// kernel that reads each sector once has nothing to win.
  double LeastRefetched = 0.05;
  /// Of the sets that gain at least LeastGain, those that are kept.
  unsigned MostSets = 3;
  double LeastGain = 1.05;
  /// What each further hint of a set has to gain.
  double LeastGainOfOne = 1.01;
};

/// Simulates one launch with other hints on its loads.
class HintSearch {
public:
  /// \p SitesOf: for each access of \p K the trace's sites. All must outlive
  /// the search. \p K has the launch's counts, reuse and time without changes.
  HintSearch(const LaunchTrace &Trace, const SimulationOptions &Simulation,
             const KernelProfile &K,
             llvm::ArrayRef<std::vector<unsigned>> SitesOf)
      : Trace(Trace), Simulation(Simulation), K(K), SitesOf(SitesOf) {}

  /// evict_first and no_allocate, on each load alone; then, beginning with the
  /// fastest of these, on one load more after the other. Only where DRAM is
  /// what takes the time: these two keep lines of others in the L2, which the
  /// simulation gets right, where evict_last and cg change the L1 alone.
  /// \returns KernelProfile's list, or nothing.
  std::vector<HintsPrediction>
  search(const HintSearchLimits &Limits = HintSearchLimits()) const;

  /// The times of the sets of \p Known, whose loads are indices in K.
  std::vector<HintsPrediction>
  repeat(llvm::ArrayRef<HintsPrediction> Known) const;

private:
  uint64_t nanosecondsWith(llvm::ArrayRef<LoadHint> Loads) const;

  const LaunchTrace &Trace;
  const SimulationOptions &Simulation;
  const KernelProfile &K;
  llvm::ArrayRef<std::vector<unsigned>> SitesOf;
};

} // namespace sluice

#endif
