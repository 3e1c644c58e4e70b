// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Goes through a kernel's loops and notes of each access where it stands and,
// by FormBuilder, how its address is made.

#include "sluice/Analysis/AccessAnalysis.h"
#include "FormBuilder.h"
#include "GlobalPointer.h"
#include "LaneGuards.h"
#include "sluice/Analysis/DebugPlace.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Debug.h"

using namespace sluice;
using namespace llvm;

#define DEBUG_TYPE "sluice-access-patterns"

STATISTIC(NumLoops, "Loops of kernels");
STATISTIC(NumAccesses, "Accesses of global memory in loops");

namespace {

/// How many have had an id so far, but for the ordinal.
class Ordinals {
public:
  void number(CodeId &Id) { Id.Ordinal = Count[Id.str()]++; }

private:
  StringMap<unsigned> Count;
};

} // namespace

static void addAccess(Instruction &I, FormBuilder &Forms, const Loop &L,
                      LoopFacts &Facts, unsigned Number, Ordinals &Numbered) {
  const Value *Pointer = globalPointer(I);
  if (!Pointer) {
    LLVM_DEBUG(if (I.mayReadOrWriteMemory()) dbgs()
               << "not known to be global:" << I << "\n");
    return;
  }
  AccessPattern Access;
  Access.Id = codeIdOf(I.getDebugLoc().get());
  Numbered.number(Access.Id);
  Access.IsStore = isa<StoreInst>(I);
  Access.Bytes = bytesTouched(I);
  Access.Address = Forms.build(const_cast<Value *>(Pointer), &L);
  Access.Loop = Number;
  ++NumAccesses;
  LLVM_DEBUG(dbgs() << "at " << Access.Id.str() << ": " << Access.Address.str()
                    << "\n");
  Facts.Accesses.push_back(std::move(Access));
}

bool sluice::isPrivateStore(const Instruction &I) {
  const auto *Store = dyn_cast<StoreInst>(&I);
  return Store && Store->isSimple() &&
         isa<AllocaInst>(getUnderlyingObject(Store->getPointerOperand()));
}

/// Assumptions and lifetime markers say that they write; they do not. No load
/// of a row waits for what the thread writes to an array of its own.
static bool writesMemory(const Instruction &I) {
  if (isPrivateStore(I))
    return false;
  if (const auto *Call = dyn_cast<IntrinsicInst>(&I))
    if (Call->isAssumeLikeIntrinsic())
      return false;
  return I.mayWriteToMemory();
}

uint64_t sluice::bytesTouched(const Instruction &I) {
  return I.getModule()->getDataLayout().getTypeStoreSize(getLoadStoreType(&I));
}

bool sluice::isSumInMemory(const Instruction &I, const Loop &L) {
  const auto *Store = dyn_cast<StoreInst>(&I);
  return Store && Store->isSimple() &&
         L.isLoopInvariant(Store->getPointerOperand());
}

/// After all else, as the numbers of unknown values are by their order.
static void addGuards(ArrayRef<Loop *> Loops, const LoopInfo &LI,
                      const ThreadUniformity &Threads, FormBuilder &Forms,
                      KernelFacts &Kernel) {
  LaneGuards Guards(
      *Loops.front()->getHeader()->getParent(), LI, Threads,
      [&](Value *V, const Loop *Scope) { return Forms.build(V, Scope); });
  for (auto [L, Facts] : zip(Loops, Kernel.Loops)) {
    auto Next = Facts.Accesses.begin();
    for (BasicBlock *BB : L->blocks())
      for (Instruction &I : *BB)
        if (LI.getLoopFor(BB) == L && globalPointer(I))
          append_range((Next++)->OnlyWhereZero, Guards.of(BB));
  }
}

/// Cycles in which a quarter of an SM begins \p I for a warp, at least. Of
/// `double` it computes 16 sums in a cycle and 4 conversions
/// (benchmarks/micro/conversions.cu).
static unsigned issueCycles(const Instruction &I) {
  const auto Is64 = [](const Type *T) {
    return T->isDoubleTy() || T->isIntegerTy(64);
  };
  const auto IsOfFloats = [](const Type *T) { return T->isFloatingPointTy(); };
  if (const auto *Cast = dyn_cast<CastInst>(&I)) {
    Type *From = Cast->getSrcTy(), *To = Cast->getDestTy();
    return (IsOfFloats(From) || IsOfFloats(To)) && (Is64(From) || Is64(To)) ? 8
                                                                            : 1;
  }
  const bool IsArithmetic = isa<BinaryOperator, UnaryOperator, FCmpInst>(I);
  return IsArithmetic && I.getOperand(0)->getType()->isDoubleTy() ? 2 : 1;
}

void sluice::analyzeAccesses(LoopInfo &LI, ScalarEvolution &SE,
                             KernelFacts &Kernel) {
  DenseMap<const Loop *, unsigned> Numbers;
  auto Loops = LI.getLoopsInPreorder();
  for (const Loop *L : Loops)
    Numbers[L] = Numbers.size();

  if (Loops.empty())
    return;
  ThreadUniformity Threads(*Loops.front()->getHeader()->getParent());
  FormBuilder Forms(LI, SE, Threads, Kernel, Loops, Numbers);
  Ordinals OfLoops;
  for (Loop *L : Loops) {
    ++NumLoops;
    LoopFacts Facts;
    Ordinals OfAccesses;
    Facts.Id = codeIdOf(*L);
    OfLoops.number(Facts.Id);
    if (const Loop *Parent = L->getParentLoop())
      Facts.Parent = Numbers[Parent];
    if (unsigned Trip = SE.getSmallConstantTripCount(L))
      Facts.TripCount = Trip;
    const SCEV *Taken = SE.getBackedgeTakenCount(L);
    if (!isa<SCEVCouldNotCompute>(Taken))
      Facts.TripForm = Forms.build(Taken, L) + AddressForm::constant(1);
    if (auto Count = getOptionalIntLoopAttribute(L, UnrollCountHint);
        Count && *Count > 0)
      Facts.UnrollHint = *Count;
    else if (findOptionMDForLoop(L, "llvm.loop.unroll.disable"))
      Facts.UnrollHint = 1;
    Facts.WritesOnlySums = L->isInnermost();
    for (BasicBlock *BB : L->blocks())
      for (Instruction &I : *BB) {
        if (!I.isDebugOrPseudoInst() && !isa<PHINode>(I)) {
          ++Facts.Instructions;
          Facts.IssueCycles += issueCycles(I);
        }
        if (writesMemory(I)) {
          Facts.WritesMemory = true;
          Facts.WritesOnlySums &= isSumInMemory(I, *L);
        }
        if (LI.getLoopFor(BB) == L)
          addAccess(I, Forms, *L, Facts, Numbers[L], OfAccesses);
      }
    Kernel.Loops.push_back(std::move(Facts));
  }
  addGuards(Loops, LI, Threads, Forms, Kernel);
  for (Instruction &I : instructions(*Loops.front()->getHeader()->getParent()))
    if (!LI.getLoopFor(I.getParent()) && readsGlobal(I))
      Kernel.LoadsOutsideLoops.push_back(codeIdOf(I.getDebugLoc().get()));
}
