// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Plans a module of LLVM IR and carries the plan out, in the pipeline that
/// clang has with the plugin. Knows no MLIR.

#ifndef SLUICE_LIB_MLIR_DEVICEPIPELINE_H
#define SLUICE_LIB_MLIR_DEVICEPIPELINE_H

#include "sluice/Plan/Plan.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <string>
#include <vector>

namespace llvm {
class Module;
} // namespace llvm

namespace sluice {

struct DevicePipeline {
  std::vector<std::string> Args; ///< Sluice's options, "K=V".
  std::string GPU;               ///< "sm_90".
  std::string Features;          ///< As LLVM has them: "+ptx80".
  unsigned OptLevel = 3;         ///< 0 to 3.
  /// Who launches the kernels does what the plan asks of launches.
  bool HostHears = false;
};

/// Bitcode files whose functions \p M calls and has not: they are linked into
/// it, and internal.
llvm::Error linkBitcode(llvm::Module &M, llvm::ArrayRef<std::string> Files);

/// Optimises \p M, whose triple is NVPTX's, with Sluice's techniques among
/// LLVM's passes. What cannot be planned, and all remarks, go to the context's
/// diagnostic handler; then there is no plan in the answer. The error is of the
/// options, or of a target that is not in this process.
llvm::Expected<std::optional<Plan>> runDevicePipeline(llvm::Module &M,
                                                      const DevicePipeline &P);

} // namespace sluice

#endif
