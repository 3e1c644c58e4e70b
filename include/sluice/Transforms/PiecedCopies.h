// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Before loops are unrolled whole: copies of several small elements of a
/// thread's own array become copies of each, so that LLVM does not keep several
/// in one register (PiecedCopies.cpp). For arrays that are in registers when
/// the loops over them are unrolled, of integers, as halves are. A part of
/// `fewer-instructions`; nothing where the module has no plan.

#ifndef SLUICE_TRANSFORMS_PIECEDCOPIES_H
#define SLUICE_TRANSFORMS_PIECEDCOPIES_H

#include "llvm/IR/PassManager.h"

namespace sluice {

struct PiecedCopiesPass : llvm::PassInfoMixin<PiecedCopiesPass> {
  llvm::PreservedAnalyses run(llvm::Function &F,
                              llvm::FunctionAnalysisManager &FAM);
};

} // namespace sluice

#endif
