// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls of libdevice with constants, which LLVM does not compute:
//
//   r = pow(0.5, 23.0)   =>   r = 2^-23
//
// ConstantResults.cpp says what the result is. Here it takes the call's place,
// and what it makes constant goes along.

#include "ConstantResults.h"
#include "FewerInstructions.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;
using namespace sluice;

/// A quotient of floats is as exact as an option says.
static bool mayBeInexact(const Instruction &I) {
  return mayBeApproximate(I) ||
         (I.getOpcode() == Instruction::FDiv && !I.getType()->isDoubleTy());
}

/// What \p Result, in place of \p From, makes constant as well. Nothing if
/// that decides a branch, as blocks that are one then fuse products anew, or if
/// a product is rounded before its sum that was not.
static std::optional<SmallVector<std::pair<Instruction *, Constant *>, 8>>
follow(Instruction &From, Constant &Result, const DataLayout &DL) {
  SmallVector<std::pair<Instruction *, Constant *>, 8> All = {{&From, &Result}};
  DenseMap<const Value *, Constant *> Of = {{&From, &Result}};
  for (size_t Next = 0; Next < All.size(); ++Next)
    for (User *U : All[Next].first->users()) {
      auto *I = cast<Instruction>(U);
      if (I->isTerminator() && !isa<ReturnInst>(I))
        return std::nullopt;
      if (isa<PHINode>(I) || Of.contains(I) || I->mayHaveSideEffects() ||
          isa<CallInst>(I))
        continue;
      SmallVector<Constant *, 4> Operands;
      for (Value *V : I->operands())
        Operands.push_back(isa<Constant>(V) ? cast<Constant>(V) : Of.lookup(V));
      if (is_contained(Operands, nullptr))
        continue;
      if (mayBeInexact(*I))
        return std::nullopt;
      if (I->getOpcode() == Instruction::FMul) {
        const auto *X = dyn_cast<ConstantFP>(Operands[0]),
                   *Y = dyn_cast<ConstantFP>(Operands[1]);
        if (!X || !Y)
          return std::nullopt;
        APFloat Product = X->getValueAPF();
        if (Product.multiply(Y->getValueAPF(), APFloat::rmNearestTiesToEven) !=
            APFloat::opOK)
          return std::nullopt;
      }
      Constant *C = ConstantFoldInstOperands(I, Operands, DL);
      if (!C)
        continue;
      Of[I] = C;
      All.push_back({I, C});
    }
  return All;
}

static Constant *otherThan(Constant *C) {
  if (const auto *Number = dyn_cast<ConstantFP>(C))
    return ConstantFP::get(C->getType(), Number->getValueAPF() + APFloat(1.0));
  return ConstantExpr::getNot(C);
}

Rewritten sluice::evaluateCalls(Function &F, ChangeTest MayChange,
                                bool IsWrong) {
  const DataLayout &DL = F.getDataLayout();
  Rewritten Done;
  for (bool IsNew = true; std::exchange(IsNew, false);)
    for (Instruction &I : instructions(F)) {
      auto *Call = dyn_cast<CallInst>(&I);
      if (!Call || Call->use_empty() || !MayChange(*Call))
        continue;
      Constant *Result = constantResult(*Call);
      const auto All = Result ? follow(*Call, *Result, DL) : std::nullopt;
      if (!All)
        continue;
      if (!Done.Count++)
        Done.At = Call->getDebugLoc();
      for (auto [From, To] : reverse(*All))
        From->replaceAllUsesWith(IsWrong && From == Call ? otherThan(To) : To);
      for (auto [From, To] : reverse(*All))
        From->eraseFromParent();
      IsNew = true;
      break;
    }
  return Done;
}
