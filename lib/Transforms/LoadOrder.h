// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Where loads stand: what EarlyLoadsPass.cpp does, beside its own part.

#ifndef SLUICE_LIB_TRANSFORMS_LOADORDER_H
#define SLUICE_LIB_TRANSFORMS_LOADORDER_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/PassManager.h"
#include <optional>

namespace llvm {
class DominatorTree;
class Function;
class Instruction;
class LoadInst;
class Value;
} // namespace llvm

namespace sluice {

struct AttachedPlan;

/// Memory that answers late. Pointers of no known space are most often of
/// global memory.
bool isFar(const llvm::Value *Pointer);

/// Loads of shared memory that LLVM has moved out of a loop go back, where they
/// hold the registers that the loop's loads of global memory need, in the
/// functions of \p M that \p MayChange (LateSharedLoads.cpp). What registers
/// there are is asked of the assembler; where none answers all stays. Returns
/// whether something is changed.
bool readSharedLate(llvm::Module &M, const AttachedPlan &Attached,
                    llvm::FunctionAnalysisManager &FAM,
                    llvm::function_ref<bool(llvm::Function &)> MayChange);

using LoadTest = llvm::function_ref<bool(const llvm::LoadInst &)>;

/// Loads of \p F that wait for no other one go before those that do
/// (LoadsBeforeWaits.cpp). \p MayMove is asked of each. \p IsWrong:
/// WrongRewrite::PassedAlias. Returns the first, and adds to \p Count how many.
llvm::LoadInst *loadBeforeWaits(llvm::Function &F, LoadTest MayMove,
                                bool IsWrong, unsigned &Count);

/// Loads of the kernel \p F go before its first barriers, where no thread of a
/// block can have written what they read (LoadsBeforeBarriers.cpp). Likewise.
llvm::LoadInst *loadBeforeBarriers(llvm::Function &F, llvm::DominatorTree &DT,
                                   LoadTest MayMove, bool IsWrong,
                                   unsigned &Count);

/// What of the same block computes \p Load's address behind \p Before, in
/// order; none: some of it may not be moved there.
std::optional<llvm::SmallVector<llvm::Instruction *, 8>>
addressBehind(llvm::LoadInst &Load, const llvm::Instruction &Before);

} // namespace sluice

#endif
