// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// CATT's throttling of thread blocks (seed: Kim et al., ICPP 2019, section
/// 4.3): M blocks on an SM where turns of warps cannot do it.

#ifndef SLUICE_PLAN_RESIDENTBLOCKS_H
#define SLUICE_PLAN_RESIDENTBLOCKS_H

#include "sluice/Analysis/KernelFacts.h"
#include "sluice/Plan/ResourceLedger.h"
#include "sluice/Plan/ThrottlePlanner.h"

namespace sluice {

/// A loop that thrashes at one of the kernel's launches and cannot take turns.
struct ThrashingLoop {
  CodeId Id;
  unsigned BlocksPerSM = 0; ///< As they are.
  unsigned WarpsPerBlock = 0;
  uint64_t LinesPerBlock = 0; ///< Distinct lines of a block (Eq. 8).
  uint64_t GridBlocks = 0;    ///< Of the whole launch; 0: not known.
  uint64_t L1Bytes = 0;       ///< With the driver's carveout.

  /// Of the lines of \p Blocks blocks.
  uint64_t bytesOf(unsigned Blocks, const GPUModel &GPU) const {
    return LinesPerBlock * Blocks * GPU.LineBytes;
  }
};

/// With as many blocks as they are.
const ThrashingLoop &largestFootprint(llvm::ArrayRef<ThrashingLoop> Loops);

/// The decision about a kernel's thread blocks.
struct BlocksDecision {
  std::optional<unsigned> Blocks; ///< M; none: as many as fit.
  BlockClaim Claim;
  uint64_t Nanoseconds = 0; ///< Predicted; 0: not predicted.
  std::string Why;
};

/// The largest M with which the blocks' lines are less than MinOverflow times
/// the L1 that its claim leaves (Eq. 9 with M in place of N), for all of
/// \p Loops.
BlocksDecision planResidentBlocks(const ResourceLedger &Ledger,
                                  llvm::ArrayRef<ThrashingLoop> Loops,
                                  const ThrottleOptions &Options,
                                  const ThrottleThresholds &Thresholds);

/// The largest M with which the blocks of the only loop of a kernel fit the L1,
/// MinRunningWarpsOfBlocks run and no SM has more blocks to run than with all
/// of them resident; \p Launches are the loop's at each launch, of a known
/// grid. No Why: there is none such, so that turns stay.
BlocksDecision planBlocksForTurns(const ResourceLedger &Ledger,
                                  llvm::ArrayRef<ThrashingLoop> Launches,
                                  const ThrottleOptions &Options,
                                  const ThrottleThresholds &Thresholds);

/// The M that the profile predicts to be fastest (KernelFacts::FewerBlocks), if
/// by the thresholds it is faster than without any throttling, and as fast as
/// with turns, which would take \p TurnsNanoseconds; 0: none are taken. No Why:
/// there is none such.
BlocksDecision predictedResidentBlocks(const ResourceLedger &Ledger,
                                       uint64_t TurnsNanoseconds,
                                       const ThrottleThresholds &Thresholds);

/// So many blocks on an SM are enough, and where that is from.
struct EnoughBlocks {
  unsigned Blocks = MostEnoughBlocks; ///< Or that: as many as there are.
  std::string Why;
};

/// The fewest of \p Simulated, KernelFacts::FewerBlocks, that take at most 2 %
/// more than the fastest, which the paper calls OptTLP. None: nothing was
/// simulated.
std::optional<EnoughBlocks>
enoughBlocks(llvm::ArrayRef<BlocksPrediction> Simulated);

/// M as the user wants it.
BlocksDecision forceResidentBlocks(const ResourceLedger &Ledger,
                                   unsigned Blocks);

/// Why the blocks of \p Kernel must not be limited, whoever asks; empty: they
/// may.
std::string blocksRefusal(const KernelFacts &Kernel);

} // namespace sluice

#endif
