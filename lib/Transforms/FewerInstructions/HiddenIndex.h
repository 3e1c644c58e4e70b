// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// An index from which LLVM makes no pointers (IndexedLoops.cpp).

#ifndef SLUICE_LIB_TRANSFORMS_FEWERINSTRUCTIONS_HIDDENINDEX_H
#define SLUICE_LIB_TRANSFORMS_FEWERINSTRUCTIONS_HIDDENINDEX_H

#include "llvm/ADT/STLFunctionalExtras.h"

namespace llvm {
class BasicBlock;
class PHINode;
} // namespace llvm

namespace sluice {

bool canBeHidden(const llvm::PHINode &Phi);

/// Hides from LLVM how \p Phi, which can be hidden, is moved on: the blocks
/// that are \p Within get a copy of it, which an instruction of the target
/// makes.
void hideIndex(llvm::PHINode &Phi,
               llvm::function_ref<bool(llvm::BasicBlock *)> Within);

} // namespace sluice

#endif
