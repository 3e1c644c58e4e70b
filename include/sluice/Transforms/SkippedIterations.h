// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// What all iterations of a loop but one read is read before it.

#ifndef SLUICE_TRANSFORMS_SKIPPEDITERATIONS_H
#define SLUICE_TRANSFORMS_SKIPPEDITERATIONS_H

#include "llvm/IR/PassManager.h"

namespace sluice {

/// For the end of LLVM's simplification, before loops are unrolled. A part of
/// `fewer-instructions`; nothing where the module has no plan.
struct SkippedIterationsPass : llvm::PassInfoMixin<SkippedIterationsPass> {
  llvm::PreservedAnalyses run(llvm::Module &M,
                              llvm::ModuleAnalysisManager &MAM);
};

} // namespace sluice

#endif
