// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Which of the points (registers, blocks on an SM) CRAT takes (Xie et al.,
/// sections 4.2 and 6).

#ifndef SLUICE_TARGET_CRATCHOICE_H
#define SLUICE_TARGET_CRATCHOICE_H

#include "sluice/Target/CriticalPoints.h"
#include "sluice/Target/RegisterCandidates.h"
#include "sluice/Target/WarpProgram.h"
#include <optional>

namespace sluice {

/// A point that is left of the design space: the rightmost of its stair.
struct DesignPoint {
  unsigned Registers = 0;
  unsigned Blocks = 0; ///< CRAT's TLP.
  /// Instructions that spilling puts in: of local memory, of shared memory, and
  /// others, of addresses.
  uint64_t LocalSpills = 0, SharedSpills = 0, OtherSpills = 0;
};

/// With \p Code, whose spills the assembler counts in bytes: of 4 each. It
/// counts none of those to shared memory. So what \p Shared, which may be null,
/// has fewer of counts as those.
DesignPoint designPoint(unsigned Registers, unsigned Blocks,
                        const AssembledKernel &Code,
                        const AssembledKernel *Shared = nullptr);

/// TPSC = TLP_gain * Spill_cost, the less the better; \p Threads of a block.
/// Costs of accesses are the chip's latencies in cycles (MemoryModel).
double tpsc(const GPUModel &GPU, unsigned Threads, const DesignPoint &Point);

/// The point with the least TPSC among those of at most \p OptTLP blocks; of
/// equal ones, which spill nothing, the one with the most blocks. Where all
/// have more blocks, that with the fewest. Null: there is none.
const DesignPoint *chooseByTPSC(const GPUModel &GPU, unsigned Threads,
                                llvm::ArrayRef<DesignPoint> Points,
                                unsigned OptTLP);

/// What CRAT makes of a launch.
struct CratDecision {
  /// Blocks on an SM that are enough: by the greedy scheduler, as the paper has
  /// it, and by the time that the static model gives them. 0: not known.
  unsigned GreedyTLP = 0, TimedTLP = 0;
  /// The critical point that is taken; none: the assembler's own choice stays.
  std::optional<CriticalPoint> Point;

  /// Does it change anything of \p Chosen, without a limit on \p Blocks?
  bool differsFrom(const AssembledKernel &Chosen, unsigned Blocks) const {
    return Point && (Point->BlocksPerSM != Blocks ||
                     Point->Registers > Chosen.Registers);
  }
};

/// The code of \p Limited with spills to shared memory, if all blocks of
/// \p Shape stay with it; else null.
const AssembledKernel *sharedAt(const GPUModel &GPU, unsigned SMs,
                                const LaunchShape &Shape,
                                const LimitedCode &Limited);

/// \p Found has the code at all critical points of \p Shape.
CratDecision decideByCrat(const GPUModel &GPU, unsigned SMs,
                          const LaunchShape &Shape,
                          const RegisterCandidates &Found,
                          llvm::ArrayRef<WarpInstruction> Program);

} // namespace sluice

#endif
