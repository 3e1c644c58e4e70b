// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Several blocks of a grid by one thread each, side by side.

#ifndef SLUICE_TRANSFORMS_BLOCKSSIDEBYSIDE_H
#define SLUICE_TRANSFORMS_BLOCKSSIDEBYSIDE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringRef.h"

namespace llvm {
class BasicBlock;
class Function;
class Instruction;
class LoopInfo;
class Value;
} // namespace llvm

namespace sluice {

/// What in a kernel depends on the first index of its block, or on \p Index in
/// place of it.
class BlockDependence {
public:
  explicit BlockDependence(const llvm::Function &F,
                           const llvm::Instruction *Index = nullptr);

  /// Does \p V differ from block to block of a row?
  bool varies(const llvm::Value *V) const { return Varying.contains(V); }
  /// And does it come of memory, too?
  bool isLoaded(const llvm::Value *V) const { return Loaded.contains(V); }
  /// Is \p V a product that is the same in all blocks, and fused with a sum
  /// that is not? Each has its own then: used by several sums it would be fused
  /// with others. What is made of it varies, as far as is known here.
  bool isOwnProduct(const llvm::Value *V) const { return Own.contains(V); }

private:
  bool isEachs(const llvm::Instruction &Product) const;

  llvm::SmallPtrSet<const llvm::Value *, 32> Varying, Loaded, Own;
};

/// Why a thread of \p F, whose blocks can be parts of larger ones, cannot do
/// the work of threads of several blocks side by side; empty: it can. \p Depends
/// is of it.
llvm::StringRef whyNotSideBySide(const llvm::Function &F,
                                 const BlockDependence &Depends,
                                 const llvm::LoopInfo &LI);

/// How many blocks a thread should do the work of, so that what it has on its
/// way keeps the memory busy: 1, 2, 4 or 8.
unsigned blocksTogether(const llvm::Function &F, const BlockDependence &Depends,
                        const llvm::LoopInfo &LI);

/// \p Begin and what follows it do in \p Together blocks, of which \p First is
/// the first and \p Blocks are in all, what they do in \p First. The entry,
/// which is before \p Begin and computes \p First, has no terminator.
void placeSideBySide(llvm::BasicBlock &Begin, llvm::Instruction &First,
                     llvm::Value &Blocks, unsigned Together, bool IsWrong);

} // namespace sluice

#endif
