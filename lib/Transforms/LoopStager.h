// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Puts chunks of rows into shared memory around one loop.

#ifndef SLUICE_LIB_TRANSFORMS_LOOPSTAGER_H
#define SLUICE_LIB_TRANSFORMS_LOOPSTAGER_H

#include "sluice/Plan/StagingPlanner.h"
#include "sluice/Plan/WrongRewrite.h"
#include "sluice/Transforms/StreamStaging.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Intrinsics.h"

namespace llvm {
class DominatorTree;
class GlobalVariable;
class LoopInfo;
} // namespace llvm

namespace sluice {

/// Lanes of a warp.
inline constexpr unsigned StagedLanes = 32;

/// Buffers of a kernel: slots of its warps, and their locks.
struct Buffers {
  llvm::GlobalVariable *Slots = nullptr, *Locks = nullptr;
};

class LoopStager {
public:
  LoopStager(llvm::Function &F, LoopStreams &Streams,
             llvm::ArrayRef<unsigned> Numbers, const StagingSlot &Slot,
             unsigned Warps, WrongRewrite Wrong,
             llvm::FunctionAnalysisManager &FAM);
  void run();

private:
  void makeBuffers();
  void clearLocks();
  void keepOldLoop(llvm::Value *MayStage);
  void acquire();
  void chopLoop();
  void fill(llvm::Instruction *At);
  void copyTogether(llvm::Instruction *At);
  void copyOwn(llvm::Instruction *At);
  void release(llvm::Instruction *At);
  void readFromSlots();

  llvm::Value *call(llvm::IRBuilder<> &B, llvm::Intrinsic::ID Id,
                    llvm::ArrayRef<llvm::Value *> Args = {}) {
    return B.CreateIntrinsic(Id, llvm::ArrayRef<llvm::Type *>(), Args);
  }
  void copy(llvm::IRBuilder<> &B, llvm::Value *To, llvm::Value *From);

  llvm::Function &F;
  llvm::Module &M;
  LoopStreams &Streams;
  llvm::ArrayRef<unsigned> Numbers;
  const StagingSlot &Slot;
  const unsigned Warps;
  const WrongRewrite Wrong; ///< For tests of tests.
  llvm::Loop &L;
  llvm::LoopInfo &LI;
  llvm::DominatorTree &DT;
  llvm::ScalarEvolution &SE;
  llvm::IntegerType *I32, *I64;
  Buffers Own;
  llvm::SmallVector<llvm::Value *, 4> Starts; ///< By stream: addresses, i64.
  llvm::Value *Trips = nullptr;               ///< i64.
  // Of the loop that is staged.
  llvm::BasicBlock *Preheader = nullptr, *Exit = nullptr, *Latch = nullptr;
  llvm::Value *Lane = nullptr, *Lock = nullptr, *OfWarp = nullptr,
              *OfLane = nullptr;
  // Of a chunk.
  llvm::Value *Mask = nullptr, *Iterations = nullptr;
  llvm::SmallVector<llvm::Value *, 4> From, Misaligned; ///< By stream.
  llvm::Value *Number = nullptr; ///< Of the iteration in its chunk, i32.
};

} // namespace sluice

#endif
