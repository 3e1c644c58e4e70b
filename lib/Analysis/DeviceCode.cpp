// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "sluice/Analysis/DeviceCode.h"
#include "sluice/Analysis/AnalysisManagers.h"
#include "llvm/IR/DiagnosticHandler.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"

using namespace llvm;
using namespace sluice;

std::unique_ptr<TargetMachine>
sluice::makeTargetMachine(const Module &M, StringRef CPU, StringRef Features) {
  std::string Error;
  const Target *T = TargetRegistry::lookupTarget(M.getTargetTriple(), Error);
  if (!T)
    return nullptr;
  TargetOptions TO;
  TO.AllowFPOpFusion = FPOpFusion::Fast; // as clang does for CUDA
  return std::unique_ptr<TargetMachine>(T->createTargetMachine(
      M.getTargetTriple(), CPU, Features, TO, std::nullopt, std::nullopt,
      CodeGenOptLevel::Aggressive));
}

void sluice::optimizeFurther(Module &M, TargetMachine &TM, unsigned Level) {
  PipelineTuningOptions Tuning; // as clang sets them
  Tuning.SLPVectorization = true;
  PassBuilder PB(&TM, Tuning);
  AnalysisManagers Analyses(PB);
  const WithoutRemarks Quiet(M.getContext());
  PB.buildModuleOptimizationPipeline(Level == 2 ? OptimizationLevel::O2
                                                : OptimizationLevel::O3,
                                     ThinOrFullLTOPhase::None)
      .run(M, Analyses.OfModules);
}

namespace {

/// Passes all but remarks on.
class ProblemsAlone : public DiagnosticHandler {
public:
  explicit ProblemsAlone(std::unique_ptr<DiagnosticHandler> All)
      : All(std::move(All)) {}
  bool handleDiagnostics(const DiagnosticInfo &DI) override {
    if (DI.getSeverity() == DS_Remark)
      return true;
    const bool IsHandled = All->handleDiagnostics(DI);
    HasErrors |= All->HasErrors;
    return IsHandled;
  }
  std::unique_ptr<DiagnosticHandler> All;
};

} // namespace

WithoutRemarks::WithoutRemarks(LLVMContext &C) : C(C) {
  C.setDiagnosticHandler(
      std::make_unique<ProblemsAlone>(C.getDiagnosticHandler()));
}

WithoutRemarks::~WithoutRemarks() {
  auto Handler = C.getDiagnosticHandler();
  C.setDiagnosticHandler(std::move(static_cast<ProblemsAlone &>(*Handler).All));
}

Expected<std::string> sluice::emitPTX(Module &M, TargetMachine &TM) {
  const WithoutRemarks Quiet(M.getContext());
  SmallString<0> PTX;
  raw_svector_ostream OS(PTX);
  legacy::PassManager CodeGen;
  if (TM.addPassesToEmitFile(CodeGen, OS, nullptr,
                             CodeGenFileType::AssemblyFile))
    return createStringError("the target cannot emit PTX");
  CodeGen.run(M);
  return std::string(PTX);
}
