// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A call of the consumer is kept with its arguments, which live as long as the
// AST. Whatever clang says while somebody is being told goes to that one at
// once.

#include "sluice/Frontend/RecordingConsumer.h"
#include "clang/AST/Attr.h"
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

/// The argument that was noted as a pointer.
template <typename T> static T restored(const void *From) {
  void *Pointer = const_cast<void *>(From);
  if constexpr (std::is_same_v<T, DeclGroupRef>)
    return DeclGroupRef::getFromOpaquePtr(Pointer);
  else
    return static_cast<T>(Pointer);
}

/// A member function of a consumer called with what was noted. True: go on.
template <typename R, typename... T, size_t... I>
static bool call(ASTConsumer &To, R (ASTConsumer::*Handle)(T...),
                 const std::array<const void *, 2> &With,
                 std::index_sequence<I...>) {
  if constexpr (std::is_same_v<R, bool>)
    return (To.*Handle)(restored<T>(With[I])...);
  (To.*Handle)(restored<T>(With[I])...);
  return true;
}

template <typename R, typename... T>
static bool call(ASTConsumer &To, R (ASTConsumer::*Handle)(T...),
                 const std::array<const void *, 2> &With) {
  return call(To, Handle, With, std::index_sequence_for<T...>());
}

template <auto Handle>
bool RecordingConsumer::tell(ASTConsumer &To, const Call::Arguments &With) {
  return call(To, Handle, With);
}

template <auto Handle>
bool RecordingConsumer::note(const void *First, const void *Second) {
  const Call C{tell<Handle>, {First, Second}};
  const bool GoesOn = !Live || C.Tell(*Live, C.With);
  // What is delayed comes last, and no one asks for the record after it.
  if (!Live || Live != Delayed.get())
    Calls.push_back(C);
  return GoesOn;
}

bool RecordingConsumer::replayFrom(size_t First, ASTConsumer &To,
                                   llvm::function_ref<void()> Then) {
  assert(!Live && "one at a time");
  Live = &To;
  llvm::scope_exit Done([&] { Live = nullptr; });
  // What comes on the way is passed on as it comes.
  for (size_t I = First, E = Calls.size(); I != E; ++I) {
    const Call C = Calls[I]; // the vector may move
    if (!C.Tell(To, C.With))
      return false;
  }
  if (Then)
    Then();
  return true;
}

bool RecordingConsumer::replay(ASTConsumer &To,
                               llvm::function_ref<void()> Then) {
  return replayFrom(0, To, Then);
}

namespace {

class KernelVisitor : public ASTConsumer {
public:
  explicit KernelVisitor(std::vector<FunctionDecl *> &Kernels)
      : Kernels(Kernels) {}

  bool HandleTopLevelDecl(DeclGroupRef Group) override {
    for (Decl *D : Group)
      visit(D);
    return true;
  }
  void HandleInlineFunctionDefinition(FunctionDecl *F) override { visit(F); }

private:
  void visit(Decl *D) {
    if (auto *F = dyn_cast<FunctionDecl>(D)) {
      if (F->hasAttr<CUDAGlobalAttr>())
        Kernels.push_back(F);
    } else if (isa<NamespaceDecl, LinkageSpecDecl, CXXRecordDecl, ExportDecl>(
                   D)) {
      for (Decl *Inner : cast<DeclContext>(D)->decls())
        visit(Inner);
    }
  }

  std::vector<FunctionDecl *> &Kernels;
};

} // namespace

llvm::ArrayRef<FunctionDecl *> RecordingConsumer::kernels() {
  KernelVisitor Visitor(Kernels);
  replayFrom(Searched, Visitor, {});
  Searched = Calls.size();
  return Kernels;
}

bool RecordingConsumer::HandleTopLevelDecl(DeclGroupRef D) {
  return note<&ASTConsumer::HandleTopLevelDecl>(D.getAsOpaquePtr());
}

void RecordingConsumer::HandleInterestingDecl(DeclGroupRef D) {
  note<&ASTConsumer::HandleInterestingDecl>(D.getAsOpaquePtr());
}

void RecordingConsumer::HandleTopLevelDeclInObjCContainer(DeclGroupRef D) {
  note<&ASTConsumer::HandleTopLevelDeclInObjCContainer>(D.getAsOpaquePtr());
}

void RecordingConsumer::HandleImplicitImportDecl(ImportDecl *D) {
  note<&ASTConsumer::HandleImplicitImportDecl>(D);
}

void RecordingConsumer::HandleInlineFunctionDefinition(FunctionDecl *D) {
  note<&ASTConsumer::HandleInlineFunctionDefinition>(D);
}

void RecordingConsumer::HandleCXXImplicitFunctionInstantiation(
    FunctionDecl *D) {
  note<&ASTConsumer::HandleCXXImplicitFunctionInstantiation>(D);
}

void RecordingConsumer::HandleCXXStaticMemberVarInstantiation(VarDecl *D) {
  note<&ASTConsumer::HandleCXXStaticMemberVarInstantiation>(D);
}

void RecordingConsumer::HandleTagDeclDefinition(TagDecl *D) {
  note<&ASTConsumer::HandleTagDeclDefinition>(D);
}

void RecordingConsumer::HandleTagDeclRequiredDefinition(const TagDecl *D) {
  note<&ASTConsumer::HandleTagDeclRequiredDefinition>(D);
}

void RecordingConsumer::CompleteTentativeDefinition(VarDecl *D) {
  note<&ASTConsumer::CompleteTentativeDefinition>(D);
}

void RecordingConsumer::CompleteExternalDeclaration(DeclaratorDecl *D) {
  note<&ASTConsumer::CompleteExternalDeclaration>(D);
}

void RecordingConsumer::AssignInheritanceModel(CXXRecordDecl *D) {
  note<&ASTConsumer::AssignInheritanceModel>(D);
}

void RecordingConsumer::HandleVTable(CXXRecordDecl *D) {
  note<&ASTConsumer::HandleVTable>(D);
}

void RecordingConsumer::HandleOpenACCRoutineReference(
    const FunctionDecl *F, const OpenACCRoutineDecl *D) {
  note<&ASTConsumer::HandleOpenACCRoutineReference>(F, D);
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
