// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "BlockRounding.h"
#include "FewerInstructions.h"
#include "sluice/Transforms/LoopRounding.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/BasicBlock.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;
using namespace sluice;

/// Any product: the command line may have fused those too that no flag allows.
static bool isProduct(const Value *V) {
  const auto *I = dyn_cast<Instruction>(V);
  return I && I->getOpcode() == Instruction::FMul;
}

/// A sum that takes a product used nowhere else before any other
/// (nvptx-ir-peephole).
static bool takesSingleUse(const Instruction &Sum) {
  return Sum.hasAllowContract() &&
         (Sum.getType()->isFloatTy() || Sum.getType()->isDoubleTy()) &&
         any_of(Sum.operands(), [](const Value *V) { return V->hasOneUse(); });
}

bool sluice::decidesByUses(const Instruction &Product) {
  return isProduct(&Product) && any_of(Product.users(), [](const User *U) {
           const auto *Sum = dyn_cast<Instruction>(U);
           return Sum && isSum(*Sum) && all_of(Sum->operands(), isProduct) &&
                  !takesSingleUse(*Sum);
         });
}

bool sluice::isFusedAnewIfJoined(const BasicBlock &First,
                                 const BasicBlock &Then) {
  const auto MeetsIn = [&](const Instruction &Product) {
    return !Product.hasOneUse() &&
           any_of(distantSumsOf(Product), [&](const Instruction *Sum) {
             return Sum->getParent() == &Then;
           });
  };
  return any_of(First,
                [&](const Instruction &I) {
                  return isProduct(&I) && (decidesByUses(I) || MeetsIn(I));
                }) ||
         any_of(Then, decidesByUses);
}

using ApartTest =
    function_ref<bool(const Instruction &Product, const Instruction &User)>;

/// Does a sum that \p Product goes into, which may be negated or chosen
/// between, come to stand in another block?
static bool losesSum(const Instruction &Product, ApartTest ComesApart) {
  SmallVector<const Instruction *, 8> Work = {&Product};
  SmallPtrSet<const Instruction *, 8> Seen;
  while (!Work.empty())
    for (const User *U : Work.pop_back_val()->users()) {
      const auto *By = cast<Instruction>(U);
      if (By->getParent() != Product.getParent())
        continue;
      if (isSum(*By) && ComesApart(Product, *By))
        return true;
      if ((isa<SelectInst>(By) || By->getOpcode() == Instruction::FNeg) &&
          Seen.insert(By).second)
        Work.push_back(By);
    }
  return false;
}

bool sluice::roundsAnewApart(const BasicBlock &BB, ApartTest ComesApart) {
  return any_of(BB, [&](const Instruction &I) {
    if (mayBeApproximate(I))
      return true;
    if (I.getOpcode() != Instruction::FMul)
      return false;
    // What another block uses counts as one use there.
    const bool IsCarried = any_of(I.users(), [&](const User *U) {
      const auto *By = cast<Instruction>(U);
      return By->getParent() == &BB && ComesApart(I, *By);
    });
    return (IsCarried && decidesByUses(I)) || losesSum(I, ComesApart);
  });
}
