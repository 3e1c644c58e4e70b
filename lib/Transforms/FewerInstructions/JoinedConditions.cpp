// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conditions that are asked one after the other, with the same way out:
//
//   int from = in[op], to = out[op];
//   if (from < 0 || from >= n || to < 0 || to >= m)
//     return;
//
// Both loads stand before the first condition, also in PTX. But the assembler
// moves what the first condition does not need behind its branch: the second
// load then begins when the first has come. LLVM leaves conditions apart where
// what the second one computes is more than one instruction (SimplifyCFG's
// bonus-inst-threshold); nvcc asks them together, and so does Sluice, where a
// load would wait. LLVM's foldBranchToCommonDest would not do: it refuses where
// what the second condition computes is used later, as an index is.
//
// The same where a load stands behind both, as of a tile at a matrix's edge:
//
//   tile[..] = row < n && k + column < m ? a[row * m + k + column] : 0;
//
// Two conditions are two branches around the load, one is a predicate of it.
//
// And the same in a loop where lanes part at both: with one condition they part
// and meet once in an iteration.

#include "FewerInstructions.h"
#include "sluice/Analysis/ThreadUniformity.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PassManager.h"

using namespace llvm;
using namespace sluice;

/// Of the second condition, with all that it needs beside loads.
static constexpr unsigned MostInstructions = 12;

namespace {

/// `First` goes to `Out` or `Second`, and that to `Out` or `On`.
struct Conditions {
  BasicBlock *First, *Second, *Out, *On;

  BranchInst &branch(const BasicBlock *Of) const {
    return *cast<BranchInst>(const_cast<Instruction *>(Of->getTerminator()));
  }
  /// Does \p Of go out where its condition holds?
  bool isOutIfTrue(const BasicBlock *Of) const {
    return branch(Of).getSuccessor(0) == Out;
  }
};

using Slice = SmallPtrSet<const Instruction *, 16>;

} // namespace

static const BranchInst *conditionalEnd(const BasicBlock &Block) {
  const auto *Branch = dyn_cast<BranchInst>(Block.getTerminator());
  return Branch && Branch->isConditional() &&
                 Branch->getSuccessor(0) != Branch->getSuccessor(1) &&
                 !Branch->hasMetadata(LLVMContext::MD_loop)
             ? Branch
             : nullptr;
}

/// The second condition, if \p First has one.
static std::optional<Conditions> conditionsAt(BasicBlock &First) {
  const BranchInst *Branch = conditionalEnd(First);
  if (!Branch)
    return std::nullopt;
  for (const unsigned Way : {0, 1}) {
    BasicBlock *Second = Branch->getSuccessor(Way),
               *Out = Branch->getSuccessor(1 - Way);
    const BranchInst *Then =
        Second->getSinglePredecessor() && !Second->hasAddressTaken()
            ? conditionalEnd(*Second)
            : nullptr;
    if (!Then || !is_contained(Then->successors(), Out))
      continue;
    BasicBlock *On = Then->getSuccessor(Then->getSuccessor(0) == Out ? 1 : 0);
    return Conditions{&First, Second, Out, On};
  }
  return std::nullopt;
}

/// What \p V needs of the two blocks.
static void addSlice(const Value *V, const Conditions &C, Slice &To) {
  const auto *I = dyn_cast<Instruction>(V);
  if (!I || (I->getParent() != C.First && I->getParent() != C.Second) ||
      !To.insert(I).second || isa<PHINode>(I))
    return;
  for (const Value *Operand : I->operands())
    addSlice(Operand, C, To);
}

/// Would a load before the first condition, which only the second needs, wait
/// for it?
static bool letsLoadWait(const Conditions &C) {
  Slice First, Second;
  addSlice(C.branch(C.First).getCondition(), C, First);
  addSlice(C.branch(C.Second).getCondition(), C, Second);
  auto IsLoad = [&](const Instruction *I) {
    return isa<LoadInst>(I) && I->getParent() == C.First;
  };
  return any_of(First, IsLoad) && any_of(Second, [&](const Instruction *I) {
           return IsLoad(I) && !First.contains(I);
         });
}

/// No products and sums of numbers with points: in one block with others they
/// could be fused anew.
static bool isCheap(const Instruction &I) {
  return isa<CmpInst, SelectInst, GetElementPtrInst>(I) ||
         (isa<BinaryOperator, CastInst>(I) &&
          I.getType()->isIntOrIntVectorTy() &&
          !I.getOperand(0)->getType()->isFPOrFPVectorTy());
}

/// Is there nothing behind both but a load, which the assembler makes by a
/// predicate of one condition, and branches around for two?
static bool guardsLoad(const Conditions &C) {
  const auto *Branch = dyn_cast<BranchInst>(C.On->getTerminator());
  if (C.On->getSinglePredecessor() != C.Second || !Branch ||
      Branch->isConditional() || Branch->getSuccessor(0) != C.Out)
    return false;
  unsigned Count = 0, Loads = 0;
  for (const Instruction &I : *C.On) {
    if (I.isTerminator() || I.isDebugOrPseudoInst())
      continue;
    const auto *Load = dyn_cast<LoadInst>(&I);
    if ((Load ? !Load->isSimple() : !isCheap(I)) || ++Count > MostInstructions)
      return false;
    Loads += Load != nullptr;
  }
  return Loads != 0;
}

/// Do lanes part in a loop at the first condition, and again at the second?
static bool partsTwice(const Conditions &C, const LoopInfo &LI,
                       std::optional<ThreadUniformity> &Threads) {
  const Loop *L = LI.getLoopFor(C.First);
  if (!L || !L->contains(C.Second))
    return false;
  if (!Threads)
    Threads.emplace(*C.First->getParent());
  return !Threads->isUniform(C.branch(C.First).getCondition()) &&
         !Threads->isUniform(C.branch(C.Second).getCondition());
}

static bool mayJoin(const Conditions &C, const LoopInfo &LI) {
  if (LI.isLoopHeader(C.Out) || LI.isLoopHeader(C.On) ||
      LI.isLoopHeader(C.Second))
    return false;
  unsigned Count = 0;
  for (const Instruction &I : *C.Second) {
    if (I.isTerminator() || I.isDebugOrPseudoInst())
      continue;
    if (isa<PHINode>(I) || !isCheap(I) || !isSafeToSpeculativelyExecute(&I) ||
        ++Count > MostInstructions)
      return false;
  }
  return all_of(C.Out->phis(), [&](const PHINode &Phi) {
    return Phi.getIncomingValueForBlock(C.First) ==
           Phi.getIncomingValueForBlock(C.Second);
  });
}

static void join(const Conditions &C, bool IsWrong) {
  BranchInst &First = C.branch(C.First), &Second = C.branch(C.Second);
  const bool IsOutIfTrue = C.isOutIfTrue(C.First);
  IRBuilder<> B(&First);
  Value *GoesOn = First.getCondition();
  if (IsOutIfTrue)
    GoesOn = B.CreateNot(GoesOn);
  for (Instruction &I : make_early_inc_range(*C.Second))
    if (!I.isTerminator())
      I.moveBefore(First.getIterator());
  Value *Then = Second.getCondition();
  if (C.isOutIfTrue(C.Second))
    Then = B.CreateNot(Then);
  // Of the second nothing may be known where the first leads out.
  Value *Both = IsWrong ? GoesOn : B.CreateLogicalAnd(GoesOn, Then);
  B.CreateCondBr(Both, C.On, C.Out);
  C.On->replacePhiUsesWith(C.Second, C.First);
  C.Out->removePredecessor(C.Second, /*KeepOneInputPHIs=*/true);
  First.eraseFromParent();
  Second.eraseFromParent();
  C.Second->eraseFromParent();
}

Rewritten sluice::askTogether(Function &F, ChangeTest MayChange,
                              FunctionAnalysisManager &FAM, bool IsWrong) {
  Rewritten Done;
  for (bool IsNew = true; std::exchange(IsNew, false);) {
    const auto &LI = FAM.getResult<LoopAnalysis>(F);
    std::optional<ThreadUniformity> Threads;
    for (BasicBlock &Block : F) {
      const auto C = conditionsAt(Block);
      if (!C || !MayChange(C->branch(C->First)) ||
          !MayChange(C->branch(C->Second)) || !mayJoin(*C, LI) ||
          !(letsLoadWait(*C) || guardsLoad(*C) || partsTwice(*C, LI, Threads)))
        continue;
      if (!Done.Count++)
        Done.At = C->branch(C->First).getDebugLoc();
      join(*C, IsWrong);
      FAM.invalidate(F, PreservedAnalyses::none());
      IsNew = true;
      break;
    }
  }
  return Done;
}
