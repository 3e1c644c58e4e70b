// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "RoundTrip.h"
#include "Places.h"
#include "SluiceDialect.h"
#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/GPU/GPUToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMIRToLLVMTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/LLVMIRToNVVMTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "mlir/Target/LLVMIR/Import.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Threading.h"
#include "llvm/TargetParser/Triple.h"

using namespace mlir;
using namespace sluice;

void sluice::registerRoundTrip(DialectRegistry &Registry) {
  Registry.insert<LLVM::LLVMDialect, NVVM::NVVMDialect, DLTIDialect>();
  registerSluiceDialect(Registry);
  registerBuiltinDialectTranslation(Registry);
  registerGPUDialectTranslation(Registry);
  registerLLVMDialectTranslation(Registry);
  registerNVVMDialectTranslation(Registry);
  registerLLVMDialectImport(Registry);
  registerNVVMDialectImport(Registry);
}

Operation *sluice::findUnlowered(Operation *Module) {
  Operation *Found = nullptr;
  Module->getRegion(0).walk<WalkOrder::PreOrder>([&](Operation *Op) {
    if (isa_and_nonnull<LLVM::LLVMDialect, NVVM::NVVMDialect>(Op->getDialect()))
      return WalkResult::advance();
    Found = Op;
    return WalkResult::interrupt();
  });
  return Found;
}

std::unique_ptr<llvm::Module> sluice::toLLVMIR(Operation *Module,
                                               llvm::LLVMContext &Context) {
  auto Code = translateModuleToLLVMIR(Module, Context, sourceNameOf(Module));
  if (!Code)
    return nullptr;
  Code->setSourceFileName(sourceNameOf(Module));
  Code->setTargetTriple(llvm::Triple("nvptx64-nvidia-cuda"));
  return Code;
}

/// Attributes of \p Was that LLVM IR has no place for.
static void restoreAttributes(Operation *Was, Operation *Now) {
  for (NamedAttribute A : Was->getDiscardableAttrs())
    if (!Now->hasAttr(A.getName()))
      Now->setDiscardableAttr(A.getName(), A.getValue());
}

/// Where loops stand: locations with scopes that are dropped later.
static void dropLoopPlaces(llvm::Module &Code) {
  for (llvm::Function &F : Code)
    for (llvm::BasicBlock &B : F)
      if (llvm::Instruction *End = B.getTerminator())
        llvm::updateLoopMetadataDebugLocations(
            *End, [](llvm::Metadata *Part) -> llvm::Metadata * {
              return isa<llvm::DILocation>(Part) ? nullptr : Part;
            });
}

/// llvm.call_intrinsic asks for none.
static void dropIntrinsics(Operation *Module) {
  for (Operation &Op : llvm::make_early_inc_range(Module->getRegion(0).front()))
    if (auto F = dyn_cast<LLVM::LLVMFuncOp>(Op))
      if (F.isExternal() && F.getName().starts_with("llvm.") &&
          SymbolTable::symbolKnownUseEmpty(F, Module))
        F.erase();
}

Operation *sluice::fromLLVMIR(std::unique_ptr<llvm::Module> Code,
                              Operation *Like) {
  // Like has its own, or none.
  for (StringRef Name : {"llvm.module.flags", "llvm.ident"})
    if (auto *MD = Code->getNamedMetadata(Name))
      Code->eraseNamedMetadata(MD);
  dropLoopPlaces(*Code);
  // The importer warns of each kind of metadata that it leaves out.
  const uint64_t Thread = llvm::get_threadid();
  ScopedDiagnosticHandler Quiet(Like->getContext(), [&](Diagnostic &D) {
    return success(llvm::get_threadid() == Thread &&
                   D.getSeverity() == DiagnosticSeverity::Warning);
  });
  auto Imported = translateLLVMIRToModule(
      std::move(Code), Like->getContext(), /*emitExpensiveWarnings=*/false,
      /*dropDICompositeTypeElements=*/false, /*loadAllDialects=*/false);
  if (!Imported)
    return nullptr;
  Operation *Now = Like->cloneWithoutRegions();
  Block &Body = Now->getRegion(0).emplaceBlock();
  Body.getOperations().splice(Body.end(), Imported->getBody()->getOperations());
  dropIntrinsics(Now);
  for (auto Flags : Like->getRegion(0).getOps<LLVM::ModuleFlagsOp>())
    Body.push_back(Flags->clone());
  SymbolTable Before(Like);
  for (Operation &Op : Body)
    if (auto Symbol = dyn_cast<SymbolOpInterface>(Op))
      if (Operation *Was = Before.lookup(Symbol.getNameAttr()))
        restoreAttributes(Was, &Op);
  return Now;
}
