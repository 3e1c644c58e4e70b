// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "BlockRounding.h"
#include "sluice/Transforms/LoopRounding.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/BasicBlock.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

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
