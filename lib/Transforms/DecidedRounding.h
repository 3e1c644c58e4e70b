// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Loops whose floating-point results would change where there is a copy of
/// them for each side of a condition.

#ifndef SLUICE_LIB_TRANSFORMS_DECIDEDROUNDING_H
#define SLUICE_LIB_TRANSFORMS_DECIDEDROUNDING_H

#include "llvm/IR/PassManager.h"
#include <string>

namespace llvm {
class Loop;
class Value;
} // namespace llvm

namespace sluice {

/// Why the results of \p L, which has a latch, would change where \p Condition
/// is known in each copy. Empty: they would not.
std::string whyDecidedAnew(const llvm::Loop &L, const llvm::Value &Condition,
                           llvm::FunctionAnalysisManager &FAM);

} // namespace sluice

#endif
