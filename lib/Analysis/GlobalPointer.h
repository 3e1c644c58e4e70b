// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Which instructions and pointers are of global memory.

#ifndef SLUICE_LIB_ANALYSIS_GLOBALPOINTER_H
#define SLUICE_LIB_ANALYSIS_GLOBALPOINTER_H

#include "sluice/Analysis/AccessAnalysis.h"

namespace sluice {

/// The pointer by which \p I loads or stores in global memory; null: it does
/// not.
const llvm::Value *globalPointer(const llvm::Instruction &I);

/// Does \p I read global memory, perhaps as the copy of an object?
bool readsGlobal(const llvm::Instruction &I);

/// Is \p Object, where a pointer comes from, in global memory for certain? What
/// the host passes to a kernel can only point there.
bool isGlobalObject(const llvm::Value *Object);

} // namespace sluice

#endif
