// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Puts chunks of rows into shared memory around one loop.

#ifndef SLUICE_LIB_TRANSFORMS_LOOPSTAGER_H
#define SLUICE_LIB_TRANSFORMS_LOOPSTAGER_H

#include "ChunkCopies.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

namespace llvm {
class DominatorTree;
class GlobalVariable;
class LoopInfo;
} // namespace llvm

namespace sluice {

/// Buffers of a kernel: slots of its warps, and their locks.
struct Buffers {
  llvm::GlobalVariable *Slots = nullptr, *Locks = nullptr;
  unsigned SlotBytes = 0;
  /// Another loop has them, too: whoever holds a slot's lock has the slot.
  bool AreOfOther = false;
};

class LoopStager {
public:
  LoopStager(llvm::Function &F, LoopStreams &Streams, const StagingSlot &Slot,
             unsigned Warps, Buffers &Own, WrongRewrite Wrong,
             llvm::FunctionAnalysisManager &FAM);
  void run();

private:
  void makeBuffers();
  void clearLocks();
  void keepOldLoop(llvm::Value *MayStage);
  void acquire();
  llvm::Value *beginChunk(llvm::Value *Begin, llvm::Instruction *At);
  void endLoopWithChunk(llvm::BasicBlock *Next);
  void chopLoop();
  unsigned unrollCount() const;
  void addWholeVersion(llvm::BasicBlock *Next, unsigned Unroll,
                       llvm::ValueToValueMapTy &Copies);
  void release(llvm::Instruction *At);
  void useSlots(llvm::Value *Number, llvm::ArrayRef<llvm::Value *> Misaligned,
                llvm::ValueToValueMapTy *Copies);

  llvm::Value *call(llvm::IRBuilder<> &B, llvm::Intrinsic::ID Id,
                    llvm::ArrayRef<llvm::Value *> Args = {}) {
    return B.CreateIntrinsic(Id, llvm::ArrayRef<llvm::Type *>(), Args);
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
  Buffers &Own; ///< Made by the first that needs them.
  ChunkCopier Copier;
  llvm::SmallVector<llvm::Value *, 4> Starts; ///< By part: addresses, i64.
  llvm::Value *Trips = nullptr;               ///< i64.
  llvm::Value *Missing = nullptr;             ///< As RowTests::missing.
  // Of the loop that is staged.
  llvm::BasicBlock *Preheader = nullptr, *Exit = nullptr, *Latch = nullptr;
  llvm::Value *Lock = nullptr;
  SlotValues Slots;
  ChunkValues Chunk;
  llvm::PHINode *Number = nullptr; ///< Of the iteration in its chunk, i32.
};

} // namespace sluice

#endif
