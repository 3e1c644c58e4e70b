// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// What forbids that the warps of a block take turns around a piece of code:
/// barriers, code that cannot be seen, and warps that wait for one another.

#ifndef SLUICE_ANALYSIS_HAZARDANALYSIS_H
#define SLUICE_ANALYSIS_HAZARDANALYSIS_H

#include "sluice/Analysis/KernelFacts.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/PassManager.h"

namespace llvm {
class Function;
} // namespace llvm

namespace sluice {

/// Barriers of any scope, asynchronous copies, inline assembly with side
/// effects, and calls into the unknown, through any depth of calls. Works on
/// the IR as clang emits it, where every construct of the source still is an
/// instruction with its own place.
class HazardAnalysis {
public:
  /// Appends the hazards of \p Kernel, each with the place in the kernel's own
  /// body from which it is reached.
  void collect(const llvm::Function &Kernel,
               std::vector<RegionHazard> &Hazards);

private:
  /// By callee: the worst hazard in it or in what it calls, if any.
  llvm::DenseMap<const llvm::Function *, std::optional<RegionHazard>> Summaries;
};

/// Appends a hazard for each loop of \p Kernel, also in functions it calls,
/// that is left depending on what another warp does: on a volatile or atomic
/// load, on inline assembly, or on memory read in a loop that fences or sleeps.
/// Such a loop speaks against turns anywhere in the kernel: a warp that waits
/// in it may wait for one that a barrier holds. Works on optimised IR, where
/// the dependence is in SSA form.
void collectSpinLoops(llvm::Function &Kernel,
                      llvm::FunctionAnalysisManager &FAM,
                      std::vector<RegionHazard> &Hazards);

} // namespace sluice

#endif
