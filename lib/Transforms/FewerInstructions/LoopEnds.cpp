// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Behind a loop it is asked once more why it ended:
//
//   while (i < end) {
//     ...
//     while (c != ' ' && c != '\n')
//       c = log[++i];
//     if (c == ' ')
//       count(...);
//     ...
//   }
//
// LLVM lets each reason leave the loop to a place of its own: a blank to the
// call, the end of the line behind it. Nothing is asked twice then, but there
// is no place behind the loop where all lanes of a warp come by. Those that
// leave it in different iterations do what follows apart, with its loops and
// atomics.
//
// A call that does nothing keeps the block behind the loop as it is. It is no
// instruction of the GPU, and stays until instructions are selected.

#include "sluice/Transforms/LoopEnds.h"
#include "FewerInstructions.h"
#include "sluice/Transforms/PlanMetadata.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace sluice;

/// The value that \p Ask compares with a constant; null: it does other things.
static const Value *comparedBy(const ICmpInst *Ask) {
  return Ask && Ask->isEquality() && isa<ConstantInt>(Ask->getOperand(1))
             ? Ask->getOperand(0)
             : nullptr;
}

/// The block behind \p Inner, if it asks once more for one of the constants
/// that the loop ended with.
static BasicBlock *askingEnd(const Loop &Inner) {
  BasicBlock *End = Inner.getUniqueExitBlock();
  const auto *Branch =
      End ? dyn_cast<BranchInst>(End->getTerminator()) : nullptr;
  if (!Inner.getParentLoop() || !Branch || !Branch->isConditional())
    return nullptr;
  const auto *Asked = dyn_cast<ICmpInst>(Branch->getCondition());
  const auto *Value = dyn_cast_or_null<Instruction>(comparedBy(Asked));
  if (!Value || Asked->getParent() != End || !Inner.contains(Value))
    return nullptr;
  const auto Reasons = count_if(Value->users(), [&](const User *U) {
    const auto *Ask = dyn_cast<ICmpInst>(U);
    return Ask && Inner.contains(Ask) && comparedBy(Ask) == Value;
  });
  return Reasons > 1 ? End : nullptr;
}

static bool keepEnds(Function &F, const AttachedPlan &Attached,
                     FunctionAnalysisManager &FAM) {
  SmallVector<BasicBlock *, 2> Ends;
  for (const Loop *L : FAM.getResult<LoopAnalysis>(F).getLoopsInPreorder())
    if (BasicBlock *End = askingEnd(*L))
      if (!isSwitchedOff(*End->getTerminator(), Attached))
        Ends.push_back(End);
  for (BasicBlock *End : Ends)
    IRBuilder<>(End, End->getFirstInsertionPt())
        .CreateIntrinsic(Intrinsic::sideeffect, {});
  return !Ends.empty();
}

PreservedAnalyses LoopEndsPass::run(Module &M, ModuleAnalysisManager &MAM) {
  return rewriteEarly(M, MAM, "lanes do not meet behind loops", keepEnds);
}
