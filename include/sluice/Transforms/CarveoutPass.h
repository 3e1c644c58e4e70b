// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Sets kernels' shared-memory carveout and claims shared memory for their
/// launches, in the host's module.

#ifndef SLUICE_TRANSFORMS_CARVEOUTPASS_H
#define SLUICE_TRANSFORMS_CARVEOUTPASS_H

#include "sluice/Plan/HostRecord.h"
#include "llvm/IR/PassManager.h"

namespace llvm {
class PassBuilder;
} // namespace llvm

namespace sluice {

/// In each kernel's launch stub, before the launch:
///
///   __sluice_set_carveout(stub, &done, percent);   // added
///   cudaLaunchKernel(stub, ...);
///
/// The helper calls cudaFuncSetAttribute once for each device and leaves the
/// program's last CUDA error as it was: while there is one, it does nothing. A
/// claim makes of the launch
///
///   claimed = __sluice_claim_shared(shared, most, claim);
///   if (cudaLaunchKernel(stub, ..., claimed, stream) == cudaErrorInvalidValue
///       && claimed != shared) {   // another file limits the kernel
///     cudaGetLastError();
///     cudaLaunchKernel(stub, ..., shared, stream);
///   }
///
/// where __sluice_claim_shared is shared + claim if shared <= most and the
/// program has no error that it has not looked at.
///
/// A kernel whose carveout or cache preference the program sets itself, or that
/// is annotated "sluice:off", is left alone; one with a claim also where the
/// program limits its dynamic shared memory or launches it cooperatively. Every
/// decision is a remark of the pass sluice-carveout.
class CarveoutPass : public llvm::PassInfoMixin<CarveoutPass> {
public:
  explicit CarveoutPass(AgreedRequests Wanted) : Wanted(std::move(Wanted)) {}

  llvm::PreservedAnalyses run(llvm::Module &M,
                              llvm::ModuleAnalysisManager &Analyses);
  static bool isRequired() { return true; }

private:
  AgreedRequests Wanted;
};

/// The name `sluice-carveout<gpu-binary=FILE;plan=FILE>`: with the records in
/// the GPU's code, the carveouts of a plan file, or both.
void registerCarveoutPass(llvm::PassBuilder &PB);

/// The kernel that a launch stub is for: "_Z22__device_stub__gesummvPf" is
/// "_Z7gesummvPf". Empty: \p Stub is no stub's name.
std::string kernelOfStub(llvm::StringRef Stub);

} // namespace sluice

#endif
