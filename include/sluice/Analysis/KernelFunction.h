// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Which functions are kernels, and which libdevice's.

#ifndef SLUICE_ANALYSIS_KERNELFUNCTION_H
#define SLUICE_ANALYSIS_KERNELFUNCTION_H

#include "llvm/ADT/StringRef.h"
#include <optional>

namespace llvm {
class Function;
} // namespace llvm

namespace sluice {

/// By calling convention or, where IR was not read from a file, by
/// `nvvm.annotations`.
bool isKernel(const llvm::Function &F);

/// Threads of the largest block, if the code says it.
std::optional<unsigned> mostThreads(const llvm::Function &F);

/// LLVM's attribute of a kernel whose threads have at most so many registers.
inline constexpr llvm::StringLiteral RegisterLimitAttribute = "nvvm.maxnreg";

/// What it says of \p F; none: nothing.
std::optional<unsigned> registerLimit(const llvm::Function &F);
void setRegisterLimit(llvm::Function &F, unsigned Registers);

/// Of the toolkit's library of mathematical functions? They compute, and write
/// at most what their arguments point to.
inline bool isLibdevice(llvm::StringRef Name) {
  return Name.starts_with("__nv_");
}

} // namespace sluice

#endif
