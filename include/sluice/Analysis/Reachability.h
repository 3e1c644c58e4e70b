// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// What of a module can run when a kernel does, and whether that loops.

#ifndef SLUICE_ANALYSIS_REACHABILITY_H
#define SLUICE_ANALYSIS_REACHABILITY_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace llvm {
class Function;
class GlobalValue;
class Instruction;
class Module;
} // namespace llvm

namespace sluice {

using ReachedGlobals = llvm::SmallPtrSet<const llvm::GlobalValue *, 32>;

/// \p Roots and all functions and variables that they name, also through
/// others and through initial values.
ReachedGlobals reachableFrom(llvm::ArrayRef<const llvm::Function *> Roots);

/// The functions, and the variables with their addresses, that have a loop or
/// call themselves, or reach a function that does.
ReachedGlobals reachingLoops(llvm::Module &M);

/// \p F and all with a body that it calls, through any depth, callers before
/// what only they call.
llvm::SmallSetVector<const llvm::Function *, 8>
calledFrom(const llvm::Function &F);

/// What \p I calls, if that has a body; null: nothing, or what is not known.
const llvm::Function *calleeWithBody(const llvm::Instruction &I);

} // namespace sluice

#endif
