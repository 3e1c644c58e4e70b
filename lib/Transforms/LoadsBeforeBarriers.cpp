// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads of global memory before the first barriers of a kernel:
//
//   tile[t] = a[i];                        x = a[i]; y = b[i];
//   __syncthreads();                       tile[t] = x;
//   edge[t] = b[i];       // waits     =>  __syncthreads();
//   __syncthreads();      // again         edge[t] = y;
//
// A barrier orders what the threads of a block write, so neither LLVM nor the
// assembler moves a load over one. But where no thread of the block can have
// written global memory yet there is nothing to order:
//
//   * all barriers of the kernel are in the load's block of code or behind it,
//     and that runs once, so each thread's first barriers are these;
//   * nothing before the load, nor on a way that does not come to it, writes
//     memory other than shared and local, or could wait for other blocks:
//     there are only plain loads and stores, barriers, and what computes.
//
// What another block or the host writes meanwhile a thread may have read at
// either time: nothing here waits for them.

#include "LoadOrder.h"
#include "ValueRegisters.h"
#include "sluice/Analysis/InlinePTX.h"
#include "sluice/Analysis/KernelFunction.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/Support/NVPTXAddrSpace.h"

using namespace llvm;
using namespace sluice;

/// Of what is moved no more registers are held across the barrier.
static constexpr uint64_t MostRegisters = 16;

/// Of all threads of the block.
static bool isBarrier(const Instruction &I) {
  const auto *Call = dyn_cast<IntrinsicInst>(&I);
  return Call &&
         Call->getIntrinsicID() == Intrinsic::nvvm_barrier_cta_sync_aligned_all;
}

/// Memory that no other block sees.
static bool isNear(const Value *Pointer) {
  const Value *Object = getUnderlyingObject(Pointer);
  const unsigned Space = Object->getType()->getPointerAddressSpace();
  return isa<AllocaInst>(Object) || Space == NVPTXAS::ADDRESS_SPACE_SHARED ||
         Space == NVPTXAS::ADDRESS_SPACE_LOCAL;
}

/// Memory that is surely neither shared nor a thread's own.
static bool isGlobal(const Value *Pointer) {
  const Value *Object = getUnderlyingObject(Pointer);
  return isa<Argument>(Object) || Object->getType()->getPointerAddressSpace() ==
                                      NVPTXAS::ADDRESS_SPACE_GLOBAL;
}

/// May other threads see that \p I was done, or it that they were?
static bool mayBeSeen(const Instruction &I) {
  if (const auto *Store = dyn_cast<StoreInst>(&I))
    return !Store->isSimple() || !isNear(Store->getPointerOperand());
  if (const auto *Load = dyn_cast<LoadInst>(&I))
    return !Load->isSimple();
  if (const auto *Call = dyn_cast<CallBase>(&I);
      Call && (isArithmeticPTX(*Call) || isBarrier(I)))
    return false;
  const auto *Intrinsic = dyn_cast<IntrinsicInst>(&I);
  return !(Intrinsic && Intrinsic->isAssumeLikeIntrinsic()) &&
         (I.mayHaveSideEffects() || I.mayReadOrWriteMemory());
}

/// Is there none of the block's threads that may have met another at a barrier,
/// or have written what others see, when it comes to \p BB?
static bool isFirstMeeting(const BasicBlock &BB, const DominatorTree &DT,
                           bool IsWrong) {
  if (any_of(successors(&BB), [&](const BasicBlock *Next) {
        return isPotentiallyReachable(Next, &BB, nullptr, &DT);
      }))
    return false;
  return none_of(*BB.getParent(), [&](const BasicBlock &Other) {
    return &Other != &BB && !DT.dominates(&BB, &Other) &&
           any_of(Other, [&](const Instruction &I) {
             return isBarrier(I) || (mayBeSeen(I) && !IsWrong);
           });
  });
}

/// The first barrier of \p BB, where loads may pass it.
static Instruction *firstBarrier(BasicBlock &BB, bool IsWrong) {
  for (Instruction &I : BB) {
    if (isBarrier(I))
      return &I;
    if (mayBeSeen(I) && !IsWrong)
      return nullptr;
  }
  return nullptr;
}

LoadInst *sluice::loadBeforeBarriers(Function &F, DominatorTree &DT,
                                     LoadTest MayMove, bool IsWrong,
                                     unsigned &Count) {
  if (!isKernel(F))
    return nullptr;
  LoadInst *First = nullptr;
  for (BasicBlock &BB : F) {
    Instruction *Barrier = firstBarrier(BB, IsWrong);
    if (!Barrier || !isFirstMeeting(BB, DT, IsWrong))
      continue;
    uint64_t Held = 0;
    for (Instruction &I :
         make_early_inc_range(make_range(Barrier->getIterator(), BB.end()))) {
      if (mayBeSeen(I) && !IsWrong)
        break;
      auto *Load = dyn_cast<LoadInst>(&I);
      if (!Load || !Load->isSimple() || !isGlobal(Load->getPointerOperand()) ||
          !MayMove(*Load))
        continue;
      const auto Address = addressBehind(*Load, *Barrier);
      Held += registersOf(*Load, F.getDataLayout());
      if (!Address || Held > MostRegisters)
        continue;
      for (Instruction *Each : *Address)
        Each->moveBefore(Barrier->getIterator());
      Load->moveBefore(Barrier->getIterator());
      ++Count;
      if (!First)
        First = Load;
    }
  }
  return First;
}
