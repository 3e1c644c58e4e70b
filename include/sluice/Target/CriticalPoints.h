// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Registers of a thread against blocks on an SM (Li, "GPU performance modeling
/// and optimization", chapter 4). The more registers, the fewer blocks, in
/// steps: on sm_90, of blocks of 256 threads,
///
///     registers   1..32  33..40  41..48  49..64  65..80  81..128  129..255
///     blocks         8       6       5       4       3        2         1
///
/// The last count of a step is its *critical point*. No other count is worth a
/// try, since with fewer registers a thread only spills more. Those are also
/// the points (registers, TLP) that remain of CRAT's space: "the rightmost of
/// each stair" (Xie et al., section 4.2).

#ifndef SLUICE_TARGET_CRITICALPOINTS_H
#define SLUICE_TARGET_CRITICALPOINTS_H

#include "sluice/Target/Occupancy.h"
#include <vector>

namespace sluice {

/// What a thread's registers may be (Eq. 4.1): from what the assembler needs to
/// what keeps all values in registers.
struct RegisterRange {
  unsigned Min = 1;
  unsigned Max = 0;

  bool contains(unsigned Registers) const {
    return Min <= Registers && Registers <= Max;
  }
  friend bool operator==(const RegisterRange &A, const RegisterRange &B) {
    return A.Min == B.Min && A.Max == B.Max;
  }
};

/// The last count of a step, and what is on an SM in that step.
struct CriticalPoint {
  unsigned Registers = 0;
  unsigned BlocksPerSM = 0; ///< CRAT's TLP.

  friend bool operator==(const CriticalPoint &A, const CriticalPoint &B) {
    return A.Registers == B.Registers && A.BlocksPerSM == B.BlocksPerSM;
  }
};

/// Eq. 4.3, where \p GridBlocks over \p SMs is its first term: resident blocks,
/// 0 if none fits. What computeOccupancy says of chips that the toolkit knows;
/// the terms have an inverse.
unsigned blocksPerSM(const GPUModel &GPU, const BlockResources &Block,
                     std::optional<uint64_t> GridBlocks, unsigned SMs);

/// The most registers of a thread with which the register file holds \p Blocks
/// blocks of \p ThreadsPerBlock (the fourth term of Eq. 4.3, solved for r).
unsigned mostRegisters(const GPUModel &GPU, unsigned ThreadsPerBlock,
                       unsigned Blocks);

/// The critical points in \p Range, by ascending registers. The last step may
/// go on beyond Range.Max, which then stands for its end. Of \p Block,
/// RegistersPerThread does not matter. Empty: no block fits.
std::vector<CriticalPoint> criticalPoints(const GPUModel &GPU,
                                          const BlockResources &Block,
                                          RegisterRange Range,
                                          std::optional<uint64_t> GridBlocks,
                                          unsigned SMs);

} // namespace sluice

#endif
