// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// The kernels for which sluice-register-limit chooses (RegisterLimitPass.cpp).

#ifndef SLUICE_LIB_TRANSFORMS_FREEKERNELS_H
#define SLUICE_LIB_TRANSFORMS_FREEKERNELS_H

#include "sluice/Target/RegisterCandidates.h"
#include "sluice/Transforms/ModuleAssembly.h"
#include "llvm/ADT/SmallPtrSet.h"
#include <vector>

namespace sluice {

/// A kernel of which nobody says how many registers it may have.
struct FreeKernel {
  llvm::Function *F;
  const KernelPlan *Plan;
  KernelToLimit Launches; ///< Those that are known.
};

std::vector<FreeKernel> freeKernels(llvm::Module &M,
                                    const AttachedPlan &Attached);

/// The launch with the most threads, of one at least.
const LaunchShape &largestLaunch(const FreeKernel &K);

/// Does code hand registers from warp to warp (PTX ISA, "setmaxnreg")? How many
/// there are to hand decides whether the warps wait for ever. Nothing else in
/// such a module is limited either.
bool handsRegistersOver(const llvm::Module &M);

/// With a remark.
void limitKernel(llvm::Function &F, unsigned Registers, llvm::StringRef Why);

/// Kernels whose values may be spilled, as they have fewer registers.
using LimitedFunctions = llvm::SmallPtrSet<llvm::Function *, 8>;

/// registers=step, and what `auto` does (StepRegisters.cpp): for each kernel
/// the last count of the step of occupancy that the assembler's own choice is
/// in, where it gives more than that choice, and then spills no more; or that
/// of the step before, where more blocks are worth more; or one that holds more
/// loads, where these are worth more than blocks.
llvm::Error limitBySteps(llvm::Module &M, const AttachedPlan &Attached,
                         LimitedFunctions &Limited);

} // namespace sluice

#endif
