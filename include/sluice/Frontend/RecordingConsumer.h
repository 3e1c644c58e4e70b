// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Notes what clang tells a consumer of the AST while it parses, to tell it to
/// others when the file has been read. Launches stand below kernels, so nothing
/// can be decided of a kernel, nor its code be generated, when it arrives.

#ifndef SLUICE_FRONTEND_RECORDINGCONSUMER_H
#define SLUICE_FRONTEND_RECORDINGCONSUMER_H

#include "clang/AST/DeclGroup.h"
#include "clang/Sema/SemaConsumer.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <array>
#include <memory>
#include <vector>

namespace clang {
class CompilerInstance;
} // namespace clang

namespace sluice {

class RecordingConsumer : public clang::SemaConsumer {
public:
  /// \p Delayed hears nothing of declarations until replay(), but all the rest
  /// at once. Call it before clang reads the file.
  void delay(std::unique_ptr<clang::ASTConsumer> Delayed);

  /// Tells \p To what has been noted so far, and, while \p Then runs, what
  /// comes. Returns false, and does not run \p Then, where \p To wants no more.
  bool replay(clang::ASTConsumer &To, llvm::function_ref<void()> Then = {});

  /// The declarations of kernels in what has been noted, also those in
  /// namespaces and classes, and templates' own; some more than once. Valid
  /// until the next call.
  llvm::ArrayRef<clang::FunctionDecl *> kernels();

  /// Null: none.
  clang::ASTConsumer *delayed() { return Delayed.get(); }

  bool HandleTopLevelDecl(clang::DeclGroupRef D) override;
  void HandleInterestingDecl(clang::DeclGroupRef D) override;
  void HandleTopLevelDeclInObjCContainer(clang::DeclGroupRef D) override;
  void HandleImplicitImportDecl(clang::ImportDecl *D) override;
  void HandleInlineFunctionDefinition(clang::FunctionDecl *D) override;
  void HandleCXXImplicitFunctionInstantiation(clang::FunctionDecl *D) override;
  void HandleCXXStaticMemberVarInstantiation(clang::VarDecl *D) override;
  void HandleTagDeclDefinition(clang::TagDecl *D) override;
  void HandleTagDeclRequiredDefinition(const clang::TagDecl *D) override;
  void CompleteTentativeDefinition(clang::VarDecl *D) override;
  void CompleteExternalDeclaration(clang::DeclaratorDecl *D) override;
  void AssignInheritanceModel(clang::CXXRecordDecl *D) override;
  void HandleVTable(clang::CXXRecordDecl *D) override;
  void
  HandleOpenACCRoutineReference(const clang::FunctionDecl *F,
                                const clang::OpenACCRoutineDecl *D) override;

  clang::ASTMutationListener *GetASTMutationListener() override;
  clang::ASTDeserializationListener *GetASTDeserializationListener() override;
  void PrintStats() override;
  bool shouldSkipFunctionBody(clang::Decl *D) override;
  void InitializeSema(clang::Sema &S) override;
  void ForgetSema() override;

private:
  /// Which function of a consumer was called, and with what. The headers of
  /// CUDA make some ten thousand.
  struct Call {
    using Arguments = std::array<const void *, 2>;
    bool (*Tell)(clang::ASTConsumer &, const Arguments &); ///< True: go on.
    Arguments With;
  };
  template <auto Handle>
  static bool tell(clang::ASTConsumer &To, const Call::Arguments &With);
  template <auto Handle>
  bool note(const void *First, const void *Second = nullptr);
  bool replayFrom(size_t First, clang::ASTConsumer &To,
                  llvm::function_ref<void()> Then);

  std::unique_ptr<clang::ASTConsumer> Delayed;
  std::vector<Call> Calls;
  std::vector<clang::FunctionDecl *> Kernels; ///< Of the first Searched calls.
  size_t Searched = 0;
  /// To whom is being replayed: what a precompiled header yields on the way
  /// goes there as well.
  clang::ASTConsumer *Live = nullptr;
};

/// Has \p Recorder delay all consumers of \p CI, its own included. Call it from
/// a consumer's Initialize, which is before semantic analysis has got to know
/// them.
void delayConsumers(clang::CompilerInstance &CI,
                    std::unique_ptr<RecordingConsumer> Recorder);

} // namespace sluice

#endif
