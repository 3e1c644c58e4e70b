// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Before other techniques choose how loops are unrolled: loops over the bits
/// of a word, whole (LoopsOverBits.cpp). A part of `fewer-instructions`;
/// nothing where the module has no plan.

#ifndef SLUICE_TRANSFORMS_LOOPSOVERBITS_H
#define SLUICE_TRANSFORMS_LOOPSOVERBITS_H

#include "llvm/IR/PassManager.h"

namespace sluice {

struct LoopsOverBitsPass : llvm::PassInfoMixin<LoopsOverBitsPass> {
  llvm::PreservedAnalyses run(llvm::Module &M,
                              llvm::ModuleAnalysisManager &MAM);
};

} // namespace sluice

#endif
