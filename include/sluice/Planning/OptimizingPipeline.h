// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// LLVM's pipeline with the planner before it and the techniques in it, as
/// clang has it with the plugin:
///
///   opt -passes='sluice-default<O3;launch=rows:1056:256>'

#ifndef SLUICE_PLANNING_OPTIMIZINGPIPELINE_H
#define SLUICE_PLANNING_OPTIMIZINGPIPELINE_H

#include "sluice/Planning/PlanPass.h"
#include "llvm/Passes/PassBuilder.h"

namespace sluice {

/// Adds it to \p MPM. The techniques' passes are known to \p PB
/// (registerTechniquePasses); what else \p PB builds then has them too, and
/// they do nothing where there is no plan.
void addOptimizingPipeline(llvm::PassBuilder &PB, llvm::ModulePassManager &MPM,
                           PlanPass Planner, llvm::OptimizationLevel Level);

/// The name `sluice-default<LEVEL;...>`: O0 to O3, Os or Oz, and behind it what
/// sluice-plan takes.
void registerOptimizingPipeline(llvm::PassBuilder &PB);

} // namespace sluice

#endif
