// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An array in memory holds rounded values. In registers a product that is kept
// in one and added to something later would be fused with that sum.

#include "HeldProducts.h"
#include "sluice/Transforms/LoopRounding.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/PatternMatch.h"
#include <utility>

using namespace llvm;
using namespace sluice;

/// Does it pass on a value as it is, or but for its sign or width?
static bool passesOn(const Instruction &I) {
  return isa<PHINode, SelectInst, CastInst, FreezeInst, InsertElementInst,
             ExtractElementInst, ShuffleVectorInst>(I) ||
         I.getOpcode() == Instruction::FNeg;
}

/// Where \p V comes from: the instructions that \p Holds, by values passed on.
static SmallVector<Instruction *, 4>
sourcesOf(Value *V, function_ref<bool(const Instruction &)> Holds) {
  SmallVector<Instruction *, 4> Sources;
  SmallVector<Value *, 8> Work = {V};
  SmallPtrSet<Value *, 8> Seen;
  while (!Work.empty()) {
    auto *I = dyn_cast<Instruction>(Work.pop_back_val());
    if (!I || !Seen.insert(I).second)
      continue;
    if (Holds(*I))
      Sources.push_back(I);
    else if (passesOn(*I))
      append_range(Work, I->operand_values());
  }
  return Sources;
}

/// Is the value of \p From taken by an instruction that \p Holds?
static bool goesTo(const Instruction &From,
                   function_ref<bool(const Instruction &)> Holds) {
  SmallVector<const Instruction *, 8> Work = {&From};
  SmallPtrSet<const Instruction *, 8> Seen;
  while (!Work.empty())
    for (const User *U : Work.pop_back_val()->users()) {
      const auto *I = cast<Instruction>(U);
      if (Holds(*I))
        return true;
      if (passesOn(*I) && Seen.insert(I).second)
        Work.push_back(I);
    }
  return false;
}

/// What memory is told apart by: an object, or null, for all that is local.
/// Where loops over an array are unrolled, others may become values as well,
/// and what one iteration stores may come to the next without memory.
static const Value *placeOf(const Value *Pointer) {
  const Value *Object = getUnderlyingObject(Pointer);
  return isa<AllocaInst>(Object) ? nullptr : Object;
}

static bool isConstantOf(const Value *V, bool OrZero) {
  const auto *C = dyn_cast<Constant>(V);
  return C && (OrZero || !C->isNullValue());
}

using Places = SmallPtrSet<const Value *, 8>;

/// Where \p F stores constants.
static Places placesOfConstants(const Function &F, bool OrZero) {
  Places Found;
  for (const Instruction &I : instructions(F)) {
    if (const auto *Store = dyn_cast<StoreInst>(&I)) {
      if (isConstantOf(Store->getValueOperand(), OrZero))
        Found.insert(placeOf(Store->getPointerOperand()));
    } else if (const auto *Set = dyn_cast<MemSetInst>(&I)) {
      if (isConstantOf(Set->getValue(), OrZero))
        Found.insert(placeOf(Set->getDest()));
    } else if (const auto *Copy = dyn_cast<MemTransferInst>(&I)) {
      if (isa<GlobalVariable>(getUnderlyingObject(Copy->getSource())))
        Found.insert(placeOf(Copy->getDest()));
    }
  }
  return Found;
}

static bool reads(const Instruction &I, const Places &From) {
  const auto *Load = dyn_cast<LoadInst>(&I);
  return Load && From.contains(placeOf(Load->getPointerOperand()));
}

namespace {
/// What may be a constant where loops are unrolled and elements are known.
class Foldable {
  SmallPtrSet<const Value *, 32> Known;

  bool follows(const Instruction &I) const {
    auto IsKnown = [&](const Value *V) { return mayBe(V); };
    if (isa<PHINode, SelectInst>(I))
      return any_of(I.operands(),
                    [&](const Value *V) { return Known.contains(V); });
    return (!I.mayReadOrWriteMemory() || readsConstants(I)) &&
           !I.isTerminator() && all_of(I.operands(), IsKnown);
  }

public:
  Foldable(const Function &F, const LoopSet &Loops) {
    const Places Constant = placesOfConstants(F, /*OrZero=*/true),
                 OtherThanZero = placesOfConstants(F, /*OrZero=*/false);
    for (const Instruction &I : instructions(F))
      if (reads(I, Constant))
        Known.insert(&I);
    for (const Loop *L : Loops)
      for (const PHINode &Counter : L->getHeader()->phis())
        if (Counter.getType()->isIntegerTy())
          Known.insert(&Counter);
    for (bool Changed = true; std::exchange(Changed, false);)
      for (const Instruction &I : instructions(F))
        Changed |= !Known.contains(&I) && follows(I) && Known.insert(&I).second;
    IsZero = none_of(Known, [&](const Value *V) {
      const auto &I = *cast<Instruction>(V);
      return readsConstants(I) || reads(I, OtherThanZero);
    });
  }

  bool IsZero; ///< All constants are zero or a counter's.

  bool mayBe(const Value *V) const {
    return isa<Constant>(V) || Known.contains(V);
  }
};
} // namespace

/// Is \p I a choice that stays one: by data, as no constant may decide it, and
/// not of zero, which a sum could leave out? Loops' own values are none.
static bool isChoiceOfData(const Instruction &I, const Foldable &Known,
                           const DominatorTree &DT) {
  auto IsZero = [](const Value *V) {
    return match(V, PatternMatch::m_AnyZeroFP());
  };
  if (any_of(I.operands(), IsZero))
    return false;
  if (const auto *Select = dyn_cast<SelectInst>(&I))
    return !Known.mayBe(Select->getCondition());
  const auto *Phi = dyn_cast<PHINode>(&I);
  const DomTreeNode *Node = Phi ? DT.getNode(Phi->getParent()) : nullptr;
  if (!Node || !Node->getIDom())
    return false;
  const BasicBlock *Fork = Node->getIDom()->getBlock();
  auto IsDecidedByData = [&](const BasicBlock *From) {
    for (const DomTreeNode *N = DT.getNode(From); N; N = N->getIDom()) {
      const auto *Branch = dyn_cast<BranchInst>(N->getBlock()->getTerminator());
      if (N == Node || !Branch ||
          (Branch->isConditional() && Known.mayBe(Branch->getCondition())))
        return false;
      if (N->getBlock() == Fork)
        return true;
    }
    return false;
  };
  return all_of(Phi->blocks(), IsDecidedByData);
}

/// Do all ways from \p Product to a sum lead through a choice by data first, as
/// of libdevice's `exp2f`?
///
///   y = x < -126 ? r * r : r;   sum += y;
///
/// Then it is fused with none, whether the loops are unrolled or not: the
/// choice stays between them.
static bool isChosenFirst(const Instruction &Product, const Foldable &Known,
                          const DominatorTree &DT) {
  auto IsSumOfConstant = [&](const Instruction &I) {
    return isSum(I) &&
           any_of(I.operands(), [&](const Value *V) { return Known.mayBe(V); });
  };
  return all_of(Product.users(), [&](const User *U) {
    const auto &I = *cast<Instruction>(U);
    if (isSum(I))
      return false;
    return !passesOn(I) || !goesTo(I, isSum) ||
           (isChoiceOfData(I, Known, DT) && !goesTo(I, IsSumOfConstant));
  });
}

/// Would what is fused depend on constants that the loops hide? A product of
/// two is folded: rounded, and added after that. A constant factor goes into
/// the arms of a choice, or is cut to what the other one was before it was
/// widened. And a condition that is known brings a product to its sum.
static bool hideConstants(const Function &F, const Foldable &Known,
                          const DominatorTree &DT) {
  auto MayBe = [&](const Value *V) { return Known.mayBe(V); };
  bool HasDistantSum = false, HasKnownCondition = false;
  for (const Instruction &I : instructions(F)) {
    HasKnownCondition |= isa<CmpInst>(I) && Known.mayBe(&I);
    if (!isFusedProduct(I) || !goesTo(I, isSum) || isChosenFirst(I, Known, DT))
      continue;
    HasDistantSum |= !distantSumsOf(I).empty();
    if (!Known.IsZero && any_of(I.operands(), MayBe) &&
        all_of(I.operands(), [&](const Value *V) {
          return MayBe(V) || isa<SelectInst, PHINode, CastInst>(V);
        }))
      return true;
  }
  return HasDistantSum && HasKnownCondition;
}

/// The products that \p F keeps in memory, if what is read there is summed:
/// without memory between them, product and sum would be fused. Of memory that
/// is not local: where one of both is in \p Loops.
static SmallSetVector<Instruction *, 8> productsHeld(Function &F,
                                                     const LoopSet &Loops) {
  auto IsIn = [&](const Instruction &I) {
    return any_of(Loops, [&](const Loop *L) { return L->contains(&I); });
  };
  Places Summed, SummedInLoops;
  for (const Instruction &I : instructions(F))
    if (const auto *Load = dyn_cast<LoadInst>(&I); Load && goesTo(I, isSum)) {
      const Value *Place = placeOf(Load->getPointerOperand());
      Summed.insert(Place);
      if (!Place || IsIn(I))
        SummedInLoops.insert(Place);
    }
  SmallSetVector<Instruction *, 8> Products;
  for (Instruction &I : instructions(F))
    if (auto *Store = dyn_cast<StoreInst>(&I);
        Store && (IsIn(I) ? Summed : SummedInLoops)
                     .contains(placeOf(Store->getPointerOperand())))
      Products.insert_range(
          sourcesOf(Store->getValueOperand(), isFusedProduct));
  return Products;
}

/// Can it be rounded before all else without a change?
static bool canRoundAtOnce(const Instruction &Product, const Foldable &Known,
                           const DominatorTree &DT) {
  return (Product.getType()->isFloatTy() || Product.getType()->isDoubleTy()) &&
         (!goesTo(Product, isSum) || isChosenFirst(Product, Known, DT));
}

/// A product that neither LLVM nor the assembler fuses: `mul.rn`.
static void roundAtOnce(Instruction &Product) {
  const Function &F = *Product.getFunction();
  const bool IsFlushed = F.getDenormalMode(APFloat::IEEEsingle()).Output ==
                         DenormalMode::PreserveSign;
  const Intrinsic::ID ID = Product.getType()->isDoubleTy()
                               ? Intrinsic::nvvm_mul_rn_d
                           : IsFlushed ? Intrinsic::nvvm_mul_rn_ftz_f
                                       : Intrinsic::nvvm_mul_rn_f;
  IRBuilder<> B(&Product);
  Product.replaceAllUsesWith(B.CreateIntrinsic(
      ID, ArrayRef<Type *>(), {Product.getOperand(0), Product.getOperand(1)}));
  Product.eraseFromParent();
}

bool sluice::roundsTheSame(Function &F, const LoopSet &Loops,
                           const DominatorTree &DT) {
  const Foldable Known(F, Loops);
  return !hideConstants(F, Known, DT) &&
         all_of(productsHeld(F, Loops), [&](const Instruction *I) {
           return canRoundAtOnce(*I, Known, DT);
         });
}

void sluice::roundHeldProducts(Function &F, const LoopSet &Loops) {
  for (Instruction *Product : productsHeld(F, Loops))
    roundAtOnce(*Product);
}
