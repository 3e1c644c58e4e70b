// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A loop that becomes longer changes what clang does with the loops around it:
// one that it would have unrolled stays a loop. Then other products are fused.

#include "sluice/Analysis/UnrollAnalysis.h"
#include "sluice/Transforms/LoopRounding.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace sluice;

/// Has \p V another value in each iteration of \p L, which has so few that a
/// counter does not come back?
static bool isCounterOf(Value *V, const Loop &L, ScalarEvolution &SE) {
  // Of two iterations both values are constants.
  const auto *Phi = dyn_cast<PHINode>(V);
  if (Phi && Phi->getParent() == L.getHeader() &&
      SE.getSmallConstantMaxTripCount(&L) == 2) {
    const auto *Next =
        dyn_cast<ConstantInt>(Phi->getIncomingValueForBlock(L.getLoopLatch()));
    const BasicBlock *Before = L.getLoopPredecessor();
    const auto *First =
        Before ? dyn_cast<ConstantInt>(Phi->getIncomingValueForBlock(Before))
               : nullptr;
    return First && Next && First != Next;
  }
  const auto *Form = SE.isSCEVable(V->getType())
                         ? dyn_cast<SCEVAddRecExpr>(SE.getSCEV(V))
                         : nullptr;
  return Form && Form->getLoop() == &L && Form->getStepRecurrence(SE)->isOne();
}

/// Does \p Condition hold in one iteration of \p L at most?
static bool holdsOnce(Value *Condition, const Loop &L, ScalarEvolution &SE) {
  Value *A, *B;
  if (match(Condition, PatternMatch::m_LogicalAnd(PatternMatch::m_Value(A),
                                                  PatternMatch::m_Value(B))))
    return holdsOnce(A, L, SE) || holdsOnce(B, L, SE);
  if (!match(Condition, PatternMatch::m_SpecificICmp(CmpInst::ICMP_EQ,
                                                     PatternMatch::m_Value(A),
                                                     PatternMatch::m_Value(B))))
    return false;
  return (isCounterOf(A, L, SE) && L.isLoopInvariant(B)) ||
         (isCounterOf(B, L, SE) && L.isLoopInvariant(A));
}

/// Does \p Code run in one iteration of \p Around at most, as in turns, where
/// the counter is what no iteration changes?
static bool runsOnce(const BasicBlock &Code, const Loop &Around,
                     ScalarEvolution &SE, const DominatorTree &DT) {
  if (!SE.getSmallConstantMaxTripCount(&Around))
    return false;
  for (const DomTreeNode *N = DT.getNode(&Code)->getIDom();
       N && Around.contains(N->getBlock()); N = N->getIDom()) {
    const auto *Branch = dyn_cast<BranchInst>(N->getBlock()->getTerminator());
    if (Branch && Branch->isConditional() &&
        holdsOnce(Branch->getCondition(), Around, SE) &&
        DT.dominates(BasicBlockEdge(N->getBlock(), Branch->getSuccessor(0)),
                     &Code))
      return true;
  }
  return false;
}

std::string sluice::whyRoundedAround(Loop &L, FunctionAnalysisManager &FAM) {
  Function &F = *L.getHeader()->getParent();
  auto &SE = FAM.getResult<ScalarEvolutionAnalysis>(F);
  const auto &DT = FAM.getResult<DominatorTreeAnalysis>(F);
  for (Loop *Around = L.getParentLoop(); Around;
       Around = Around->getParentLoop()) {
    if (!Around->getLoopLatch())
      continue;
    const OuterUnrolling May = mayUnroll(*Around, FAM);
    if (!May.InPart && !May.Whole)
      continue;
    // Copies of what runs once have nothing to do with each other.
    const bool MayMeet = any_of(Around->blocks(), [&](const BasicBlock *BB) {
      return any_of(*BB,
                    [](const Instruction &I) {
                      return isFusedProduct(I) || isSum(I);
                    }) &&
             !runsOnce(*BB, *Around, SE, DT);
    });
    if (!MayMeet)
      continue;
    const std::string Why = whyNestRoundedAnew(*Around, SE, May.Whole);
    if (!Why.empty())
      return "a loop around it may be unrolled: " + Why;
  }
  return "";
}
