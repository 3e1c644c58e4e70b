// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// What planning needs to know beside a module's code: what only the source, or
/// its user, can say. The clang plugin takes it from the AST (DevicePlanner.h),
/// sluice-plan from the module and its own parameters (ModuleSource.h).

#ifndef SLUICE_PLANNING_SOURCEFACTS_H
#define SLUICE_PLANNING_SOURCEFACTS_H

#include "sluice/Analysis/KernelFacts.h"
#include "sluice/Analysis/Profile.h"
#include "llvm/ADT/StringRef.h"
#include <functional>

namespace llvm {
class Module;
} // namespace llvm

namespace sluice {

/// A kernel that may be planned.
struct SourceKernel {
  std::string IRName; ///< In the module. Facts.Name may be another.
  /// Without what the analyses of its code fill in: loops, hazards, shared
  /// memory.
  KernelFacts Facts;
};

struct SourceFacts {
  std::string File; ///< Plan::Source.
  std::vector<SourceKernel> Kernels;
  std::vector<PlaceRange> Off; ///< What stands under `#pragma sluice off`.
  /// Finds the region of each loop of the kernel with that number. Empty: there
  /// is no text in which turns could be written.
  std::function<void(size_t Kernel, KernelFacts &Facts)> FindRegions;
  /// Moves a profile's places to where the source has them now. Empty: no
  /// source to compare with.
  std::function<ProfileState(KernelProfile &K)> FitProfile;
  /// The module as it was before the analyses used it up, of which few plans
  /// need code. Null, or empty: there is none.
  std::function<const llvm::Module *()> Unoptimized;
};

} // namespace sluice

#endif
