// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// A lane's number is LLVM's own, whose range is known (LaneNumbers.cpp).

#ifndef SLUICE_TRANSFORMS_LANENUMBERS_H
#define SLUICE_TRANSFORMS_LANENUMBERS_H

#include "llvm/IR/PassManager.h"

namespace sluice {

/// For LLVM's early simplification. A part of `fewer-instructions`; nothing
/// where the module has no plan.
struct LaneNumbersPass : llvm::PassInfoMixin<LaneNumbersPass> {
  llvm::PreservedAnalyses run(llvm::Module &M,
                              llvm::ModuleAnalysisManager &MAM);
};

} // namespace sluice

#endif
