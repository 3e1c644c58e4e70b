// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// What a pass asks the assembler by: the module's code as it is now.

#ifndef SLUICE_TRANSFORMS_MODULEASSEMBLY_H
#define SLUICE_TRANSFORMS_MODULEASSEMBLY_H

#include "sluice/Target/AssemblyCache.h"
#include "sluice/Target/GPUModel.h"
#include "sluice/Transforms/PlanMetadata.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

namespace sluice {

struct ModuleAssembly {
  const GPUModel &GPU; ///< Of the plan.
  AssemblyCache Cache;
  std::string Arch; ///< That the code is for: "sm_90a", of the model sm_90.
  std::string PTX;
};

/// The PTX of \p M, which stays as it is; \p Kernel is one of its kernels.
llvm::Expected<std::string> ptxOf(const llvm::Module &M,
                                  const llvm::Function &Kernel);

/// Likewise of \p Kernels alone, at least one, and what may be called, with
/// what assembles it.
llvm::Expected<ModuleAssembly>
assemblyOf(const llvm::Module &M,
           llvm::ArrayRef<const llvm::Function *> Kernels,
           const AttachedPlan &Attached);

} // namespace sluice

#endif
