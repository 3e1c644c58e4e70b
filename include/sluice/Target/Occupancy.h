// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// How many thread blocks of a kernel are resident on one SM, and the L1 that
/// leaves them (CATT, Eq. 1 to 4), computed by the toolkit's cuda_occupancy.h.

#ifndef SLUICE_TARGET_OCCUPANCY_H
#define SLUICE_TARGET_OCCUPANCY_H

#include "sluice/Target/GPUModel.h"
#include <optional>
#include <string>

namespace sluice {

/// CUDA C++ Programming Guide, "Technical Specifications per Compute
/// Capability": the same for every architecture.
inline constexpr unsigned MostThreadsPerBlock = 1024;

/// What one thread block of a kernel asks of an SM.
struct BlockResources {
  unsigned ThreadsPerBlock = 0;
  unsigned RegistersPerThread = 0;
  uint64_t StaticSharedBytes = 0;
  uint64_t DynamicSharedBytes = 0;
};

/// What an SM then holds.
struct Occupancy {
  unsigned BlocksPerSM = 0; ///< Resident thread blocks (Eq. 3).
  unsigned WarpsPerSM = 0;  ///< Resident warps, BlocksPerSM * warps a block.
  unsigned CarveoutKiB = 0; ///< Shared memory the driver sets aside (Eq. 4).
  uint64_t L1Bytes = 0;     ///< What is left for the L1.
  std::string LimitedBy;    ///< "warps", "registers", "shared memory",
                            ///< "blocks" or "grid"; joined with ", ".
};

/// Occupancy of \p Block on \p GPU. With a known \p GridBlocks, resident
/// blocks are at most ceil(GridBlocks / SMs): a grid that does not fill the
/// chip leaves SMs with fewer. Errors on zero or too many threads, registers
/// or shared memory for the architecture, naming the value and the limit.
llvm::Expected<Occupancy> computeOccupancy(const GPUModel &GPU,
                                           const BlockResources &Block,
                                           std::optional<uint64_t> GridBlocks,
                                           unsigned SMs);

} // namespace sluice

#endif
