// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// A loop within another one begins at a block of its own (LoopBegins.cpp).

#ifndef SLUICE_LIB_TRANSFORMS_FEWERINSTRUCTIONS_LOOPBEGINS_H
#define SLUICE_LIB_TRANSFORMS_FEWERINSTRUCTIONS_LOOPBEGINS_H

#include "FewerInstructions.h"

namespace sluice {

/// \p MayChange is asked of what a loop's first block ends with. \p IsWrong:
/// WrongRewrite::LostCondition.
Rewritten beginLoopsApart(llvm::Function &F, ChangeTest MayChange,
                          llvm::FunctionAnalysisManager &FAM, bool IsWrong);

} // namespace sluice

#endif
