// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All others act on one:
//
//   for (int j = 0; j < n; ++j) {        double me;
//     if (j == i)                        if (n > 1 || i != 0)
//       continue;                          me = x[i];
//     double d = x[j] - x[i];            for (int j = 0; j < n; ++j) {
//     ...                                  if (j == i)
//   }                                        continue;
//                                          double d = x[j] - me;
//
// LLVM leaves the load of x[i] in the loop: it may be that no iteration gets
// there, and nobody knows then that it may be read. But j is i once at most. So
// the loop gets there if it has a second iteration, or if the first is not the
// one. Nothing in the loop writes memory. nvcc reads before the loop, too.
//
// A product of what is read so would be computed before the loop as well, away
// from a sum that it is fused with. Such loads stay.

#include "sluice/Transforms/SkippedIterations.h"
#include "FewerInstructions.h"
#include "sluice/Analysis/UnrollAnalysis.h"
#include "sluice/Transforms/PlacedRemarks.h"
#include "sluice/Transforms/PlanMetadata.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/DomTreeUpdater.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace sluice;

#define DEBUG_TYPE "sluice-fewer-instructions"

namespace {

/// Where a loop's header goes in all iterations but one.
struct Skipping {
  BasicBlock *Body = nullptr; ///< Null: it is no such loop.
  Value *Skipped = nullptr;   ///< The counter's value then; before the loop.
  const SCEVAddRecExpr *Counter = nullptr;
};

} // namespace

static Skipping skippingOf(const Loop &L, ScalarEvolution &SE) {
  Value *A = nullptr, *B = nullptr;
  CmpPredicate Predicate;
  BasicBlock *True = nullptr, *False = nullptr;
  if (!match(L.getHeader()->getTerminator(),
             m_Br(m_ICmp(Predicate, m_Value(A), m_Value(B)), m_BasicBlock(True),
                  m_BasicBlock(False))) ||
      !ICmpInst::isEquality(Predicate) || !SE.isSCEVable(A->getType()))
    return {};
  if (L.isLoopInvariant(A))
    std::swap(A, B);
  const auto *Counter = dyn_cast<SCEVAddRecExpr>(SE.getSCEV(A));
  BasicBlock *Body = Predicate == ICmpInst::ICMP_EQ ? False : True;
  // By one, and less often than there are numbers: each value once.
  if (!Counter || Counter->getLoop() != &L || !Counter->isAffine() ||
      !Counter->getStepRecurrence(SE)->isOne() || !L.isLoopInvariant(B) ||
      !L.contains(Body) || Body->getSinglePredecessor() != L.getHeader())
    return {};
  const SCEV *Taken = SE.getBackedgeTakenCount(&L);
  if (isa<SCEVCouldNotCompute>(Taken) ||
      SE.getTypeSizeInBits(Taken->getType()) >
          SE.getTypeSizeInBits(A->getType()))
    return {};
  return {Body, B, Counter};
}

/// Would a product that a sum may be fused with be taken out of \p L, if
/// \p Loads were?
static bool takesProducts(const Loop &L, ArrayRef<LoadInst *> Loads) {
  SmallPtrSet<const Value *, 16> Taken(Loads.begin(), Loads.end());
  SmallVector<const Value *, 16> Work(Loads.begin(), Loads.end());
  while (!Work.empty())
    for (const User *U : Work.pop_back_val()->users()) {
      const auto *I = cast<Instruction>(U);
      if (!L.contains(I) || isa<PHINode>(I) || I->mayReadOrWriteMemory() ||
          I->isTerminator() || !all_of(I->operands(), [&](const Use &Operand) {
            return L.isLoopInvariant(Operand) || Taken.contains(Operand);
          }))
        continue;
      const auto MayFuse = [](const User *Of) {
        const auto *Sum = cast<Instruction>(Of);
        return Sum->getOpcode() != Instruction::FMul &&
               Sum->getOpcode() != Instruction::FDiv;
      };
      if (I->getOpcode() == Instruction::FMul && any_of(I->users(), MayFuse))
        return true;
      if (Taken.insert(I).second)
        Work.push_back(I);
    }
  return false;
}

/// The loads of \p Body that all iterations that get there begin with, at
/// places that do not change.
static SmallVector<LoadInst *, 4> loadsOf(BasicBlock &Body, const Loop &L,
                                          const AttachedPlan &Attached) {
  SmallVector<LoadInst *, 4> Loads;
  for (Instruction &I : Body) {
    auto *Load = dyn_cast<LoadInst>(&I);
    if (Load && Load->isSimple() &&
        L.isLoopInvariant(Load->getPointerOperand()) &&
        !isSwitchedOff(*Load, Attached))
      Loads.push_back(Load);
    if (!isGuaranteedToTransferExecutionToSuccessor(&I))
      break;
  }
  return Loads;
}

/// Does an iteration that is left out always come to its end?
static bool returnsWhereSkipped(const Loop &L, const BasicBlock &Body,
                                const DominatorTree &DT) {
  return all_of(L.blocks(), [&](const BasicBlock *BB) {
    return DT.dominates(&Body, BB) ||
           isGuaranteedToTransferExecutionToSuccessor(BB);
  });
}

/// Reads what \p Loads do before \p L, if an iteration gets to them.
static void readBefore(Loop &L, ArrayRef<LoadInst *> Loads,
                       const Skipping &Skips, bool IsWrong, Function &F,
                       FunctionAnalysisManager &FAM) {
  auto &DT = FAM.getResult<DominatorTreeAnalysis>(F);
  auto &LI = FAM.getResult<LoopAnalysis>(F);
  auto &SE = FAM.getResult<ScalarEvolutionAnalysis>(F);
  BasicBlock *Preheader = L.getLoopPreheader();
  if (!Preheader)
    Preheader = InsertPreheaderForLoop(&L, &DT, &LI, /*MSSAU=*/nullptr,
                                       /*PreserveLCSSA=*/false);
  Instruction *At = Preheader->getTerminator();
  SCEVExpander Expander(SE, "sluice");
  const SCEV *Taken = SE.getBackedgeTakenCount(&L);
  Value *More = Expander.expandCodeFor(Taken, Taken->getType(), At);
  Value *First = Expander.expandCodeFor(Skips.Counter->getStart(),
                                        Skips.Skipped->getType(), At);
  IRBuilder<> B(At);
  DomTreeUpdater DTU(DT, DomTreeUpdater::UpdateStrategy::Eager);
  Value *GetsThere =
      B.CreateOr(B.CreateIsNotNull(More), B.CreateICmpNE(First, Skips.Skipped));
  Instruction *Then =
      SplitBlockAndInsertIfThen(GetsThere, At, /*Unreachable=*/false,
                                /*BranchWeights=*/nullptr, &DTU, &LI);
  SmallVector<PHINode *, 4> Values;
  for (LoadInst *Load : Loads) {
    Instruction *Before = Load->clone();
    Before->insertBefore(Then->getIterator());
    PHINode *Value = PHINode::Create(Load->getType(), 2, "sluice.before",
                                     At->getParent()->begin());
    Value->addIncoming(Before, Then->getParent());
    Value->addIncoming(PoisonValue::get(Load->getType()), Preheader);
    Values.push_back(Value);
  }
  if (IsWrong && Values.size() > 1 &&
      Values[0]->getType() == Values[1]->getType())
    std::swap(Values[0], Values[1]);
  for (auto [Load, Value] : zip_equal(Loads, Values)) {
    Load->replaceAllUsesWith(Value);
    Load->eraseFromParent();
  }
}

static bool readBefore(Loop &L, Function &F, const AttachedPlan &Attached,
                       FunctionAnalysisManager &FAM) {
  auto &SE = FAM.getResult<ScalarEvolutionAnalysis>(F);
  if (!L.getLoopPredecessor() || !L.getLoopLatch())
    return false;
  const Skipping Skips = skippingOf(L, SE);
  if (!Skips.Body || writesMemory(L) ||
      !returnsWhereSkipped(L, *Skips.Body,
                           FAM.getResult<DominatorTreeAnalysis>(F)))
    return false;
  const auto Loads = loadsOf(*Skips.Body, L, Attached);
  const Instruction *At = L.getLoopPredecessor()->getTerminator();
  SCEVExpander Expander(SE, "sluice");
  if (Loads.empty() || takesProducts(L, Loads) ||
      !Expander.isSafeToExpandAt(SE.getBackedgeTakenCount(&L), At) ||
      !Expander.isSafeToExpandAt(Skips.Counter->getStart(), At))
    return false;
  OptimizationRemarkEmitter Remarks(&F);
  emitPlaced(Remarks, Loads.front()->getDebugLoc(), [&](const DebugLoc &Loc) {
    return OptimizationRemark(DEBUG_TYPE, "Skipped", Loc, L.getHeader())
           << ore::NV("Loads", unsigned(Loads.size()))
           << (Loads.size() == 1 ? " load is" : " loads are")
           << " done before the loop, of which one iteration at most is left "
              "out";
  });
  readBefore(L, Loads, Skips,
             Attached.Opts.Wrong == WrongRewrite::SwappedChoice, F, FAM);
  SE.forgetLoop(&L);
  return true;
}

PreservedAnalyses SkippedIterationsPass::run(Module &M,
                                             ModuleAnalysisManager &MAM) {
  return rewriteEarly(
      M, MAM, "loads behind conditions stay in loops",
      [](Function &F, const AttachedPlan &Attached,
         FunctionAnalysisManager &FAM) {
        bool IsChanged = false;
        for (Loop *L : FAM.getResult<LoopAnalysis>(F).getLoopsInPreorder())
          IsChanged |= readBefore(*L, F, Attached, FAM);
        return IsChanged;
      });
}
