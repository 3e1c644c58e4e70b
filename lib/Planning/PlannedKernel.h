// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// A kernel on its way to its plan.

#ifndef SLUICE_LIB_PLANNING_PLANNEDKERNEL_H
#define SLUICE_LIB_PLANNING_PLANNEDKERNEL_H

#include "sluice/Planning/SourceFacts.h"
#include "llvm/ADT/ArrayRef.h"
#include <optional>

namespace llvm {
class Function;
class Module;
class TargetMachine;
} // namespace llvm

namespace sluice {

struct Options;

struct PlannedKernel : SourceKernel {
  llvm::Function *F = nullptr;
  /// Of this GPU, at the places of this source.
  std::optional<KernelProfile> Measured = std::nullopt;
  /// Else it has no loop, or is left to its library, and nothing else matters.
  bool IsAnalyzed = false;
};

/// Which kernels are analysed: where no one asks for what else is known of
/// them, those that may have a loop.
void chooseKernels(llvm::Module &M, const Options &Opts,
                   llvm::MutableArrayRef<PlannedKernel> Kernels);

/// Takes the facts of the chosen from the code, as it is and optimised, which
/// uses \p M up. \p TM may be null. Sums in \p Off stay in memory.
void analyzeKernels(llvm::Module &M, llvm::TargetMachine *TM,
                    const Options &Opts, const std::vector<PlaceRange> &Off,
                    llvm::MutableArrayRef<PlannedKernel> Kernels);

} // namespace sluice

#endif
