// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Lanes that leave a loop meet before it is asked once more why they left it
/// (LoopEnds.cpp).

#ifndef SLUICE_TRANSFORMS_LOOPENDS_H
#define SLUICE_TRANSFORMS_LOOPENDS_H

#include "llvm/IR/PassManager.h"

namespace sluice {

/// For LLVM's early simplification, behind SROA. A part of
/// `fewer-instructions`; nothing where the module has no plan. It only adds
/// `llvm.sideeffect`, which nothing can be wrong with, so it has no
/// WrongRewrite.
struct LoopEndsPass : llvm::PassInfoMixin<LoopEndsPass> {
  llvm::PreservedAnalyses run(llvm::Module &M,
                              llvm::ModuleAnalysisManager &MAM);
};

} // namespace sluice

#endif
