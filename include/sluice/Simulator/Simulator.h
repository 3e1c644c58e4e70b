// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Replays the trace of one SM's blocks under a GPU model, an L1 size, cache
/// hints and throttling factors, and says what each access found in the L1,
/// what went to the L2 and to DRAM, and how long the SM was busy with what.
///
/// It is a model of traffic and of the limit that binds, not a cycle-accurate
/// simulator: docs/internals/simulator.md says what is left out.

#ifndef SLUICE_SIMULATOR_SIMULATOR_H
#define SLUICE_SIMULATOR_SIMULATOR_H

#include "sluice/Analysis/Profile.h"
#include "sluice/Simulator/Trace.h"
#include "sluice/Target/GPUModel.h"
#include "sluice/Target/MemoryModel.h"

namespace sluice {

enum class WarpScheduler : uint8_t {
  GreedyThenOldest, ///< The warp that ran last while it can, then the oldest.
  LooseRoundRobin,  ///< The next one that can.
};

struct SimulationOptions {
  const GPUModel *GPU = nullptr;
  MemoryModel Memory;
  uint64_t L1Bytes = 0;
  unsigned BlocksPerSM = 1;
  /// SMs that run blocks of this launch: they share the L2 and DRAM.
  unsigned ActiveSMs = 1;
  WarpScheduler Scheduler = WarpScheduler::LooseRoundRobin;
  /// For each access what to take in place of its own hint; empty: its own.
  std::vector<L1Hint> Hints;
  /// Of a block, the warps whose loads use the L1; the others' go past it, as
  /// with L1Hint::Global, but for loads that have a hint (docs/passes/
  /// warp-bypass.md). None: all.
  std::optional<unsigned> CachedWarps;
  /// For each loop the throttling factor N; empty: 1. A loop within a throttled
  /// one is not throttled again.
  std::vector<unsigned> WarpGroups;
  /// For each access the number of its row, if its rows go through shared
  /// memory a line at a time (docs/passes/software-l1.md), -1: they do not;
  /// empty: none does. Of one number either loads or stores. The shared memory
  /// for it is not here, but in BlocksPerSM and L1Bytes.
  std::vector<int> RowOf;
  /// Gets the accesses to global and local memory in the order in which the L1
  /// saw them, as pointers into the trace, if not null.
  std::vector<const uint32_t *> *Order = nullptr;
};

/// Of one access, in sectors.
struct SiteTraffic {
  uint64_t Sectors = 0;
  uint64_t Hits = 0;
  uint64_t PendingHits = 0;
  uint64_t L2Sectors = 0;   ///< Asked of the L2, or written to it.
  uint64_t DRAMSectors = 0; ///< Of these, read from DRAM.
};

/// What the SM's units were busy with, in cycles, and how long it all took.
struct SimulationResult : UnitCycles {
  uint64_t DRAMWriteSectors = 0;
  uint64_t Instructions = 0; ///< That warps issued.
  uint64_t Blocks = 0;
  std::vector<SiteTraffic> Sites;

  SiteTraffic loads(const CodeSites &Code) const; ///< Global loads together.
};

SimulationResult simulate(const LaunchTrace &Trace,
                          const SimulationOptions &Options);

/// Hits of loads when only one or two are cached and all others bypass (Liang
/// et al., section IV-B), with the accesses in the order of a simulation.
/// Timeless: a sector is there as soon as it was asked for.
class PairSimulation {
public:
  /// \p GroupOf: for each access of \p Code, the load of the source that it is
  /// a copy of; -1: not of interest.
  PairSimulation(llvm::ArrayRef<const uint32_t *> Order, const CodeSites &Code,
                 llvm::ArrayRef<int> GroupOf, uint64_t L1Bytes);

  /// Of both together; of one if they are the same.
  uint64_t hits(int First, int Second) const;

private:
  struct Access {
    uint32_t Time;                ///< Index in the order.
    uint32_t FirstLine, NumLines; ///< In Lines.
  };
  std::vector<std::vector<Access>> OfGroup;
  struct Line {
    uint64_t Number : 60;
    uint64_t Sectors : 4;
  };
  std::vector<Line> Lines;
  uint64_t L1Bytes;
};

} // namespace sluice

#endif
