// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Spills of kernels with a limit of registers go to shared memory.

#ifndef SLUICE_LIB_TRANSFORMS_SHAREDSPILLS_H
#define SLUICE_LIB_TRANSFORMS_SHAREDSPILLS_H

#include "sluice/Plan/WrongRewrite.h"
#include "sluice/Transforms/OwnSpills.h"
#include "sluice/Transforms/PlanMetadata.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace sluice {

/// What of the kernels that \p Limited names, and the plan has, would be
/// spilled to local memory; of others too where it was asked for. Returns
/// whether anything was changed.
bool spillToShared(llvm::Module &M, const AttachedPlan &Attached,
                   const llvm::SmallPtrSetImpl<llvm::Function *> &Limited);

//===- By ourselves -------------------------------------------------------===//

/// Puts values of \p K, whose code is \p Local by now, into shared memory: as
/// many as the assembler then makes the best of. Returns why not; empty: it
/// did.
llvm::Expected<std::string> spillValues(const LimitedKernel &K,
                                        const AssembledKernel &Local,
                                        const SpillSetup &Setup,
                                        WrongRewrite Wrong);

/// `test-spills=N`: of each kernel N values, and of other blocks none.
bool spillForTest(llvm::Module &M, const AttachedPlan &Attached);

} // namespace sluice

#endif
