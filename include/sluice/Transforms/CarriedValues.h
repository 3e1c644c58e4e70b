// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// What a loop reads of the element that it has chosen is kept with its index.

#ifndef SLUICE_TRANSFORMS_CARRIEDVALUES_H
#define SLUICE_TRANSFORMS_CARRIEDVALUES_H

#include "llvm/IR/PassManager.h"

namespace sluice {

/// For the end of LLVM's simplification, before loops are unrolled. A part of
/// `fewer-instructions`; nothing where the module has no plan.
struct CarriedValuesPass : llvm::PassInfoMixin<CarriedValuesPass> {
  llvm::PreservedAnalyses run(llvm::Module &M,
                              llvm::ModuleAnalysisManager &MAM);
};

} // namespace sluice

#endif
