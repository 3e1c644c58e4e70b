// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// The split of the on-chip memory into L1 and shared memory for a kernel all
/// of whose blocks stay (seed: Kim et al., ICPP 2019, section 4.1, Eq. 4).

#ifndef SLUICE_PLAN_CARVEOUT_H
#define SLUICE_PLAN_CARVEOUT_H

#include "sluice/Plan/ResidentBlocks.h"

namespace sluice {

/// The decision about a kernel's carveout.
struct CarveoutDecision {
  std::optional<unsigned> Percent; ///< None: the driver's choice.
  uint64_t Nanoseconds = 0;        ///< Predicted; 0: not predicted.
  std::string Why;                 ///< Also against one; or empty.
};

/// CATT's carveout (Eq. 4), the smallest that holds all blocks, if the blocks'
/// lines of all of \p Loops are less than MinOverflow times the L1 that it
/// leaves; with the driver's carveout they are more.
CarveoutDecision planCarveout(const ResourceLedger &Ledger,
                              llvm::ArrayRef<ThrashingLoop> Loops,
                              const ThrottleThresholds &Thresholds);

/// The one of \p Predicted that is the fastest, if it is faster than the
/// driver's by MinPredictedGain, next to none that is slower, and keeps \p
/// Blocks blocks on an SM.
CarveoutDecision predictedCarveout(const ResourceLedger &Ledger,
                                   llvm::ArrayRef<CarveoutPrediction> Predicted,
                                   unsigned Blocks,
                                   const ThrottleThresholds &Thresholds);

} // namespace sluice

#endif
