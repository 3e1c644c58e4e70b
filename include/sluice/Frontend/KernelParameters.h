// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Which parameters of a kernel code in it can test in the argument's place.

#ifndef SLUICE_FRONTEND_KERNELPARAMETERS_H
#define SLUICE_FRONTEND_KERNELPARAMETERS_H

#include "sluice/Analysis/KernelFacts.h"

namespace clang {
class FunctionDecl;
} // namespace clang

namespace llvm {
class Function;
} // namespace llvm

namespace sluice {

/// The parameters of \p Kernel, which has been compiled to \p F. Testable are
/// those of a plain integer type that nothing in the body could change: others
/// have, where a loop begins, perhaps not the value that addresses were
/// computed with, or not the same in all threads.
std::vector<KernelParameter> parametersOf(const clang::FunctionDecl &Kernel,
                                          const llvm::Function &F);

} // namespace sluice

#endif
