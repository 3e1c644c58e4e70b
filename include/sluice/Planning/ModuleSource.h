// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// What a module itself says of its source, for who has no clang: IR of MLIR,
/// Triton, Julia, Numba, flang, or by hand.

#ifndef SLUICE_PLANNING_MODULESOURCE_H
#define SLUICE_PLANNING_MODULESOURCE_H

#include "sluice/Planning/SourceFacts.h"

namespace llvm {
class Module;
} // namespace llvm

namespace sluice {

/// The kernels of \p M (KernelFunction.h) with their launch bounds
/// (nvvm.maxntid, nvvm.minctasm) and, where a block's size is demanded
/// (nvvm.reqntid), a launch of a grid that is not known. There is no text, so
/// there are no regions for turns.
SourceFacts sourceFactsOf(const llvm::Module &M);

} // namespace sluice

#endif
