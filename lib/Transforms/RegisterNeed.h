// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Which kernels the assembler is worth asking about.

#ifndef SLUICE_LIB_TRANSFORMS_REGISTERNEED_H
#define SLUICE_LIB_TRANSFORMS_REGISTERNEED_H

namespace llvm {
class Function;
} // namespace llvm

namespace sluice {

struct KernelPlan;

/// The registers that a thread of \p F may have so that the largest block that
/// it is launched with fits an SM, 255 at most. Of a launch that \p Plan does
/// not know the block is of 1,024 threads.
unsigned registersOfBlock(const llvm::Function &F, const KernelPlan *Plan);

/// Does \p F need as many by itself, by our own count, where nothing limits
/// them or bounds its blocks? What it would have more it would spill.
bool fillsBlock(llvm::Function &F, const KernelPlan *Plan);

/// May \p F have more registers than leave an SM all its warps? By our own
/// count; also no for kernels of which the assembler's answer takes long, or,
/// if they \p MayBeLong, very long.
bool mayNeedManyRegisters(llvm::Function &F, bool MayBeLong);

/// May so many loads of global memory be on their way together in \p F that
/// they take more registers than the assembler gives by itself? Not where
/// blocks have rows of threads: those share what they load, so the L1 has it,
/// which answers in a tenth of the time, and more warps are worth more.
/// Likewise.
bool mayHaveManyLoads(const llvm::Function &F);

/// Do lanes of a warp load the same from global memory, by three loads of four?
bool doLanesShareLoads(const llvm::Function &F);

} // namespace sluice

#endif
