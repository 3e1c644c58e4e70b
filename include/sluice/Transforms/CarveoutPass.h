// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Sets kernels' shared-memory carveout, in the host's module.

#ifndef SLUICE_TRANSFORMS_CARVEOUTPASS_H
#define SLUICE_TRANSFORMS_CARVEOUTPASS_H

#include "llvm/ADT/StringMap.h"
#include "llvm/IR/PassManager.h"

namespace sluice {

/// In each kernel's launch stub, before the launch:
///
///   __sluice_set_carveout(stub, &done, percent);   // added
///   cudaLaunchKernel(stub, ...);
///
/// The helper calls cudaFuncSetAttribute once for each device and leaves the
/// program's last CUDA error as it was: while there is one, it does nothing. A
/// kernel whose carveout or cache preference the program sets itself, or that
/// is annotated "sluice:off", is left alone. Every decision is a remark of the
/// pass sluice-carveout.
class CarveoutPass : public llvm::PassInfoMixin<CarveoutPass> {
public:
  /// \p Percents: by mangled name of the kernel, as in KernelPlan.
  explicit CarveoutPass(llvm::StringMap<unsigned> Percents)
      : Percents(std::move(Percents)) {}

  llvm::PreservedAnalyses run(llvm::Module &M,
                              llvm::ModuleAnalysisManager &Analyses);
  static bool isRequired() { return true; }

private:
  llvm::StringMap<unsigned> Percents;
};

/// The kernel that a launch stub is for: "_Z22__device_stub__gesummvPf" is
/// "_Z7gesummvPf". Empty: \p Stub is no stub's name.
std::string kernelOfStub(llvm::StringRef Stub);

} // namespace sluice

#endif
