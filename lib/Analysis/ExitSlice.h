// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// What the end of a cycle depends on.

#ifndef SLUICE_LIB_ANALYSIS_EXITSLICE_H
#define SLUICE_LIB_ANALYSIS_EXITSLICE_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/CycleInfo.h"
#include <string>

namespace llvm {
class AAResults;
class LoadInst;
class PHINode;
} // namespace llvm

namespace sluice {

/// All instructions of a reducible cycle by which its exits are taken or not:
/// backwards from the exits' conditions, through data, through the branches
/// that lead there, and through the thread's own memory.
class ExitSlice {
public:
  /// Does no thread write what \p Load reads while the kernel runs?
  using IsUnwritten = llvm::function_ref<bool(const llvm::LoadInst &Load)>;

  ExitSlice(const llvm::Cycle &C, const llvm::CycleInfo &Cycles,
            llvm::AAResults &AA, IsUnwritten Unwritten)
      : C(C), Cycles(Cycles), AA(AA), Unwritten(Unwritten) {}

  /// An instruction of the slice that other threads may decide the result of,
  /// and what it is, as in "depends on an atomic operation"; null: there is
  /// none.
  const llvm::Instruction *findForeign(std::string &What);

private:
  using BlockSet = llvm::SmallPtrSet<const llvm::BasicBlock *, 16>;

  bool endsIteration(const llvm::BasicBlock *To) const;
  BlockSet avoiding(const llvm::BasicBlock *BB) const;
  void needExits(const llvm::Cycle &Of);
  void need(const llvm::Value *V);
  void needOperands(const llvm::Instruction &I);
  void needTerminator(const llvm::BasicBlock *BB);
  void needControlOf(const llvm::BasicBlock *BB);
  void needIncoming(const llvm::PHINode &Phi);
  void needInnerExits(const llvm::Instruction &I);
  std::string follow(const llvm::Instruction &I);
  std::string followLoad(const llvm::LoadInst &Load);
  std::string followWritesOf(const llvm::LoadInst &Load);

  const llvm::Cycle &C;
  const llvm::CycleInfo &Cycles;
  llvm::AAResults &AA;
  IsUnwritten Unwritten;
  BlockSet Controlled; ///< Blocks of which it is known what decides on them.
  llvm::SmallPtrSet<const llvm::Cycle *, 4> Left;
  llvm::SmallPtrSet<const llvm::Instruction *, 32> Seen;
  llvm::SmallVector<const llvm::Instruction *, 32> Work;
};

} // namespace sluice

#endif
