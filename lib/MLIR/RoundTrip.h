// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// A module of the llvm and nvvm dialects to LLVM IR, and back.

#ifndef SLUICE_LIB_MLIR_ROUNDTRIP_H
#define SLUICE_LIB_MLIR_ROUNDTRIP_H

#include "mlir/Support/LLVM.h"
#include <memory>

namespace llvm {
class LLVMContext;
class Module;
} // namespace llvm

namespace mlir {
class DialectRegistry;
class Operation;
} // namespace mlir

namespace sluice {

/// What a pass that calls the two below depends on.
void registerRoundTrip(mlir::DialectRegistry &Registry);

/// The first operation of \p Module that is not LLVM's; null: none.
mlir::Operation *findUnlowered(mlir::Operation *Module);

/// Null: it could not be translated; an error was emitted.
std::unique_ptr<llvm::Module> toLLVMIR(mlir::Operation *Module,
                                       llvm::LLVMContext &Context);

/// Puts \p Code into a copy of \p Like with nothing else in it. Functions and
/// variables that were in \p Like get those of their attributes back that LLVM
/// IR has no place for (gpu.kernel, and others that are not LLVM's). Null: \p
/// Code has what MLIR cannot import; errors were emitted.
mlir::Operation *fromLLVMIR(std::unique_ptr<llvm::Module> Code,
                            mlir::Operation *Like);

} // namespace sluice

#endif
