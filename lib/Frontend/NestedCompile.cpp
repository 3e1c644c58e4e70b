// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "sluice/Frontend/NestedCompile.h"
#include "clang/AST/ASTConsumer.h"
#include "clang/CodeGen/ModuleBuilder.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendAction.h"
#include "clang/Frontend/MultiplexConsumer.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace sluice;
using namespace clang;

static bool Nested = false;

bool sluice::inNestedCompile() { return Nested; }

namespace {

using ThenFunction = llvm::function_ref<void(ASTContext &, CodeGenerator &)>;

/// Comes after the code generator, when the module is whole and the AST lives.
class ThenConsumer : public ASTConsumer {
public:
  ThenConsumer(CompilerInstance &CI, CodeGenerator &Generator,
               ThenFunction Then)
      : CI(CI), Generator(Generator), Then(Then) {}

  void HandleTranslationUnit(ASTContext &Context) override {
    if (!CI.getDiagnostics().hasErrorOccurred() && Generator.GetModule())
      Then(Context, Generator);
  }

private:
  CompilerInstance &CI;
  CodeGenerator &Generator;
  ThenFunction Then;
};

class NestedAction : public ASTFrontendAction {
public:
  explicit NestedAction(ThenFunction Then) : Then(Then) {}

  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &CI,
                                                 StringRef InFile) override {
    std::unique_ptr<CodeGenerator> Generator = CreateLLVMCodeGen(
        CI.getDiagnostics(), InFile, CI.getVirtualFileSystemPtr(),
        CI.getHeaderSearchOpts(), CI.getPreprocessorOpts(), CI.getCodeGenOpts(),
        Context);
    auto After = std::make_unique<ThenConsumer>(CI, *Generator, Then);
    std::vector<std::unique_ptr<ASTConsumer>> Consumers;
    Consumers.push_back(std::move(Generator));
    Consumers.push_back(std::move(After));
    return std::make_unique<MultiplexConsumer>(std::move(Consumers));
  }

private:
  llvm::LLVMContext Context;
  ThenFunction Then;
};

} // namespace

/// The outer invocation without what writes files, prints, or loads plugins.
static std::shared_ptr<CompilerInvocation>
nestedInvocation(CompilerInstance &Outer) {
  auto Invocation = std::make_shared<CompilerInvocation>(Outer.getInvocation());

  FrontendOptions &Frontend = Invocation->getFrontendOpts();
  Frontend.DisableFree = false;
  Frontend.ShowStats = false;
  Frontend.StatsFile.clear();
  Frontend.Plugins.clear();
  Frontend.AddPluginActions.clear();
  Frontend.PluginArgs.clear();
  Frontend.OutputFile = "/dev/null";

  CodeGenOptions &CodeGen = Invocation->getCodeGenOpts();
  CodeGen.DisableFree = false;
  CodeGen.TimePasses = false; // its timers are global: -ftime-report crashes
  CodeGen.PassPlugins.clear();
  CodeGen.OptRecordFile.clear();
  CodeGen.CoverageMapping = false;
  CodeGen.setProfileInstr(llvm::driver::ProfileInstrKind::ProfileNone);
  CodeGen.setDebugInfo(llvm::codegenoptions::DebugLineTablesOnly);
  CodeGen.DebugColumnInfo = true;

  Invocation->getDependencyOutputOpts() = DependencyOutputOptions();
  Invocation->getDiagnosticOpts().DiagnosticSerializationFile.clear();
  Invocation->getDiagnosticOpts().DiagnosticLogFile.clear();
  Invocation->getDiagnosticOpts().VerifyDiagnostics = false;
  return Invocation;
}

bool sluice::compileNested(CompilerInstance &Outer, ThenFunction Then) {
  if (Nested)
    return false;
  Nested = true;
  llvm::scope_exit Leave([] { Nested = false; });

  std::shared_ptr<CompilerInvocation> Invocation = nestedInvocation(Outer);
  // Standard input has been read: hand its text on.
  for (FrontendInputFile &Input : Invocation->getFrontendOpts().Inputs)
    if (Input.isFile() && Input.getFile() == "-") {
      const SourceManager &SM = Outer.getSourceManager();
      if (auto Text = SM.getBufferOrNone(SM.getMainFileID()))
        Input = FrontendInputFile(*Text, Input.getKind(), Input.isSystem());
    }

  CompilerInstance Instance(Invocation);
  Instance.createDiagnostics(new IgnoringDiagConsumer());
  Instance.setVirtualFileSystem(Outer.getVirtualFileSystemPtr());
  bool Reached = false;
  NestedAction Action([&](ASTContext &Context, CodeGenerator &Generator) {
    Reached = true;
    Then(Context, Generator);
  });
  return Instance.ExecuteAction(Action) && Reached;
}
