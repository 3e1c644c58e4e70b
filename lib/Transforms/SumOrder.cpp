// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Follows what is computed with a sum, or with a load from one place, through
// one iteration, and takes the flags from all of that.

#include "sluice/Transforms/SumOrder.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Operator.h"

using namespace llvm;
using namespace sluice;

/// What in \p L is computed with one of \p From, in this iteration.
static SetVector<Instruction *> computedWith(const Loop &L,
                                             ArrayRef<Instruction *> From) {
  SetVector<Instruction *> Found(From.begin(), From.end());
  for (size_t I = 0; I < Found.size(); ++I)
    for (User *U : Found[I]->users()) {
      auto *Next = cast<Instruction>(U);
      if (L.contains(Next) &&
          !(isa<PHINode>(Next) && Next->getParent() == L.getHeader()))
        Found.insert(Next);
    }
  return Found;
}

static bool mayReassociate(const Instruction &I) {
  const auto *Operation = dyn_cast<FPMathOperator>(&I);
  return Operation && Operation->hasAllowReassoc();
}

static bool mayContract(const Value *V, unsigned Opcode) {
  const auto *I = dyn_cast<Instruction>(V);
  return I && I->getOpcode() == Opcode && I->hasAllowContract();
}

/// May \p Next, which \p Phi is in the next iteration, be joined with what that
/// does to it?
static bool isFusedWithNext(const Instruction &Phi, const Value *Next,
                            const Loop &L) {
  if (!mayContract(Next, Instruction::FMul))
    return false;
  return any_of(Phi.users(), [&](const User *U) {
    return L.contains(cast<Instruction>(U)) &&
           (mayContract(U, Instruction::FAdd) ||
            mayContract(U, Instruction::FSub));
  });
}

bool sluice::dependsOnUnrolling(const Loop &L, ArrayRef<StoreInst *> Sums) {
  auto IsStored = [&](const Value *V) {
    return any_of(Sums, [&](const StoreInst *Sum) {
      return Sum->getValueOperand() == V;
    });
  };
  const bool OfPhis = any_of(L.getHeader()->phis(), [&](PHINode &Phi) {
    if (!Phi.getType()->isFPOrFPVectorTy())
      return false;
    const Value *Next = Phi.getIncomingValueForBlock(L.getLoopLatch());
    return isFusedWithNext(Phi, Next, L) ||
           (!IsStored(Next) &&
            any_of(computedWith(L, &Phi),
                   [](const Instruction *I) { return mayReassociate(*I); }));
  });
  return OfPhis || any_of(Sums, [&](const StoreInst *Sum) {
           return any_of(Sum->getPointerOperand()->users(), [&](const User *U) {
             const auto *Load = dyn_cast<LoadInst>(U);
             return Load && L.contains(Load) &&
                    isFusedWithNext(*Load, Sum->getValueOperand(), L);
           });
         });
}

void sluice::keepOrder(Loop &L) {
  SmallVector<Instruction *, 8> From;
  for (PHINode &Phi : L.getHeader()->phis())
    if (Phi.getType()->isFPOrFPVectorTy())
      From.push_back(&Phi);
  for (BasicBlock *Block : L.blocks())
    for (Instruction &I : *Block)
      if (auto *Load = dyn_cast<LoadInst>(&I);
          Load && L.isLoopInvariant(Load->getPointerOperand()))
        From.push_back(Load);
  for (Instruction *I : computedWith(L, From))
    if (isa<FPMathOperator>(I)) {
      I->setHasAllowReassoc(false);
      I->setHasAllowReciprocal(false);
    }
}
