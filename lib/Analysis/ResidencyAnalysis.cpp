// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A list of what is known to depend on how many blocks are resident: clusters,
// and code that reads the size of its shared memory, which a claim changes.

#include "sluice/Analysis/ResidencyAnalysis.h"
#include "sluice/Analysis/Reachability.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"

using namespace llvm;

/// A claim of shared memory changes %dynamic_smem_size, %total_smem_size and
/// %aggr_smem_size.
static bool readsSharedSize(const CallBase &Call) {
  if (const auto *Asm = dyn_cast<InlineAsm>(Call.getCalledOperand()))
    return StringRef(Asm->getAsmString()).contains("smem_size");
  const Function *Callee = Call.getCalledFunction();
  return Callee && Callee->isIntrinsic() &&
         Callee->getName().contains("smem_size");
}

std::string sluice::findFixedResidency(const Function &Kernel) {
  if (Kernel.hasFnAttribute("nvvm.cluster_dim") ||
      Kernel.hasFnAttribute("nvvm.maxclusterrank"))
    return "is launched in clusters of blocks";
  for (const Function *F : calledFrom(Kernel))
    for (const Instruction &I : instructions(*F))
      if (const auto *Call = dyn_cast<CallBase>(&I);
          Call && readsSharedSize(*Call))
        return "reads how much shared memory it has";
  return "";
}
