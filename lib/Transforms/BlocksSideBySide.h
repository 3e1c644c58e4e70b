// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Several blocks of a grid by one thread each, side by side.

#ifndef SLUICE_TRANSFORMS_BLOCKSSIDEBYSIDE_H
#define SLUICE_TRANSFORMS_BLOCKSSIDEBYSIDE_H

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

using BasicBlockSet = llvm::SmallPtrSet<const llvm::BasicBlock *, 16>;

/// What in a kernel depends on the first index of its block, or on \p Index in
/// place of it.
class BlockDependence {
public:
  /// In \p Apart each block has all instructions for itself.
  explicit BlockDependence(const llvm::Function &F,
                           const BasicBlockSet &Apart = {},
                           const llvm::Instruction *Index = nullptr);

  /// Does \p V differ from block to block of a row?
  bool varies(const llvm::Value *V) const { return Varying.contains(V); }
  /// And does it come of memory, too?
  bool isLoaded(const llvm::Value *V) const { return Loaded.contains(V); }
  /// Is \p V a product that is the same in all blocks, and fused with a sum
  /// that is not, or that each block has? Each has its own then: used by
  /// several sums it would be fused with others. What is made of it varies, as
  /// far as is known here.
  bool isOwnProduct(const llvm::Value *V) const { return Own.contains(V); }

private:
  bool isEachs(const llvm::Instruction &Product,
               const BasicBlockSet &Apart) const;

  llvm::SmallPtrSet<const llvm::Value *, 32> Varying, Loaded, Own;
};

/// How far the threads of several blocks go side by side, as one. Where threads
/// of a block work together (BlockWork.h), all of them go all the way.
class SharedWay {
public:
  SharedWay(llvm::Function &F, const llvm::LoopInfo &LI);

  /// Why they cannot; empty: they can.
  llvm::StringRef whyNot() const { return Reason; }
  /// What is at the end of it, where each block goes on by itself, one after
  /// the other; null: they go together to the kernel's end.
  const llvm::Instruction *parting() const { return Parting; }
  const BlockDependence &depends() const { return Depends; }
  /// Does each block have \p BB, behind the parting, for itself alone?
  bool isApart(const llvm::BasicBlock &BB) const {
    return Apart.contains(&BB) && !Together.contains(&BB);
  }

private:
  llvm::StringRef whyNotAt(const llvm::Instruction &I) const;
  llvm::StringRef whyNotTogether(const llvm::Instruction &End) const;

  const llvm::LoopInfo &LI;
  const bool WorkTogether;
  const BasicBlockSet Behind; ///< Where something may have been written.
  const llvm::Instruction *Parting = nullptr;
  BasicBlockSet Together, Apart;
  BlockDependence Depends;
  llvm::StringRef Reason;
};

/// What is reached from \p Begin, not by \p Parting.
BasicBlockSet reachedTogether(const llvm::BasicBlock &Begin,
                              const llvm::Instruction *Parting);
/// What is reached behind \p Parting; null: nothing.
BasicBlockSet reachedApart(const llvm::Instruction *Parting);
/// Where something may have been written before.
BasicBlockSet blocksBehindWrites(const llvm::Function &F);
/// What decides where \p Terminator goes; null: nothing, or it is no branch.
const llvm::Value *conditionOf(const llvm::Instruction &Terminator);

/// Can \p BB be run again by the thread that ran it?
bool isInCycle(const llvm::BasicBlock &BB);
/// Can \p I be a part of waiting for another thread? Whoever waits looks again
/// and again.
bool mayWait(const llvm::Instruction &I);
bool mayWait(const llvm::Function &F);

/// How many blocks a thread should do the work of, so that what it has on its
/// way keeps the memory busy, or \p Asked (0: nobody asked), as far as they are
/// not too much code: 1, 2, 4 or 8.
unsigned blocksTogether(const llvm::Function &F, const SharedWay &Way,
                        const llvm::LoopInfo &LI, unsigned Asked);

/// \p Begin and what follows it do in \p Together blocks, of which \p First is
/// the first and \p Blocks are in all, what they do in \p First. Where the
/// blocks part is \p Parting (null: nowhere). The entry, which is before \p
/// Begin and computes \p First, has no terminator.
void placeSideBySide(llvm::BasicBlock &Begin, llvm::Instruction &First,
                     llvm::Value &Blocks, unsigned Together,
                     const llvm::Instruction *Parting, bool IsWrong);

} // namespace sluice

#endif
