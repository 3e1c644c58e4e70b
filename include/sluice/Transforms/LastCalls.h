// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// LLVM inlines a large function where it knows that this is its last call.

#ifndef SLUICE_TRANSFORMS_LASTCALLS_H
#define SLUICE_TRANSFORMS_LASTCALLS_H

#include "llvm/Analysis/CGSCCPassManager.h"
#include "llvm/IR/PassManager.h"

namespace sluice {

/// For LLVM's early simplification: marks the functions. A part of
/// `fewer-instructions`; nothing where the module has no plan.
struct LastCallsPass : llvm::PassInfoMixin<LastCallsPass> {
  llvm::PreservedAnalyses run(llvm::Module &M,
                              llvm::ModuleAnalysisManager &MAM);
};

/// For the end of LLVM's simplification of each function: lets those be inlined
/// that are marked.
struct InlineLastCallsPass : llvm::PassInfoMixin<InlineLastCallsPass> {
  llvm::PreservedAnalyses run(llvm::LazyCallGraph::SCC &C,
                              llvm::CGSCCAnalysisManager &CGAM,
                              llvm::LazyCallGraph &Graph,
                              llvm::CGSCCUpdateResult &Updates);
};

} // namespace sluice

#endif
