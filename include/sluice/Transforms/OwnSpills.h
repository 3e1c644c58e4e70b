// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// What our spills to shared memory would make of a kernel under limits of its
/// registers, before one is chosen. SpillSlots.h shows the code.

#ifndef SLUICE_TRANSFORMS_OWNSPILLS_H
#define SLUICE_TRANSFORMS_OWNSPILLS_H

#include "sluice/Plan/Plan.h"
#include "sluice/Target/RegisterCandidates.h"
#include "llvm/Support/Error.h"

namespace llvm {
class Function;
} // namespace llvm

namespace sluice {

/// A kernel with a limit, or that may get one, and whose launches are known.
struct LimitedKernel {
  llvm::Function *F;
  const KernelPlan *Plan;
  std::vector<LaunchShape> Launches = {};
};

/// Who assembles, and for which GPU.
struct SpillSetup {
  const GPUModel &GPU;
  unsigned SMs;
  const AssemblyCache &Cache;
  const std::string &Arch; ///< That the code is for: "sm_90a".
};

/// Why no value of the kernel that \p Plan is for can wait in shared memory, as
/// the rest of a sentence; empty: some may.
std::string whyNoOwnSpills(const llvm::Function &F, const KernelPlan &Plan);

/// Fills in LimitedCode::Shared and SharedAccesses of those of \p Limits that
/// spill, where our spills cost less: as sluice-register-limit would compile
/// them. \p K.F has its code as it is without a limit and without slots.
llvm::Error addOwnSpills(const LimitedKernel &K, const SpillSetup &Setup,
                         llvm::ArrayRef<LimitedCode *> Limits);

} // namespace sluice

#endif
