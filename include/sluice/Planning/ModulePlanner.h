// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// From a module of NVPTX code, as a front end emits it, to its plan: analyses,
/// planners, registers. No clang.

#ifndef SLUICE_PLANNING_MODULEPLANNER_H
#define SLUICE_PLANNING_MODULEPLANNER_H

#include "sluice/Plan/Options.h"
#include "sluice/Planning/DevicePlan.h"
#include "sluice/Planning/SourceFacts.h"
#include "llvm/Passes/OptimizationLevel.h"

namespace llvm {
class Module;
} // namespace llvm

namespace sluice {

struct GPUModel;

/// How the module will be compiled.
struct CompileSetup {
  const GPUModel *GPU = nullptr;
  std::string CPU;      ///< "sm_90", or "sm_90a".
  std::string Features; ///< As LLVM has them: "+ptx88".
  llvm::OptimizationLevel Level = llvm::OptimizationLevel::O3;
  std::vector<std::string> BitcodeLibraries; ///< libdevice.
  std::string CudaPath;                      ///< For its nvJitLink.
  /// The host's code will be told what the plan asks of launches.
  bool HostHears = false;
};

/// Does anyone ask for what is known of all kernels?
bool needsAllFacts(const Options &Opts);

/// Plans \p M, which the analyses use up, with what \p Measured, the profile in
/// Opts.ProfileFile, knows of its kernels; null: there is none. \p M is null
/// where \p Source has no kernels. Opts.Promote: SumPromotionPass will run in
/// the compile, so that the plan may count on it.
DevicePlan planModule(llvm::Module *M, SourceFacts Source,
                      const CompileSetup &Setup, const Options &Opts,
                      const Profile *Measured);

} // namespace sluice

#endif
