// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ReturningAssembly.h"
#include "sluice/Analysis/InlinePTX.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/InstrTypes.h"

using namespace llvm;
using namespace sluice;

ReturningAssembly::ReturningAssembly(Function &F, FunctionAnalysisManager &FAM)
    : SE(FAM.getResult<ScalarEvolutionAnalysis>(F)) {
  for (Loop *L : FAM.getResult<LoopAnalysis>(F).getLoopsInPreorder()) {
    if (!L->isInnermost())
      continue;
    for (BasicBlock *BB : L->blocks())
      for (Instruction &I : *BB)
        if (auto *Call = dyn_cast<CallBase>(&I);
            Call && isArithmeticPTX(*Call) &&
            !Call->hasFnAttr(Attribute::WillReturn)) {
          Call->addFnAttr(Attribute::WillReturn);
          Marked[L].push_back(Call);
        }
  }
  if (!Marked.empty())
    SE.forgetAllLoops();
}

ReturningAssembly::~ReturningAssembly() {
  for (auto &[L, Calls] : Marked)
    for (CallBase *Call : Calls)
      Call->removeFnAttr(Attribute::WillReturn);
  if (!Marked.empty())
    SE.forgetAllLoops();
}
