// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The name of a variable is what ptxas hands on from here to the file that the
// host compile embeds. To the PTX of a kernel `rows(float const*, float const*,
// float*)` that asks for a carveout of 1 % (c) and a claim of 2432 B (s) up to
// 46720 B of the program's own dynamic shared memory (d), this adds one line:
//
//   .visible .global .align 1
//       .u8 __sluice_host$1$c1$s2432$d46720$15$_Z4rowsPKfS0_Pf;
//
// CarveoutPass.cpp has what the host compile makes of it.

#include "sluice/Transforms/HostRecordPass.h"
#include "sluice/Plan/HostRecord.h"
#include "sluice/Transforms/PassByName.h"
#include "sluice/Transforms/PlanMetadata.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Debug.h"
#include "llvm/Support/NVPTXAddrSpace.h"

using namespace llvm;
using namespace sluice;

#define DEBUG_TYPE "sluice-host-record"

STATISTIC(NumRecords, "Kernels of which the host is told something");

PreservedAnalyses HostRecordPass::run(Module &M, ModuleAnalysisManager &) {
  if (!M.getTargetTriple().isNVPTX())
    return PreservedAnalyses::all();
  auto Attached = attachedPlanOrWarning(M, "the host is asked for nothing");
  if (!Attached)
    return PreservedAnalyses::all();
  Type *Byte = Type::getInt8Ty(M.getContext());
  for (const Function &F : M) { // in the module's order
    const KernelPlan *Plan = F.isDeclaration() ? nullptr : Attached->kernel(F);
    std::optional<HostRequest> Request;
    if (Plan)
      Request = requestOf(*Plan);
    if (!Request)
      continue;
    // Where device code is linked, an instance of a template may be in several
    // objects: its record is then, too.
    auto Linkage = F.isWeakForLinker() ? GlobalValue::WeakAnyLinkage
                                       : GlobalValue::ExternalLinkage;
    auto *Record = new GlobalVariable(
        M, Byte, /*isConstant=*/false, Linkage, ConstantInt::get(Byte, 0),
        hostRecordName(F.getName(), *Request),
        /*InsertBefore=*/nullptr, GlobalValue::NotThreadLocal,
        NVPTXAS::ADDRESS_SPACE_GLOBAL);
    Record->setAlignment(Align(1));
    ++NumRecords;
    LLVM_DEBUG(dbgs() << "for the host: " << Record->getName() << "\n");
  }
  return PreservedAnalyses::all(); // no function is other than it was
}

void sluice::registerHostRecordPass(PassBuilder &PB) {
  registerByName<HostRecordPass>(PB, "sluice-host-record");
}
