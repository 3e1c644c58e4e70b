// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A thread that keeps data sees neither what others write meanwhile nor what it
// writes itself by another address. The first is asked by instruction, as only
// some let a thread see what others do (ThreadOrder.h); the second of LLVM's
// alias analysis, for whole objects, as two iterations are compared and it
// knows of one.

#include "StreamHazards.h"
#include "GlobalPointer.h"
#include "sluice/Analysis/KernelWrites.h"
#include "sluice/Analysis/Reachability.h"
#include "sluice/Analysis/ThreadOrder.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/MemoryLocation.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Support/ErrorHandling.h"

using namespace sluice;
using namespace llvm;

using Kind = StreamHazard::KindTy;

std::string StreamHazard::str() const {
  switch (Kind) {
  case Volatile:
    return "a volatile access";
  case Atomic:
    return "an atomic operation";
  case Barrier:
    return "a block barrier";
  case WarpBarrier:
    return "a barrier of the warp";
  case Fence:
    return "a fence";
  case Assembly:
    return "inline assembly that may access memory";
  case Call:
    return "a call that may write memory or not return";
  }
  llvm_unreachable("all kinds are listed");
}

static std::optional<Kind> hazardOfCall(const CallBase &Call) {
  const ThreadOrder Order = threadOrderOf(Call);
  if (Call.isInlineAsm())
    return Order == ThreadOrder::None ? std::nullopt
                                      : std::optional(Kind::Assembly);
  if (Order == ThreadOrder::Block)
    return Kind::Barrier;
  // Not an exchange of values, which orders no memory.
  if (Order == ThreadOrder::Warp)
    return isFunctionOfOperands(Call) ? std::nullopt
                                      : std::optional(Kind::WarpBarrier);
  if (isFence(Call))
    return Kind::Fence;
  if (const auto *Memory = dyn_cast<MemIntrinsic>(&Call))
    return Memory->isVolatile() ? std::optional(Kind::Volatile) : std::nullopt;
  if (Order > ThreadOrder::Warp)
    return Kind::Call;
  // Of a function with a body it is not looked at what that does.
  if (calleeWithBody(Call) && !Call.doesNotAccessMemory())
    return Kind::Call;
  if (!isGuaranteedToTransferExecutionToSuccessor(&Call))
    return Kind::Call;
  return std::nullopt;
}

std::optional<Kind> sluice::hazardOf(const Instruction &I) {
  if (const auto *Call = dyn_cast<CallBase>(&I))
    return hazardOfCall(*Call);
  if (isa<FenceInst>(I))
    return Kind::Fence;
  if (I.isAtomic())
    return Kind::Atomic;
  return I.isVolatile() ? std::optional(Kind::Volatile) : std::nullopt;
}

/// Barriers and fences return, though LLVM does not promise it.
static bool mayNotReturn(const Instruction &I) {
  if (isGuaranteedToTransferExecutionToSuccessor(&I))
    return false;
  const auto Hazard = hazardOf(I);
  return Hazard == Kind::Call || Hazard == Kind::Assembly;
}

bool sluice::mayEndInside(const Loop &L) {
  return any_of(L.blocks(),
                [](const BasicBlock *BB) { return any_of(*BB, mayNotReturn); });
}

/// A loop that does nothing that others see must end, in C++.
static bool surelyEnds(const Loop &L) {
  return isMustProgress(&L) && none_of(L.blocks(), [](const BasicBlock *BB) {
           return any_of(*BB, [](const Instruction &I) {
             return hazardOf(I).has_value();
           });
         });
}

/// Does whatever enters \p L's header come to \p Target in the same iteration?
static bool alwaysReaches(const BasicBlock &Target, const Loop &L,
                          const LoopInfo &LI) {
  SmallPtrSet<const BasicBlock *, 8> Seen;
  SmallVector<const BasicBlock *, 8> Work = {L.getHeader()};
  while (!Work.empty()) {
    const BasicBlock *BB = Work.pop_back_val();
    if (BB == &Target || !Seen.insert(BB).second)
      continue;
    const Loop *Inner = LI.getLoopFor(BB);
    if (L.isLoopExiting(BB) || (Inner != &L && !surelyEnds(*Inner)) ||
        any_of(*BB, mayNotReturn))
      return false;
    append_range(Work, successors(BB));
  }
  return true;
}

StreamRuns sluice::runsOf(const Instruction &I, const Loop &L,
                          const LoopInfo &LI, const DominatorTree &DT) {
  const BasicBlock &BB = *I.getParent();
  SmallVector<BasicBlock *, 2> Latches;
  L.getLoopLatches(Latches);
  if (!all_of(Latches, [&](const BasicBlock *Latch) {
        return DT.dominates(&BB, Latch);
      }))
    return StreamRuns::Sometimes;
  const bool Always =
      alwaysReaches(BB, L, LI) &&
      none_of(make_range(BB.begin(), I.getIterator()), mayNotReturn);
  return Always ? StreamRuns::Always : StreamRuns::ButLast;
}

namespace {

/// Asks for whole objects and for any two iterations.
class ConflictFinder {
public:
  ConflictFinder(ArrayRef<Instruction *> Accesses, const Loop &L,
                 AAResults &AA);
  bool conflicts(const Instruction &I, bool OfStores) const;

private:
  AAMDNodes tagsOf(const Instruction &I) const;

  AAResults &AA;
  bool HasScopes; ///< Each iteration has scopes of its own.
  MemoryLocation Touched;
};

} // namespace

/// All accesses are into one object.
ConflictFinder::ConflictFinder(ArrayRef<Instruction *> Accesses, const Loop &L,
                               AAResults &AA)
    : AA(AA) {
  HasScopes = any_of(L.blocks(), [](const BasicBlock *BB) {
    return any_of(*BB, IsaPred<NoAliasScopeDeclInst>);
  });
  AAMDNodes Tags = tagsOf(*Accesses.front());
  for (const Instruction *Access : drop_begin(Accesses))
    Tags = Tags.merge(tagsOf(*Access));
  Touched = MemoryLocation::getBeforeOrAfter(
      getLoadStorePointerOperand(Accesses.front()), Tags);
}

AAMDNodes ConflictFinder::tagsOf(const Instruction &I) const {
  AAMDNodes Tags = I.getAAMetadata();
  if (HasScopes)
    Tags.Scope = Tags.NoAlias = nullptr;
  return Tags;
}

bool ConflictFinder::conflicts(const Instruction &I, bool OfStores) const {
  if (const Value *Pointer = getLoadStorePointerOperand(&I))
    return isGlobalPointer(Pointer) && (OfStores || isa<StoreInst>(I)) &&
           !AA.isNoAlias(MemoryLocation::getBeforeOrAfter(Pointer, tagsOf(I)),
                         Touched);
  const ModRefInfo Does = AA.getModRefInfo(&I, Touched);
  return OfStores ? isModOrRefSet(Does) : isModSet(Does);
}

SmallVector<Instruction *, 2>
sluice::conflictsOf(ArrayRef<Instruction *> Accesses, bool OfStores,
                    const Loop &L, AAResults &AA) {
  // As of __ldg: the source promises that nothing writes it.
  if (all_of(Accesses, [](const Instruction *I) {
        return I->hasMetadata(LLVMContext::MD_invariant_load);
      }))
    return {};
  const ConflictFinder Finder(Accesses, L, AA);
  SmallVector<Instruction *, 2> Found;
  for (BasicBlock *BB : L.blocks())
    for (Instruction &I : *BB)
      if (I.mayReadOrWriteMemory() && !I.isDebugOrPseudoInst() &&
          !hazardOf(I) && !is_contained(Accesses, &I) &&
          Finder.conflicts(I, OfStores))
        Found.push_back(&I);
  return Found;
}
