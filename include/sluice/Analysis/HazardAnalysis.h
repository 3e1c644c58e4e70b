// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// What forbids that the warps of a block take turns around a piece of code:
/// barriers, and code that cannot be seen. Loops that wait for other warps are
/// WaitAnalysis's.

#ifndef SLUICE_ANALYSIS_HAZARDANALYSIS_H
#define SLUICE_ANALYSIS_HAZARDANALYSIS_H

#include "sluice/Analysis/KernelFacts.h"
#include "llvm/ADT/DenseMap.h"

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

} // namespace sluice

#endif
