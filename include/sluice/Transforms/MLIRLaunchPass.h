// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// What a plan asks of launches, in host code that MLIR made:
/// `opt -passes=sluice-mlir-launches`.

#ifndef SLUICE_TRANSFORMS_MLIRLAUNCHPASS_H
#define SLUICE_TRANSFORMS_MLIRLAUNCHPASS_H

#include "llvm/IR/PassManager.h"

namespace llvm {
class PassBuilder;
} // namespace llvm

namespace sluice {

/// For the records that HostRecordPass left in the GPU's code, which MLIR's
/// translation embeds in this module. Every decision is a remark.
class MLIRLaunchPass : public llvm::PassInfoMixin<MLIRLaunchPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }
};

void registerMLIRLaunchPass(llvm::PassBuilder &PB);

} // namespace sluice

#endif
