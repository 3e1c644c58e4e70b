// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A call of the consumer is kept as a closure over its arguments, which live as
// long as the AST. Whatever clang says while somebody is being told goes to
// that one at once.

#include "sluice/Frontend/RecordingConsumer.h"
#include "clang/AST/DeclCXX.h"
#include "clang/Frontend/CompilerInstance.h"
#include "llvm/ADT/ScopeExit.h"

using namespace sluice;
using namespace clang;

void sluice::delayConsumers(CompilerInstance &CI,
                            std::unique_ptr<RecordingConsumer> Recorder) {
  Recorder->delay(CI.takeASTConsumer());
  CI.setASTConsumer(std::move(Recorder));
}

void RecordingConsumer::delay(std::unique_ptr<ASTConsumer> Consumer) {
  Delayed = std::move(Consumer);
}

bool RecordingConsumer::take(Call C) {
  const bool GoesOn = !Live || C(*Live);
  // What is delayed comes last, and no one asks for the record after it.
  if (!Live || Live != Delayed.get())
    Calls.push_back(std::move(C));
  return GoesOn;
}

bool RecordingConsumer::replay(ASTConsumer &To,
                               llvm::function_ref<void()> Then) {
  assert(!Live && "one at a time");
  Live = &To;
  llvm::scope_exit Done([&] { Live = nullptr; });
  // What comes on the way is passed on as it comes.
  for (size_t I = 0, E = Calls.size(); I != E; ++I) {
    Call C = Calls[I]; // the vector may move
    if (!C(To))
      return false;
  }
  if (Then)
    Then();
  return true;
}

namespace {

class FunctionVisitor : public ASTConsumer {
public:
  explicit FunctionVisitor(llvm::function_ref<void(FunctionDecl &)> Function)
      : Function(Function) {}

  bool HandleTopLevelDecl(DeclGroupRef Group) override {
    for (Decl *D : Group)
      visit(D);
    return true;
  }
  void HandleInlineFunctionDefinition(FunctionDecl *F) override { visit(F); }

private:
  void visit(Decl *D) {
    if (auto *F = dyn_cast<FunctionDecl>(D))
      Function(*F);
    else if (isa<NamespaceDecl, LinkageSpecDecl, CXXRecordDecl, ExportDecl>(D))
      for (Decl *Inner : cast<DeclContext>(D)->decls())
        visit(Inner);
  }

  llvm::function_ref<void(FunctionDecl &)> Function;
};

} // namespace

void RecordingConsumer::forEachFunction(
    llvm::function_ref<void(FunctionDecl &)> Function) {
  FunctionVisitor Visitor(Function);
  replay(Visitor);
}

bool RecordingConsumer::HandleTopLevelDecl(DeclGroupRef D) {
  return take([D](ASTConsumer &To) { return To.HandleTopLevelDecl(D); });
}

/// A member function of ASTConsumer that is told of one thing, as a call.
template <typename T> static auto callOf(void (ASTConsumer::*Handle)(T), T D) {
  return [Handle, D](ASTConsumer &To) {
    (To.*Handle)(D);
    return true;
  };
}

void RecordingConsumer::HandleInterestingDecl(DeclGroupRef D) {
  take(callOf(&ASTConsumer::HandleInterestingDecl, D));
}

void RecordingConsumer::HandleTopLevelDeclInObjCContainer(DeclGroupRef D) {
  take(callOf(&ASTConsumer::HandleTopLevelDeclInObjCContainer, D));
}

void RecordingConsumer::HandleImplicitImportDecl(ImportDecl *D) {
  take(callOf(&ASTConsumer::HandleImplicitImportDecl, D));
}

void RecordingConsumer::HandleInlineFunctionDefinition(FunctionDecl *D) {
  take(callOf(&ASTConsumer::HandleInlineFunctionDefinition, D));
}

void RecordingConsumer::HandleCXXImplicitFunctionInstantiation(
    FunctionDecl *D) {
  take(callOf(&ASTConsumer::HandleCXXImplicitFunctionInstantiation, D));
}

void RecordingConsumer::HandleCXXStaticMemberVarInstantiation(VarDecl *D) {
  take(callOf(&ASTConsumer::HandleCXXStaticMemberVarInstantiation, D));
}

void RecordingConsumer::HandleTagDeclDefinition(TagDecl *D) {
  take(callOf(&ASTConsumer::HandleTagDeclDefinition, D));
}

void RecordingConsumer::HandleTagDeclRequiredDefinition(const TagDecl *D) {
  take(callOf(&ASTConsumer::HandleTagDeclRequiredDefinition, D));
}

void RecordingConsumer::CompleteTentativeDefinition(VarDecl *D) {
  take(callOf(&ASTConsumer::CompleteTentativeDefinition, D));
}

void RecordingConsumer::CompleteExternalDeclaration(DeclaratorDecl *D) {
  take(callOf(&ASTConsumer::CompleteExternalDeclaration, D));
}

void RecordingConsumer::AssignInheritanceModel(CXXRecordDecl *D) {
  take(callOf(&ASTConsumer::AssignInheritanceModel, D));
}

void RecordingConsumer::HandleVTable(CXXRecordDecl *D) {
  take(callOf(&ASTConsumer::HandleVTable, D));
}

void RecordingConsumer::HandleOpenACCRoutineReference(
    const FunctionDecl *F, const OpenACCRoutineDecl *D) {
  take([F, D](ASTConsumer &To) {
    To.HandleOpenACCRoutineReference(F, D);
    return true;
  });
}

ASTMutationListener *RecordingConsumer::GetASTMutationListener() {
  return Delayed ? Delayed->GetASTMutationListener() : nullptr;
}

ASTDeserializationListener *RecordingConsumer::GetASTDeserializationListener() {
  return Delayed ? Delayed->GetASTDeserializationListener() : nullptr;
}

void RecordingConsumer::PrintStats() {
  if (Delayed)
    Delayed->PrintStats();
}

bool RecordingConsumer::shouldSkipFunctionBody(Decl *D) {
  return !Delayed || Delayed->shouldSkipFunctionBody(D);
}

void RecordingConsumer::InitializeSema(Sema &S) {
  if (auto *Consumer = dyn_cast_or_null<clang::SemaConsumer>(Delayed.get()))
    Consumer->InitializeSema(S);
}

void RecordingConsumer::ForgetSema() {
  if (auto *Consumer = dyn_cast_or_null<clang::SemaConsumer>(Delayed.get()))
    Consumer->ForgetSema();
}
