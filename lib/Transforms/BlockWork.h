// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels in which threads of a block work together, by shared memory, by
// barriers or by what passes between the lanes of a warp.

#ifndef SLUICE_TRANSFORMS_BLOCKWORK_H
#define SLUICE_TRANSFORMS_BLOCKWORK_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

namespace llvm {
class CallBase;
class Function;
class GlobalVariable;
class Value;
} // namespace llvm

namespace sluice {

/// Is \p Call what threads of a block or a warp do together, and of which all
/// is known: a barrier of all of the block, a shuffle, a vote, or a question
/// for the lane?
bool isKnownTogether(const llvm::CallBase &Call);

/// Does \p F mean the same only in blocks of the very threads that it has?
bool worksTogether(const llvm::Function &F);

/// The shared memory that \p F names.
llvm::SmallVector<llvm::GlobalVariable *, 4>
sharedArraysOf(const llvm::Function &F);
/// Is \p V an address in one, known before the kernel runs?
bool isSharedConstant(const llvm::Value *V);

/// Why a thread that has nothing more to do for its block cannot wait for the
/// others before it goes on with another block; empty: it can. Blocks are of
/// whole warps in a row, or are one row.
llvm::StringRef whyNotWaitingAtEnd(llvm::Function &F);

} // namespace sluice

#endif
