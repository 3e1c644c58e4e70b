// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// libdevice reduces a huge angle x by Payne and Hanek's method: it multiplies
// 2/pi, of which a table has 192 bits, by x's mantissa, word by word, and reads
// the three words of the product that matter. Which ones x's exponent says:
//
//   for (i = 0; i < 6; ++i) w[i] = low(carry += table[i] * mantissa), ...;
//   w[6] = carry;
//   d = (exponent - 128) / 32;
//   w[6 - d], w[5 - d], w[4 - d]
//
// A register has no number, so the array is in memory, or the assembler writes
// each element by a chain of comparisons, again in each iteration. Unrolled,
// the loop writes words that are known, and the table is immediate operands.
// What is read is chosen by d's bits, one after the other, and neighbours share
// the choice by the higher ones:
//
//   t[j] = d & 2 ? w[j - 2] : w[j]    for j = 6, 5, 4, 3
//   w[6 - d] = d & 1 ? t[5] : t[6], ...
//
// How far d goes is what keeps the reads within the array, and what is known of
// the value that d is shifted out of. Only integers: a float would be rounded
// on its way to memory and not in a register.

#include "WindowArrays.h"
#include "FewerInstructions/BlockRounding.h"
#include "IndexMark.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"
#include "llvm/Transforms/Utils/UnrollLoop.h"

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace sluice;

#define DEBUG_TYPE "sluice-angle-reduction"

STATISTIC(NumArrays, "Arrays that are read at places known at run time, and "
                     "are in registers");

static constexpr uint64_t LongestArray = 8; ///< In elements.
static constexpr uint64_t FurthestRead = 7; ///< Three bits choose.
static constexpr unsigned LargestLoop = 40; ///< In instructions.

namespace {

/// A load or store of one element: Base, Base + Distance or Base - Distance.
struct Access {
  Instruction *I;
  int64_t Base;
  Value *Distance = nullptr;
  bool Back = false;
};

/// All that is done with an array, where it is loads, stores and markers.
struct Uses {
  SmallVector<Access, 8> Loads, Stores;
  SmallVector<Instruction *, 8> Others; ///< Markers and addresses, users last.
};

/// The arrays of one function.
class Windows {
public:
  Windows(Function &F, FunctionAnalysisManager &FAM)
      : F(F), Layout(F.getDataLayout()),
        DT(FAM.getResult<DominatorTreeAnalysis>(F)),
        LI(FAM.getResult<LoopAnalysis>(F)),
        SE(FAM.getResult<ScalarEvolutionAnalysis>(F)),
        AC(FAM.getResult<AssumptionAnalysis>(F)),
        TTI(FAM.getResult<TargetIRAnalysis>(F)) {}

  bool keep(AllocaInst &Array, function_ref<bool(const Instruction &)> IsKept,
            bool Skewed, WindowListener Listener);

private:
  bool collect(Value &Pointer, int64_t Base, Value *Index, uint64_t Size,
               Type *Element, Uses &Found) const;
  std::optional<uint64_t> furthest(const Access &Read, uint64_t Length) const;
  std::string whyNot(const Uses &Found, uint64_t Length) const;
  std::string whyNotUnrolled(const Uses &Found, Loop &L) const;
  bool unroll(Loop &L);
  void replace(AllocaInst &Array, const Uses &Found, uint64_t Length,
               bool Skewed);

  Function &F;
  const DataLayout &Layout;
  DominatorTree &DT;
  LoopInfo &LI;
  ScalarEvolution &SE;
  AssumptionCache &AC;
  TargetTransformInfo &TTI;
};

/// What was made for the reads of an array.
struct Choices {
  bool Skewed = false; ///< The fault.
  DenseMap<std::pair<Value *, unsigned>, Value *> Tests;
  SmallVector<SelectInst *, 16> Selects; ///< Operands first.
};

/// What stands at a place of an array that is in registers.
class Choice {
public:
  Choice(const Access &Read, ArrayRef<AllocaInst *> Elements, uint64_t Furthest,
         Choices &Made)
      : Read(Read), Elements(Elements), Bits(Log2_64(Furthest) + 1), Made(Made),
        B(Read.I) {}

  Value *make() {
    Value *Result = at(Read.Base, 0);
    return Result ? Result : PoisonValue::get(Read.I->getType());
  }

private:
  Value *bit(unsigned N);
  Value *at(int64_t Place, unsigned Bit);

  const Access &Read;
  ArrayRef<AllocaInst *> Elements;
  unsigned Bits;
  Choices &Made;
  IRBuilder<> B;
};

} // namespace

/// Is bit \p N of the distance set? Asked once for all reads.
Value *Choice::bit(unsigned N) {
  Value *&Test = Made.Tests[{Read.Distance, N}];
  if (Test)
    return Test;
  IRBuilder<> Early(&*B.GetInsertBlock()
                          ->getParent()
                          ->getEntryBlock()
                          .getFirstNonPHIOrDbgOrAlloca());
  if (auto *Def = dyn_cast<Instruction>(Read.Distance))
    Early.SetInsertPoint(*Def->getInsertionPointAfterDef());
  Value *Bit = Early.CreateAnd(
      Read.Distance, ConstantInt::get(Read.Distance->getType(), 1u << N));
  Test = Made.Skewed && N == 0 ? Early.CreateIsNull(Bit)
                               : Early.CreateIsNotNull(Bit);
  return Test;
}

/// The element at \p Place, moved on by those bits of the distance that are not
/// below \p Bit; null: it is outside the array for certain.
Value *Choice::at(int64_t Place, unsigned Bit) {
  if (Bit == Bits || !Read.Distance) {
    if (Place < 0 || uint64_t(Place) >= Elements.size())
      return nullptr;
    AllocaInst *Element = Elements[Place];
    return B.CreateLoad(Element->getAllocatedType(), Element);
  }
  const int64_t Step = int64_t(1) << Bit;
  Value *Near = at(Place, Bit + 1);
  Value *Far = at(Read.Back ? Place - Step : Place + Step, Bit + 1);
  if (!Near || !Far)
    return Near ? Near : Far;
  auto *Chosen = SelectInst::Create(bit(Bit), Far, Near);
  Made.Selects.push_back(cast<SelectInst>(B.Insert(Chosen)));
  return Chosen;
}

/// Takes \p Index apart: a distance, and what is added to it or what it is
/// subtracted from.
static void takeApart(Access &A, Value *Index) {
  Value *Distance = nullptr;
  const APInt *From = nullptr;
  if (!match(Index, m_SExt(m_Value(Distance))) &&
      !match(Index, m_ZExt(m_Value(Distance))))
    Distance = Index;
  if (Value *Of; match(Distance, m_Sub(m_APInt(From), m_Value(Of)))) {
    A.Base += From->getSExtValue();
    A.Back = true;
    Distance = Of;
  } else if (match(Distance, m_Add(m_Value(Of), m_APInt(From)))) {
    A.Base += From->getSExtValue();
    Distance = Of;
  }
  A.Distance = Distance;
}

/// All uses of \p Pointer, which is \p Base + \p Index elements into the array.
/// False: there are others than loads and stores of elements.
bool Windows::collect(Value &Pointer, int64_t Base, Value *Index, uint64_t Size,
                      Type *Element, Uses &Found) const {
  for (User *U : Pointer.users()) {
    auto *I = cast<Instruction>(U);
    if (I->isLifetimeStartOrEnd()) {
      Found.Others.push_back(I);
      continue;
    }
    if (auto *GEP = dyn_cast<GetElementPtrInst>(I)) {
      SmallMapVector<Value *, APInt, 4> Steps;
      APInt Offset(64, 0);
      if (!GEP->collectOffset(Layout, 64, Steps, Offset) ||
          Offset.getSExtValue() % int64_t(Size) != 0 ||
          Steps.size() + (Index ? 1 : 0) > 1 ||
          (!Steps.empty() && Steps.front().second != Size))
        return false;
      Found.Others.push_back(GEP);
      if (!collect(*GEP, Base + Offset.getSExtValue() / int64_t(Size),
                   Steps.empty() ? Index : Steps.front().first, Size, Element,
                   Found))
        return false;
      continue;
    }
    Access A = {I, Base};
    if (Index)
      takeApart(A, Index);
    auto *Load = dyn_cast<LoadInst>(I);
    auto *Store = dyn_cast<StoreInst>(I);
    if (Load && Load->isSimple() && Load->getType() == Element)
      Found.Loads.push_back(A);
    else if (Store && Store->isSimple() &&
             Store->getPointerOperand() == &Pointer &&
             Store->getValueOperand()->getType() == Element)
      Found.Stores.push_back(A);
    else
      return false;
  }
  return true;
}

/// The largest distance with which \p Read is within an array of \p Length
/// elements; none: it cannot be told.
std::optional<uint64_t> Windows::furthest(const Access &Read,
                                          uint64_t Length) const {
  const KnownBits Known = computeKnownBits(Read.Distance, Layout, &AC, Read.I);
  const int64_t Room = Read.Back ? Read.Base : int64_t(Length) - 1 - Read.Base;
  if (!Known.isNonNegative() || Room < 0)
    return std::nullopt;
  uint64_t Most = std::min<uint64_t>(Room, Known.getMaxValue().getZExtValue());
  // From a whole that is therefore not negative.
  Value *Whole;
  uint64_t Shift;
  if (match(Read.Distance, m_LShr(m_Value(Whole), m_ConstantInt(Shift))) &&
      Shift > 0 && SE.isSCEVable(Whole->getType()) &&
      ((Most + 1) << Shift) <=
          APInt::getSignedMaxValue(Known.getBitWidth()).getZExtValue()) {
    const APInt Highest = SE.getSignedRangeMax(SE.getSCEV(Whole));
    if (Highest.isNonNegative())
      Most = std::min(Most, Highest.lshr(Shift).getZExtValue());
  }
  return Most;
}

/// Why \p L, which fills an array, is not unrolled.
std::string Windows::whyNotUnrolled(const Uses &Found, Loop &L) const {
  const unsigned Trips = SE.getSmallConstantTripCount(&L);
  if (!L.isInnermost() || L.getNumBlocks() != 1 || !L.getLoopPreheader() ||
      !L.getUniqueExitBlock() || Trips == 0 || Trips > LongestArray)
    return "a loop that fills it has no known number of iterations, or too "
           "many";
  const BasicBlock &Body = *L.getHeader();
  if (Body.sizeWithoutDebug() > LargestLoop ||
      any_of(Body,
             [](const Instruction &I) { return isa<FPMathOperator>(I); }) ||
      isFusedAnewIfJoined(*L.getLoopPreheader(), *L.getUniqueExitBlock()))
    return "a loop that fills it does more than that";
  for (const Access &Store : Found.Stores) {
    if (!Store.Distance || !L.contains(Store.I))
      continue;
    const auto *Form = dyn_cast<SCEVAddRecExpr>(SE.getSCEV(Store.Distance));
    if (!Form || Form->getLoop() != &L || !Form->isAffine() ||
        !isa<SCEVConstant>(Form->getStart()) ||
        !isa<SCEVConstant>(Form->getStepRecurrence(SE)))
      return "it is written at places that only run time can tell";
  }
  return "";
}

std::string Windows::whyNot(const Uses &Found, uint64_t Length) const {
  for (const Access &Store : Found.Stores) {
    if (!Store.Distance)
      continue;
    Loop *L = LI.getLoopFor(Store.I->getParent());
    if (!L)
      return "it is written at places that only run time can tell";
    if (std::string Why = whyNotUnrolled(Found, *L); !Why.empty())
      return Why;
  }
  for (const Access &Load : Found.Loads) {
    if (!Load.Distance)
      continue;
    if (isa<Constant>(Load.Distance))
      return "it is read outside its bounds";
    const std::optional<uint64_t> Most = furthest(Load, Length);
    if (!Most || *Most > FurthestRead)
      return "how far the places are apart that are read is not known";
  }
  return "";
}

/// What is loaded from a table in \p L is a constant, once it is unrolled.
static void foldTables(ArrayRef<WeakTrackingVH> Loads, const DataLayout &DL) {
  for (const WeakTrackingVH &Handle : Loads) {
    auto *Load = dyn_cast_or_null<LoadInst>(Handle);
    auto *Pointer =
        Load ? dyn_cast<Constant>(Load->getPointerOperand()) : nullptr;
    Constant *Folded =
        Pointer ? ConstantFoldLoadFromConstPtr(Pointer, Load->getType(), DL)
                : nullptr;
    if (!Folded)
      continue;
    Load->replaceAllUsesWith(Folded);
    Load->eraseFromParent();
  }
}

bool Windows::unroll(Loop &L) {
  Loop *Around = L.getParentLoop();
  simplifyLoop(&L, &DT, &LI, &SE, &AC, /*MSSAU=*/nullptr,
               /*PreserveLCSSA=*/false);
  formLCSSARecursively(L, DT, &LI, &SE);
  UnrollLoopOptions Options{};
  Options.Count = SE.getSmallConstantTripCount(&L);
  Options.Force = true;
  const bool IsUnrolled =
      UnrollLoop(&L, Options, &LI, &SE, &DT, &AC, &TTI, nullptr,
                 /*PreserveLCSSA=*/false) == LoopUnrollResult::FullyUnrolled;
  if (IsUnrolled && Around && Around->isInnermost())
    addStringMetadataToLoop(Around, KeepsIndex);
  return IsUnrolled;
}

/// Those that dominate others first.
static SmallVector<Access, 8> inOrder(ArrayRef<Access> Accesses,
                                      const DominatorTree &DT) {
  DT.updateDFSNumbers();
  SmallVector<Access, 8> Sorted(Accesses);
  sort(Sorted, [&](const Access &A, const Access &B) {
    const auto *In = DT.getNode(A.I->getParent());
    const auto *Other = DT.getNode(B.I->getParent());
    return In == Other ? A.I->comesBefore(B.I)
                       : In->getDFSNumIn() < Other->getDFSNumIn();
  });
  return Sorted;
}

/// Equal choices of which one dominates the others become one.
static void joinEqual(ArrayRef<SelectInst *> Made, const DominatorTree &DT) {
  DenseMap<std::tuple<Value *, Value *, Value *>, SmallVector<SelectInst *, 2>>
      Known;
  for (SelectInst *S : Made) {
    auto &Same =
        Known[{S->getCondition(), S->getTrueValue(), S->getFalseValue()}];
    const auto *First = find_if(
        Same, [&](SelectInst *Other) { return DT.dominates(Other, S); });
    if (First == Same.end()) {
      Same.push_back(S);
      continue;
    }
    S->replaceAllUsesWith(*First);
    S->eraseFromParent();
  }
}

void Windows::replace(AllocaInst &Array, const Uses &Found, uint64_t Length,
                      bool Skewed) {
  Type *Element = Array.getAllocatedType()->getArrayElementType();
  IRBuilder<> B(&Array);
  SmallVector<AllocaInst *, 8> Elements;
  for (uint64_t I = 0; I < Length; ++I)
    Elements.push_back(B.CreateAlloca(Element));
  Choices Made;
  Made.Skewed = Skewed;
  for (const Access &Store : Found.Stores) {
    auto *S = cast<StoreInst>(Store.I);
    if (Store.Base >= 0 && uint64_t(Store.Base) < Length)
      IRBuilder<>(S).CreateStore(S->getValueOperand(), Elements[Store.Base]);
    S->eraseFromParent();
  }
  for (const Access &Load : inOrder(Found.Loads, DT)) {
    const uint64_t Most = Load.Distance ? *furthest(Load, Length) : 0;
    Load.I->replaceAllUsesWith(
        Choice(Load, Elements, std::max<uint64_t>(Most, 1), Made).make());
  }
  for (const Access &Load : Found.Loads)
    Load.I->eraseFromParent();
  for (Instruction *I : reverse(Found.Others))
    I->eraseFromParent();
  Array.eraseFromParent();
  PromoteMemToReg(Elements, DT, &AC);
  joinEqual(Made.Selects, DT);
}

bool Windows::keep(AllocaInst &Array,
                   function_ref<bool(const Instruction &)> IsKept, bool Skewed,
                   WindowListener Listener) {
  auto *T = dyn_cast<ArrayType>(Array.getAllocatedType());
  if (!T || Array.isArrayAllocation() || !T->getElementType()->isIntegerTy() ||
      T->getNumElements() > LongestArray ||
      Array.getParent() != &F.getEntryBlock())
    return false;
  Type *Element = T->getElementType();
  const uint64_t Size = Layout.getTypeAllocSize(Element);
  const uint64_t Length = T->getNumElements();
  auto Find = [&](Uses &Found) {
    return collect(Array, 0, nullptr, Size, Element, Found);
  };
  auto IsChosen = [](const Access &A) { return A.Distance != nullptr; };
  Uses Found;
  if (!Find(Found) || none_of(Found.Loads, IsChosen) ||
      any_of(Found.Loads, [&](const Access &A) { return IsKept(*A.I); }))
    return false;
  const Instruction &Read = *find_if(Found.Loads, IsChosen)->I;
  const std::string Why = whyNot(Found, Length);
  Listener(Read, Length * Size, Why);
  if (!Why.empty())
    return false;
  SmallPtrSet<Loop *, 4> Unrolled;
  for (const Access &Store : make_filter_range(Found.Stores, IsChosen))
    Unrolled.insert(LI.getLoopFor(Store.I->getParent()));
  SmallVector<WeakTrackingVH, 8> Tables;
  for (Loop *L : Unrolled)
    if (!unroll(*L))
      return true;
  for (Instruction &I : instructions(F))
    if (auto *Load = dyn_cast<LoadInst>(&I);
        Load && !Unrolled.empty() && Load->getType() == Element)
      Tables.push_back(Load);
  foldTables(Tables, Layout);
  Found = Uses();
  if (!Find(Found) || any_of(Found.Stores, IsChosen))
    return true;
  replace(Array, Found, Length, Skewed);
  ++NumArrays;
  return true;
}

bool sluice::keepWindowsInRegisters(
    Function &F, FunctionAnalysisManager &Analyses,
    function_ref<bool(const Instruction &)> IsKept, bool Skewed,
    WindowListener Listener) {
  SmallVector<AllocaInst *, 8> Arrays;
  for (Instruction &I : F.getEntryBlock())
    if (auto *Array = dyn_cast<AllocaInst>(&I))
      Arrays.push_back(Array);
  if (Arrays.empty())
    return false;
  bool Changed = false;
  Windows All(F, Analyses);
  for (AllocaInst *Array : Arrays)
    Changed |= All.keep(*Array, IsKept, Skewed, Listener);
  if (Changed)
    Analyses.invalidate(F, PreservedAnalyses::none());
  return Changed;
}
