// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Carries out what a plan says of lines in a kernel's loops.

#ifndef SLUICE_LIB_TRANSFORMS_KERNELLINES_H
#define SLUICE_LIB_TRANSFORMS_KERNELLINES_H

#include "sluice/Plan/Plan.h"
#include "sluice/Plan/WrongRewrite.h"
#include "llvm/IR/PassManager.h"

namespace llvm {
class OptimizationRemarkEmitter;
} // namespace llvm

namespace sluice {

/// Does the plan say anything of lines in the loop?
inline bool isOfLines(const LoopPlan &Planned) {
  return !Planned.Lines.empty() || !Planned.LinesWhy.empty();
}

/// \p Counted: accesses that a thread counts before it chooses. Was anything
/// changed?
bool cacheLines(llvm::Function &F, const KernelPlan &Plan, unsigned Counted,
                WrongRewrite Wrong, llvm::FunctionAnalysisManager &FAM,
                llvm::OptimizationRemarkEmitter &Remarks);

} // namespace sluice

#endif
