// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// A visitor of the code of a translation unit that can run: functions outside
/// system headers, and of templates, their members and generic lambdas what
/// they are instantiated to. The text that instantiations are made of is left
/// out, and so are the branches that `if constexpr` discards.

#ifndef SLUICE_FRONTEND_RUNCODE_H
#define SLUICE_FRONTEND_RUNCODE_H

#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Basic/SourceManager.h"

namespace sluice {

template <class Derived>
class RunCodeVisitor : public clang::RecursiveASTVisitor<Derived> {
  using Base = clang::RecursiveASTVisitor<Derived>;

public:
  explicit RunCodeVisitor(const clang::SourceManager &SM) : SM(SM) {}

  bool shouldVisitTemplateInstantiations() const { return true; }

  bool TraverseDecl(clang::Decl *D) {
    if (!D || llvm::isa<clang::TranslationUnitDecl>(D))
      return Base::TraverseDecl(D);
    if (D->getLocation().isValid() && SM.isInSystemHeader(D->getLocation()))
      return true;
    const auto *Function = llvm::dyn_cast<clang::FunctionDecl>(D);
    if (Function && Function->isDependentContext())
      return true;
    return Base::TraverseDecl(D);
  }

  bool TraverseLambdaExpr(clang::LambdaExpr *Lambda) {
    clang::CXXMethodDecl *Call = Lambda->getCallOperator();
    clang::FunctionTemplateDecl *Generic =
        Call ? Call->getDescribedFunctionTemplate() : nullptr;
    if (!Generic)
      return Base::TraverseLambdaExpr(Lambda);
    for (clang::Expr *Init : Lambda->capture_inits())
      if (!this->getDerived().TraverseStmt(Init))
        return false;
    for (clang::FunctionDecl *Made : Generic->specializations())
      if (!this->getDerived().TraverseStmt(Made->getBody()))
        return false;
    return true;
  }

  bool TraverseIfStmt(clang::IfStmt *If) {
    if (!If->isConstexpr())
      return Base::TraverseIfStmt(If);
    auto Taken = If->getNondiscardedCase(this->getDerived().context());
    if (!Taken)
      return Base::TraverseIfStmt(If);
    return this->getDerived().TraverseStmt(If->getInit()) &&
           this->getDerived().TraverseStmt(*Taken);
  }

private:
  const clang::SourceManager &SM;
};

} // namespace sluice

#endif
