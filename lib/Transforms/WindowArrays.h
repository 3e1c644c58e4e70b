// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// A thread's own array of a few integers, of which a few neighbours are read
/// that only run time can tell: kept in registers.

#ifndef SLUICE_LIB_TRANSFORMS_WINDOWARRAYS_H
#define SLUICE_LIB_TRANSFORMS_WINDOWARRAYS_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/PassManager.h"

namespace llvm {

class Instruction;
} // namespace llvm

namespace sluice {

/// Who wants to know of an array: one of its reads, its bytes, and why it stays
/// where it is; empty: it is in registers now. Told before the array is gone.
using WindowListener = llvm::function_ref<void(
    const llvm::Instruction &Read, uint64_t Bytes, llvm::StringRef Why)>;

/// Puts all such arrays of \p F into registers that can be, but for those of
/// which \p IsKept wants a read left alone. The loops that fill them are
/// unrolled whole.
/// \p Skewed: a fault for tests, the lowest bit of a place is inverted. Was
/// anything changed?
bool keepWindowsInRegisters(
    llvm::Function &F, llvm::FunctionAnalysisManager &Analyses,
    llvm::function_ref<bool(const llvm::Instruction &Read)> IsKept, bool Skewed,
    WindowListener Listener);

} // namespace sluice

#endif
