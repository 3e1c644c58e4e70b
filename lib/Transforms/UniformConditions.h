// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Conditions that stay the same while a loop runs, and that all threads decide
/// alike, are asked before it.

#ifndef SLUICE_LIB_TRANSFORMS_UNIFORMCONDITIONS_H
#define SLUICE_LIB_TRANSFORMS_UNIFORMCONDITIONS_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/PassManager.h"

namespace llvm {
class Loop;
class OptimizationRemarkEmitter;
} // namespace llvm

namespace sluice {

/// Innermost loops of \p F with such a condition become two, each without it,
/// where \p MayChange. True: the analyses of \p F are new ones. \p IsWrong:
/// WrongRewrite::SwappedBodies.
bool decideBeforeLoops(llvm::Function &F, llvm::FunctionAnalysisManager &FAM,
                       llvm::OptimizationRemarkEmitter &Remarks,
                       llvm::function_ref<bool(const llvm::Loop &)> MayChange,
                       bool IsWrong);

} // namespace sluice

#endif
