// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// The shared memory that a kernel's code declares.

#ifndef SLUICE_ANALYSIS_SHAREDMEMORY_H
#define SLUICE_ANALYSIS_SHAREDMEMORY_H

#include "llvm/Support/Alignment.h"
#include <cstdint>

namespace llvm {
class Function;
class GlobalVariable;
class Value;
} // namespace llvm

namespace sluice {

struct DeclaredShared {
  uint64_t StaticBytes = 0; ///< Of what has a size.
  bool IsDynamic = false;   ///< Something has none: a launch says how many.
};

/// Of \p F and what it calls; each variable's bytes up to a multiple of
/// \p Each.
DeclaredShared declaredShared(const llvm::Function &F,
                              llvm::Align Each = llvm::Align(1));

/// The variable in shared memory that \p Pointer points into; null: none, or it
/// is not seen.
const llvm::GlobalVariable *sharedVariable(const llvm::Value *Pointer);

} // namespace sluice

#endif
