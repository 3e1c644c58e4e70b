// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// CATT's choice of throttling factors (seed: Kim et al., ICPP 2019, section
/// 4.2) as a plain function from facts to plan entries.

#ifndef SLUICE_PLAN_THROTTLEPLANNER_H
#define SLUICE_PLAN_THROTTLEPLANNER_H

#include "sluice/Analysis/KernelFacts.h"
#include "sluice/Analysis/LoopFootprint.h"
#include "sluice/Plan/Plan.h"
#include "sluice/Plan/PlanningContext.h"
#include "sluice/Target/GPUModel.h"
#include "llvm/ADT/StringRef.h"

namespace sluice {

/// What the plan says first of the loops of such a kernel.
inline constexpr llvm::StringLiteral NoLaunch =
    "no launch of this kernel is in this file; give one with "
    "launch=KERNEL:GRID:BLOCK[:SMEM]";

/// What the user said that bears on throttling.
struct ThrottleOptions {
  unsigned SMs = 0;                         ///< Of the GPU to plan for.
  std::optional<unsigned> L1KiB;            ///< Pretend an L1 of this size.
  std::optional<unsigned> ForcedWarpGroups; ///< Skip the model, take this N.
  std::optional<unsigned> ForcedResidentBlocks; ///< Likewise this M.
  /// The split of L1 and shared memory: only if the host's code will hear.
  bool ChooseCarveout = true;
  bool TakeTurns = true;   ///< Else only what is known of the loops is told.
  bool LimitBlocks = true; ///< Where turns of warps cannot do it.
  /// Also where they can, but are predicted to be slower: only if the host's
  /// code will hear of it.
  bool BlocksForTurns = true;
  /// Likewise without a prediction, in place of turns of a regular loop that is
  /// all of the kernel.
  bool PreferBlocks = false;
};

/// When turn-taking pays. Each number was measured: docs/internals/
/// throttle-thresholds.md has the sweeps.
struct ThrottleThresholds {
  /// A loop that writes memory loads one iteration at a time, and each of a
  /// sector's uses misses once the footprint is beyond the L1. One that does
  /// not is unrolled and loads several iterations together, so most uses of a
  /// sector come in one request and little is lost at first.
  /// Footprint over L1 below which turns do not pay, for either kind; the first
  /// also for loads of 8 bytes or more, of which fewer are loaded together
  /// (benchmarks/results/2026-11-h100-row-types).
  double MinOverflow = 1.1;
  double MinOverflowBatched = 1.6;
  /// Iterations below which they do not pay, for either kind.
  unsigned MinTripCount = 8;
  unsigned MinTripCountBatched = 64;
  /// Instructions up to which clang unrolls a loop for NVPTX, and the most
  /// iterations, a power of two; those are loaded together.
  unsigned UnrolledInstructions = 75;
  unsigned MaxUnroll = 8;
  /// L1 fills of a thrashing loop over those of one that fits, below which
  /// turns do not pay: it bounds the gain.
  double MinFillRatio = 1.5;
  /// The lines of all SMs over the L2 from which on what has left the L1 has
  /// left the L2 too, and comes from DRAM once more, two sectors at a time.
  double MinShareOfL2 = 0.5;
  /// Warps of an SM that must still run at a time: with fewer the latency of
  /// a load is seen whole.
  unsigned MinRunningWarps = 4;
  /// The same of M in place of turns. With 8 gesummv and kmeans are slower than
  /// with turns; of the M that are taken with 16 or more none is
  /// (benchmarks/results/2026-11-h100-fixed/prefer.md).
  unsigned MinRunningWarpsOfBlocks = 16;
  /// Where no N makes the lines fit: their bytes over the L1 up to which the
  /// largest N pays, and how much of an N-fold reduction they must have. With
  /// an L1 of 28 KiB gesummv's N=8 leaves 2.3 and is 1.6 times as fast as
  /// without turns (benchmarks/results/2026-11-h100-fixed/small-default.md).
  double MaxOverflowWithTurns = 2.5;
  double MinReduction = 0.75;
  /// Instructions for each sector filled beyond which arithmetic binds and not
  /// the fills: a lost sector costs an SM about 6 cycles, an instruction of a
  /// warp a quarter.
  double MaxInstructionsPerFill = 16;
  /// Predicted time without turns over that with the best N from which they are
  /// taken. The model orders N rightly, but for what is within a few per cent
  /// (benchmarks/results/2026-11-h100-model).
  double MinPredictedGain = 1.1;
  /// The predicted time with the best M over that with the best turns up to
  /// which M is taken: against it the model has turns too fast by 4 to 10 % for
  /// five kernels of one loop (benchmarks/results/2026-11-h100-fixed).
  double MaxBlocksOverTurns = 1.05;
  /// Of two N whose times differ by less the smaller is taken.
  double PredictedTie = 1.03;
};

/// The registers to plan with where nothing has been assembled: what
/// `__launch_bounds__` leaves a thread, else 32, with which every architecture
/// reaches full occupancy.
RegisterFact assumedRegisters(const KernelFacts &Kernel, const GPUModel &GPU);

/// Chooses N for each loop of \p Kernel. Every loop gets an entry, throttled or
/// not, with the reason. Where a loop thrashes and its warps cannot take turns,
/// chooses the carveout or M for the kernel. \p Footprints: the kernel's, if it
/// is planned more than once.
KernelPlan planThrottling(const KernelFacts &Kernel, const GPUModel &GPU,
                          const RegisterFact &Registers,
                          const ThrottleOptions &Options,
                          const ThrottleThresholds &Thresholds = {},
                          LoopFootprints *Footprints = nullptr);

} // namespace sluice

#endif
