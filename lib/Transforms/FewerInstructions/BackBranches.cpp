// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A loop of one block goes back where its condition holds:
//
//   br i1 (i == n), label %done, label %loop
// becomes
//   br i1 (i != n), label %loop, label %done
//
// LLVM writes the first, and NVPTX cannot turn branches round when it places
// blocks. Where %done does not come next yet when instructions are selected,
// the code ends in two branches:
//
//   @%p bra $done;
//   bra.uni $loop;
// $done:
//
// The assembler unrolls short loops by itself, four times as often as they are.
// It does not see one in this (docs/internals/clang-and-nvcc.md). The condition
// is the exact opposite, for what is not a number too, so the iterations are
// the same ones.

#include "FewerInstructions.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;
using namespace sluice;

/// Has it nothing to do but to read and to compute? Where it writes, the loads
/// of the next iteration stay behind its stores, and more copies only cost
/// registers (hotspot3d: 0.91, by nvcc's code 0.85).
static bool onlyReads(const BasicBlock &Loop) {
  return none_of(Loop,
                 [](const Instruction &I) { return I.mayWriteToMemory(); });
}

/// The comparison that \p Branch asks, if it can be turned round.
static CmpInst *conditionOf(const BranchInst &Branch) {
  auto *Condition = dyn_cast<CmpInst>(Branch.getCondition());
  // Of another block the code generator may have kept the result only.
  return Condition && Condition->getParent() == Branch.getParent() ? Condition
                                                                   : nullptr;
}

static void turn(BranchInst &Branch, CmpInst &Condition, bool IsWrong) {
  Branch.swapSuccessors(); // and their weights
  if (IsWrong)
    return Branch.setCondition(ConstantInt::getFalse(Branch.getContext()));
  CmpInst *Opposite = &Condition;
  if (!Condition.hasOneUse()) {
    Opposite = cast<CmpInst>(Condition.clone());
    Opposite->insertBefore(Branch.getIterator());
    Branch.setCondition(Opposite);
  }
  Opposite->setPredicate(Condition.getInversePredicate());
}

Rewritten sluice::branchBackWhereTrue(Function &F, ChangeTest MayChange,
                                      bool IsWrong) {
  Rewritten Done;
  for (BasicBlock &Loop : F) {
    auto *Branch = dyn_cast<BranchInst>(Loop.getTerminator());
    if (!Branch || !Branch->isConditional() ||
        Branch->getSuccessor(1) != &Loop || Branch->getSuccessor(0) == &Loop)
      continue;
    CmpInst *Condition = conditionOf(*Branch);
    if (!Condition || !onlyReads(Loop) || !MayChange(*Branch))
      continue;
    turn(*Branch, *Condition, IsWrong);
    if (!Done.Count++)
      Done.At = Branch->getDebugLoc();
  }
  return Done;
}
