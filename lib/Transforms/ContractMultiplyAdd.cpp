// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// NVPTX compiles CUDA with fp-contract=fast:
// DAGCombiner::visitFADDForFMACombine and visitFSUBForFMACombine turn a
// multiplication that feeds an addition into a fused one, also when the product
// has other uses (enableAggressiveFMAFusion). The combiner sees one basic
// block. Results differ in the last bit if this is not repeated here. With
// `reassoc` they also put an addend into a fused one's product.
//
// Before them comes the pass nvptx-ir-peephole (since LLVM 22). It takes only
// products that are used once, so that of two products it may take another than
// the combiner would, once a sum before has taken a use away.
//
//   %m = fmul contract float %a, %b
//   %s = fadd contract float %m, %c
// becomes what will be fma.rn.f32 in PTX, with or without this:
//   %s = call float @llvm.fma.f32(float %a, float %b, float %c)

#include "sluice/Transforms/ContractMultiplyAdd.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Support/Debug.h"

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace sluice;

#define DEBUG_TYPE "sluice-contract"

STATISTIC(NumFused, "Additions that were joined with a multiplication");

// A product in the block of the addition \p Of that may go into it. One with 2
// is a sum by then.
static BinaryOperator *product(Value *V, const Instruction &Of, bool All) {
  auto *M = dyn_cast<BinaryOperator>(V);
  return M && M->getOpcode() == Instruction::FMul &&
                 !match(M->getOperand(1), m_SpecificFP(2.0)) &&
                 M->getParent() == Of.getParent() &&
                 (All || M->hasAllowContract())
             ? M
             : nullptr;
}

// -(a * b), both in this block and used here alone.
static BinaryOperator *negatedProduct(Value *V, const Instruction &Of,
                                      bool All) {
  auto *N = dyn_cast<UnaryOperator>(V);
  return N && N->getOpcode() == Instruction::FNeg &&
                 N->getParent() == Of.getParent()
             ? product(N->getOperand(0), Of, All)
             : nullptr;
}

static Value *fuse(IRBuilder<> &IR, BinaryOperator *Product, Value *Addend,
                   bool NegateProduct, bool NegateAddend) {
  Value *X = Product->getOperand(0), *Y = Product->getOperand(1);
  if (NegateProduct)
    X = IR.CreateFNeg(X);
  if (NegateAddend)
    Addend = IR.CreateFNeg(Addend);
  return IR.CreateIntrinsic(Intrinsic::fma, {Product->getType()},
                            {X, Y, Addend});
}

static Value *fusedAdd(IRBuilder<> &IR, Value *L, Value *R,
                       const Instruction &Of, bool All) {
  BinaryOperator *PL = product(L, Of, All), *PR = product(R, Of, All);
  // Of two products the one with fewer uses goes into the fma.
  if (PL && PR && PL->getNumUses() > PR->getNumUses()) {
    std::swap(PL, PR);
    std::swap(L, R);
  }
  if (PL)
    return fuse(IR, PL, R, false, false);
  if (PR)
    return fuse(IR, PR, L, false, false);
  return nullptr;
}

static Value *fusedSubtract(IRBuilder<> &IR, Value *L, Value *R,
                            const Instruction &Of, bool All) {
  BinaryOperator *PL = product(L, Of, All), *PR = product(R, Of, All);
  // "If we have two choices trying to fold (fsub (fmul u v), (fmul x y)),
  // prefer the one with fewer uses": the second is negated.
  if (PL && PR && PL->getNumUses() > PR->getNumUses())
    return fuse(IR, PR, L, true, false);
  if (PL)
    return fuse(IR, PL, R, false, true);
  if (PR)
    return fuse(IR, PR, L, true, false);
  if (BinaryOperator *P = negatedProduct(L, Of, All))
    return fuse(IR, P, R, true, true);
  return nullptr;
}

// A fused one in the block of \p Of.
static IntrinsicInst *fused(Value *V, const Instruction &Of) {
  auto *Call = dyn_cast<IntrinsicInst>(V);
  return Call && Call->getIntrinsicID() == Intrinsic::fma &&
                 Call->getParent() == Of.getParent()
             ? Call
             : nullptr;
}

static BinaryOperator *onlyProduct(Value *V, const Instruction &Of) {
  BinaryOperator *M = product(V, Of, /*All=*/true);
  return M && M->hasOneUse() ? M : nullptr;
}

// Puts \p Product + \p Addend in the place of \p Product, the addend of \p
// Fused, which is the addend of another, and so on, up to \p Outer.
static Value *fuseWithin(IRBuilder<> &IR, IntrinsicInst *Outer,
                         IntrinsicInst *Fused, BinaryOperator *Product,
                         Value *Addend) {
  Fused->setArgOperand(2, fuse(IR, Product, Addend, false, false));
  Product->eraseFromParent();
  // The addend may come behind them.
  Instruction *Last = Outer;
  Last->moveBefore(IR.GetInsertPoint());
  while (Last != Fused) {
    auto *Inner = cast<Instruction>(Last->getOperand(2));
    Inner->moveBefore(Last->getIterator());
    Last = Inner;
  }
  return Outer;
}

// fma(a, b, c * d) + e into fma(a, b, fma(c, d, e)), in any depth.
static Value *reassociatedAdd(IRBuilder<> &IR, Value *L, Value *R,
                              const Instruction &Of) {
  IntrinsicInst *Outer = fused(L, Of);
  if (!Outer) {
    Outer = fused(R, Of);
    std::swap(L, R);
  }
  for (IntrinsicInst *Fused = Outer; Fused && Fused->hasOneUse();
       Fused = fused(Fused->getArgOperand(2), Of))
    if (BinaryOperator *P = onlyProduct(Fused->getArgOperand(2), Of))
      return fuseWithin(IR, Outer, Fused, P, R);
  return nullptr;
}

// The product that is the addend of \p Fused, and may take the place of it.
static BinaryOperator *movableAddend(IntrinsicInst *Fused,
                                     const Instruction &Of, bool All) {
  BinaryOperator *P = Fused && Fused->hasOneUse()
                          ? onlyProduct(Fused->getArgOperand(2), Of)
                          : nullptr;
  return P && P->hasAllowReassoc() && (All || P->hasAllowContract()) ? P
                                                                     : nullptr;
}

// fma(a, b, c * d) - e into fma(a, b, fma(c, d, -e)), and
// e - fma(a, b, c * d) into fma(-a, b, fma(-c, d, e)).
static Value *reassociatedSubtract(IRBuilder<> &IR, Value *L, Value *R,
                                   const Instruction &Of, bool All) {
  IntrinsicInst *Fused = fused(L, Of);
  if (BinaryOperator *P = movableAddend(Fused, Of, All))
    return fuseWithin(IR, Fused, Fused, P, IR.CreateFNeg(R));
  Fused = fused(R, Of);
  BinaryOperator *P = movableAddend(Fused, Of, All);
  if (!P || !Of.hasNoSignedZeros())
    return nullptr;
  P->setOperand(0, IR.CreateFNeg(P->getOperand(0)));
  Fused->setArgOperand(0, IR.CreateFNeg(Fused->getArgOperand(0)));
  return fuseWithin(IR, Fused, Fused, P, L);
}

/// Puts \p Fused in the place of the sum \p I; what it made useless goes.
static void replace(Instruction &I, Value *Fused) {
  ++NumFused;
  LLVM_DEBUG(dbgs() << "fused:" << I << "\n  as:" << *Fused << "\n");
  Value *L = I.getOperand(0), *R = I.getOperand(1);
  I.replaceAllUsesWith(Fused);
  I.eraseFromParent();
  for (Value *V : {L, R})
    if (auto *M = dyn_cast<Instruction>(V); M && M->use_empty())
      M->eraseFromParent();
}

/// As nvptx-ir-peephole does it, but within the block.
static bool contractSingleUses(BasicBlock &Block) {
  bool Changed = false;
  for (Instruction &I : make_early_inc_range(Block)) {
    const bool IsAdd = I.getOpcode() == Instruction::FAdd;
    if ((!IsAdd && I.getOpcode() != Instruction::FSub) ||
        !I.hasAllowContract() ||
        (!I.getType()->isFloatTy() && !I.getType()->isDoubleTy()))
      continue;
    Value *L = I.getOperand(0), *R = I.getOperand(1);
    BinaryOperator *PL = product(L, I, /*All=*/false);
    BinaryOperator *PR = product(R, I, /*All=*/false);
    IRBuilder<> IR(&I);
    if (PL && PL->hasOneUse())
      replace(I, fuse(IR, PL, R, false, /*NegateAddend=*/!IsAdd));
    else if (PR && PR->hasOneUse())
      replace(I, fuse(IR, PR, L, /*NegateProduct=*/!IsAdd, false));
    else
      continue;
    Changed = true;
  }
  return Changed;
}

bool sluice::contractMultiplyAdd(BasicBlock &Block, ContractionMode Mode) {
  const bool All = Mode == ContractionMode::All;
  bool Changed = contractSingleUses(Block);
  for (Instruction &I : make_early_inc_range(Block)) {
    if (I.getOpcode() != Instruction::FAdd &&
        I.getOpcode() != Instruction::FSub)
      continue;
    Type *T = I.getType()->getScalarType();
    if (!T->isFloatTy() && !T->isDoubleTy() && !T->isHalfTy() &&
        !T->isBFloatTy())
      continue;
    if (!All && !I.hasAllowContract())
      continue;
    IRBuilder<> IR(&I);
    bool IsAdd = I.getOpcode() == Instruction::FAdd;
    Value *L = I.getOperand(0), *R = I.getOperand(1);
    Value *Fused =
        IsAdd ? fusedAdd(IR, L, R, I, All) : fusedSubtract(IR, L, R, I, All);
    if (!Fused && IsAdd && I.hasAllowReassoc())
      Fused = reassociatedAdd(IR, L, R, I);
    else if (!Fused && !IsAdd && I.hasAllowContract())
      Fused = reassociatedSubtract(IR, L, R, I, All);
    if (!Fused)
      continue;
    replace(I, Fused);
    Changed = true;
  }
  return Changed;
}
