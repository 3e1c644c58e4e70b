// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// The registers that a kernel takes once it is throttled, from compiling it so
/// and assembling the PTX. The turn-taking costs two or three.

#ifndef SLUICE_ANALYSIS_REGISTERESTIMATE_H
#define SLUICE_ANALYSIS_REGISTERESTIMATE_H

#include "sluice/Analysis/SourcePlace.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Passes/OptimizationLevel.h"
#include "llvm/Support/Error.h"
#include <functional>
#include <optional>
#include <string>
#include <vector>

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
  /// Where the assembler's answers are kept (AssemblyCache::open).
  std::optional<std::string> AssemblyCacheFolder;
  /// Of the compile, beside clang's.
  std::function<void(llvm::PassBuilder &)> AddPasses;
  /// Is it enough to know that the kernel takes about \p AtLeast registers or
  /// more? Asked of long kernels, whose exact number takes long. May be empty:
  /// never.
  std::function<bool(llvm::StringRef Kernel, unsigned AtLeast)> IsEnough;
};

struct RegisterEstimate {
  unsigned Registers = 0; ///< Of a thread.
  bool IsExact = false;   ///< Else about this many or more.
};

/// Puts turns around the loops on the level of the control-flow graph, which
/// unoptimised IR makes easy (all locals are in memory), then compiles the
/// kernels together at \p Level for \p TM and assembles them. By name in the
/// module. Loops with
/// several exits into different places keep their shape; they cost about as
/// much without the turns.
llvm::Expected<llvm::StringMap<RegisterEstimate>>
estimateThrottled(const RegisterEstimateInput &Input, llvm::TargetMachine &TM,
                  llvm::OptimizationLevel Level);

} // namespace sluice

#endif
