// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// How many thread blocks an SM keeps when blocks use shared memory and the
/// program asks for a carveout, and what to ask for to keep M of them.

#ifndef SLUICE_TARGET_BLOCKCLAIM_H
#define SLUICE_TARGET_BLOCKCLAIM_H

#include "sluice/Target/GPUModel.h"
#include "llvm/ADT/SmallVector.h"
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

/// A carveout to ask for.
struct CarveoutStep {
  unsigned Percent = 0;
  unsigned KiB = 0;
  uint64_t L1Bytes = 0; ///< What is left.
};

/// The carveouts with which an SM keeps \p Blocks blocks, each with
/// \p SharedPerBlockBytes, ascending, but for the one that the driver takes by
/// itself and that leaves an L1 of \p DefaultL1Bytes. The first may be CATT's
/// (Eq. 4): the smallest that does. Without shared memory the driver takes no
/// smaller ones than its own. None for blocks with less than the 1 KiB that has
/// been measured.
llvm::SmallVector<CarveoutStep, 10>
carveoutsThatKeep(const GPUModel &GPU, unsigned Blocks,
                  uint64_t SharedPerBlockBytes, uint64_t DefaultL1Bytes);

} // namespace sluice

#endif
