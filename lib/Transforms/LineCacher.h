// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Gives the threads of a kernel lines in one loop.

#ifndef SLUICE_LIB_TRANSFORMS_LINECACHER_H
#define SLUICE_LIB_TRANSFORMS_LINECACHER_H

#include "LineAccess.h"
#include "LineMonitor.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

namespace sluice {

/// Lines of a kernel's threads: one loop after the other has them.
struct LineBuffer {
  llvm::GlobalVariable *Bytes = nullptr;
  unsigned Threads = 0; ///< A multiple of 32.
  unsigned LinesPerThread = 0;
};

class LineCacher {
public:
  /// \p MostThreads: of a block; null: any. \p Counted: accesses that a thread
  /// counts before it chooses; 0: the first structures have lines.
  LineCacher(llvm::Function &F, const LineLoop &Lines, const LineBuffer &Buffer,
             std::optional<unsigned> MostThreads, unsigned Counted,
             WrongRewrite Wrong, const llvm::LoopInfo &LI);
  /// Leaves no analysis valid.
  void run();

private:
  /// A copy of the loop; of the original no values are mapped.
  struct Copy {
    llvm::ValueToValueMapTy Map;
    llvm::SmallVector<llvm::BasicBlock *, 16> Blocks;
    llvm::BasicBlock *of(llvm::BasicBlock *BB) {
      return llvm::cast<llvm::BasicBlock>(Map.lookup(BB));
    }
  };
  llvm::BasicBlock *busiestHeader(const llvm::LoopInfo &LI) const;
  void demote(llvm::Instruction *Allocas);
  void clone(Copy &To, llvm::StringRef Suffix);
  llvm::Value *hasLines(llvm::IRBuilder<> &B);
  llvm::Value *place(llvm::IRBuilder<> &B);
  void keepLines(LineKeeper &Keeper);
  void enter(llvm::Instruction *At, LineKeeper &Keeper);
  void runUnmonitored();
  void runMonitored();

  llvm::Function &F;
  const LineLoop &Lines;
  const LineBuffer &Buffer;
  const bool HasAll; ///< All threads of any block have lines.
  const unsigned Counted;
  const WrongRewrite Wrong; ///< For tests of tests.
  llvm::BasicBlock *Preheader, *Header;
  /// Where a thread goes over from counting: of the loop or of one in it.
  llvm::BasicBlock *Busiest;
  llvm::SmallVector<llvm::BasicBlock *, 16> Blocks;
  llvm::SmallVector<llvm::BasicBlock *, 4> Exits;
  llvm::SmallVector<llvm::AllocaInst *, 32> Demoted;
  llvm::Instruction *Allocas = nullptr; ///< Where new ones go.
  llvm::Value *Thread = nullptr;        ///< Its number in the block, i32.
};

} // namespace sluice

#endif
