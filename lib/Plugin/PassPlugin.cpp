// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registers the passes by name and, in Sluice.so, those that serve the clang
// plugin.

#include "llvm/Plugins/PassPlugin.h"
#include "sluice/Analysis/PrinterPasses.h"
#include "sluice/Planning/PlanPass.h"
#include "sluice/Transforms/CacheHintLowering.h"
#include "sluice/Transforms/PassByName.h"
#include "sluice/Transforms/TracePass.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Target/RegisterTargetPassConfigCallback.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

#ifdef SLUICE_WITH_CLANG
#include "ForPasses.h"
#include "sluice/Frontend/Remarks.h"
#include "sluice/Plan/Technique.h"
#include "sluice/Transforms/CarveoutPass.h"
#include "llvm/ADT/StringSet.h"
#endif

namespace sluice {
#define SLUICE_PASS(Name) void register##Name##Pass(llvm::PassBuilder &);
#include "sluice/Plan/Techniques.def"
} // namespace sluice

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

/// The techniques' passes of \p Stage, by their names. Each once: several
/// techniques may have one pass.
void addPasses(PassBuilder &PB, ModulePassManager &MPM, sluice::PassStage Stage,
               bool LinkMakesCode = false) {
  if (!sluice::forPasses().Plan)
    return;
  StringSet<> Added;
  for (const sluice::Technique *T : sluice::techniques())
    for (const sluice::TechniquePass &Pass : {T->pass(), T->endingPass()}) {
      if (Pass.Name.empty() || Pass.Stage != Stage ||
          !Added.insert(Pass.Name).second)
        continue;
      StringRef Parameters = LinkMakesCode ? Pass.BeforeLink : Pass.Parameters;
      cantFail(PB.parsePassPipeline(MPM, (Pass.Name + Parameters).str()));
    }
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
  PB.registerOptimizerEarlyEPCallback(
      [&PB](ModulePassManager &MPM, OptimizationLevel, ThinOrFullLTOPhase) {
        addPasses(PB, MPM, PassStage::BeforeUnrolling);
      });
  PB.registerOptimizerLastEPCallback([&PB](ModulePassManager &MPM,
                                           OptimizationLevel,
                                           ThinOrFullLTOPhase Phase) {
    addPasses(PB, MPM, PassStage::Last,
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
#define SLUICE_PASS(Name) sluice::register##Name##Pass(PB);
#include "sluice/Plan/Techniques.def"
  sluice::registerByName<sluice::TracePass>(PB, "sluice-trace");
#ifdef SLUICE_WITH_CLANG
  addToPipelines(PB);
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
  return {LLVM_PLUGIN_API_VERSION, "Sluice", SLUICE_VERSION, registerPasses,
          nullptr};
}
