// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// May a thread of a kernel wait for another warp or thread block?

#ifndef SLUICE_ANALYSIS_WAITANALYSIS_H
#define SLUICE_ANALYSIS_WAITANALYSIS_H

#include "sluice/Analysis/KernelFacts.h"
#include "llvm/IR/PassManager.h"

namespace sluice {

/// Appends a hazard for each loop and recursion of \p Kernel, also in functions
/// that it calls, of which it is not shown that it ends whatever other warps
/// do. Such a loop speaks against turns and limits of blocks anywhere in the
/// kernel: a warp that waits in it may wait for one that a barrier holds, or
/// for a block that is not there.
///
/// Shown is it of a loop
///   * that orders nothing between threads but by barriers of the whole block:
///     in a program without races, what it reads is then as it was when the
///     loop began, or when all warps were at the barrier; or
///   * whose exits depend, by data and by control, on arguments, indices,
///     memory of the thread's own and memory that the kernel does not write;
/// and of a recursion if it is as in the first point.
///
/// Works on optimised IR, where dependences are in SSA form.
void collectWaits(llvm::Function &Kernel, llvm::FunctionAnalysisManager &FAM,
                  std::vector<RegionHazard> &Hazards);

} // namespace sluice

#endif
