// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// clang's options without those that write files or count, and diagnostics that
// nobody hears: clang's own generator comes later and says the same.

#include "sluice/Frontend/ScratchModule.h"
#include "sluice/Frontend/RecordingConsumer.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclCXX.h"
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

namespace {

/// Passes on what code may come of. The headers of CUDA have some ten thousand
/// functions that nobody calls, and the generator would mangle the name of
/// each.
class NeededCode : public ASTConsumer {
public:
  explicit NeededCode(CodeGenerator &To) : To(To) {}

  bool HandleTopLevelDecl(DeclGroupRef Group) override {
    for (Decl *D : Group)
      pass(D);
    return true;
  }
  void HandleInlineFunctionDefinition(FunctionDecl *F) override {
    if (isNeeded(*F))
      To.HandleInlineFunctionDefinition(F);
  }
  void HandleCXXStaticMemberVarInstantiation(VarDecl *D) override {
    To.HandleCXXStaticMemberVarInstantiation(D);
  }
  void HandleVTable(CXXRecordDecl *D) override { To.HandleVTable(D); }
  // Not when a type is complete: all are that can be.

private:
  static bool isNeeded(const FunctionDecl &F);
  void pass(Decl *D);

  CodeGenerator &To;
};

} // namespace

/// False: nothing calls it, and nothing outside of the file can.
bool NeededCode::isNeeded(const FunctionDecl &F) {
  if (F.isUsed(/*CheckUsedAttr=*/false) ||
      !(F.isInlined() || F.getStorageClass() == SC_Static) ||
      F.isTemplateInstantiation())
    return true;
  const auto *Method = dyn_cast<CXXMethodDecl>(&F);
  return (Method && Method->isVirtual()) ||
         llvm::any_of(F.attrs(), [](const Attr *A) {
           return isa<CUDAGlobalAttr, UsedAttr, ConstructorAttr, DestructorAttr,
                      AliasAttr>(A);
         });
}

void NeededCode::pass(Decl *D) {
  if (isa<NamespaceDecl, LinkageSpecDecl>(D)) {
    for (Decl *Inner : cast<DeclContext>(D)->decls())
      pass(Inner);
    return;
  }
  const auto *F = dyn_cast<FunctionDecl>(D);
  if (!F || isNeeded(*F))
    To.HandleTopLevelDecl(DeclGroupRef(D));
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
  NeededCode Needed(*Generator);
  Record.replay(Needed, [&] { Generator->HandleTranslationUnit(AST); });
}

ScratchModule::~ScratchModule() = default;

CodeGenerator *ScratchModule::generator() {
  return Diagnostics.hasErrorOccurred() || !Generator->GetModule()
             ? nullptr
             : Generator.get();
}
