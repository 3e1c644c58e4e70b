// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// LLVM inlines a large function where it knows that this is its last call.

#ifndef SLUICE_TRANSFORMS_LASTCALLS_H
#define SLUICE_TRANSFORMS_LASTCALLS_H

#include "llvm/IR/PassManager.h"

namespace sluice {

/// For LLVM's early simplification. A part of `fewer-instructions`; nothing
/// where the module has no plan.
struct LastCallsPass : llvm::PassInfoMixin<LastCallsPass> {
  llvm::PreservedAnalyses run(llvm::Module &M,
                              llvm::ModuleAnalysisManager &MAM);
};

} // namespace sluice

#endif
