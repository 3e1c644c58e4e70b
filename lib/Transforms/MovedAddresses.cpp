// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Addresses of a loop that are behind a condition are moved on with it:
//
//   for (...; i += n)                  p = &a[i - m]
//     if (c)                     =>    for (...; p += n)
//       x = a[i - m];                    if (c)
//                                          x = *p;
//
// LLVM makes pointers of what is accessed in each iteration. Behind a condition
// it does not see that it may: a sum of 32 bits that leaves its range is wrong
// (nsw) only where it is used, so it knows of none that its extension is the
// sum of the extended. There the index is added, multiplied and added to the
// array each time, and the load waits for it. But what is wrong where it is
// used may be anything where it is not, and so the pointer may be moved on in
// any case.
//
// Its step is hidden behind a copy, as loop strength reduction would make one
// pointer of all, to which something is added for each access.

#include "FewerInstructions.h"
#include "IndexMark.h"
#include "sluice/Analysis/AccessAnalysis.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;
using namespace sluice;

/// How deep a sum is looked into.
static constexpr unsigned MostDepth = 6;

/// Of a loop, two registers each.
static constexpr unsigned MostPointers = 6;

namespace {

/// Addresses that are moved on by one pointer: the first, and how far the
/// others are from it.
struct Moved {
  const SCEVAddRecExpr *First;
  SmallVector<std::pair<GetElementPtrInst *, int64_t>, 2> All;
};

/// Steps, each hidden once.
using StepCopies = SmallDenseMap<const SCEV *, Value *, 2>;

/// Finds the addresses of one loop.
class AddressFinder {
public:
  AddressFinder(const Loop &L, const DominatorTree &DT, ScalarEvolution &SE)
      : L(L), DT(DT), SE(SE),
        Wide(Type::getInt64Ty(L.getHeader()->getContext())) {}
  SmallVector<Moved, 4> find(ChangeTest MayChange) const;

private:
  const SCEVAddRecExpr *asMoved(const SCEV *S) const {
    const auto *Moved = dyn_cast_or_null<SCEVAddRecExpr>(S);
    return Moved && Moved->getLoop() == &L && Moved->isAffine() ? Moved
                                                                : nullptr;
  }
  const SCEV *extend(Value &V, unsigned Depth = 0) const;
  const SCEVAddRecExpr *address(GetElementPtrInst &GEP) const;

  const Loop &L;
  const DominatorTree &DT;
  ScalarEvolution &SE;
  Type *const Wide;
};

} // namespace

/// \p V with its sign extended: of parts that are the same in all iterations,
/// or are moved on by the same in each; else null.
const SCEV *AddressFinder::extend(Value &V, unsigned Depth) const {
  const SCEV *Whole = SE.getSignExtendExpr(SE.getSCEV(&V), Wide);
  if (SE.isLoopInvariant(Whole, &L) || asMoved(Whole))
    return Whole;
  const auto *I = dyn_cast<BinaryOperator>(&V);
  if (!I || Depth == MostDepth ||
      (I->getOpcode() != Instruction::Add &&
       I->getOpcode() != Instruction::Sub) ||
      !I->hasNoSignedWrap())
    return nullptr;
  const SCEV *A = extend(*I->getOperand(0), Depth + 1),
             *B = extend(*I->getOperand(1), Depth + 1);
  if (!A || !B)
    return nullptr;
  return I->getOpcode() == Instruction::Add ? SE.getAddExpr(A, B)
                                            : SE.getMinusSCEV(A, B);
}

/// How \p GEP is moved on, if LLVM does not see it by itself, and by what is
/// known when the kernel runs only. A constant is as well added to the index:
/// that is one instruction for all, and a pointer of 64 bits takes two.
const SCEVAddRecExpr *AddressFinder::address(GetElementPtrInst &GEP) const {
  const DataLayout &Layout = GEP.getDataLayout();
  SmallMapVector<Value *, APInt, 4> Variable;
  APInt Rest(64, 0);
  if (GEP.getType()->isVectorTy() ||
      Layout.getIndexTypeSizeInBits(GEP.getType()) != 64 ||
      !L.isLoopInvariant(GEP.getPointerOperand()) ||
      !mayBeGlobal(getUnderlyingObject(&GEP)) ||
      !GEP.collectOffset(Layout, 64, Variable, Rest) || Variable.size() != 1 ||
      asMoved(SE.getSCEV(&GEP)))
    return nullptr;
  auto *Index = dyn_cast<SExtInst>(Variable.front().first);
  const SCEV *Extended =
      Index && Index->getSrcTy()->isIntegerTy(32) && L.contains(Index)
          ? extend(*Index->getOperand(0))
          : nullptr;
  if (!Extended)
    return nullptr;
  const SCEV *Bytes = SE.getAddExpr(
      SE.getMulExpr(Extended, SE.getConstant(Variable.front().second)),
      SE.getConstant(Rest));
  const SCEVAddRecExpr *Address =
      asMoved(SE.getAddExpr(SE.getSCEV(GEP.getPointerOperand()), Bytes));
  return Address && !isa<SCEVConstant>(Address->getStepRecurrence(SE))
             ? Address
             : nullptr;
}

SmallVector<Moved, 4> AddressFinder::find(ChangeTest MayChange) const {
  SmallVector<Moved, 4> Found;
  for (BasicBlock *Block : L.blocks()) {
    if (DT.dominates(Block, L.getLoopLatch()))
      continue;
    for (Instruction &I : *Block) {
      auto *GEP = dyn_cast<GetElementPtrInst>(&I);
      const SCEVAddRecExpr *Address =
          GEP && MayChange(*GEP) ? address(*GEP) : nullptr;
      if (!Address)
        continue;
      const SCEVConstant *Offset = nullptr;
      auto *Known = find_if(Found, [&](const Moved &M) {
        Offset = dyn_cast<SCEVConstant>(SE.getMinusSCEV(Address, M.First));
        return Offset && Offset->getAPInt().isSignedIntN(24);
      });
      if (Known == Found.end())
        Found.push_back({Address, {{GEP, 0}}});
      else
        Known->All.emplace_back(GEP, Offset->getAPInt().getSExtValue());
    }
  }
  return Found;
}

/// Can it be computed before \p L? Not by what a loop around moves on, which
/// would be one more index there.
static bool mayExpand(const Moved &M, const Loop &L, SCEVExpander &Expander,
                      ScalarEvolution &SE) {
  const Instruction *At = L.getLoopPreheader()->getTerminator();
  return all_of(M.First->operands(), [&](const SCEV *Part) {
    return Expander.isSafeToExpandAt(Part, At) &&
           !SCEVExprContains(
               Part, [](const SCEV *S) { return isa<SCEVAddRecExpr>(S); });
  });
}

/// Makes a pointer of \p M.
static void moveOn(const Moved &M, const Loop &L, SCEVExpander &Expander,
                   ScalarEvolution &SE, StepCopies &Steps) {
  BasicBlock *Before = L.getLoopPreheader();
  Instruction *At = Before->getTerminator();
  Type *Pointer = M.All.front().first->getType();
  Value *Start = Expander.expandCodeFor(M.First->getStart(), Pointer, At);
  IRBuilder<> B(L.getHeader(), L.getHeader()->begin());
  PHINode *Phi = B.CreatePHI(Pointer, 2);
  Phi->addIncoming(Start, Before);
  B.SetInsertPoint(L.getLoopLatch()->getTerminator());
  const SCEV *Bytes = M.First->getStepRecurrence(SE);
  Value *&Step = Steps[Bytes];
  if (!Step) {
    Value *Once = Expander.expandCodeFor(Bytes, B.getInt64Ty(), At);
    Step = B.CreateIntrinsic(B.getInt64Ty(), Intrinsic::nvvm_move_i64, {Once});
  }
  Phi->addIncoming(B.CreatePtrAdd(Phi, Step), L.getLoopLatch());
  for (auto [GEP, Offset] : M.All) {
    B.SetInsertPoint(GEP);
    Value *New = Offset ? B.CreatePtrAdd(Phi, B.getInt64(Offset)) : Phi;
    SE.forgetValue(GEP);
    GEP->replaceAllUsesWith(New);
  }
}

/// Returns how many of \p L, and where the first is.
static Rewritten moveOnIn(const Loop &L, const DominatorTree &DT,
                          ScalarEvolution &SE, ChangeTest MayChange,
                          bool IsWrong) {
  Rewritten Done;
  SCEVExpander Expander(SE, "moved");
  SmallVector<Moved, 4> Found = AddressFinder(L, DT, SE).find(MayChange);
  erase_if(Found,
           [&](const Moved &M) { return !mayExpand(M, L, Expander, SE); });
  if (Found.empty() || Found.size() > MostPointers)
    return Done;
  if (IsWrong)
    Found.back().First = Found.front().First;
  Done.At = Found.front().All.front().first->getDebugLoc();
  StepCopies Steps;
  SmallVector<WeakTrackingVH, 8> Old;
  for (const Moved &M : Found) {
    Done.Count += M.All.size();
    moveOn(M, L, Expander, SE, Steps);
    for (auto [GEP, Offset] : M.All)
      Old.push_back(GEP);
  }
  RecursivelyDeleteTriviallyDeadInstructionsPermissive(Old);
  DeleteDeadPHIs(L.getHeader());
  return Done;
}

Rewritten sluice::moveAddressesOn(Function &F, ChangeTest MayChange,
                                  FunctionAnalysisManager &FAM, bool IsWrong) {
  Rewritten Done;
  auto &SE = FAM.getResult<ScalarEvolutionAnalysis>(F);
  const auto &DT = FAM.getResult<DominatorTreeAnalysis>(F);
  for (const Loop *L : FAM.getResult<LoopAnalysis>(F).getLoopsInPreorder()) {
    if (!L->isInnermost() || !L->getLoopPreheader() || !L->getLoopLatch() ||
        findStringMetadataForLoop(L, KeepsIndex))
      continue;
    const Rewritten Own = moveOnIn(*L, DT, SE, MayChange, IsWrong);
    if (!Done.Count)
      Done.At = Own.At;
    Done.Count += Own.Count;
  }
  return Done;
}
