// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// NVPTX compiles CUDA with fp-contract=fast:
// DAGCombiner::visitFADDForFMACombine and visitFSUBForFMACombine turn a
// multiplication that feeds an addition into a fused one, also when the product
// has other uses (enableAggressiveFMAFusion). The combiner sees one basic
// block. Results differ in the last bit if this is not repeated here.

#include "sluice/Transforms/ContractMultiplyAdd.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Intrinsics.h"

using namespace llvm;
using namespace sluice;

// A product in the block of the addition \p Of that may go into it.
static BinaryOperator *product(Value *V, const Instruction &Of, bool All) {
  auto *M = dyn_cast<BinaryOperator>(V);
  return M && M->getOpcode() == Instruction::FMul &&
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

bool sluice::contractMultiplyAdd(BasicBlock &Block, ContractionMode Mode) {
  const bool All = Mode == ContractionMode::All;
  bool Changed = false;
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
    if (!Fused)
      continue;
    I.replaceAllUsesWith(Fused);
    I.eraseFromParent();
    for (Value *V : {L, R})
      if (auto *M = dyn_cast<Instruction>(V); M && M->use_empty())
        M->eraseFromParent();
    Changed = true;
  }
  return Changed;
}
