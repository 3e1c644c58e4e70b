// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "sluice/Analysis/LocalArrays.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace sluice;

bool sluice::collectAccesses(AllocaInst &Array,
                             SmallVectorImpl<Instruction *> &Accesses) {
  SmallVector<Use *, 16> Work;
  auto AddUses = [&](Value &V) {
    for (Use &U : V.uses())
      Work.push_back(&U);
  };
  AddUses(Array);
  while (!Work.empty()) {
    Use *U = Work.pop_back_val();
    auto *I = cast<Instruction>(U->getUser());
    if (isa<GetElementPtrInst, AddrSpaceCastInst, BitCastInst>(I)) {
      AddUses(*I);
    } else if (auto *Load = dyn_cast<LoadInst>(I)) {
      if (!Load->isSimple())
        return false;
      Accesses.push_back(I);
    } else if (auto *Store = dyn_cast<StoreInst>(I)) {
      if (!Store->isSimple() || Store->getValueOperand() == U->get())
        return false;
      Accesses.push_back(I);
    } else if (auto *Memory = dyn_cast<MemIntrinsic>(I)) {
      if (Memory->isVolatile() || !isa<ConstantInt>(Memory->getLength()))
        return false;
      Accesses.push_back(I);
    } else if (!I->isLifetimeStartOrEnd() && !I->isDroppable()) {
      return false;
    }
  }
  return true;
}

/// The pointers of \p Access into \p Array.
static SmallVector<Value *, 2> pointersInto(const AllocaInst &Array,
                                            Instruction &Access) {
  SmallVector<Value *, 2> Pointers;
  for (Value *V : Access.operands())
    if (V->getType()->isPointerTy() && getUnderlyingObject(V) == &Array)
      Pointers.push_back(V);
  return Pointers;
}

/// Is \p I a call that LLVM computes of constants, as of an index that is
/// mirrored at an array's ends?
static bool folds(const Instruction &I) {
  const auto *Call = dyn_cast<IntrinsicInst>(&I);
  return Call && canConstantFoldCallTo(Call, Call->getCalledFunction());
}

/// Adds the loops whose counters decide about \p Pointer's place in \p Array.
/// False: something else decides as well, so that it is not constant once they
/// are unrolled whole.
static bool addLoopsOf(Value &Pointer, const AllocaInst &Array,
                       const LoopInfo &LI, LoopSet &Loops) {
  SmallVector<Value *, 8> Work = {&Pointer};
  SmallPtrSet<Value *, 16> Seen;
  while (!Work.empty()) {
    auto *I = dyn_cast<Instruction>(Work.back());
    const bool IsConstant = isa<Constant>(Work.pop_back_val());
    if (IsConstant || I == &Array || (I && !Seen.insert(I).second))
      continue;
    if (!I || I->mayReadOrWriteMemory() || (isa<CallBase>(I) && !folds(*I)))
      return false;
    if (isa<PHINode>(I)) {
      Loop *L = LI.getLoopFor(I->getParent());
      if (!L || L->getHeader() != I->getParent())
        return false;
      Loops.insert(L);
    }
    if (const auto *Call = dyn_cast<CallBase>(I))
      append_range(Work, Call->args());
    else
      append_range(Work, I->operand_values());
  }
  return true;
}

unsigned sluice::mostIterations(const Loop &L, ScalarEvolution &SE) {
  if (const unsigned Trip = SE.getSmallConstantTripCount(&L))
    return Trip;
  const unsigned Most = SE.getSmallConstantMaxTripCount(&L);
  return Most <= MostCopiesWithEnds ? Most : 0;
}

std::vector<LocalArray> sluice::findLocalArrays(Function &F, const LoopInfo &LI,
                                                ScalarEvolution &SE) {
  std::vector<LocalArray> Arrays;
  if (LI.empty())
    return Arrays;
  const DataLayout &DL = F.getDataLayout();
  for (Instruction &I : F.getEntryBlock()) {
    auto *Alloca = dyn_cast<AllocaInst>(&I);
    if (!Alloca || !Alloca->isStaticAlloca())
      continue;
    LocalArray Array;
    Array.Array = Alloca;
    const auto Size = Alloca->getAllocationSize(DL);
    if (!Size || Size->isScalable() ||
        !collectAccesses(*Alloca, Array.Accesses))
      continue;
    Array.Bytes = Size->getFixedValue();
    const bool IsKnown = all_of(Array.Accesses, [&](Instruction *Access) {
      return all_of(pointersInto(*Alloca, *Access), [&](Value *Pointer) {
        return addLoopsOf(*Pointer, *Alloca, LI, Array.Loops);
      });
    });
    if (IsKnown && !Array.Loops.empty() && all_of(Array.Loops, [&](Loop *L) {
          return mostIterations(*L, SE) != 0;
        }))
      Arrays.push_back(std::move(Array));
  }
  return Arrays;
}

/// Of all arrays of \p F together, as they are kept in registers together.
static bool haveFewBytes(const Function &F) {
  uint64_t Bytes = 0;
  for (const Instruction &I : F.getEntryBlock())
    if (const auto *Array = dyn_cast<AllocaInst>(&I)) {
      const auto Size = Array->getAllocationSize(F.getDataLayout());
      if (!Size || Size->isScalable())
        return false;
      Bytes += Size->getFixedValue();
    }
  return Bytes <= MostBytesInRegisters;
}

bool sluice::goesOverSmallArray(const Loop &L, ScalarEvolution &SE) {
  if (SE.getSmallConstantTripCount(&L) == 0)
    return false;
  const bool GoesOver = any_of(L.blocks(), [&](const BasicBlock *Block) {
    return any_of(*Block, [&](const Instruction &I) {
      const Value *Pointer = getLoadStorePointerOperand(&I);
      return Pointer && isa<AllocaInst>(getUnderlyingObject(Pointer)) &&
             !L.isLoopInvariant(Pointer);
    });
  });
  return GoesOver && haveFewBytes(*L.getHeader()->getParent());
}

/// Is nothing left of \p I where loops are unrolled whole and arrays are in
/// registers?
static bool vanishes(const Instruction &I) {
  if (const Value *Pointer = getLoadStorePointerOperand(&I))
    return isa<AllocaInst>(getUnderlyingObject(Pointer));
  return isa<ExtractValueInst, InsertValueInst>(I);
}

uint64_t sluice::sizeUnrolled(const Loop &L, const LoopSet &Unrolled,
                              ScalarEvolution &SE,
                              const TargetTransformInfo &TTI) {
  InstructionCost Own = 0;
  for (const BasicBlock *BB : L.blocks())
    if (none_of(L.getSubLoops(),
                [&](const Loop *Inner) { return Inner->contains(BB); }))
      for (const Instruction &I : *BB)
        if (!vanishes(I))
          Own += TTI.getInstructionCost(
              &I, TargetTransformInfo::TCK_SizeAndLatency);
  uint64_t Size = Own.isValid() ? uint64_t(Own.getValue()) : ~uint32_t(0);
  for (const Loop *Inner : L.getSubLoops())
    Size += sizeUnrolled(*Inner, Unrolled, SE, TTI);
  const bool IsUnrolled = Unrolled.contains(const_cast<Loop *>(&L));
  return IsUnrolled ? Size * mostIterations(L, SE) : Size;
}
