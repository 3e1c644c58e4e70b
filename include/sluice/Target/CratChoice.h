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

/// With \p Limited, whose spills the assembler counts in bytes: of 4 each.
/// Where it spills to shared memory it counts none of those; what local memory
/// has fewer of counts as those then.
DesignPoint designPoint(const LimitedCode &Limited, unsigned Blocks);

/// TPSC = TLP_gain * Spill_cost, the less the better; \p Threads of a block.
/// Costs of accesses are the chip's latencies in cycles (MemoryModel).
double tpsc(const GPUModel &GPU, unsigned Threads, const DesignPoint &Point);

/// The point with the least TPSC among those of at most \p OptTLP blocks; of
/// equal ones, which spill nothing, the one with the most blocks. Where all
/// have more blocks, that with the fewest. Null: there is none.
const DesignPoint *chooseByTPSC(const GPUModel &GPU, unsigned Threads,
                                llvm::ArrayRef<DesignPoint> Points,
                                unsigned OptTLP);

/// Who compares the points.
enum class CratMeasure {
  /// The paper's TPSC. Where a point spills nothing, that is 0 however many
  /// blocks there are, so that no point that spills is ever taken before it.
  Tpsc,
  /// The same, and then of the points with more blocks that spill the one with
  /// the least wholeTpsc, if that gains enough.
  WholeTpsc,
};

/// What a warp waits for the instructions of the kernel's text, each once: the
/// sum of their latencies, as Spill_cost is of those that spilling puts in.
double ownCost(llvm::ArrayRef<WarpInstruction> Program);

/// TLP_gain * (\p OwnCost + Spill_cost): what the blocks hide is not the spills
/// alone. Not the paper's.
double wholeTpsc(const GPUModel &GPU, unsigned Threads, double OwnCost,
                 const DesignPoint &Point);

/// A point's time: cycles of an SM for a block, with its spills.
double pointCycles(const GPUModel &GPU, unsigned Threads,
                   llvm::ArrayRef<WarpInstruction> Program,
                   const DesignPoint &Point);

/// Do the spills of \p Limited, on an SM with \p Blocks of \p Threads, leave
/// the L1 more than half of the on-chip memory? The model of time knows no
/// cache.
bool leavesL1(const GPUModel &GPU, unsigned Threads, unsigned Blocks,
              const LimitedCode &Limited);

/// What CRAT makes of a launch.
struct CratDecision {
  /// Blocks on an SM that are enough: by the greedy scheduler, as the paper has
  /// it, and by the time that the static model gives them. 0: not known.
  unsigned GreedyTLP = 0, TimedTLP = 0;
  /// What the choice goes by: TimedTLP, unless another number is known.
  unsigned OptTLP = 0;
  /// The critical point that is taken; none: the assembler's own choice stays.
  std::optional<CriticalPoint> Point;
  bool IsForBlocks = false; ///< It spills, for more blocks (WholeTpsc).

  /// Does it change anything of \p Chosen, without a limit on \p Blocks?
  bool differsFrom(const AssembledKernel &Chosen, unsigned Blocks) const {
    return Point && (Point->BlocksPerSM != Blocks ||
                     Point->Registers > Chosen.Registers);
  }
};

/// \p Limited, without what it has in shared memory if a block of \p Shape is
/// lost by that.
LimitedCode atLaunch(const GPUModel &GPU, unsigned SMs,
                     const LaunchShape &Shape, LimitedCode Limited);

/// \p Found has the code at all critical points of \p Shape. \p Enough: so many
/// blocks are known to be enough, of those that the assembler's own choice
/// leaves on an SM. If that is all of them, nobody knows of more, and the
/// static model is asked.
CratDecision decideByCrat(const GPUModel &GPU, unsigned SMs,
                          const LaunchShape &Shape,
                          const RegisterCandidates &Found,
                          llvm::ArrayRef<WarpInstruction> Program,
                          CratMeasure Measure,
                          std::optional<unsigned> Enough = std::nullopt);

} // namespace sluice

#endif
