// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Several iterations together of a loop whose step is known when it runs only.

#ifndef SLUICE_LIB_TRANSFORMS_STRIDEDLOOPS_H
#define SLUICE_LIB_TRANSFORMS_STRIDEDLOOPS_H

#include "sluice/Plan/WrongRewrite.h"
#include "llvm/IR/PassManager.h"

namespace llvm {
class Loop;
class OptimizationRemarkEmitter;
} // namespace llvm

namespace sluice {

/// Takes \p Count iterations of \p L, which has a stridedEnd, together while
/// there are so many, and the rest one by one. False: it is as it was.
/// \p Wrong: OneMoreStride, AnyPlace.
bool takeStrides(llvm::Loop &L, unsigned Count, llvm::Function &F,
                 llvm::FunctionAnalysisManager &FAM,
                 llvm::OptimizationRemarkEmitter &Remarks, WrongRewrite Wrong);

} // namespace sluice

#endif
