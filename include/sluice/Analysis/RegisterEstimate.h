// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// The registers that a kernel takes once it is throttled, from compiling it so
/// and assembling the PTX. The turn-taking costs two or three.

#ifndef SLUICE_ANALYSIS_REGISTERESTIMATE_H
#define SLUICE_ANALYSIS_REGISTERESTIMATE_H

#include "sluice/Analysis/SourcePlace.h"
#include "sluice/Target/PTXAssembler.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Passes/OptimizationLevel.h"
#include <functional>

namespace llvm {
class Module;
class PassBuilder;
class TargetMachine;
} // namespace llvm

namespace sluice {

/// A loop that takes turns.
struct ThrottledLoop {
  SourcePlace Place; ///< Of the loop statement, in whatever function.
  unsigned WarpGroups = 2;
  bool ByLaunch = false; ///< N is at most WarpGroups, known at run time.
};

struct RegisterEstimateInput {
  const llvm::Module *Unoptimized = nullptr; ///< As clang emits it.
  std::vector<std::string> Kernels; ///< Names in the module: those to assemble.
  std::vector<ThrottledLoop> Loops;
  std::vector<std::string> BitcodeLibraries; ///< libdevice, as clang links it.
  std::string CudaPath;
  /// Of the compile, beside clang's.
  std::function<void(llvm::PassBuilder &)> AddPasses;
};

/// Puts turns around the loops on the level of the control-flow graph, which
/// unoptimised IR makes easy (all locals are in memory), then compiles the
/// kernels together at \p Level for \p TM and assembles them. Loops with
/// several exits into different places keep their shape; they cost about as
/// much without the turns.
llvm::Expected<llvm::StringMap<AssembledKernel>>
assembleThrottled(const RegisterEstimateInput &Input, llvm::TargetMachine &TM,
                  llvm::OptimizationLevel Level);

} // namespace sluice

#endif
