// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Switches that are to be no tables, a part of FewerInstructionsPass.cpp that
/// asks LLVM's analyses.

#ifndef SLUICE_LIB_TRANSFORMS_FEWERINSTRUCTIONS_SWITCHTREES_H
#define SLUICE_LIB_TRANSFORMS_FEWERINSTRUCTIONS_SWITCHTREES_H

#include "FewerInstructions.h"
#include "llvm/IR/PassManager.h"

namespace sluice {

/// Switches of \p F whose lanes go different ways become comparisons, where
/// most of the ways meet before all do (SwitchTrees.cpp). \p MayChange is asked
/// of each switch. The analyses of \p F are still true.
Rewritten letCasesMeet(llvm::Function &F, ChangeTest MayChange,
                       llvm::FunctionAnalysisManager &FAM);

} // namespace sluice

#endif
