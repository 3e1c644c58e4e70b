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
//
// Where all lanes access the same, LLVM sees each address move on by a
// constant, and makes pointers of them:
//
//   for (int j = 0; j < n; ++j)        // a few iterations together
//     if (j != me)
//       s += f(x[j], y[j]);
//
// The assembler has these in registers of each thread, and issues the loads
// behind one condition after the arithmetic behind the one before. An offset
// that is the same for all lanes it has in a uniform register. With the
// addresses made of that before the first condition, it issues all loads first.

#include "../IndexMark.h"
#include "FewerInstructions.h"
#include "sluice/Analysis/AccessAnalysis.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/UniformityAnalysis.h"
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

/// Addresses that are the same for all lanes: of fewer arrays, or behind fewer
/// conditions, no loads wait for others.
static constexpr unsigned LeastArrays = 2, LeastConditions = 2;

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
  AddressFinder(const Loop &L, const DominatorTree &DT,
                const UniformityInfo &Uniformity, ScalarEvolution &SE)
      : L(L), DT(DT), Uniformity(Uniformity), SE(SE),
        Wide(Type::getInt64Ty(L.getHeader()->getContext())) {}
  /// Those that LLVM does not see move on.
  SmallVector<Moved, 4> find(ChangeTest MayChange) const;
  /// Those that are the same for all lanes.
  SmallVector<Moved, 4> findUniform(ChangeTest MayChange) const;

private:
  const SCEVAddRecExpr *asMoved(const SCEV *S) const {
    const auto *Moved = dyn_cast_or_null<SCEVAddRecExpr>(S);
    return Moved && Moved->getLoop() == &L && Moved->isAffine() ? Moved
                                                                : nullptr;
  }
  const SCEV *extend(Value &V, unsigned Depth = 0) const;
  const SCEVAddRecExpr *address(GetElementPtrInst &GEP) const;
  const SCEVAddRecExpr *uniformAddress(GetElementPtrInst &GEP) const;
  /// Of what is not in each iteration.
  SmallVector<Moved, 4>
  findBy(function_ref<const SCEVAddRecExpr *(GetElementPtrInst &)> AddressOf,
         ChangeTest MayChange) const;
  void add(SmallVectorImpl<Moved> &Found, const SCEVAddRecExpr *Address,
           GetElementPtrInst &GEP) const;

  const Loop &L;
  const DominatorTree &DT;
  const UniformityInfo &Uniformity;
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

/// How \p GEP is moved on by a constant, the same for all lanes, of which a
/// load of its block is.
const SCEVAddRecExpr *
AddressFinder::uniformAddress(GetElementPtrInst &GEP) const {
  if (Uniformity.isDivergent(&GEP) || none_of(GEP.users(), [&](const User *U) {
        const auto *Load = dyn_cast<LoadInst>(U);
        return Load && Load->getParent() == GEP.getParent();
      }))
    return nullptr;
  const SCEVAddRecExpr *Address = asMoved(SE.getSCEV(&GEP));
  return Address && isa<SCEVConstant>(Address->getStepRecurrence(SE)) ? Address
                                                                      : nullptr;
}

/// Puts \p GEP with those of \p Found that are a constant from it.
void AddressFinder::add(SmallVectorImpl<Moved> &Found,
                        const SCEVAddRecExpr *Address,
                        GetElementPtrInst &GEP) const {
  const SCEVConstant *Offset = nullptr;
  auto *Known = find_if(Found, [&](const Moved &M) {
    Offset = dyn_cast<SCEVConstant>(SE.getMinusSCEV(Address, M.First));
    return Offset && Offset->getAPInt().isSignedIntN(24);
  });
  if (Known == Found.end())
    Found.push_back({Address, {{&GEP, 0}}});
  else
    Known->All.emplace_back(&GEP, Offset->getAPInt().getSExtValue());
}

SmallVector<Moved, 4> AddressFinder::findBy(
    function_ref<const SCEVAddRecExpr *(GetElementPtrInst &)> AddressOf,
    ChangeTest MayChange) const {
  SmallVector<Moved, 4> Found;
  for (BasicBlock *Block : L.blocks()) {
    if (DT.dominates(Block, L.getLoopLatch()))
      continue;
    for (Instruction &I : *Block)
      if (auto *GEP = dyn_cast<GetElementPtrInst>(&I); GEP && MayChange(*GEP))
        if (const SCEVAddRecExpr *Address = AddressOf(*GEP))
          add(Found, Address, *GEP);
  }
  return Found;
}

SmallVector<Moved, 4> AddressFinder::find(ChangeTest MayChange) const {
  return findBy([&](GetElementPtrInst &GEP) { return address(GEP); },
                MayChange);
}

SmallVector<Moved, 4> AddressFinder::findUniform(ChangeTest MayChange) const {
  auto Found = findBy(
      [&](GetElementPtrInst &GEP) { return uniformAddress(GEP); }, MayChange);
  SmallPtrSet<const BasicBlock *, 4> Conditional;
  for (const Moved &M : Found)
    for (const auto &[GEP, Offset] : M.All)
      Conditional.insert(GEP->getParent());
  // One offset is for all.
  if (Conditional.size() < LeastConditions || Found.size() < LeastArrays ||
      any_of(Found, [&](const Moved &M) {
        return M.First->getStepRecurrence(SE) !=
               Found.front().First->getStepRecurrence(SE);
      }))
    Found.clear();
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

/// Makes \p Pointer, less \p First bytes, the first address of \p M.
static void replace(const Moved &M, Value *Pointer, int64_t First,
                    IRBuilder<> &B, ScalarEvolution &SE) {
  for (auto [GEP, Offset] : M.All) {
    B.SetInsertPoint(GEP);
    Value *New = Offset == First
                     ? Pointer
                     : B.CreatePtrAdd(Pointer, B.getInt64(Offset - First));
    SE.forgetValue(GEP);
    GEP->replaceAllUsesWith(New);
  }
}

static Value *expandStart(const Moved &M, const Loop &L,
                          SCEVExpander &Expander) {
  return Expander.expandCodeFor(M.First->getStart(),
                                M.All.front().first->getType(),
                                L.getLoopPreheader()->getTerminator());
}

/// Makes a pointer of \p M.
static void moveOn(const Moved &M, const Loop &L, SCEVExpander &Expander,
                   ScalarEvolution &SE, StepCopies &Steps) {
  BasicBlock *Before = L.getLoopPreheader();
  Value *Start = expandStart(M, L, Expander);
  IRBuilder<> B(L.getHeader(), L.getHeader()->begin());
  PHINode *Phi = B.CreatePHI(Start->getType(), 2);
  Phi->addIncoming(Start, Before);
  B.SetInsertPoint(L.getLoopLatch()->getTerminator());
  const SCEV *Bytes = M.First->getStepRecurrence(SE);
  Value *&Step = Steps[Bytes];
  if (!Step) {
    Value *Once =
        Expander.expandCodeFor(Bytes, B.getInt64Ty(), Before->getTerminator());
    Step = B.CreateIntrinsic(B.getInt64Ty(), Intrinsic::nvvm_move_i64, {Once});
  }
  Phi->addIncoming(B.CreatePtrAdd(Phi, Step), L.getLoopLatch());
  replace(M, Phi, 0, B, SE);
}

namespace {
/// An index of 32 bits that a loop moves on by a constant, as it is in 64.
struct WideIndex {
  PHINode *Phi;
  const SCEVAddRecExpr *Wide;
};
} // namespace

/// One of \p L that begins with a constant, and of whose steps \p Bytes are so
/// many.
static std::optional<WideIndex> wideIndex(const Loop &L, const APInt &Bytes,
                                          ScalarEvolution &SE) {
  for (PHINode &Phi : L.getHeader()->phis()) {
    if (!Phi.getType()->isIntegerTy(32))
      continue;
    const auto *Wide = dyn_cast<SCEVAddRecExpr>(SE.getZeroExtendExpr(
        SE.getSCEV(&Phi), Type::getInt64Ty(Phi.getContext())));
    if (!Wide || Wide->getLoop() != &L || !Wide->isAffine() ||
        !isa<SCEVConstant>(Wide->getStart()))
      continue;
    const auto *Step = dyn_cast<SCEVConstant>(Wide->getStepRecurrence(SE));
    if (Step && Step->getAPInt().isStrictlyPositive() &&
        Bytes.srem(Step->getAPInt()).isZero())
      return WideIndex{&Phi, Wide};
  }
  return std::nullopt;
}

/// Makes one offset of \p All, which are the same for all lanes, by an index of
/// \p L; false: it has none.
static bool keepOffset(ArrayRef<Moved> All, const Loop &L,
                       SCEVExpander &Expander, ScalarEvolution &SE) {
  const APInt &Bytes =
      cast<SCEVConstant>(All.front().First->getStepRecurrence(SE))->getAPInt();
  const auto Index = wideIndex(L, Bytes, SE);
  if (!Index)
    return false;
  auto Constant = [](const SCEV *S) {
    return cast<SCEVConstant>(S)->getAPInt();
  };
  const APInt Size = Bytes.sdiv(Constant(Index->Wide->getStepRecurrence(SE)));
  SmallVector<Value *, 4> Starts;
  for (const Moved &M : All)
    Starts.push_back(expandStart(M, L, Expander));
  IRBuilder<> B(&*L.getHeader()->getFirstInsertionPt());
  Value *Copy =
      B.CreateIntrinsic(B.getInt32Ty(), Intrinsic::nvvm_move_i32, {Index->Phi});
  Value *Offset =
      B.CreateMul(B.CreateZExt(Copy, B.getInt64Ty()), B.getInt(Size));
  const int64_t First =
      (Size * Constant(Index->Wide->getStart())).getSExtValue();
  SmallVector<Value *, 4> Pointers;
  for (Value *Start : Starts)
    Pointers.push_back(B.CreatePtrAdd(Start, Offset));
  for (auto [M, Pointer] : zip_equal(All, Pointers))
    replace(M, Pointer, First, B, SE);
  return true;
}

/// Returns how many of \p L, and where the first is.
static Rewritten moveOnIn(const Loop &L, const DominatorTree &DT,
                          const UniformityInfo &Uniformity, ScalarEvolution &SE,
                          ChangeTest MayChange, bool IsWrong) {
  Rewritten Done;
  SCEVExpander Expander(SE, "moved");
  const AddressFinder Finder(L, DT, Uniformity, SE);
  auto IsLeft = [&](const Moved &M) { return !mayExpand(M, L, Expander, SE); };
  SmallVector<Moved, 4> Found = Finder.find(MayChange);
  erase_if(Found, IsLeft);
  const bool IsUniform = Found.empty();
  if (IsUniform) {
    Found = Finder.findUniform(MayChange);
    if (any_of(Found, IsLeft))
      return Done;
  }
  if (Found.empty() || Found.size() > MostPointers)
    return Done;
  if (IsWrong)
    Found.back().First = Found.front().First;
  Done.At = Found.front().All.front().first->getDebugLoc();
  SmallVector<WeakTrackingVH, 8> Old;
  for (const Moved &M : Found)
    for (auto [GEP, Offset] : M.All)
      Old.push_back(GEP);
  StepCopies Steps;
  if (IsUniform && !keepOffset(Found, L, Expander, SE))
    return Done;
  Done.Count = Old.size();
  if (!IsUniform)
    for (const Moved &M : Found)
      moveOn(M, L, Expander, SE, Steps);
  RecursivelyDeleteTriviallyDeadInstructionsPermissive(Old);
  DeleteDeadPHIs(L.getHeader());
  return Done;
}

Rewritten sluice::moveAddressesOn(Function &F, ChangeTest MayChange,
                                  FunctionAnalysisManager &FAM, bool IsWrong) {
  Rewritten Done;
  auto &SE = FAM.getResult<ScalarEvolutionAnalysis>(F);
  const auto &DT = FAM.getResult<DominatorTreeAnalysis>(F);
  const auto &Uniformity = FAM.getResult<UniformityInfoAnalysis>(F);
  for (const Loop *L : FAM.getResult<LoopAnalysis>(F).getLoopsInPreorder()) {
    if (!L->isInnermost() || !L->getLoopPreheader() || !L->getLoopLatch() ||
        findStringMetadataForLoop(L, KeepsIndex))
      continue;
    const Rewritten Own = moveOnIn(*L, DT, Uniformity, SE, MayChange, IsWrong);
    if (!Done.Count)
      Done.At = Own.At;
    Done.Count += Own.Count;
  }
  return Done;
}
