// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The plan's limit of registers, for the kernels of the plan in the module:
//
//   define ptx_kernel void @k() #0
//   attributes #0 = { ... "nvvm.maxnreg"="64" }    ; added
//
//   .visible .entry k() .maxnreg 64                in PTX; ptxas obeys it
//
// What the source itself says of registers stays as it is: the assembler takes
// no limit beside a least number of blocks.

#include "sluice/Analysis/KernelFunction.h"
#include "sluice/Transforms/PassByName.h"
#include "sluice/Transforms/PlanMetadata.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"

using namespace llvm;
using namespace sluice;

#define DEBUG_TYPE "sluice-register-limit"

STATISTIC(NumLimited, "Number of kernels with a limit of registers");

static constexpr char LimitName[] = "nvvm.maxnreg";

/// Does the source say of registers what a limit would contradict?
static bool saysItself(const Function &Kernel) {
  return Kernel.hasFnAttribute(LimitName) ||
         Kernel.hasFnAttribute("nvvm.minctasm") ||
         Kernel.hasFnAttribute("nvvm.maxntid");
}

namespace {

struct RegisterLimitPass : PassInfoMixin<RegisterLimitPass> {
  PreservedAnalyses run(Module &M, ModuleAnalysisManager &) {
    if (!M.getTargetTriple().isNVPTX())
      return PreservedAnalyses::all();
    auto Attached = attachedPlanOrWarning(M, "no registers are limited");
    for (Function &F : M) {
      if (!Attached || F.isDeclaration() || !isKernel(F))
        continue;
      const KernelPlan *Plan = Attached->kernel(F);
      if (!Plan || !Plan->MaxRegisters)
        continue;
      OptimizationRemarkEmitter Remarks(&F);
      if (saysItself(F)) {
        Remarks.emit(OptimizationRemarkMissed(DEBUG_TYPE, "SaysItself",
                                              F.getSubprogram(), &F.front())
                     << "registers are not limited: the source itself limits "
                        "them, by launch bounds or a number");
        continue;
      }
      F.addFnAttr(LimitName, std::to_string(*Plan->MaxRegisters));
      ++NumLimited;
      Remarks.emit(OptimizationRemark(DEBUG_TYPE, "Limited", F.getSubprogram(),
                                      &F.front())
                   << "a thread has at most "
                   << ore::NV("Registers", *Plan->MaxRegisters)
                   << " registers: " << Plan->RegistersWhy);
    }
    return PreservedAnalyses::all(); // nothing looks at it but the code
  }
  static bool isRequired() { return true; }
};

} // namespace

namespace sluice {
/// The name `sluice-register-limit`.
void registerRegisterLimitPass(PassBuilder &PB) {
  registerByName<RegisterLimitPass>(PB, DEBUG_TYPE);
}
} // namespace sluice
