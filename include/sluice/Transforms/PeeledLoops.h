// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Before loops are unrolled: the first iteration of a loop, of which a load is
/// known already, stands before it (PeeledLoops.cpp), and all of one that looks
/// for constants (WholeLoops.cpp). A part of `fewer-instructions`; nothing
/// where the module has no plan.

#ifndef SLUICE_TRANSFORMS_PEELEDLOOPS_H
#define SLUICE_TRANSFORMS_PEELEDLOOPS_H

#include "llvm/IR/PassManager.h"

namespace sluice {

struct PeeledLoopsPass : llvm::PassInfoMixin<PeeledLoopsPass> {
  llvm::PreservedAnalyses run(llvm::Module &M,
                              llvm::ModuleAnalysisManager &MAM);
};

} // namespace sluice

#endif
