// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Which IR functions are kernels.

#ifndef SLUICE_ANALYSIS_KERNELFUNCTION_H
#define SLUICE_ANALYSIS_KERNELFUNCTION_H

namespace llvm {
class Function;
} // namespace llvm

namespace sluice {

/// By calling convention or, where IR was not read from a file, by
/// `nvvm.annotations`.
bool isKernel(const llvm::Function &F);

} // namespace sluice

#endif
