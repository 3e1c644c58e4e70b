// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Loops that compare with a few constants are unrolled whole (WholeLoops.cpp).

#ifndef SLUICE_LIB_TRANSFORMS_FEWERINSTRUCTIONS_WHOLELOOPS_H
#define SLUICE_LIB_TRANSFORMS_FEWERINSTRUCTIONS_WHOLELOOPS_H

#include "llvm/IR/PassManager.h"

namespace llvm {
class Loop;
}

namespace sluice {

struct AttachedPlan;

/// Products are fused with sums of their own block: does a loop that becomes
/// innermost, as those in \p Around are unrolled, have any?
bool hasFloats(const llvm::Loop &Around);

/// Unrolls \p L, which has at most as many iterations, into \p Copies, each
/// with the loop's ends. Keeps the loops, the dominator tree and scalar
/// evolution.
void unrollWithEnds(llvm::Loop &L, unsigned Copies,
                    llvm::FunctionAnalysisManager &FAM);

/// Before loops are unrolled. Returns whether \p F is changed.
bool unrollWholeLoops(llvm::Function &F, const AttachedPlan &Attached,
                      llvm::FunctionAnalysisManager &FAM);

} // namespace sluice

#endif
