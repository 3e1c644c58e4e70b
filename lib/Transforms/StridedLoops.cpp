// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   for (; i < n; i += step) f(i);
//   =>
//   if (step < n)
//     for (end = n - 3 * step; i < end; i += 4 * step) {
//       f(i); f(i + step); ...
//     }
//   for (; i < n; i += step) f(i);
//
// LLVM's unroller divides by the step to learn how many iterations there are,
// which it does not do by itself. Here nothing is divided. Threads are most
// often numbered below the step; where those have one iteration each, as many
// kernels are launched, only the first comparison is new for them.
//
// The end is computed with 64 bits and is the least number at the least. Where
// an index is below it, sums of 32 bits do not wrap around, whatever the step
// is. Of an index of 64 bits the end is the least number where the difference
// or a step's product would not be exact.
//
// Where the loop writes elements of its own index, several iterations go
// together only if what it writes is not what other iterations read: arrays
// begin at one place, or do not overlap. That is asked when the kernel runs,
// where `__restrict__` does not say it. The copies' accesses then say so to
// LLVM's alias analysis, and loads go before the stores (EarlyLoadsPass.cpp).

#include "StridedLoops.h"
#include "IndexMark.h"
#include "sluice/Analysis/IndexedElements.h"
#include "sluice/Analysis/UnrollAnalysis.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/DomTreeUpdater.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/UnrollLoop.h"

using namespace llvm;
using namespace sluice;

/// Below what are indices that have \p Count iterations from theirs on?
static Value *endOfSeveral(IRBuilder<> &B, const StridedEnd &End,
                           unsigned Count) {
  const bool IsSigned = CmpInst::isSigned(End.Stays);
  // A negative step is a large one so: the rest has all iterations.
  if (Type *Long = End.Step->getType(); Long->isIntegerTy(64)) {
    const APInt Least = IsSigned ? APInt::getSignedMinValue(64) : APInt(64, 0);
    Value *Others = B.CreateMul(End.Step, B.getInt64(Count - 1));
    Value *From = B.CreateBinaryIntrinsic(IsSigned ? Intrinsic::ssub_sat
                                                   : Intrinsic::usub_sat,
                                          End.Bound, Others);
    // So that the product does not wrap around.
    Value *IsShort =
        B.CreateICmpULT(End.Step, B.getInt64(uint64_t(INT64_MAX) / Count));
    return B.CreateSelect(IsShort, From, ConstantInt::get(Long, Least));
  }
  Type *Wide = B.getInt64Ty();
  Value *Others =
      B.CreateMul(B.CreateZExt(End.Step, Wide), B.getInt64(Count - 1));
  Value *Bound =
      IsSigned ? B.CreateSExt(End.Bound, Wide) : B.CreateZExt(End.Bound, Wide);
  Value *Least = B.getInt64(IsSigned ? minIntN(32) : 0);
  return B.CreateTrunc(B.CreateBinaryIntrinsic(
                           Intrinsic::smax, B.CreateSub(Bound, Others), Least),
                       B.getInt32Ty());
}

/// From where to where do the elements of \p A with indices from \p First to
/// below \p End lie?
static std::pair<Value *, Value *>
placesOf(IRBuilder<> &B, const IndexedArray &A, Value *First, Value *End) {
  auto At = [&](Value *Index) {
    Type *Wide = B.getInt64Ty();
    Value *Longer = A.IsZeroExtended ? B.CreateZExt(Index, Wide)
                                     : B.CreateSExt(Index, Wide);
    return B.CreatePtrAdd(A.Base, B.CreateMul(Longer, B.getInt64(A.Scale)));
  };
  return {At(First), At(End)};
}

/// Is nothing that one iteration from \p First on reads of the first array of a
/// pair written by another one? Indices that are made longer in the other way
/// than they are compared are in order where none is negative.
static Value *areOwn(IRBuilder<> &B, ArrayRef<ArrayPair> Pairs,
                     const StridedEnd &End, Value *First) {
  const bool IsSigned = CmpInst::isSigned(End.Stays);
  const bool IsLong = First->getType()->isIntegerTy(64);
  // The first index is below the bound already.
  Value *All = IsLong ? B.CreateICmpULT(B.CreateOr(First, End.Bound),
                                        B.getInt64(MostLongIndex))
                      : static_cast<Value *>(B.getTrue());
  for (const auto &[Read, Written] : Pairs) {
    const auto [ReadFrom, ReadTo] = placesOf(B, Read, First, End.Bound);
    const auto [WrittenFrom, WrittenTo] =
        placesOf(B, Written, First, End.Bound);
    Value *Apart = B.CreateOr(B.CreateICmpULE(ReadTo, WrittenFrom),
                              B.CreateICmpULE(WrittenTo, ReadFrom));
    if (!IsLong &&
        (Read.IsZeroExtended == IsSigned || Written.IsZeroExtended == IsSigned))
      Apart = B.CreateAnd(
          Apart, B.CreateICmpSGE(B.CreateOr(First, End.Bound), B.getInt32(0)));
    if (Read.Scale == Written.Scale &&
        Read.IsZeroExtended == Written.IsZeroExtended)
      Apart = B.CreateOr(Apart, B.CreateICmpEQ(Read.Base, Written.Base));
    All = B.CreateAnd(All, Apart);
  }
  return All;
}

namespace {

/// A loop of its own for several iterations together, before the one that is
/// left.
class FirstLoop {
public:
  /// \p Count: as many iterations have to be there.
  /// \p Pairs: those of a loop that writes the elements of its own index.
  FirstLoop(Loop &Rest, const StridedEnd &End, unsigned Count,
            std::optional<ArrayRef<ArrayPair>> Pairs, Function &F, LoopInfo &LI,
            DominatorTree &DT)
      : Rest(Rest), End(End), Count(Count), Pairs(Pairs) {
    BasicBlock *Before = Rest.getLoopPreheader();
    BasicBlock *ToRest = SplitBlock(Before, Before->getTerminator(), &DT, &LI);
    SmallVector<BasicBlock *, 8> Blocks;
    L = cloneLoopWithPreheader(ToRest, Before, &Rest, Copies, "", &LI, &DT,
                               Blocks);
    remapInstructionsInBlocks(Blocks, Copies);
    Left = BasicBlock::Create(F.getContext(), "", &F, ToRest);
    Enters = BasicBlock::Create(F.getContext(), "", &F, L->getLoopPreheader());
    if (Loop *Around = Rest.getParentLoop())
      for (BasicBlock *BB : {Enters, Left})
        Around->addBasicBlockToLoop(BB, LI);
    connect(*Before, *ToRest);
    DT.recalculate(F);
  }
  /// Its copies that are not the last need not ask if they are.
  void dropTests(DominatorTree &DT);
  /// What one of its copies writes no other one reads. Says so to LLVM.
  void markOwnElements();

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
  const std::optional<ArrayRef<ArrayPair>> Pairs;
  ValueToValueMapTy Copies;
  BasicBlock *Enters;            ///< Asks if there are as many iterations.
  BasicBlock *Left;              ///< Where it ends: to the rest, or out.
  Value *EndOfSeveral = nullptr; ///< Computed there.
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
    PHINode *Begins = PHINode::Create(Phi.getType(), 3, "", ToRest.begin());
    for (BasicBlock *From : {&Before, Enters})
      Begins->addIncoming(Phi.getIncomingValueForBlock(&ToRest), From);
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
  B.CreateCondBr(B.CreateICmp(End.Stays, End.Step, End.Bound), Enters, &ToRest);
  Jump->eraseFromParent();
  B.SetInsertPoint(Enters);
  EndOfSeveral = endOfSeveral(B, End, Count);
  Value *First = cast<PHINode>(copyOf(End.Index))
                     ->getIncomingValueForBlock(L->getLoopPreheader());
  Value *Test = B.CreateICmp(End.Stays, First, EndOfSeveral);
  if (Pairs)
    Test = B.CreateAnd(Test, areOwn(B, *Pairs, End, First));
  B.CreateCondBr(Test, L->getLoopPreheader(), &ToRest);
}

void FirstLoop::markOwnElements() {
  MDBuilder Scopes(Rest.getHeader()->getContext());
  MDNode *Domain = Scopes.createAnonymousAliasScopeDomain("iterations");
  SmallVector<BasicBlock *, 8> Blocks(L->blocks());
  SmallVector<Metadata *, 8> Each;
  for (size_t I = 0; I < Blocks.size(); ++I)
    Each.push_back(Scopes.createAnonymousAliasScope(Domain, "iteration"));
  auto Add = [](Instruction &I, unsigned Kind, ArrayRef<Metadata *> More) {
    I.setMetadata(Kind, MDNode::concatenate(I.getMetadata(Kind),
                                            MDNode::get(I.getContext(), More)));
  };
  for (const auto &[Number, BB] : enumerate(Blocks)) {
    SmallVector<Metadata *, 8> Others(Each);
    Others.erase(Others.begin() + Number);
    for (Instruction &I : *BB)
      if (isa<StoreInst>(I))
        Add(I, LLVMContext::MD_alias_scope, Each[Number]);
      else if (isa<LoadInst>(I))
        Add(I, LLVMContext::MD_noalias, Others);
  }
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
    Value *More = B.CreateICmp(End.Stays, Next, EndOfSeveral);
    Branch->setCondition(StaysIfTrue ? More : B.CreateNot(More));
  }
}

bool sluice::takeStrides(Loop &L, unsigned Count, Function &F,
                         FunctionAnalysisManager &FAM,
                         OptimizationRemarkEmitter &Remarks,
                         WrongRewrite Wrong) {
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
  const auto Own = ownElements(L, *End->Index);
  const bool IsOfOwn = Own.has_value();
  std::optional<ArrayRef<ArrayPair>> Pairs;
  if (Own && Wrong != WrongRewrite::AnyPlace)
    Pairs = ArrayRef<ArrayPair>(*Own);
  SE.forgetLoop(&L);
  FirstLoop First(L, *End,
                  Wrong == WrongRewrite::OneMoreStride ? Count - 1 : Count,
                  Pairs, F, LI, DT);
  UnrollLoopOptions Options{};
  Options.Count = Count;
  Options.Force = true;
  if (UnrollLoop(First.L, Options, &LI, &SE, &DT, &AC, &TTI, &Remarks,
                 /*PreserveLCSSA=*/true) ==
      LoopUnrollResult::PartiallyUnrolled) {
    if (IsOfOwn)
      First.markOwnElements();
    First.dropTests(DT);
    First.L->setLoopAlreadyUnrolled();
    addStringMetadataToLoop(First.L, KeepsIndex);
  }
  L.setLoopAlreadyUnrolled();
  addStringMetadataToLoop(&L, KeepsIndex);
  return true;
}
