// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// clang's options without those that write files or count, and diagnostics that
// nobody hears: clang's own generator comes later and says the same.

#include "sluice/Frontend/ScratchModule.h"
#include "sluice/Frontend/RecordingConsumer.h"
#include "clang/CodeGen/ModuleBuilder.h"
#include "clang/Frontend/CompilerInstance.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/TimeProfiler.h"

using namespace sluice;
using namespace clang;

/// \p Real without what writes files or counts.
static CodeGenOptions scratchOptions(const CodeGenOptions &Real) {
  CodeGenOptions Options = Real;
  Options.CoverageMapping = false;
  Options.setProfileInstr(llvm::driver::ProfileInstrKind::ProfileNone);
  Options.setDebugInfo(llvm::codegenoptions::DebugLineTablesOnly);
  Options.DebugColumnInfo = true;
  return Options;
}

ScratchModule::ScratchModule(CompilerInstance &CI, RecordingConsumer &Record)
    : Options(scratchOptions(CI.getCodeGenOpts())),
      Diagnostics(DiagnosticIDs::create(), Silent, new IgnoringDiagConsumer) {
  llvm::TimeTraceScope Scope("SluiceScratchModule");
  Diagnostics.setSourceManager(&CI.getSourceManager());
  Generator = std::unique_ptr<CodeGenerator>(CreateLLVMCodeGen(
      Diagnostics, "scratch", CI.getVirtualFileSystemPtr(),
      CI.getHeaderSearchOpts(), CI.getPreprocessorOpts(), Options, Context));
  ASTContext &AST = CI.getASTContext();
  Generator->Initialize(AST);
  Record.replay(*Generator, [&] { Generator->HandleTranslationUnit(AST); });
}

ScratchModule::~ScratchModule() = default;

CodeGenerator *ScratchModule::generator() {
  return Diagnostics.hasErrorOccurred() || !Generator->GetModule()
             ? nullptr
             : Generator.get();
}
