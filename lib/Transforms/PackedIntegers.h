// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// SIMD video instructions of PTX as operations on whole words.

#ifndef SLUICE_LIB_TRANSFORMS_PACKEDINTEGERS_H
#define SLUICE_LIB_TRANSFORMS_PACKEDINTEGERS_H

#include "SignedSums.h"

namespace sluice {

/// Rewrites the instructions of \p F that \p MayChange allows. \p IsWrong:
/// WrongRewrite::CarriedLane.
Rewritten
computeInWords(llvm::Function &F,
               llvm::function_ref<bool(const llvm::Instruction &)> MayChange,
               bool IsWrong);

} // namespace sluice

#endif
