// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// A visitor of the code of a translation unit that can run: functions outside
/// system headers, and of templates, their members and generic lambdas what
/// they are instantiated to. The text that instantiations are made of is left
/// out, and so are the branches that `if constexpr` discards.

#ifndef SLUICE_FRONTEND_RUNCODE_H
#define SLUICE_FRONTEND_RUNCODE_H

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Basic/SourceManager.h"

namespace sluice {

class RunCodeVisitor : public clang::DynamicRecursiveASTVisitor {
  using Base = clang::DynamicRecursiveASTVisitor;

public:
  explicit RunCodeVisitor(const clang::ASTContext &Context) : Context(Context) {
    ShouldVisitTemplateInstantiations = true;
  }

  bool TraverseDecl(clang::Decl *D) override {
    if (!D || llvm::isa<clang::TranslationUnitDecl>(D))
      return Base::TraverseDecl(D);
    if (D->getLocation().isValid() &&
        Context.getSourceManager().isInSystemHeader(D->getLocation()))
      return true;
    const auto *Function = llvm::dyn_cast<clang::FunctionDecl>(D);
    if (Function && Function->isDependentContext())
      return true;
    return Base::TraverseDecl(D);
  }

  bool TraverseLambdaExpr(clang::LambdaExpr *Lambda) override {
    clang::CXXMethodDecl *Call = Lambda->getCallOperator();
    clang::FunctionTemplateDecl *Generic =
        Call ? Call->getDescribedFunctionTemplate() : nullptr;
    if (!Generic)
      return Base::TraverseLambdaExpr(Lambda);
    for (clang::Expr *Init : Lambda->capture_inits())
      if (!TraverseStmt(Init))
        return false;
    for (clang::FunctionDecl *Made : Generic->specializations())
      if (!TraverseStmt(Made->getBody()))
        return false;
    return true;
  }

  bool TraverseIfStmt(clang::IfStmt *If) override {
    if (!If->isConstexpr())
      return Base::TraverseIfStmt(If);
    auto Taken = If->getNondiscardedCase(Context);
    if (!Taken)
      return Base::TraverseIfStmt(If);
    return TraverseStmt(If->getInit()) && TraverseStmt(*Taken);
  }

protected:
  const clang::ASTContext &Context;
};

} // namespace sluice

#endif
