// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// NVPTX compiles CUDA with fp-contract=fast:
// DAGCombiner::visitFADDForFMACombine and visitFSUBForFMACombine turn a
// multiplication that feeds an addition into a fused one, also when the product
// has other uses (enableAggressiveFMAFusion). The combiner sees one basic
// block. Results differ in the last bit if this is not repeated here.

#include "Prepare.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Intrinsics.h"

using namespace llvm;

// A product in this block.
static BinaryOperator *product(Value *V, BasicBlock &B) {
  auto *M = dyn_cast<BinaryOperator>(V);
  return M && M->getOpcode() == Instruction::FMul && M->getParent() == &B
             ? M
             : nullptr;
}

// -(a * b), both in this block and used here alone.
static BinaryOperator *negatedProduct(Value *V, BasicBlock &B) {
  auto *N = dyn_cast<UnaryOperator>(V);
  return N && N->getOpcode() == Instruction::FNeg && N->getParent() == &B
             ? product(N->getOperand(0), B)
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

static Value *fusedAdd(IRBuilder<> &IR, Value *L, Value *R, BasicBlock &B) {
  BinaryOperator *PL = product(L, B), *PR = product(R, B);
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
                            BasicBlock &B) {
  BinaryOperator *PL = product(L, B), *PR = product(R, B);
  // "If we have two choices trying to fold (fsub (fmul u v), (fmul x y)),
  // prefer the one with fewer uses": the second is negated.
  if (PL && PR && PL->getNumUses() > PR->getNumUses())
    return fuse(IR, PR, L, true, false);
  if (PL)
    return fuse(IR, PL, R, false, true);
  if (PR)
    return fuse(IR, PR, L, true, false);
  if (BinaryOperator *P = negatedProduct(L, B))
    return fuse(IR, P, R, true, true);
  return nullptr;
}

bool sluice::emulator::contractMultiplyAdd(Function &F) {
  SmallVector<WeakTrackingVH, 16> Dead;
  bool Changed = false;
  for (BasicBlock &B : F)
    for (Instruction &I : make_early_inc_range(B)) {
      if (I.getOpcode() != Instruction::FAdd &&
          I.getOpcode() != Instruction::FSub)
        continue;
      Type *T = I.getType()->getScalarType();
      if (!T->isFloatTy() && !T->isDoubleTy() && !T->isHalfTy() &&
          !T->isBFloatTy())
        continue;
      IRBuilder<> IR(&I);
      bool IsAdd = I.getOpcode() == Instruction::FAdd;
      Value *L = I.getOperand(0), *R = I.getOperand(1);
      Value *Fused = IsAdd ? fusedAdd(IR, L, R, B) : fusedSubtract(IR, L, R, B);
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
