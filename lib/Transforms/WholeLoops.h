// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Loops that compare with a few constants are unrolled whole (WholeLoops.cpp).

#ifndef SLUICE_LIB_TRANSFORMS_WHOLELOOPS_H
#define SLUICE_LIB_TRANSFORMS_WHOLELOOPS_H

#include "llvm/IR/PassManager.h"

namespace sluice {

struct AttachedPlan;

/// Before loops are unrolled. Returns whether \p F is changed.
bool unrollWholeLoops(llvm::Function &F, const AttachedPlan &Attached,
                      llvm::FunctionAnalysisManager &FAM);

} // namespace sluice

#endif
