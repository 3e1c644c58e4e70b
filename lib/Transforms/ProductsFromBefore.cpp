// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A product from before a loop, whose only user is a sum in it:
//
//   const float x = step * blockIdx.x;
//   for (int j = 0; j < n; ++j) {
//     const float dx = x - atoms[j].x;  // fma(step, blockIdx.x, -atoms[j].x)
//
// The code generator fuses the two wherever they are (nvptx-ir-peephole), but
// not where each copy of the loop uses the product. What is fused before the
// loop is unrolled stays as it is.

#include "sluice/Analysis/UnrollAnalysis.h"
#include "sluice/Transforms/LoopRounding.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace sluice;

static bool isFromBefore(const Value *V, const Loop &L) {
  const auto *I = dyn_cast<Instruction>(V);
  return I && !L.contains(I) && isFusedProduct(*I) && I->hasOneUse();
}

SmallVector<Instruction *, 2> sluice::sumsOfProductsFromBefore(const Loop &L) {
  SmallVector<Instruction *, 2> Sums;
  for (BasicBlock *BB : L.blocks())
    for (Instruction &I : *BB)
      if (isSum(I) && I.hasAllowContract() &&
          (I.getType()->isFloatTy() || I.getType()->isDoubleTy()) &&
          any_of(I.operands(),
                 [&](const Value *V) { return isFromBefore(V, L); }))
        Sums.push_back(&I);
  return Sums;
}

/// Is the product of \p Sum the only one that it may be fused with, and the
/// only one of its factors, so that nothing else becomes a user of it?
static bool isFusedForCertain(const Instruction &Sum, const Loop &L) {
  const bool IsFirst = isFromBefore(Sum.getOperand(0), L);
  const auto &Product = *cast<Instruction>(Sum.getOperand(IsFirst ? 0 : 1));
  const Value *Other = Sum.getOperand(IsFirst ? 1 : 0);
  if (mayBeProduct(Other) || isa<Constant>(Other))
    return false;
  // LLVM makes a product of fma(x, y, -0).
  if (const auto *Phi = dyn_cast<PHINode>(Other);
      Phi && any_of(Phi->incoming_values(), [](const Value *V) {
        return match(V, PatternMatch::m_AnyZeroFP());
      }))
    return false;
  const Value *X = Product.getOperand(0), *Y = Product.getOperand(1);
  if (isa<Constant>(X) && isa<Constant>(Y))
    return false;
  return none_of(instructions(Sum.getFunction()), [&](const Instruction &I) {
    return &I != &Product && I.getOpcode() == Instruction::FMul &&
           ((I.getOperand(0) == X && I.getOperand(1) == Y) ||
            (I.getOperand(0) == Y && I.getOperand(1) == X));
  });
}

bool sluice::hasFusedProductsFromBefore(Loop &L, FunctionAnalysisManager &FAM) {
  const auto Sums = sumsOfProductsFromBefore(L);
  if (Sums.empty() || !all_of(Sums, [&](const Instruction *Sum) {
        return isFusedForCertain(*Sum, L);
      }))
    return false;
  // Copies of a loop around it would use the product, too.
  for (Loop *Around = L.getParentLoop(); Around;
       Around = Around->getParentLoop()) {
    const OuterUnrolling May = mayUnroll(*Around, FAM);
    if (!Around->getLoopLatch() || May.Whole || May.InPart)
      return false;
  }
  const auto Own = askUnroller(L, FAM);
  return Own && Own->IsKept && Own->Copies == 1;
}

void sluice::fuseProductsFromBefore(const Loop &L) {
  for (Instruction *Sum : sumsOfProductsFromBefore(L)) {
    const bool IsFirst = isFromBefore(Sum->getOperand(0), L);
    auto *Product = cast<Instruction>(Sum->getOperand(IsFirst ? 0 : 1));
    IRBuilder<> IR(Sum);
    Value *X = Product->getOperand(0);
    Value *Other = Sum->getOperand(IsFirst ? 1 : 0);
    if (Sum->getOpcode() == Instruction::FSub)
      (IsFirst ? Other : X) = IR.CreateFNeg(IsFirst ? Other : X);
    Value *Fused = IR.CreateIntrinsic(Intrinsic::fma, {Sum->getType()},
                                      {X, Product->getOperand(1), Other});
    Fused->takeName(Sum);
    Sum->replaceAllUsesWith(Fused);
    Sum->eraseFromParent();
    Product->eraseFromParent();
  }
}
