// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Leaves in the device's module what the host compile is to do.

#ifndef SLUICE_TRANSFORMS_HOSTRECORDPASS_H
#define SLUICE_TRANSFORMS_HOSTRECORDPASS_H

#include "llvm/IR/PassManager.h"

namespace llvm {
class PassBuilder;
} // namespace llvm

namespace sluice {

/// Adds for each kernel of the plan in the module (PlanMetadata.h) that has a
/// carveout or a limit of blocks
///
///   @__sluice_host$1$c7$s7168$d41984$5$_Z1fv = addrspace(1) global i8 0
///
/// a byte of global memory that nothing reads: its name says it all. It is
/// visible, so neither LLVM nor ptxas drops it.
class HostRecordPass : public llvm::PassInfoMixin<HostRecordPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &M,
                              llvm::ModuleAnalysisManager &Analyses);
  static bool isRequired() { return true; }
};

/// The name `sluice-host-record`.
void registerHostRecordPass(llvm::PassBuilder &PB);

} // namespace sluice

#endif
