// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registers the passes by name and, in Sluice.so, those that serve the clang
// plugin.

#include "llvm/Plugins/PassPlugin.h"
#include "sluice/Analysis/PrinterPasses.h"
#include "sluice/Planning/PlanPass.h"
#include "sluice/Transforms/CacheHintLowering.h"
#include "sluice/Transforms/CacheHintPass.h"
#include "sluice/Transforms/SumPromotion.h"
#include "sluice/Transforms/TracePass.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Target/RegisterTargetPassConfigCallback.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

#ifdef SLUICE_WITH_CLANG
#include "HostPlan.h"
#include "TraceRequest.h"
#include "sluice/Frontend/Remarks.h"
#include "sluice/Transforms/CarveoutPass.h"
#include "sluice/Transforms/HostRecordPass.h"
#endif

using namespace llvm;

namespace {

#ifdef SLUICE_WITH_CLANG
/// The front end's remarks go into the optimisation record, which only a pass
/// can reach.
struct RecordRemarksPass : PassInfoMixin<RecordRemarksPass> {
  PreservedAnalyses run(Module &M, ModuleAnalysisManager &) {
    sluice::recordRemarks(M);
    return PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }
};

/// WrongRewrite::LostSign, a fault of whatever makes the code.
struct LostSignPass : PassInfoMixin<LostSignPass> {
  PreservedAnalyses run(Function &F, FunctionAnalysisManager &) {
    for (Instruction &I : instructions(F))
      if (I.getOpcode() == Instruction::FAdd) {
        ReplaceInstWithInst(
            &I, BinaryOperator::CreateFSub(I.getOperand(0), I.getOperand(1)));
        return PreservedAnalyses::none();
      }
    return PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }
};
#endif

void registerPasses(PassBuilder &PB) {
  sluice::registerPrinterPasses(PB);
  sluice::registerPlanPass(PB);
  sluice::registerCacheHintPass(PB);
  sluice::registerSumPromotionPass(PB);
  PB.registerPipelineParsingCallback(
      [](StringRef Name, ModulePassManager &MPM,
         ArrayRef<PassBuilder::PipelineElement>) {
        if (Name != "sluice-trace")
          return false;
        MPM.addPass(sluice::TracePass());
        return true;
      });
#ifdef SLUICE_WITH_CLANG
  PB.registerPipelineStartEPCallback(
      [](ModulePassManager &MPM, OptimizationLevel) {
        MPM.addPass(RecordRemarksPass());
        // One of the two is empty: a compile is for the host or the device.
        if (!sluice::hostPlan().empty())
          MPM.addPass(sluice::CarveoutPass(sluice::hostPlan()));
        if (!sluice::requestsForHost().empty())
          MPM.addPass(sluice::HostRecordPass(sluice::requestsForHost()));
      });
  PB.registerOptimizerEarlyEPCallback(
      [](ModulePassManager &MPM, OptimizationLevel, ThinOrFullLTOPhase) {
        if (sluice::sumLimits())
          MPM.addPass(sluice::SumPromotionPass(*sluice::sumLimits()));
      });
  PB.registerOptimizerLastEPCallback(
      [](ModulePassManager &MPM, OptimizationLevel, ThinOrFullLTOPhase Phase) {
        if (!sluice::plannedHints().empty()) {
          sluice::CacheHintRequest Request = sluice::plannedHints();
          Request.LinkMakesCode = Phase == ThinOrFullLTOPhase::ThinLTOPreLink ||
                                  Phase == ThinOrFullLTOPhase::FullLTOPreLink;
          MPM.addPass(sluice::CacheHintPass(std::move(Request)));
        }
        if (sluice::isTraceRequested())
          MPM.addPass(sluice::TracePass());
        if (sluice::losesSign())
          MPM.addPass(createModuleToFunctionPassAdaptor(LostSignPass()));
      });
#endif
}

/// Code is generated after all IR passes, also by llc, which runs none.
const RegisterTargetPassConfigCallback
    WithCacheHints(sluice::addCacheHintLowering);

#ifndef SLUICE_WITH_CLANG
[[maybe_unused]] const bool Warns = sluice::warnsOfDroppedHints() = true;
#endif

} // namespace

extern "C" LLVM_ATTRIBUTE_WEAK PassPluginLibraryInfo llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "Sluice", "0.1.0", registerPasses, nullptr};
}
