// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Spills of kernels with a limit of registers go to shared memory.

#ifndef SLUICE_LIB_TRANSFORMS_SHAREDSPILLS_H
#define SLUICE_LIB_TRANSFORMS_SHAREDSPILLS_H

#include "ModuleAssembly.h"
#include "sluice/Target/LaunchShape.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Support/Error.h"

namespace sluice {

/// A kernel with a limit, whose launches are known.
struct LimitedKernel {
  llvm::Function *F;
  const KernelPlan *Plan;
  std::vector<LaunchShape> Launches;
};

/// What of the kernels that \p Limited names, and the plan has, would be
/// spilled to local memory; of others too where it was asked for. Returns
/// whether anything was changed.
bool spillToShared(llvm::Module &M, const AttachedPlan &Attached,
                   const llvm::SmallPtrSetImpl<llvm::Function *> &Limited);

//===- By ourselves -------------------------------------------------------===//

/// Puts values of \p K, whose code is \p Local by now, into shared memory: as
/// many as the assembler of \p Code then makes the best of. Returns why not;
/// empty: it did.
llvm::Expected<std::string> spillValues(const LimitedKernel &K,
                                        const AssembledKernel &Local,
                                        const ModuleAssembly &Code,
                                        const AttachedPlan &Attached);

/// `test-spills=N`: of each kernel N values, and of other blocks none.
bool spillForTest(llvm::Module &M, const AttachedPlan &Attached);

} // namespace sluice

#endif
