// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Spills of kernels with a limit of registers go to shared memory.

#ifndef SLUICE_LIB_TRANSFORMS_SHAREDSPILLS_H
#define SLUICE_LIB_TRANSFORMS_SHAREDSPILLS_H

#include "sluice/Target/AssemblyCache.h"
#include "sluice/Target/LaunchShape.h"
#include "sluice/Transforms/PlanMetadata.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Support/Error.h"

namespace sluice {

/// LLVM's attribute of a kernel with a limit.
inline constexpr llvm::StringLiteral RegisterLimitAttribute = "nvvm.maxnreg";

/// The PTX of \p M as it is now; \p Kernel is one of its kernels.
llvm::Expected<std::string> ptxOf(const llvm::Module &M,
                                  const llvm::Function &Kernel);

/// A kernel with a limit, whose launches are known.
struct LimitedKernel {
  llvm::Function *F;
  const KernelPlan *Plan;
  std::vector<LaunchShape> Launches;
};

/// What spills are decided by.
struct SpillSetup {
  const AttachedPlan &Attached;
  const GPUModel &GPU;
  const AssemblyCache &Cache;
  std::string Arch; ///< That the code is for.
};

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
                                        const SpillSetup &Setup);

/// `test-spills=N`: of each kernel N values, and of other blocks none.
bool spillForTest(llvm::Module &M, const AttachedPlan &Attached);

} // namespace sluice

#endif
