// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The plan's limit of registers, for the kernels of the plan in the module:
//
//   define ptx_kernel void @k() #0
//   attributes #0 = { ... "nvvm.maxnreg"="64" }    ; added
//
//   .visible .entry k() .maxnreg 64                in PTX; ptxas obeys it
//
// It replaces a number in the source, and stands beside launch bounds, where
// the assembler takes the lesser: a plan that names the kernel is the user's
// word (lib/Plan/Techniques/Registers.cpp lets no option do that).

#include "sluice/Analysis/KernelFunction.h"
#include "sluice/Transforms/PassByName.h"
#include "sluice/Transforms/PlanMetadata.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"

using namespace llvm;
using namespace sluice;

#define DEBUG_TYPE "sluice-register-limit"

STATISTIC(NumLimited, "Number of kernels with a limit of registers");

static constexpr char LimitName[] = "nvvm.maxnreg";

/// Does code hand registers from warp to warp (PTX ISA, "setmaxnreg")? How many
/// there are to hand decides whether the warps wait for ever. Nothing else in
/// such a module is limited either.
static bool handsRegistersOver(const Module &M) {
  auto Names = [](const CallBase &Call) {
    if (const auto *Asm = dyn_cast<InlineAsm>(Call.getCalledOperand()))
      return StringRef(Asm->getAsmString()).contains("setmaxnreg");
    const Function *Callee = Call.getCalledFunction();
    return Callee && Callee->getName().starts_with("llvm.nvvm.setmaxnreg.");
  };
  for (const Function &F : M)
    for (const Instruction &I : instructions(F))
      if (const auto *Call = dyn_cast<CallBase>(&I); Call && Names(*Call))
        return true;
  return false;
}

static void remarkRefusal(Function &F, StringRef Why) {
  OptimizationRemarkEmitter(&F).emit(
      OptimizationRemarkMissed(DEBUG_TYPE, "NotLimited", F.getSubprogram(),
                               &F.front())
      << "registers are not limited: " << Why);
}

static void limit(Function &F, const KernelPlan &Plan) {
  F.addFnAttr(LimitName, std::to_string(*Plan.MaxRegisters));
  ++NumLimited;
  OptimizationRemarkEmitter(&F).emit(
      OptimizationRemark(DEBUG_TYPE, "Limited", F.getSubprogram(), &F.front())
      << "a thread has at most " << ore::NV("Registers", *Plan.MaxRegisters)
      << " registers: " << Plan.RegistersWhy);
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
      if (!Plan)
        continue;
      if (Plan->MaxRegisters && handsRegistersOver(M))
        remarkRefusal(F, "warps of this module hand them over (setmaxnreg)");
      else if (Plan->MaxRegisters)
        limit(F, *Plan);
      else if (!Plan->RegistersWhy.empty())
        remarkRefusal(F, Plan->RegistersWhy);
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
