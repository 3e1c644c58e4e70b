// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM's LoopVersioning makes the second loop. Here is what it is given: ranges
// in place of single accesses, and afterwards alias scopes that say what the
// tests have shown.

#include "sluice/Transforms/SumVersions.h"
#include "sluice/Analysis/AccessAnalysis.h"
#include "sluice/Analysis/SharedMemory.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/LoopAccessAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/MemoryLocation.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/Transforms/Utils/LoopVersioning.h"

using namespace llvm;
using namespace sluice;

static bool hasShape(const Loop &L, ScalarEvolution &SE) {
  return L.isLoopSimplifyForm() && L.isInnermost() && L.getExitingBlock() &&
         L.getExitingBlock() == L.getLoopLatch() && L.getUniqueExitBlock() &&
         !L.isAnnotatedParallel() &&
         !isa<SCEVCouldNotCompute>(SE.getBackedgeTakenCount(&L));
}

static bool hasOnlyPlainAccesses(const Loop &L, AAResults &AA) {
  for (const BasicBlock *BB : L.blocks())
    for (const Instruction &I : *BB) {
      if (I.mayThrow())
        return false;
      if (auto *Call = dyn_cast<CallBase>(&I)) {
        if (Call->isConvergent() || Call->cannotDuplicate() ||
            !AA.doesNotAccessMemory(Call))
          return false;
        continue;
      }
      if (!I.mayReadOrWriteMemory())
        continue;
      if (!getLoadStorePointerOperand(&I) || I.isAtomic() || I.isVolatile())
        return false;
    }
  return true;
}

/// Pointers a constant distance apart, one range each. Those that the loop
/// moves are apart from those that it does not, so that y[0] is tested against
/// y[1] to y[n].
static SmallVector<RuntimeCheckingPtrGroup, 4>
groupByDistance(const RuntimePointerChecking &Tested, const Loop &L,
                ScalarEvolution &SE) {
  SmallVector<RuntimeCheckingPtrGroup, 4> Ranges;
  auto IsFixed = [&](unsigned P) {
    return SE.isLoopInvariant(Tested.getPointerInfo(P).Expr, &L);
  };
  auto SpaceOf = [&](unsigned P) {
    const Value *Pointer = Tested.getPointerInfo(P).PointerValue;
    return Pointer->getType()->getPointerAddressSpace();
  };
  for (unsigned P = 0; P < Tested.Pointers.size(); ++P)
    if (none_of(Ranges, [&](RuntimeCheckingPtrGroup &Range) {
          return IsFixed(Range.Members.front()) == IsFixed(P) &&
                 Range.AddressSpace == SpaceOf(P) &&
                 Range.addPointer(P, Tested);
        }))
      Ranges.emplace_back(P, Tested);
  return Ranges;
}

/// Tells alias analysis what the tests have shown.
static void markApart(const Loop &L, const RuntimePointerChecking &Tested,
                      ArrayRef<RuntimeCheckingPtrGroup> Ranges,
                      ArrayRef<RuntimePointerCheck> Tests) {
  MDBuilder Builder(L.getHeader()->getContext());
  MDNode *Domain = Builder.createAnonymousAliasScopeDomain("sluice-promote");
  DenseMap<const RuntimeCheckingPtrGroup *, MDNode *> Scopes, Apart;
  DenseMap<const Value *, const RuntimeCheckingPtrGroup *> RangeOf;
  for (const RuntimeCheckingPtrGroup &Range : Ranges) {
    Scopes[&Range] = Builder.createAnonymousAliasScope(Domain);
    // A pointer that is either of two has both ranges; nothing is said of it.
    for (unsigned P : Range.Members)
      if (auto [It, IsNew] = RangeOf.try_emplace(
              Tested.getPointerInfo(P).PointerValue, &Range);
          It->second != &Range)
        It->second = nullptr;
  }
  auto List = [&](MDNode *Scope) {
    return MDNode::get(L.getHeader()->getContext(), {Scope});
  };
  for (auto [A, B] : Tests) // One way is enough.
    Apart[A] = MDNode::concatenate(Apart.lookup(A), List(Scopes.lookup(B)));
  auto Add = [](Instruction &I, unsigned Kind, MDNode *Scopes) {
    if (Scopes)
      I.setMetadata(Kind, MDNode::concatenate(I.getMetadata(Kind), Scopes));
  };
  for (BasicBlock *BB : L.blocks())
    for (Instruction &I : *BB)
      if (const auto *Range = RangeOf.lookup(getLoadStorePointerOperand(&I))) {
        Add(I, LLVMContext::MD_alias_scope, List(Scopes.lookup(Range)));
        Add(I, LLVMContext::MD_noalias, Apart.lookup(Range));
      }
}

void sluice::markSharedApart(Loop &L, bool SaysAllAreApart) {
  LLVMContext &Context = L.getHeader()->getContext();
  MDBuilder Builder(Context);
  // By their names they are the same in all loops.
  MDNode *Shared = Builder.createAliasScope(
      "shared memory", Builder.createAliasScopeDomain("sluice-shared-memory"));
  MDNode *OnlyShared = MDNode::get(Context, {Shared});
  auto Add = [&](Instruction &I, unsigned Kind) {
    I.setMetadata(Kind, MDNode::concatenate(I.getMetadata(Kind), OnlyShared));
  };
  for (BasicBlock *BB : L.blocks())
    for (Instruction &I : *BB) {
      const Value *Pointer = getLoadStorePointerOperand(&I);
      if (!Pointer)
        continue;
      const bool IsGlobal = isKnownGlobal(Pointer);
      if (sharedVariable(Pointer) || (IsGlobal && SaysAllAreApart))
        Add(I, LLVMContext::MD_alias_scope);
      if (IsGlobal)
        Add(I, LLVMContext::MD_noalias);
    }
}

/// Is \p I no plain access, which keeps versions from being made at all, or at
/// the place of \p Sum, or away from it in all iterations of \p L?
static bool isSameOrApart(const Instruction &I, const StoreInst &Sum,
                          const Loop &L, AAResults &AA) {
  auto Anywhere = [](const Instruction &Access) {
    return MemoryLocation::getBeforeOrAfter(getLoadStorePointerOperand(&Access),
                                            Access.getAAMetadata());
  };
  const Value *Pointer = getLoadStorePointerOperand(&I);
  if (!Pointer || Pointer == Sum.getPointerOperand())
    return true;
  if (L.isLoopInvariant(Pointer)) {
    auto Result = AA.alias(MemoryLocation::get(&I), MemoryLocation::get(&Sum));
    if (Result == AliasResult::NoAlias || Result == AliasResult::MustAlias)
      return true;
  }
  return AA.isNoAlias(Anywhere(I), Anywhere(Sum));
}

static bool holdsForAll(const Loop &L,
                        function_ref<bool(const Instruction &)> Holds) {
  return all_of(L.blocks(),
                [&](const BasicBlock *BB) { return all_of(*BB, Holds); });
}

bool sluice::needsNoTest(const StoreInst &Sum, const Loop &L, AAResults &AA) {
  return hasOnlyPlainAccesses(L, AA) &&
         holdsForAll(L, [&](const Instruction &I) {
           return isSameOrApart(I, Sum, L, AA);
         });
}

bool sluice::canTestAll(const StoreInst &Sum, const Loop &L,
                        const LoopAccessInfo &Accesses, AAResults &AA) {
  const RuntimePointerChecking &Tested = *Accesses.getRuntimePointerChecking();
  // One that is either of two has both.
  auto RangesOf = [&](const Value *Pointer) {
    return make_filter_range(seq<unsigned>(0, Tested.Pointers.size()),
                             [&Tested, Pointer](unsigned P) {
                               return Tested.Pointers[P].PointerValue ==
                                      Pointer;
                             });
  };
  auto IsTested = [&](const Instruction &I) {
    auto OfSum = RangesOf(Sum.getPointerOperand());
    auto OfOther = RangesOf(getLoadStorePointerOperand(&I));
    return !OfSum.empty() && !OfOther.empty() && all_of(OfSum, [&](unsigned S) {
      return all_of(OfOther,
                    [&](unsigned P) { return Tested.needsChecking(S, P); });
    });
  };
  return holdsForAll(L, [&](const Instruction &I) {
    return isSameOrApart(I, Sum, L, AA) || IsTested(I);
  });
}

Loop *sluice::versionByRanges(Loop &L, const LoopAccessInfo &Accesses,
                              AAResults &AA, LoopInfo &LI, DominatorTree &DT,
                              ScalarEvolution &SE) {
  const RuntimePointerChecking &Tested = *Accesses.getRuntimePointerChecking();
  const unsigned Most = VectorizerParams::RuntimeMemoryCheckThreshold;
  if (!hasShape(L, SE) || !hasOnlyPlainAccesses(L, AA))
    return nullptr;
  const auto Ranges = groupByDistance(Tested, L, SE);
  SmallVector<RuntimePointerCheck, 8> Tests;
  for (const RuntimeCheckingPtrGroup &A : Ranges)
    for (const RuntimeCheckingPtrGroup &B :
         ArrayRef(Ranges).drop_front(&A - Ranges.begin() + 1)) {
      if (!Tested.needsChecking(A, B))
        continue;
      // Addresses of two spaces cannot be compared.
      if (Tests.size() == Most || A.AddressSpace != B.AddressSpace)
        return nullptr;
      Tests.emplace_back(&A, &B);
    }
  if (Tests.empty())
    return nullptr;
  LoopVersioning Versions(Accesses, Tests, &L, &LI, &DT, &SE);
  Versions.versionLoop();
  markApart(L, Tested, Ranges, Tests);
  return Versions.getNonVersionedLoop();
}
