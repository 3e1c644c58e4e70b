// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two conditions that lead to the same two places, of which a third one chooses
// the one that is asked, become one:
//
//   if (up) {                          const bool apart = up ? a > b : a < b;
//     if (a > b) swap(a, b);     =>    if (apart) swap(a, b);
//   } else {
//     if (a < b) swap(a, b);
//   }
//
// So is each step of a bitonic sort. LLVM makes one place of both swaps. Lanes
// come to it from two sides then, and the assembler has them wait for each
// other twice (BSSY, BREAK, WARPSYNC). With one branch it predicates the swap.

#include "FewerInstructions.h"
#include "sluice/Transforms/LoopRounding.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;
using namespace sluice;

/// Instructions of one side that lanes of the other one compute in vain.
static constexpr unsigned MostInVain = 6;

namespace {
struct TwoSides {
  BranchInst *Choice, *Sides[2];
  BasicBlock *Ends[2]; ///< Where both lead to.
};
} // namespace

/// May lanes that do not ask compute what \p Side computes before its branch?
/// Sums and products are to stay in their block, as to what they are fused
/// with.
static bool isCheap(const BasicBlock &Side) {
  unsigned Count = 0;
  for (const Instruction &I : Side) {
    if (I.isTerminator() || I.isDebugOrPseudoInst())
      continue;
    if (isa<PHINode>(I) || ++Count > MostInVain ||
        !isSafeToSpeculativelyExecute(&I) || I.mayReadFromMemory() ||
        isSum(I) || isFusedProduct(I) || isa<CallBase>(I))
      return false;
  }
  return true;
}

static std::optional<TwoSides> findSides(BasicBlock &BB, const LoopInfo &LI) {
  TwoSides Found;
  Found.Choice = dyn_cast<BranchInst>(BB.getTerminator());
  if (!Found.Choice || !Found.Choice->isConditional())
    return std::nullopt;
  for (unsigned At : {0U, 1U}) {
    BasicBlock *Side = Found.Choice->getSuccessor(At);
    Found.Sides[At] = dyn_cast<BranchInst>(Side->getTerminator());
    if (Side->getSinglePredecessor() != &BB || !Found.Sides[At] ||
        !Found.Sides[At]->isConditional() || !isCheap(*Side) ||
        LI.getLoopFor(Side) != LI.getLoopFor(&BB))
      return std::nullopt;
  }
  for (unsigned At : {0U, 1U})
    Found.Ends[At] = Found.Sides[0]->getSuccessor(At);
  if (Found.Ends[0] == Found.Ends[1] ||
      !is_contained(successors(Found.Sides[1]), Found.Ends[0]) ||
      !is_contained(successors(Found.Sides[1]), Found.Ends[1]) ||
      any_of(Found.Ends, [&](const BasicBlock *End) { return End == &BB; }))
    return std::nullopt;
  return Found;
}

static void askOnce(const TwoSides &Of, bool IsWrong) {
  BasicBlock *Around = Of.Choice->getParent();
  Value *IsFirst = Of.Choice->getCondition();
  IRBuilder<> B(Of.Choice);
  Value *Asked[2];
  for (unsigned At : {0U, 1U}) {
    BranchInst *Side = Of.Sides[At];
    for (Instruction &I : make_early_inc_range(*Side->getParent()))
      if (&I != Side) {
        I.dropUBImplyingAttrsAndMetadata();
        I.moveBefore(Of.Choice->getIterator());
      }
    Asked[At] = Side->getSuccessor(0) == Of.Ends[0]
                    ? Side->getCondition()
                    : B.CreateNot(Side->getCondition());
  }
  if (IsWrong)
    std::swap(Asked[0], Asked[1]);
  // Values from the sides, where both lead to.
  for (BasicBlock *End : Of.Ends)
    for (PHINode &Phi : End->phis()) {
      Value *First = Phi.getIncomingValueForBlock(Of.Sides[0]->getParent()),
            *Second = Phi.getIncomingValueForBlock(Of.Sides[1]->getParent());
      for (const BranchInst *Side : Of.Sides)
        Phi.removeIncomingValue(Side->getParent(),
                                /*DeletePHIIfEmpty=*/false);
      Phi.addIncoming(First == Second ? First
                                      : B.CreateSelect(IsFirst, First, Second),
                      Around);
    }
  B.CreateCondBr(B.CreateSelect(IsFirst, Asked[0], Asked[1]), Of.Ends[0],
                 Of.Ends[1]);
  Of.Choice->eraseFromParent();
  for (BranchInst *Side : Of.Sides)
    Side->getParent()->eraseFromParent();
}

Rewritten sluice::askTwoSidesOnce(Function &F, ChangeTest MayChange,
                                  FunctionAnalysisManager &FAM, bool IsWrong) {
  Rewritten Done;
  const auto &LI = FAM.getResult<LoopAnalysis>(F);
  SmallVector<BasicBlock *, 32> Blocks(make_pointer_range(F));
  SmallPtrSet<BasicBlock *, 8> Gone;
  for (BasicBlock *BB : Blocks) {
    if (Gone.contains(BB))
      continue;
    const auto Found = findSides(*BB, LI);
    if (!Found || !MayChange(*Found->Choice))
      continue;
    for (const BranchInst *Side : Found->Sides)
      Gone.insert(const_cast<BasicBlock *>(Side->getParent()));
    if (!Done.Count++)
      Done.At = Found->Choice->getDebugLoc();
    askOnce(*Found, IsWrong);
  }
  return Done;
}
