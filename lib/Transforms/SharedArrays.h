// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Shared memory of transforms, and who in the block uses which part of it.

#ifndef SLUICE_LIB_TRANSFORMS_SHAREDARRAYS_H
#define SLUICE_LIB_TRANSFORMS_SHAREDARRAYS_H

#include "llvm/IR/IRBuilder.h"

namespace llvm {
class GlobalVariable;
} // namespace llvm

namespace sluice {

/// An array in the shared memory of a block, which begins with any bytes.
llvm::GlobalVariable *makeSharedArray(llvm::Module &M, llvm::Type *Ty,
                                      llvm::Align Alignment,
                                      const llvm::Twine &Name);

/// The thread's number in its block, i32. Warps are 32 that follow each other.
llvm::Value *linearThread(llvm::IRBuilder<> &B);

} // namespace sluice

#endif
