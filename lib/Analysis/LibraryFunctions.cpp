// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "sluice/Analysis/LibraryFunctions.h"
#include "sluice/Analysis/KernelFunction.h"
#include "sluice/Analysis/ThreadOrder.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Support/SourceMgr.h"

using namespace llvm;
using namespace sluice;

/// Does \p F, with all that it calls, run straight through, and each thread for
/// itself?
static bool isStraight(Function &F, SmallPtrSetImpl<Function *> &Above) {
  if (F.isIntrinsic())
    return !F.isConvergent();
  if (F.getName() == "__nvvm_reflect") // becomes a constant
    return true;
  if (Error E = F.materialize()) {
    consumeError(std::move(E));
    return false;
  }
  if (F.isDeclaration() || !Above.insert(&F).second)
    return false;
  SmallVector<std::pair<const BasicBlock *, const BasicBlock *>, 4> Back;
  FindFunctionBackedges(F, Back);
  const bool Is =
      Back.empty() && all_of(instructions(F), [&](const Instruction &I) {
        const auto *Call = dyn_cast<CallBase>(&I);
        if (Call && Call->isInlineAsm())
          return threadOrderOf(*Call) == ThreadOrder::None;
        return !Call || (Call->getCalledFunction() && !Call->isConvergent() &&
                         isStraight(*Call->getCalledFunction(), Above));
      });
  Above.erase(&F);
  return Is;
}

static void isOfEachThread(Function &F) {
  F.setNotConvergent();
  for (User *U : F.users())
    if (auto *Call = dyn_cast<CallBase>(U);
        Call && Call->getCalledFunction() == &F)
      Call->setNotConvergent();
}

/// They compute, and write at most what their arguments point to, as in
/// __nv_frexp.
static void computes(Function &F) {
  F.setDoesNotThrow();
  F.setWillReturn();
  F.setNoSync();
  if (any_of(F.args(),
             [](const Argument &A) { return A.getType()->isPointerTy(); }))
    F.setOnlyAccessesArgMemory();
  else
    F.setDoesNotAccessMemory();
}

void sluice::describeLibrary(Module &M, ArrayRef<std::string> Libraries) {
  SmallVector<Function *, 8> Called;
  for (Function &F : M)
    if (F.isDeclaration() && isLibdevice(F.getName())) {
      computes(F);
      if (!F.use_empty())
        Called.push_back(&F);
    }
  if (Called.empty())
    return;
  for (const std::string &Path : Libraries) {
    LLVMContext Context;
    SMDiagnostic Problem;
    const auto Library = getLazyIRFileModule(Path, Problem, Context);
    if (!Library)
      continue;
    for (Function *F : Called) {
      Function *Body = Library->getFunction(F->getName());
      SmallPtrSet<Function *, 8> Above;
      if (Body && isStraight(*Body, Above))
        isOfEachThread(*F);
    }
  }
}
