// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// A limit of registers as a permission: more than the assembler takes by
/// itself, and no block less on an SM. With it the assembler may order a
/// kernel's code better.

#ifndef SLUICE_TARGET_STEPLIMIT_H
#define SLUICE_TARGET_STEPLIMIT_H

#include "sluice/Target/GPUModel.h"
#include "sluice/Target/LaunchShape.h"
#include "llvm/ADT/ArrayRef.h"

namespace sluice {

/// The most registers with which a block of any size can be launched that can
/// with \p Registers: with a limit the assembler may take more than without,
/// and another file may launch the largest block.
unsigned mostForAnyBlock(const GPUModel &GPU, unsigned Registers);

/// The last count of the step of occupancy that \p Code is in, at each of
/// \p Launches: with so many registers an SM holds as many blocks of each, and
/// a launch that nobody told of, of any block, works if it did. Grids do not
/// count: what is on an SM may be several launches'. \p Code's own registers
/// where there are no more to give, or a launch does not fit.
unsigned lastOfStep(const GPUModel &GPU, llvm::ArrayRef<LaunchShape> Launches,
                    const AssembledKernel &Code);

/// The most registers with which an SM holds more blocks of \p Launch than it
/// does of \p Code; 0 where there are none: something else limits the blocks,
/// the grid has no more for each of \p SMs, or the assembler needs more.
unsigned limitForMoreBlocks(const GPUModel &GPU, unsigned SMs,
                            const LaunchShape &Launch,
                            const AssembledKernel &Code);

/// The limit with which more loads of a thread may be on their way than with
/// \p Code's own registers, also where fewer blocks are on an SM then; a block
/// of any size can be launched with it. 0: it has as many, or waits once.
unsigned limitForLoads(const GPUModel &GPU, const AssembledKernel &Code);

/// The limit with which one block of \p Launch more is on an SM than with that:
/// where lanes share their loads it may hold as many of them. 0: it is hardly
/// more than \p Code has.
unsigned limitForSharedLoads(const GPUModel &GPU, unsigned SMs,
                             const LaunchShape &Launch,
                             const AssembledKernel &Code);

/// How many times as fast \p Then is as \p Now by what a warp waits and issues,
/// at that of \p Launches where it gains least; at blocks of any size if there
/// are none. Where a grid is known and so much is on its way by \p Now that
/// memory has no more to give (Little's law, all loads coalesced), nothing; but
/// with \p AreShared, where all lanes of a warp load the same. 0: not known.
double gainOfLoads(const GPUModel &GPU, unsigned SMs,
                   llvm::ArrayRef<LaunchShape> Launches, bool AreShared,
                   const AssembledKernel &Now, const AssembledKernel &Then);

/// Is \p Then, of which fewer warps are on an SM, worth it: by a gain of
/// gainOfLoads that leaves room for what that does not know? With \p AreShared
/// and known \p Launches any is enough where a warp alone waits less, and the
/// L1 still has more to do than it can: then it is not slower if the L1 has
/// what is loaded, nor if it has not.
bool isWorthFewerWarps(const GPUModel &GPU, unsigned SMs,
                       llvm::ArrayRef<LaunchShape> Launches, bool AreShared,
                       const AssembledKernel &Now, const AssembledKernel &Then);

} // namespace sluice

#endif
