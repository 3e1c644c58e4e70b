// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// `opt -passes=sluice-plan`: plans a module of NVPTX code and puts the plan
/// into it.

#ifndef SLUICE_PLANNING_PLANPASS_H
#define SLUICE_PLANNING_PLANPASS_H

#include "sluice/Plan/Options.h"
#include "llvm/IR/PassManager.h"

namespace llvm {
class PassBuilder;
} // namespace llvm

namespace sluice {

/// Changes no code. Best at the start of a pipeline, where loops are as the
/// source has them. What cannot be planned is a warning.
class PlanPass : public llvm::PassInfoMixin<PlanPass> {
public:
  /// \p Args: Sluice's options, as parseOptions takes them, with its errors.
  /// \p GPU: "sm_90"; empty: that of the kernels' target-cpu.
  /// \p HostHears: who launches the kernels does what the plan asks of
  /// launches.
  static llvm::Expected<PlanPass> make(std::vector<std::string> Args,
                                       std::string GPU, bool HostHears = true);
  /// "launch=k:1056:256;gpu=sm_90", as in a pipeline. "libdevice=FILE": what is
  /// linked later.
  static llvm::Expected<PlanPass> parse(llvm::StringRef Parameters);
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }

private:
  PlanPass() = default;

  Options Opts;
  std::vector<std::string> Args;
  std::string GPU, Libdevice;
  bool HostHears = true;
};

/// The name `sluice-plan<...>`: Sluice's options as `K=V`, `gpu=sm_90` and
/// `libdevice=FILE`, separated by semicolons.
void registerPlanPass(llvm::PassBuilder &PB);

} // namespace sluice

#endif
