// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A sum of products begins with zero:
//
//   float d = 0;
//   for (int j = 0; j < 40; ++j)
//     d += x[j] * x[j];              // fma(x[j], x[j], d)
//
// Taken out of the loop, the first of these sums is a product alone, and goes
// into the second, which then rounds x[1] * x[1] instead:
//
//   fma(x[0], x[0], x[1] * x[1])
//
// What is fused before the loop is unrolled stays as it is.

#include "sluice/Analysis/UnrollAnalysis.h"
#include "sluice/Transforms/LoopRounding.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/SimplifyQuery.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace sluice;

/// The sums of \p L that add to a zero, in its first iteration, what is no
/// negative zero, as a square is none. Where that iteration is taken out such a
/// sum is the product itself, and what is added next is fused with it.
static SmallVector<Instruction *, 2> sumsFromZero(const Loop &L) {
  const SimplifyQuery Query(L.getHeader()->getDataLayout());
  SmallVector<Instruction *, 2> Sums;
  for (PHINode &P : L.getHeader()->phis()) {
    const BasicBlock *Before = L.getLoopPredecessor();
    const auto *Start =
        Before ? dyn_cast<ConstantFP>(P.getIncomingValueForBlock(Before))
               : nullptr;
    if (!Start || !Start->isZero())
      continue;
    auto IsAlone = [&](const Instruction &Sum) {
      const bool IsFirst = Sum.getOperand(0) == &P;
      const auto *I = dyn_cast<Instruction>(Sum.getOperand(IsFirst ? 1 : 0));
      if (!I || !isFusedProduct(*I))
        return false;
      if (Sum.getOpcode() == Instruction::FSub)
        return IsFirst == Start->isNegative();
      return Start->isNegative() || I->getOperand(0) == I->getOperand(1) ||
             cannotBeNegativeZero(I, Query);
    };
    for (User *U : P.users())
      if (auto *Sum = cast<Instruction>(U);
          L.contains(Sum) && isSum(*Sum) && IsAlone(*Sum))
        Sums.push_back(Sum);
  }
  return Sums;
}

/// The product that is certainly fused with \p Sum, which adds it to a phi.
static Instruction *fusedHere(const Instruction &Sum) {
  if (Sum.getOpcode() != Instruction::FAdd || !Sum.hasAllowContract() ||
      !(Sum.getType()->isFloatTy() || Sum.getType()->isDoubleTy()))
    return nullptr;
  const bool IsFirst = isa<PHINode>(Sum.getOperand(1));
  auto *Product = dyn_cast<Instruction>(Sum.getOperand(IsFirst ? 0 : 1));
  const auto *Before = dyn_cast<PHINode>(Sum.getOperand(IsFirst ? 1 : 0));
  // LLVM makes a product of fma(x, x, -0).
  return Product && Before && isFusedProduct(*Product) &&
                 Product->hasOneUse() &&
                 Product->getParent() == Sum.getParent() &&
                 none_of(Before->incoming_values(),
                         [](const Value *V) {
                           return match(V, PatternMatch::m_NegZeroFP());
                         })
             ? Product
             : nullptr;
}

bool sluice::hasSumFromZero(const Loop &L) { return !sumsFromZero(L).empty(); }

bool sluice::hasFusedSumsFromZero(Loop &L, FunctionAnalysisManager &FAM) {
  const auto Sums = sumsFromZero(L);
  if (Sums.empty() ||
      !all_of(Sums, [](const Instruction *Sum) { return fusedHere(*Sum); }))
    return false;
  const auto Own = askUnroller(L, FAM);
  return Own && Own->IsKept;
}

void sluice::fuseSumsFromZero(const Loop &L) {
  for (Instruction *Sum : sumsFromZero(L))
    if (Instruction *Product = fusedHere(*Sum)) {
      const bool IsFirst = Sum->getOperand(0) == Product;
      IRBuilder<> IR(Sum);
      Value *Fused =
          IR.CreateIntrinsic(Intrinsic::fma, {Sum->getType()},
                             {Product->getOperand(0), Product->getOperand(1),
                              Sum->getOperand(IsFirst ? 1 : 0)});
      Fused->takeName(Sum);
      Sum->replaceAllUsesWith(Fused);
      Sum->eraseFromParent();
      Product->eraseFromParent();
    }
}
