// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What mlir-opt finds in SluiceMLIR.so.

#include "Passes.h"
#include "SluiceDialect.h"
#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"
#include "sluice/Transforms/CacheHintLowering.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/RegisterTargetPassConfigCallback.h"

/// Also for the code that gpu-module-to-binary generates later.
static const llvm::RegisterTargetPassConfigCallback
    WithCacheHints(sluice::addCacheHintLowering);

static void registerPasses() {
  // Planning assembles, and LLVM's passes ask what the GPU is like.
  LLVMInitializeNVPTXTargetInfo();
  LLVMInitializeNVPTXTarget();
  LLVMInitializeNVPTXTargetMC();
  LLVMInitializeNVPTXAsmPrinter();
  mlir::registerPass(sluice::createLaunchFactsPass);
  mlir::registerPass(sluice::createDevicePass);
}

extern "C" LLVM_ATTRIBUTE_WEAK mlir::PassPluginLibraryInfo
mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "Sluice", "0.1.0", registerPasses};
}

extern "C" LLVM_ATTRIBUTE_WEAK mlir::DialectPluginLibraryInfo
mlirGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "Sluice", "0.1.0",
          [](mlir::DialectRegistry *Registry) {
            sluice::registerSluiceDialect(*Registry);
          }};
}
