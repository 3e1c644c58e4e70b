// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two selections of which one keeps what the other one would keep become one:
//
//   if (a != Far && b != Far && a + b < shortest)
//     shortest = a + b, parent = k;
//
//   s = a == Far ? shortest : b < .. ? a + b : shortest
//   =>
//   s = a != Far && b < .. ? a + b : shortest
//
// InstCombine does it where the first condition says when the value changes.
// Where it says when the value stays, as here, it inverts a condition that is
// used once only, and this one chooses several values. Each of them is one
// selection less, and the assembler predicates what is chosen.

#include "FewerInstructions.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;
using namespace sluice;

/// Joins \p Outer with the selection that it chooses on one side, if both keep
/// one value. Returns whether it has.
static bool join(SelectInst &Outer, bool IsWrong) {
  for (const bool KeepsIfTrue : {true, false}) {
    Value *Kept = KeepsIfTrue ? Outer.getTrueValue() : Outer.getFalseValue();
    auto *Inner = dyn_cast<SelectInst>(KeepsIfTrue ? Outer.getFalseValue()
                                                   : Outer.getTrueValue());
    if (!Inner || !Inner->hasOneUse() ||
        Inner->getParent() != Outer.getParent() ||
        !Inner->getCondition()->getType()->isIntegerTy(1))
      continue;
    const bool InnerKeepsIfTrue = Inner->getTrueValue() == Kept;
    // Both conditions the same way: InstCombine's.
    if ((!InnerKeepsIfTrue && Inner->getFalseValue() != Kept) ||
        InnerKeepsIfTrue == KeepsIfTrue)
      continue;
    IRBuilder<> B(&Outer);
    const auto Changes = [&](SelectInst &S, bool IfFalse) {
      return IfFalse ? B.CreateNot(S.getCondition()) : S.getCondition();
    };
    // What the outer one does not ask may be poison.
    Value *Both = B.CreateLogicalAnd(Changes(Outer, KeepsIfTrue != IsWrong),
                                     Changes(*Inner, InnerKeepsIfTrue));
    Value *New =
        InnerKeepsIfTrue ? Inner->getFalseValue() : Inner->getTrueValue();
    Outer.setCondition(Both);
    Outer.setTrueValue(New);
    Outer.setFalseValue(Kept);
    // They were of the old condition.
    Outer.setMetadata(LLVMContext::MD_prof, nullptr);
    Inner->eraseFromParent();
    return true;
  }
  return false;
}

Rewritten sluice::joinSelections(Function &F, ChangeTest MayChange,
                                 bool IsWrong) {
  Rewritten Done;
  for (Instruction &I : make_early_inc_range(instructions(F))) {
    auto *Outer = dyn_cast<SelectInst>(&I);
    if (!Outer || !Outer->getCondition()->getType()->isIntegerTy(1) ||
        Outer->getType()->isIntOrIntVectorTy(1) || !MayChange(I) ||
        !join(*Outer, IsWrong))
      continue;
    if (!Done.Count++)
      Done.At = I.getDebugLoc();
  }
  return Done;
}
