// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Puts chunks of rows into shared memory around one loop.

#ifndef SLUICE_LIB_TRANSFORMS_LOOPSTAGER_H
#define SLUICE_LIB_TRANSFORMS_LOOPSTAGER_H

#include "ChunkCopies.h"
#include "llvm/ADT/SetVector.h"

namespace llvm {
class DominatorTree;
class GlobalVariable;
class LoopInfo;
class SCEVExpander;
} // namespace llvm

namespace sluice {

/// Buffers of a kernel: slots of its warps, and their locks.
struct Buffers {
  llvm::GlobalVariable *Slots = nullptr, *Locks = nullptr;
};

class LoopStager {
public:
  LoopStager(llvm::Function &F, LoopStreams &Streams, const StagingSlot &Slot,
             unsigned Warps, WrongRewrite Wrong,
             llvm::FunctionAnalysisManager &FAM);
  void run();

private:
  void makeBuffers();
  void clearLocks();
  struct Range {
    llvm::Value *Begin, *End; ///< i64.
  };
  llvm::Value *expand(llvm::SCEVExpander &Expander, const llvm::SCEV *S,
                      llvm::Instruction *At);
  Range rangeOf(llvm::IRBuilder<> &B, llvm::Value *Begin, int64_t Step,
                uint64_t Bytes);
  Range rangeOf(llvm::SCEVExpander &Expander, llvm::Instruction *I,
                llvm::Instruction *At);
  llvm::SmallVector<llvm::Value *, 4>
  testApart(llvm::SCEVExpander &Expander, llvm::Instruction *At,
            llvm::SmallSetVector<unsigned, 4> &Tested);
  llvm::Value *mayStage(llvm::SCEVExpander &Expander, llvm::Instruction *At);
  void keepOldLoop(llvm::Value *MayStage);
  void acquire();
  void chopLoop();
  void release(llvm::Instruction *At);
  void useSlots();

  llvm::Value *call(llvm::IRBuilder<> &B, llvm::Intrinsic::ID Id,
                    llvm::ArrayRef<llvm::Value *> Args = {}) {
    return B.CreateIntrinsic(Id, llvm::ArrayRef<llvm::Type *>(), Args);
  }
  const Stream &rowOf(const StagingSlot::Part &P) const {
    return Streams.Streams[P.Members.front().Stream];
  }
  const StreamFacts &factsOf(const StagingSlot::Part &P) const {
    return Streams.Facts.Streams[P.Members.front().Stream];
  }

  llvm::Function &F;
  llvm::Module &M;
  LoopStreams &Streams;
  const StagingSlot &Slot;
  const unsigned Warps;
  const WrongRewrite Wrong; ///< For tests of tests.
  llvm::Loop &L;
  llvm::LoopInfo &LI;
  llvm::DominatorTree &DT;
  llvm::ScalarEvolution &SE;
  llvm::IntegerType *I32, *I64;
  Buffers Own;
  ChunkCopier Copier;
  llvm::SmallVector<llvm::Value *, 4> Starts; ///< By part: addresses, i64.
  llvm::Value *Trips = nullptr;               ///< i64.
  // Of the loop that is staged.
  llvm::BasicBlock *Preheader = nullptr, *Exit = nullptr, *Latch = nullptr;
  llvm::Value *Lock = nullptr;
  SlotValues Slots;
  ChunkValues Chunk;
  llvm::Value *Number = nullptr; ///< Of the iteration in its chunk, i32.
};

} // namespace sluice

#endif
