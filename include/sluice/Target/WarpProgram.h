// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// What a warp issues, from a kernel's PTX, and how many blocks of such warps
/// are of use on an SM: the static analysis of CRAT (Xie et al., section 4.1,
/// Figure 10). Nothing is run, so how often a loop goes round and which loads
/// hit are not known: they are assumed, the same for all kernels.

#ifndef SLUICE_TARGET_WARPPROGRAM_H
#define SLUICE_TARGET_WARPPROGRAM_H

#include "sluice/Target/GPUModel.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <vector>

namespace sluice {

/// What of a scheduler's quarter of an SM an instruction keeps busy.
enum class IssueUnit { Arithmetic, Double, Special, Memory };
static constexpr unsigned NumIssueUnits = 4;
/// Of an SM, each of which issues an instruction in a cycle.
inline constexpr unsigned Schedulers = 4;

struct WarpInstruction {
  IssueUnit Unit = IssueUnit::Arithmetic;
  unsigned UnitCycles = 1;   ///< That the unit is busy.
  unsigned ResultCycles = 0; ///< From issue to use; 0: nothing waits for it.
  bool IsGlobal = false;     ///< A load of memory, which may be busy.
  bool IsBarrier = false;
  llvm::SmallVector<unsigned, 3> Needs; ///< Those before it, by number.
  unsigned Line =
      0; ///< Of the kernel's text: the same in each round of a loop.
};

/// A warp's instructions, loops gone round a few times. Empty: \p PTX has no
/// such kernel.
std::vector<WarpInstruction>
warpProgram(llvm::StringRef PTX, llvm::StringRef Kernel, const GPUModel &GPU);

/// \p Program with \p Spills more memory instructions in the kernel's text,
/// evenly in between: nobody knows where, so one in a loop is as likely as any
/// other of its instructions. Each takes a cycle of memory, since it is of one
/// line, where other accesses may be of 32. That a load is waited for is not
/// counted: the assembler places it early.
std::vector<WarpInstruction> withSpills(llvm::ArrayRef<WarpInstruction> Program,
                                        uint64_t Spills);

/// Blocks of \p WarpsPerBlock on an SM that has \p Blocks of them, by a
/// scheduler that is greedy, then takes the oldest: those that have issued when
/// the first is at its end. "Likely to be the OptTLP."
unsigned blocksInvolved(llvm::ArrayRef<WarpInstruction> Program,
                        const GPUModel &GPU, unsigned WarpsPerBlock,
                        unsigned Blocks);

/// Cycles that a block takes of an SM's time, where \p Blocks are on it at once
/// and one that ends is followed by the next.
double cyclesPerBlock(llvm::ArrayRef<WarpInstruction> Program,
                      const GPUModel &GPU, unsigned WarpsPerBlock,
                      unsigned Blocks);

} // namespace sluice

#endif
