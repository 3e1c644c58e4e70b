// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A loop that counts up ends by a signed comparison:
//
//   do { ... i += 4; } while (i != n);
// becomes
//   do { ... i += 4; } while (i < n);
//
// LLVM makes the first of all loops that it counts, and of those it unrolls.
// The assembler unrolls loops itself, as often as four times. Of the first form
// it does not know that i is below n until the end: it puts an iteration before
// its own loop, for an n that is not above 0, and predicates it, so that its
// instructions are issued and none is run (docs/internals/clang-and-nvcc.md).
//
// Both end with the same iteration where i does not wrap around, goes up, and
// n is not negative: i takes the values below n, as it ends at n and nowhere
// else. It must end there, so nothing else may end the loop: without that it
// could be beyond n.

#include "FewerInstructions.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include <optional>

using namespace llvm;
using namespace sluice;

/// The comparison that \p L ends by, if nothing else ends it.
static ICmpInst *findEnd(const Loop &L) {
  const BasicBlock *Latch = L.getLoopLatch();
  if (!Latch || L.getExitingBlock() != Latch ||
      !all_of(L.blocks(), [](const BasicBlock *BB) {
        return isGuaranteedToTransferExecutionToSuccessor(BB);
      }))
    return nullptr;
  auto *Branch = dyn_cast<BranchInst>(Latch->getTerminator());
  auto *End = Branch && Branch->isConditional()
                  ? dyn_cast<ICmpInst>(Branch->getCondition())
                  : nullptr;
  const bool IsEnd = End && End->isEquality() && End->hasOneUse() &&
                     L.contains(Branch->getSuccessor(0)) ==
                         (End->getPredicate() == ICmpInst::ICMP_NE);
  return IsEnd ? End : nullptr;
}

/// Is it a loop of which the assembler would make no loop, but many copies? It
/// would if it knew more of it.
static bool isShort(const Loop &L, ScalarEvolution &SE) {
  constexpr unsigned MostWhole = 32;
  const unsigned Trips = SE.getSmallConstantTripCount(&L);
  return Trips && (Trips <= MostWhole || !L.isInnermost());
}

/// Does \p Now stay without signed wrapping in all iterations of \p L? Of an
/// unrolled loop LLVM counts the iterations beside its index, and only the
/// index says so: then it must not be poison.
static bool neverWraps(const SCEVAddRecExpr *Now, const Loop &L,
                       ScalarEvolution &SE) {
  if (Now->hasNoSignedWrap())
    return true;
  return any_of(L.getHeader()->phis(), [&](PHINode &Phi) {
    if (!SE.isSCEVable(Phi.getType()) || SE.getSCEV(&Phi) != Now)
      return false;
    const auto *Add = dyn_cast<OverflowingBinaryOperator>(
        Phi.getIncomingValueForBlock(L.getLoopLatch()));
    return Add && Add->getOpcode() == Instruction::Add &&
           Add->hasNoSignedWrap() && programUndefinedIfPoison(&Phi);
  });
}

/// Which of \p End's operands goes up, from 0 or more, without wrapping around,
/// and comes to the other one; none: neither is known to.
static std::optional<unsigned> counterOf(const ICmpInst &End, const Loop &L,
                                         ScalarEvolution &SE) {
  for (unsigned Counter : {0, 1}) {
    const SCEV *Bound = SE.getSCEV(End.getOperand(1 - Counter));
    const auto *Next =
        dyn_cast<SCEVAddRecExpr>(SE.getSCEV(End.getOperand(Counter)));
    if (!Next || Next->getLoop() != &L || !Next->isAffine() ||
        !SE.isLoopInvariant(Bound, &L))
      continue;
    const SCEV *Step = Next->getStepRecurrence(SE);
    // What it was in the iteration that ends with the comparison.
    const auto *Now = dyn_cast<SCEVAddRecExpr>(SE.getMinusSCEV(Next, Step));
    if (Now && SE.isKnownPositive(Step) &&
        SE.isKnownNonNegative(Now->getStart()) && neverWraps(Now, L, SE) &&
        (SE.isKnownNonNegative(Bound) ||
         SE.isLoopEntryGuardedByCond(&L, ICmpInst::ICMP_SGE, Bound,
                                     SE.getZero(Bound->getType()))))
      return Counter;
  }
  return std::nullopt;
}

Rewritten sluice::endBySigned(Function &F, ChangeTest MayChange,
                              FunctionAnalysisManager &FAM, bool IsWrong) {
  Rewritten Done;
  auto &SE = FAM.getResult<ScalarEvolutionAnalysis>(F);
  for (Loop *L : FAM.getResult<LoopAnalysis>(F).getLoopsInPreorder()) {
    // What is before a loop counts where it is entered again and again.
    // The assembler makes no copies of a rest of LLVM's ("nounroll"), which is
    // better counted down.
    if (!L->getParentLoop() || isShort(*L, SE) ||
        findOptionMDForLoop(L, "llvm.loop.unroll.disable"))
      continue;
    ICmpInst *End = findEnd(*L);
    if (!End || !End->getOperand(0)->getType()->isIntegerTy() ||
        !MayChange(*End))
      continue;
    const std::optional<unsigned> Counter = counterOf(*End, *L, SE);
    if (!Counter)
      continue;
    const bool StaysWhereTrue = End->getPredicate() == ICmpInst::ICMP_NE;
    if (*Counter == 1)
      End->swapOperands();
    const CmpInst::Predicate Stays =
        IsWrong ? ICmpInst::ICMP_SLE : ICmpInst::ICMP_SLT;
    End->setPredicate(StaysWhereTrue ? Stays
                                     : CmpInst::getInversePredicate(Stays));
    SE.forgetLoop(L);
    if (!Done.Count++)
      Done.At = L->getStartLoc();
  }
  return Done;
}
