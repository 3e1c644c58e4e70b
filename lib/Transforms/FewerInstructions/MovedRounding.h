// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef SLUICE_LIB_TRANSFORMS_FEWERINSTRUCTIONS_MOVEDROUNDING_H
#define SLUICE_LIB_TRANSFORMS_FEWERINSTRUCTIONS_MOVEDROUNDING_H

#include "llvm/ADT/ArrayRef.h"

namespace llvm {
class Instruction;
} // namespace llvm

namespace sluice {

/// If \p Moved goes to another block, does no product leave the block of its
/// sum, or come into it (SunkArithmetic.cpp)?
bool keepsRounding(llvm::ArrayRef<llvm::Instruction *> Moved);

} // namespace sluice

#endif
