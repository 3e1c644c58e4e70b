// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In a copy of a loop for one side of a condition, the other side is gone. What
// was in several blocks is in one then, what had two uses has one, what was
// chosen is a constant, and what two sides had alike is not made one any more.
// Each of these changes what is fused with what. Nothing of it matters where a
// loop has no product that may be fused.

#include "DecidedRounding.h"
#include "sluice/Transforms/LoopRounding.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace sluice;
using namespace llvm::PatternMatch;

static bool isProduct(const Value *V) {
  const auto *I = dyn_cast<Instruction>(V);
  return I && isFusedProduct(*I);
}

static bool hasProduct(const Instruction &Sum) {
  return isSum(Sum) && any_of(Sum.operands(), isProduct);
}

static bool anyIn(const Loop &L,
                  function_ref<bool(const Instruction &)> Holds) {
  return any_of(L.blocks(),
                [&](const BasicBlock *BB) { return any_of(*BB, Holds); });
}

/// A product that comes to its sum from another block, or whose uses decide if
/// it is the one of two that is fused.
static bool dependsOnBlocks(const Instruction &I) {
  if (isFusedProduct(I))
    return !distantSumsOf(I).empty();
  return isSum(I) && all_of(I.operands(), isProduct) &&
         any_of(I.operands(), [](const Value *V) { return !V->hasOneUse(); });
}

/// Has \p L, on two ways of an iteration, what LLVM may make one thing of: sums
/// of which one takes a product from its own block, or equal products?
static bool hasAlikeOnTwoWays(const Loop &L, const DominatorTree &DT) {
  SmallVector<const Instruction *, 8> All;
  for (const BasicBlock *BB : L.blocks())
    for (const Instruction &I : *BB)
      if (isSum(I) || isFusedProduct(I))
        All.push_back(&I);
  auto AreAlike = [](const Instruction &A, const Instruction &B) {
    return isSum(A) ? A.isSameOperationAs(&B) && hasProduct(A)
                    : A.isIdenticalToWhenDefined(&B);
  };
  return any_of(All, [&](const Instruction *A) {
    return any_of(All, [&](const Instruction *B) {
      return A->getParent() != B->getParent() && AreAlike(*A, *B) &&
             !DT.dominates(A->getParent(), B->getParent()) &&
             !DT.dominates(B->getParent(), A->getParent());
    });
  });
}

namespace {
/// What is a constant in one of the copies, and was none before.
class Settled {
public:
  Settled(const Loop &L, const Value &Condition) : L(L) { test(Condition); }
  bool contains(const Value *V, unsigned Depth = 0);
  /// May the number of iterations depend on it?
  bool endsLoop();

private:
  /// What is compared by \p Condition may be known where it holds or not.
  void test(const Value &Condition) {
    Known[&Condition] = true;
    const auto *I = dyn_cast<Instruction>(&Condition);
    // LLVM takes nothing for a zero, as there are two.
    if (!I || match(I, m_FCmp(m_Value(), m_AnyZeroFP())))
      return;
    if (isa<CmpInst, FreezeInst, CastInst>(I) ||
        match(I, m_CombineOr(m_LogicalAnd(m_Value(), m_Value()),
                             m_LogicalOr(m_Value(), m_Value()))) ||
        match(I, m_Not(m_Value())))
      for (const Value *Operand : I->operands())
        if (!isa<Constant>(Operand) && !Known.contains(Operand))
          test(*Operand);
  }
  /// May \p I be one of several by the condition, of which some are constants?
  bool isChoice(const Instruction &I, unsigned Depth);
  bool isSettled(const Instruction &I, unsigned Depth);

  const Loop &L;
  DenseMap<const Value *, bool> Known;
};
} // namespace

bool Settled::contains(const Value *V, unsigned Depth) {
  static constexpr unsigned MostDepth = 12;
  if (const auto Before = Known.find(V); Before != Known.end())
    return Before->second;
  const auto *I = dyn_cast<Instruction>(V);
  if (!I || Depth == MostDepth)
    return I; // who knows
  const bool Is = isSettled(*I, Depth + 1);
  return Known[V] = Is;
}

bool Settled::isChoice(const Instruction &I, unsigned Depth) {
  auto IsConstant = [](const Value *V) { return isa<Constant>(V); };
  if (!L.contains(&I))
    return false;
  if (isa<SelectInst>(I))
    return contains(I.getOperand(0), Depth) &&
           any_of(drop_begin(I.operands()), IsConstant);
  return isa<PHINode>(I) && I.getParent() != L.getHeader() &&
         any_of(I.operands(), IsConstant);
}

bool Settled::isSettled(const Instruction &I, unsigned Depth) {
  auto IsNow = [&](const Value *V) { return contains(V, Depth); };
  if (isa<PHINode>(I) && (!L.contains(&I) || I.getParent() == L.getHeader()))
    return false;
  if (isa<PHINode, SelectInst>(I))
    return isChoice(I, Depth) || any_of(I.operands(), IsNow);
  if (I.mayReadOrWriteMemory() && !readsConstants(I))
    return false;
  return all_of(I.operands(),
                [&](const Value *V) { return isa<Constant>(V) || IsNow(V); }) &&
         any_of(I.operands(), IsNow);
}

bool Settled::endsLoop() {
  SmallVector<BasicBlock *, 4> Exiting;
  L.getExitingBlocks(Exiting);
  SmallVector<const Value *, 16> Open;
  for (const BasicBlock *BB : Exiting)
    append_range(Open, BB->getTerminator()->operand_values());
  SmallPtrSet<const Value *, 32> Seen;
  while (!Open.empty()) {
    const Value *V = Open.pop_back_val();
    const auto *I = dyn_cast<Instruction>(V);
    if (Known.lookup(V) || (I && isChoice(*I, /*Depth=*/0)))
      return true;
    if (I && !I->mayReadOrWriteMemory() && Seen.insert(I).second)
      append_range(Open, I->operand_values());
  }
  return false;
}

/// Does \p L write, and add to what it reads at one place, which may have been
/// written before it? Taken out of it, such an iteration may see by what.
static bool addsToWritten(const Loop &L) {
  auto IsOnePlace = [&](const Value *V) {
    const auto *Load = dyn_cast<LoadInst>(V);
    return Load && L.isLoopInvariant(Load->getPointerOperand());
  };
  return anyIn(L, [](const Instruction &I) { return I.mayWriteToMemory(); }) &&
         anyIn(L, [&](const Instruction &I) {
           return isSum(I) && any_of(I.operands(), IsOnePlace);
         });
}

std::string sluice::whyDecidedAnew(const Loop &L, const Value &Condition,
                                   FunctionAnalysisManager &FAM) {
  Function &F = *L.getHeader()->getParent();
  auto &SE = FAM.getResult<ScalarEvolutionAnalysis>(F);
  const auto &DT = FAM.getResult<DominatorTreeAnalysis>(F);
  if (anyIn(L, dependsOnBlocks))
    return "whether a product is fused with a sum depends on its sides";
  if (hasAlikeOnTwoWays(L, DT))
    return "its sides have sums of products, or products, alike";
  Settled Known(L, Condition);
  if (anyIn(L, [&](const Instruction &I) {
        return isFusedProduct(I) && any_of(I.operands(), [&](const Value *V) {
                 return Known.contains(V);
               });
      }))
    return "a product in it would be of a constant";
  if (Known.endsLoop() && anyIn(L, [](const Instruction &I) {
        return isSum(I) || isFusedProduct(I);
      }))
    return "its number of iterations may be known where the condition is";
  if (mayLoseIterations(L, SE) && addsToWritten(L))
    return "it may add to a product that was written before it";
  std::string Why = whyRoundedAnew(L, SE);
  return Why.empty() ? whyStoredProduct(L, SE, &DT) : Why;
}
