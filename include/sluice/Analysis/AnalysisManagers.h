// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// What passes that run outside of a compiler's pipeline ask for analyses.

#ifndef SLUICE_ANALYSIS_ANALYSISMANAGERS_H
#define SLUICE_ANALYSIS_ANALYSISMANAGERS_H

#include "llvm/Analysis/CGSCCPassManager.h"
#include "llvm/Analysis/LoopAnalysisManager.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Passes/PassBuilder.h"

namespace sluice {

/// The four of a pipeline, with all of LLVM's analyses, known to one another.
struct AnalysisManagers {
  AnalysisManagers() = default;
  explicit AnalysisManagers(llvm::PassBuilder &Builder) { add(Builder); }
  void add(llvm::PassBuilder &Builder) {
    Builder.registerModuleAnalyses(OfModules);
    Builder.registerCGSCCAnalyses(OfCycles);
    Builder.registerFunctionAnalyses(OfFunctions);
    Builder.registerLoopAnalyses(OfLoops);
    Builder.crossRegisterProxies(OfLoops, OfFunctions, OfCycles, OfModules);
  }

  // In this order: each asks those before it, also when it ends.
  llvm::LoopAnalysisManager OfLoops;
  llvm::FunctionAnalysisManager OfFunctions;
  llvm::CGSCCAnalysisManager OfCycles;
  llvm::ModuleAnalysisManager OfModules;
};

} // namespace sluice

#endif
