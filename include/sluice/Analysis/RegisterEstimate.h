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

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace sluice {

struct RegisterEstimateInput {
  const llvm::Module *Unoptimized = nullptr; ///< As clang emits it.
  std::string Kernel;              ///< Its name in the module.
  std::vector<SourcePlace> Loops;  ///< Those that take turns.
  unsigned WarpGroups = 2;
  std::vector<std::string> BitcodeLibraries; ///< libdevice, as clang links it.
  std::string CudaPath;
};

/// Puts turns around the loops on the level of the control-flow graph, which
/// unoptimised IR makes easy (all locals are in memory), then compiles at
/// \p Level for \p TM and assembles. Loops with several exits into different
/// places keep their shape; they cost about as much without the turns.
llvm::Expected<AssembledKernel>
assembleThrottled(const RegisterEstimateInput &Input, llvm::TargetMachine &TM,
                  llvm::OptimizationLevel Level);

} // namespace sluice

#endif
