// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Sums with a value that a condition negates, as one multiply-add each.

#ifndef SLUICE_LIB_TRANSFORMS_SIGNEDSUMS_H
#define SLUICE_LIB_TRANSFORMS_SIGNEDSUMS_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/DebugLoc.h"

namespace llvm {
class Function;
class Instruction;
} // namespace llvm

namespace sluice {

/// What a rewrite did in a function.
struct Rewritten {
  unsigned Count = 0;
  llvm::DebugLoc At; ///< Of the first.
};

/// Rewrites the sums of \p F that \p MayChange allows. \p IsWrong:
/// WrongRewrite::SwappedSign.
Rewritten
multiplyBySigns(llvm::Function &F,
                llvm::function_ref<bool(const llvm::Instruction &)> MayChange,
                bool IsWrong);

} // namespace sluice

#endif
