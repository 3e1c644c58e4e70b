// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   for (; i < n; i += step) f(i);
//   =>
//   while (i + 3 * step < n) { f(i); f(i + step); ...; i += 4 * step; }
//   for (; i < n; i += step) f(i);
//
// LLVM's unroller divides by the step to learn how many iterations there are,
// which it does not do by itself. Here nothing is divided, and a thread that
// has one iteration compares once more.
//
// The sums are of 64 bits. Where the first is below n, those of 32 bits did not
// wrap around, whatever the step is.

#include "StridedLoops.h"
#include "IndexMark.h"
#include "sluice/Analysis/UnrollAnalysis.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/DomTreeUpdater.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/UnrollLoop.h"

using namespace llvm;
using namespace sluice;

/// Are there \p Count iterations from that of \p Index on?
static Value *hasCount(IRBuilder<> &B, const StridedEnd &End, unsigned Count,
                       Value *Index, Value *Bound) {
  Type *Wide = B.getInt64Ty();
  auto Widened = [&](Value *V) {
    return CmpInst::isSigned(End.Stays) ? B.CreateSExt(V, Wide)
                                        : B.CreateZExt(V, Wide);
  };
  // A negative step is a large one so: the rest has all iterations.
  Value *Others =
      B.CreateMul(B.CreateZExt(End.Step, Wide), B.getInt64(Count - 1));
  return B.CreateICmp(End.Stays, B.CreateAdd(Widened(Index), Others),
                      Widened(Bound));
}

namespace {

/// A loop of its own for several iterations together, before the one that is
/// left.
class FirstLoop {
public:
  /// \p Count: as many iterations have to be there.
  FirstLoop(Loop &Rest, const StridedEnd &End, unsigned Count, Function &F,
            LoopInfo &LI, DominatorTree &DT)
      : Rest(Rest), End(End), Count(Count) {
    BasicBlock *Before = Rest.getLoopPreheader();
    BasicBlock *ToRest = SplitBlock(Before, Before->getTerminator(), &DT, &LI);
    SmallVector<BasicBlock *, 8> Blocks;
    L = cloneLoopWithPreheader(ToRest, Before, &Rest, Copies, "", &LI, &DT,
                               Blocks);
    remapInstructionsInBlocks(Blocks, Copies);
    Left = BasicBlock::Create(F.getContext(), "", &F, ToRest);
    if (Loop *Around = Rest.getParentLoop())
      Around->addBasicBlockToLoop(Left, LI);
    connect(*Before, *ToRest);
    DT.recalculate(F);
  }
  /// Its copies that are not the last need not ask if they are.
  void dropTests(DominatorTree &DT);

  Loop *L;

private:
  void connect(BasicBlock &Before, BasicBlock &ToRest);
  Value *copyOf(Value *V) const {
    const auto Found = Copies.find(V);
    return Found == Copies.end() ? V : static_cast<Value *>(Found->second);
  }

  Loop &Rest;
  const StridedEnd End;
  const unsigned Count;
  ValueToValueMapTy Copies;
  BasicBlock *Left; ///< Where it ends: to the rest, or out.
};

} // namespace

void FirstLoop::connect(BasicBlock &Before, BasicBlock &ToRest) {
  BasicBlock *Out = Rest.getUniqueExitBlock();
  BasicBlock *Latch = L->getLoopLatch(), *RestLatch = Rest.getLoopLatch();
  Latch->getTerminator()->replaceSuccessorWith(Out, Left);
  auto Leaving = [&](Value *V) {
    PHINode *Phi = PHINode::Create(V->getType(), 1, "", Left);
    Phi->addIncoming(copyOf(V), Latch);
    return Phi;
  };
  Value *Next = nullptr;
  for (PHINode &Phi : Rest.getHeader()->phis()) {
    PHINode *Goes = Leaving(Phi.getIncomingValueForBlock(RestLatch));
    if (&Phi == End.Index)
      Next = Goes;
    PHINode *Begins = PHINode::Create(Phi.getType(), 2, "", ToRest.begin());
    Begins->addIncoming(Phi.getIncomingValueForBlock(&ToRest), &Before);
    Begins->addIncoming(Goes, Left);
    Phi.setIncomingValueForBlock(&ToRest, Begins);
  }
  for (PHINode &Phi : Out->phis())
    Phi.addIncoming(Leaving(Phi.getIncomingValueForBlock(RestLatch)), Left);
  IRBuilder<> B(Left);
  B.SetCurrentDebugLocation(RestLatch->getTerminator()->getDebugLoc());
  B.CreateCondBr(B.CreateICmp(End.Stays, Next, End.Bound), &ToRest, Out);
  Instruction *Jump = Before.getTerminator();
  B.SetInsertPoint(Jump);
  Value *First = cast<PHINode>(copyOf(End.Index))
                     ->getIncomingValueForBlock(L->getLoopPreheader());
  B.CreateCondBr(hasCount(B, End, Count, First, End.Bound),
                 L->getLoopPreheader(), &ToRest);
  Jump->eraseFromParent();
}

void FirstLoop::dropTests(DominatorTree &DT) {
  BasicBlock *Latch = L->getLoopLatch();
  SmallVector<BasicBlock *, 8> Exiting;
  L->getExitingBlocks(Exiting);
  DomTreeUpdater Updater(DT, DomTreeUpdater::UpdateStrategy::Eager);
  for (BasicBlock *BB : Exiting) {
    auto *Branch = cast<BranchInst>(BB->getTerminator());
    const bool StaysIfTrue = L->contains(Branch->getSuccessor(0));
    IRBuilder<> B(Branch);
    if (BB != Latch) {
      Branch->setCondition(B.getInt1(StaysIfTrue));
      ConstantFoldTerminator(BB, /*DeleteDeadConditions=*/false,
                             /*TLI=*/nullptr, &Updater);
      continue;
    }
    Value *Next =
        cast<PHINode>(copyOf(End.Index))->getIncomingValueForBlock(Latch);
    Value *More = hasCount(B, End, Count, Next, End.Bound);
    Branch->setCondition(StaysIfTrue ? More : B.CreateNot(More));
  }
}

bool sluice::takeStrides(Loop &L, unsigned Count, Function &F,
                         FunctionAnalysisManager &FAM,
                         OptimizationRemarkEmitter &Remarks, bool IsWrong) {
  auto &LI = FAM.getResult<LoopAnalysis>(F);
  auto &DT = FAM.getResult<DominatorTreeAnalysis>(F);
  auto &SE = FAM.getResult<ScalarEvolutionAnalysis>(F);
  auto &AC = FAM.getResult<AssumptionAnalysis>(F);
  const auto &TTI = FAM.getResult<TargetIRAnalysis>(F);
  simplifyLoop(&L, &DT, &LI, &SE, &AC, /*MSSAU=*/nullptr,
               /*PreserveLCSSA=*/false);
  formLCSSARecursively(L, DT, &LI, &SE);
  const auto End = stridedEnd(L);
  if (!End || !L.isLoopSimplifyForm() || !L.getUniqueExitBlock())
    return false;
  SE.forgetLoop(&L);
  FirstLoop First(L, *End, IsWrong ? Count - 1 : Count, F, LI, DT);
  UnrollLoopOptions Options{};
  Options.Count = Count;
  Options.Force = true;
  if (UnrollLoop(First.L, Options, &LI, &SE, &DT, &AC, &TTI, &Remarks,
                 /*PreserveLCSSA=*/true) ==
      LoopUnrollResult::PartiallyUnrolled) {
    First.dropTests(DT);
    First.L->setLoopAlreadyUnrolled();
    addStringMetadataToLoop(First.L, KeepsIndex);
  }
  L.setLoopAlreadyUnrolled();
  addStringMetadataToLoop(&L, KeepsIndex);
  return true;
}
