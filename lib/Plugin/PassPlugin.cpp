// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registers the passes by name and, in Sluice.so, those that serve the clang
// plugin.

#include "llvm/Plugins/PassPlugin.h"
#include "sluice/Analysis/PrinterPasses.h"
#include "sluice/Analysis/UnrollAnalysis.h"
#include "sluice/Planning/OptimizingPipeline.h"
#include "sluice/Planning/PlanPass.h"
#include "sluice/Transforms/CacheHintLowering.h"
#include "sluice/Transforms/CarriedValues.h"
#include "sluice/Transforms/LaneNumbers.h"
#include "sluice/Transforms/LastCalls.h"
#include "sluice/Transforms/LoopEnds.h"
#include "sluice/Transforms/LoopsOverBits.h"
#include "sluice/Transforms/NarrowStoreLowering.h"
#include "sluice/Transforms/PassByName.h"
#include "sluice/Transforms/PeeledLoops.h"
#include "sluice/Transforms/PiecedCopies.h"
#include "sluice/Transforms/SkippedIterations.h"
#include "sluice/Transforms/TechniquePasses.h"
#include "sluice/Transforms/TracePass.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Target/RegisterTargetPassConfigCallback.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

#ifdef SLUICE_WITH_CLANG
#include "ForPasses.h"
#include "sluice/Frontend/Remarks.h"
#include "sluice/Transforms/CarveoutPass.h"
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

/// The plan of this compile into the module.
struct AttachPlanPass : PassInfoMixin<AttachPlanPass> {
  PreservedAnalyses run(Module &M, ModuleAnalysisManager &) {
    sluice::attachPlan(M, *sluice::forPasses().Plan);
    return PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }
};

/// And out of it, when it is carried out.
struct DetachPlanPass : PassInfoMixin<DetachPlanPass> {
  PreservedAnalyses run(Module &M, ModuleAnalysisManager &) {
    sluice::detachPlan(M);
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

/// Nothing where this compile has no plan.
void addPasses(PassBuilder &PB, ModulePassManager &MPM, sluice::PassStage Stage,
               bool LinkMakesCode = false) {
  if (sluice::forPasses().Plan)
    sluice::addTechniquePasses(PB, MPM, Stage, LinkMakesCode);
}

void addToPipelines(PassBuilder &PB) {
  using sluice::PassStage;
  PB.registerPipelineStartEPCallback(
      [&PB](ModulePassManager &MPM, OptimizationLevel) {
        const sluice::ForPasses &Given = sluice::forPasses();
        MPM.addPass(RecordRemarksPass());
        if (!Given.AtLaunches.empty())
          MPM.addPass(sluice::CarveoutPass(Given.AtLaunches));
        if (Given.Plan)
          MPM.addPass(AttachPlanPass());
        addPasses(PB, MPM, PassStage::Start);
      });
  PB.registerPipelineEarlySimplificationEPCallback(
      [](ModulePassManager &MPM, OptimizationLevel, ThinOrFullLTOPhase) {
        if (!sluice::forPasses().Plan)
          return;
        MPM.addPass(sluice::LaneNumbersPass());
        MPM.addPass(sluice::LastCallsPass());
        MPM.addPass(sluice::LoopEndsPass());
      });
  PB.registerCGSCCOptimizerLateEPCallback(
      [](CGSCCPassManager &CGPM, OptimizationLevel) {
        if (sluice::forPasses().Plan)
          CGPM.addPass(sluice::InlineLastCallsPass());
      });
  PB.registerPeepholeEPCallback(
      [](FunctionPassManager &FPM, OptimizationLevel) {
        if (sluice::forPasses().Plan)
          FPM.addPass(sluice::PiecedCopiesPass());
      });
  PB.registerOptimizerEarlyEPCallback([&PB](ModulePassManager &MPM,
                                            OptimizationLevel Level,
                                            ThinOrFullLTOPhase) {
    if (sluice::forPasses().Plan) {
      MPM.addPass(sluice::NoteUnrollLevelPass(Level.getSpeedupLevel()));
      MPM.addPass(sluice::CarriedValuesPass());
      MPM.addPass(sluice::SkippedIterationsPass());
      MPM.addPass(sluice::LoopsOverBitsPass());
    }
    addPasses(PB, MPM, PassStage::BeforeUnrolling);
    if (sluice::forPasses().Plan)
      MPM.addPass(sluice::PeeledLoopsPass());
  });
  PB.registerOptimizerLastEPCallback([&PB](ModulePassManager &MPM,
                                           OptimizationLevel,
                                           ThinOrFullLTOPhase Phase) {
    for (const PassStage Stage : {PassStage::Last, PassStage::Code})
      addPasses(PB, MPM, Stage,
                Phase == ThinOrFullLTOPhase::ThinLTOPreLink ||
                    Phase == ThinOrFullLTOPhase::FullLTOPreLink);
    const sluice::ForPasses &Given = sluice::forPasses();
    if (Given.Plan)
      MPM.addPass(DetachPlanPass());
    if (Given.Trace)
      MPM.addPass(sluice::TracePass());
    if (Given.LosesSign)
      MPM.addPass(createModuleToFunctionPassAdaptor(LostSignPass()));
  });
}
#endif

void registerPasses(PassBuilder &PB) {
  sluice::registerPrinterPasses(PB);
  sluice::registerPlanPass(PB);
  sluice::registerOptimizingPipeline(PB);
  sluice::registerTechniquePasses(PB);
  sluice::registerByName<sluice::TracePass>(PB, "sluice-trace");
#ifdef SLUICE_WITH_CLANG
  addToPipelines(PB);
#endif
}

/// Code is generated after all IR passes, also by llc, which runs none.
const RegisterTargetPassConfigCallback
    WithCacheHints(sluice::addCacheHintLowering);
const RegisterTargetPassConfigCallback
    WithNarrowStores(sluice::addNarrowStoreLowering);

#ifndef SLUICE_WITH_CLANG
[[maybe_unused]] const bool Warns = sluice::warnsOfDroppedHints() = true;
#endif

} // namespace

extern "C" LLVM_ATTRIBUTE_WEAK PassPluginLibraryInfo llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "Sluice", SLUICE_VERSION, registerPasses,
          nullptr};
}
