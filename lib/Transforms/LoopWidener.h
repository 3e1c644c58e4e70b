// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Lets the threads of one loop read and write their rows 16 bytes at a time.

#ifndef SLUICE_LIB_TRANSFORMS_LOOPWIDENER_H
#define SLUICE_LIB_TRANSFORMS_LOOPWIDENER_H

#include "sluice/Plan/Plan.h"
#include "sluice/Plan/WrongRewrite.h"
#include "sluice/Transforms/StreamWidening.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

namespace llvm {
class DominatorTree;
class LoopInfo;
class OptimizationRemarkEmitter;
class SCEVExpander;
} // namespace llvm

namespace sluice {

class RowLengths;

/// Widens the rows of \p F's loop that \p Planned says, if they can be, with a
/// remark in both cases; then \p Lengths gets theirs. Leaves no analysis of the
/// function valid.
bool widenRows(llvm::Function &F, const LoopPlan &Planned, WrongRewrite Wrong,
               llvm::FunctionAnalysisManager &FAM, RowLengths &Lengths,
               llvm::OptimizationRemarkEmitter &Remarks);

class LoopWidener {
public:
  LoopWidener(llvm::Function &F, LoopStreams &Streams, const Widenable &Can,
              WrongRewrite Wrong, llvm::FunctionAnalysisManager &FAM);
  /// Leaves no analysis of the function valid.
  void run();

private:
  /// A stream in the new loop.
  struct Row {
    unsigned Number; ///< As Widenable::Streams.
    llvm::Value *Start = nullptr;
    /// Of all blocks of an iteration of the new loop together.
    llvm::FixedVectorType *Type = nullptr;
  };
  /// What an element of the row's vectors is.
  llvm::Type *elementOf(const Stream &S) const;
  const StreamFacts &factsOf(const Row &R) const {
    return Streams.Facts.Streams[R.Number];
  }

  bool areAllAligned() const;
  void askLength(llvm::Instruction *At);
  llvm::Value *expand();
  llvm::Value *findFirst(llvm::IRBuilder<> &B);
  void makeVersions(llvm::Value *MayWiden);
  llvm::BasicBlock *peel();
  void chopLoop();
  llvm::Value *blockAddress(llvm::IRBuilder<> &B, const Row &R, unsigned Block);
  llvm::FixedVectorType *blockType(const Row &R) const;
  llvm::Value *elementNumber(llvm::IRBuilder<> &B, const Row &R,
                             const StreamAccess &Access);
  void widenLoads(const Row &R);
  void widenStores(const Row &R);
  void unroll();

  llvm::Function &F;
  LoopStreams &Streams;
  const Widenable &Can;
  const WrongRewrite Wrong; ///< For tests of tests.
  llvm::FunctionAnalysisManager &FAM;
  llvm::Loop &L;
  llvm::LoopInfo &LI;
  llvm::DominatorTree &DT;
  llvm::ScalarEvolution &SE;
  llvm::IntegerType *I32, *I64;
  llvm::SmallVector<Row, 4> Rows;
  /// Iterations that must be left behind each of the new loop: 1 where a row
  /// has bytes that no iteration touches.
  unsigned Following = 0;
  llvm::Value *Trips = nullptr;  ///< i64.
  llvm::Value *First = nullptr;  ///< Iteration that begins with a block, i64.
  llvm::Value *IsLong = nullptr; ///< Are there enough?
  llvm::BasicBlock *Asked = nullptr;        ///< Where that is asked first.
  llvm::BasicBlock *Check = nullptr;        ///< Where it is decided.
  llvm::BasicBlock *PeeledHeader = nullptr; ///< Of those before the first.
  // Of the old loop, which also runs what is left.
  llvm::BasicBlock *OldPreheader = nullptr, *Exit = nullptr;
  // Of the new one.
  llvm::ValueToValueMapTy Clones;
  llvm::BasicBlock *Preheader = nullptr, *Header = nullptr, *Latch = nullptr;
  llvm::BasicBlock *Block = nullptr; ///< Where an iteration begins.
  llvm::BasicBlock *Next = nullptr;  ///< And where it ends.
  llvm::Value *Begin = nullptr;      ///< The first of the old ones in it, i64.
  llvm::Value *Number = nullptr;     ///< Of the old one in it, i32.
};

} // namespace sluice

#endif
