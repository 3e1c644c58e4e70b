// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// The passes of SluiceMLIR.so. docs/mlir.md says how they are used.

#ifndef SLUICE_LIB_MLIR_PASSES_H
#define SLUICE_LIB_MLIR_PASSES_H

#include "mlir/Pass/Pass.h"
#include <memory>

namespace sluice {

/// `sluice-launch-facts` on builtin.module: writes the sizes of
/// gpu.launch_func, known_block_size and known_grid_size to the kernels'
/// attribute LaunchesAttribute, which goes through all lowering to LLVM IR.
std::unique_ptr<mlir::Pass> createLaunchFactsPass();

/// `sluice-gpu` on a gpu.module, or a builtin.module, of the llvm and nvvm
/// dialects: plans it, optimises it as clang with the plugin would, and puts
/// the result back.
std::unique_ptr<mlir::Pass> createDevicePass();

} // namespace sluice

#endif
