// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "sluice/Planning/OptimizingPipeline.h"
#include "sluice/Analysis/UnrollAnalysis.h"
#include "sluice/Transforms/TechniquePasses.h"
#include "llvm/ADT/StringSwitch.h"

using namespace llvm;
using namespace sluice;

static constexpr char Name[] = "sluice-default";

void sluice::addOptimizingPipeline(PassBuilder &PB, ModulePassManager &MPM,
                                   PlanPass Planner, OptimizationLevel Level) {
  PB.registerOptimizerEarlyEPCallback(
      [&PB](ModulePassManager &Early, OptimizationLevel Speed,
            ThinOrFullLTOPhase) {
        Early.addPass(NoteUnrollLevelPass(Speed.getSpeedupLevel()));
        addTechniquePasses(PB, Early, PassStage::BeforeUnrolling);
      });
  PB.registerOptimizerLastEPCallback(
      [&PB](ModulePassManager &Last, OptimizationLevel, ThinOrFullLTOPhase) {
        addTechniquePasses(PB, Last, PassStage::Last);
        addTechniquePasses(PB, Last, PassStage::Code);
      });
  MPM.addPass(std::move(Planner));
  addTechniquePasses(PB, MPM, PassStage::Start);
  MPM.addPass(Level == OptimizationLevel::O0
                  ? PB.buildO0DefaultPipeline(Level)
                  : PB.buildPerModuleDefaultPipeline(Level));
}

static std::optional<OptimizationLevel> parseLevel(StringRef Text) {
  return StringSwitch<std::optional<OptimizationLevel>>(Text)
      .Case("O0", OptimizationLevel::O0)
      .Case("O1", OptimizationLevel::O1)
      .Case("O2", OptimizationLevel::O2)
      .Case("O3", OptimizationLevel::O3)
      .Case("Os", OptimizationLevel::Os)
      .Case("Oz", OptimizationLevel::Oz)
      .Default(std::nullopt);
}

void sluice::registerOptimizingPipeline(PassBuilder &PB) {
  PB.registerPipelineParsingCallback(
      [&PB](StringRef Asked, ModulePassManager &MPM,
            ArrayRef<PassBuilder::PipelineElement>) {
        if (!Asked.consume_front(Name) || !Asked.consume_front("<") ||
            !Asked.consume_back(">"))
          return false;
        auto [LevelText, Parameters] = Asked.split(';');
        auto Level = parseLevel(LevelText);
        if (!Level) {
          errs() << Name << ": '" << LevelText
                 << "' is no level; it begins with O0, O1, O2, O3, Os or Oz, "
                    "as in sluice-default<O3;gpu=sm_90>\n";
          return false;
        }
        auto Planner = PlanPass::parse(Parameters);
        if (!Planner) {
          errs() << Name << ": " << toString(Planner.takeError()) << "\n";
          return false;
        }
        addOptimizingPipeline(PB, MPM, std::move(*Planner), *Level);
        return true;
      });
}
