// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// How many thread blocks an SM keeps when blocks use shared memory and the
/// program asks for a carveout, and what to ask for to keep M of them.

#ifndef SLUICE_TARGET_BLOCKCLAIM_H
#define SLUICE_TARGET_BLOCKCLAIM_H

#include "sluice/Target/GPUModel.h"
#include <optional>

namespace sluice {

/// Shared memory that a block can have without the program's opting in.
constexpr uint64_t MostSharedWithoutOptIn = uint64_t(48) * 1024;

/// The carveout, KiB, that the driver configures for blocks of
/// \p SharedPerBlockBytes (static and dynamic, without its reservation) when
/// the program asks for \p Percent; lib/Target/BlockClaim.cpp has the rule.
unsigned configuredCarveoutKiB(const GPUModel &GPU, unsigned Percent,
                               uint64_t SharedPerBlockBytes);

/// Blocks that fit in that carveout. More than the SM holds by its other
/// limits, if these are tighter.
unsigned blocksInCarveout(const GPUModel &GPU, unsigned Percent,
                          uint64_t SharedPerBlockBytes);

/// What keeps M blocks on an SM.
struct BlockClaim {
  /// Dynamic shared memory that each launch asks for in addition. 0: what the
  /// blocks use is enough.
  uint64_t Bytes = 0;
  unsigned CarveoutPercent = 0;
  unsigned CarveoutKiB = 0;
  uint64_t L1Bytes = 0; ///< What is left.
};

/// The claim with the smallest carveout that keeps \p Blocks blocks, each with
/// \p SharedPerBlockBytes of its own, on an SM. Empty: there is none.
std::optional<BlockClaim> claimForBlocks(const GPUModel &GPU, unsigned Blocks,
                                         uint64_t SharedPerBlockBytes);

} // namespace sluice

#endif
