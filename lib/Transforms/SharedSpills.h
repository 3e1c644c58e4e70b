// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Spills of kernels with a limit of registers go to shared memory.

#ifndef SLUICE_LIB_TRANSFORMS_SHAREDSPILLS_H
#define SLUICE_LIB_TRANSFORMS_SHAREDSPILLS_H

#include "sluice/Transforms/PlanMetadata.h"
#include "llvm/Support/Error.h"

namespace sluice {

/// LLVM's attribute of a kernel with a limit.
inline constexpr llvm::StringLiteral RegisterLimitAttribute = "nvvm.maxnreg";

/// The PTX of \p M as it is now; \p Kernel is one of its kernels.
llvm::Expected<std::string> ptxOf(const llvm::Module &M,
                                  const llvm::Function &Kernel);

/// Of those kernels of \p M that the plan has, whose limits are set.
void spillToShared(llvm::Module &M, const AttachedPlan &Attached);

} // namespace sluice

#endif
