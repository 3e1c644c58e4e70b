// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A lane's number that is read by assembly is read by LLVM's intrinsic:
//
//   asm("mov.u32 %0, %%laneid;" : "=r"(lane));
//   for (int i = 0; i < 24; ++i)
//     items[i] = shared[lane * 24 + i];
//
// So write CUB's functions, and many programs. LLVM knows nothing of what
// assembly gives, but that the intrinsic's result is below 32. Here that says
// that `lane * 24 + i` does not wrap: the addresses differ by constants, and
// neighbours are read at once, as by nvcc. In a thread the number never
// changes, so it does not matter whether the assembly is `volatile`.

#include "sluice/Transforms/LaneNumbers.h"
#include "FewerInstructions.h"
#include "sluice/Transforms/PlanMetadata.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"
#include <string>

using namespace llvm;
using namespace sluice;

static bool readsLane(const CallBase &Call) {
  const auto *Asm = dyn_cast<InlineAsm>(Call.getCalledOperand());
  if (!Asm || !Call.arg_empty() || !Call.getType()->isIntegerTy(32) ||
      Asm->getConstraintString() != "=r")
    return false;
  std::string Text;
  copy_if(Asm->getAsmString(), std::back_inserter(Text),
          [](char C) { return !isSpace(C); });
  return Text == "mov.u32$0,%laneid;" || Text == "mov.u32$0,%laneid" ||
         Text == "mov.s32$0,%laneid;" || Text == "mov.b32$0,%laneid;";
}

static bool readLanes(Function &F, const AttachedPlan &Attached,
                      FunctionAnalysisManager &) {
  bool IsChanged = false;
  for (Instruction &I : make_early_inc_range(instructions(F))) {
    auto *Call = dyn_cast<CallInst>(&I);
    if (!Call || !readsLane(*Call) || isSwitchedOff(I, Attached))
      continue;
    IRBuilder<> B(Call);
    Value *Lane = B.CreateIntrinsic(Intrinsic::nvvm_read_ptx_sreg_laneid, {});
    if (Attached.Opts.Wrong == WrongRewrite::OtherConstant)
      Lane = B.CreateXor(Lane, 1);
    Call->replaceAllUsesWith(Lane);
    Call->eraseFromParent();
    IsChanged = true;
  }
  return IsChanged;
}

PreservedAnalyses LaneNumbersPass::run(Module &M, ModuleAnalysisManager &MAM) {
  return rewriteEarly(M, MAM, "lanes' numbers have no range", readLanes);
}
