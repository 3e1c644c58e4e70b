// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// The passes of all techniques: by name, and in a pipeline of LLVM's.

#ifndef SLUICE_TRANSFORMS_TECHNIQUEPASSES_H
#define SLUICE_TRANSFORMS_TECHNIQUEPASSES_H

#include "sluice/Plan/Technique.h"
#include "llvm/Passes/PassBuilder.h"

namespace sluice {

/// Makes them known to `-passes=`. \p PB outlives what it parses.
void registerTechniquePasses(llvm::PassBuilder &PB);

/// Adds those of \p Stage, by their names, which registerTechniquePasses made
/// known to \p PB. Each once: several techniques may have one pass.
/// \p LinkMakesCode: what is compiled here is optimised again in a link.
void addTechniquePasses(llvm::PassBuilder &PB, llvm::ModulePassManager &MPM,
                        PassStage Stage, bool LinkMakesCode = false);

} // namespace sluice

#endif
