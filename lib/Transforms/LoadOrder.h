// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Where loads stand: what EarlyLoadsPass.cpp does, beside its own part.

#ifndef SLUICE_LIB_TRANSFORMS_LOADORDER_H
#define SLUICE_LIB_TRANSFORMS_LOADORDER_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/PassManager.h"

namespace llvm {
class Value;
}

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

} // namespace sluice

#endif
