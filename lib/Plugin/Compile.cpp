// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Compile.h"
#include "clang/Basic/DiagnosticIDs.h"
#include "clang/Frontend/CompilerInstance.h"

using namespace sluice;

void sluice::report(clang::CompilerInstance &CI,
                    clang::DiagnosticsEngine::Level Level,
                    llvm::StringRef Message) {
  clang::DiagnosticsEngine &Diags = CI.getDiagnostics();
  unsigned Id = Diags.getDiagnosticIDs()->getCustomDiagID(
      static_cast<clang::DiagnosticIDs::Level>(Level),
      ("sluice: " + Message).str());
  Diags.Report(Id);
}

bool sluice::emitsCode(clang::frontend::ActionKind Action) {
  switch (Action) {
  case clang::frontend::EmitAssembly:
  case clang::frontend::EmitBC:
  case clang::frontend::EmitLLVM:
  case clang::frontend::EmitLLVMOnly:
  case clang::frontend::EmitCodeGenOnly:
  case clang::frontend::EmitObj:
    return true;
  default:
    return false;
  }
}

llvm::StringRef sluice::whenNoPasses(const clang::CompilerInstance &CI) {
  const clang::CodeGenOptions &CodeGen = CI.getCodeGenOpts();
  if (CodeGen.DisableLLVMPasses)
    return "when clang compiles in steps (-save-temps)";
  if (CodeGen.PassPlugins.empty())
    return "without -fpass-plugin=Sluice.so";
  return "";
}

bool sluice::doPassesRun(clang::CompilerInstance &CI, llvm::StringRef Effect) {
  llvm::StringRef When = whenNoPasses(CI);
  if (!When.empty())
    report(CI, clang::DiagnosticsEngine::Warning, (Effect + " " + When).str());
  return When.empty();
}

llvm::StringRef sluice::unreachableHost(const clang::CompilerInstance &CI) {
  if (CI.getLangOpts().GPURelocatableDeviceCode)
    return "with -fgpu-rdc the host compile does not get the GPU's code";
  if (CI.getCodeGenOpts().DisableLLVMPasses)
    return "clang compiles in steps (-save-temps)";
  if (CI.getCodeGenOpts().PassPlugins.empty())
    return "-fpass-plugin=Sluice.so is not given";
  return "";
}

void sluice::trackPlaces(clang::CodeGenOptions &CodeGen) {
  if (CodeGen.getDebugInfo() == llvm::codegenoptions::NoDebugInfo)
    CodeGen.setDebugInfo(llvm::codegenoptions::LocTrackingOnly);
}
