// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Where the shared variables of a module lie. Each kernel pays only for those
/// that it can reach, as with ptxas.

#ifndef SLUICE_LIB_EMULATOR_SHAREDLAYOUT_H
#define SLUICE_LIB_EMULATOR_SHAREDLAYOUT_H

#include "llvm/ADT/DenseMap.h"
#include <cstdint>

namespace llvm {
class Function;
class GlobalVariable;
class Module;
} // namespace llvm

namespace sluice::emulator {

struct SharedLayout {
  struct OfKernel {
    uint64_t StaticBytes = 0; ///< With its alignment gaps.
    /// Offset of `extern __shared__` variables; all of them begin there.
    uint64_t DynamicBase = 0;
  };
  /// Offsets in a block's shared memory. A device function that several kernels
  /// call finds a variable at one offset in all of them; variables that no
  /// kernel reaches together may overlap.
  llvm::DenseMap<const llvm::GlobalVariable *, uint64_t> Offsets;
  llvm::DenseMap<const llvm::Function *, OfKernel> Kernels;
};

/// Offsets begin at \p First.
SharedLayout layOutSharedMemory(const llvm::Module &M, uint64_t First);

} // namespace sluice::emulator

#endif
