// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is harmless is marked when the expression around a reference is visited;
// a reference that comes without a mark is not understood.

#include "sluice/Frontend/UnitUses.h"
#include "sluice/Frontend/ReachingValues.h"
#include "sluice/Frontend/RunCode.h"

using namespace sluice;
using namespace clang;

class UnitUses::Visitor : public RunCodeVisitor {
public:
  Visitor(const ASTContext &Context, UnitUses &Result)
      : RunCodeVisitor(Context), Result(Result) {}

  bool VisitCastExpr(CastExpr *Cast) override {
    if (Cast->getCastKind() == CK_LValueToRValue)
      markRead(Cast->getSubExpr());
    return true;
  }
  bool VisitCXXConstructExpr(CXXConstructExpr *Construct) override {
    if (Construct->getNumArgs() == 1 &&
        Construct->getConstructor()->isCopyOrMoveConstructor() &&
        Construct->getConstructor()->isTrivial())
      markRead(Construct->getArg(0)->IgnoreParenNoopCasts(Context));
    return true;
  }
  bool VisitCallExpr(CallExpr *Call) override {
    const auto *Ref =
        dyn_cast<DeclRefExpr>(Call->getCallee()->IgnoreParenImpCasts());
    const auto *Callee = Ref ? dyn_cast<FunctionDecl>(Ref->getDecl()) : nullptr;
    if (!Callee)
      return true;
    Understood.insert(Ref);
    Result.Calls[Callee->getCanonicalDecl()].push_back(Call);
    return true;
  }
  bool VisitDeclRefExpr(DeclRefExpr *Ref) override {
    if (Understood.contains(Ref))
      return true;
    if (const auto *Variable = dyn_cast<VarDecl>(Ref->getDecl()))
      Result.Modified.insert(Variable->getCanonicalDecl());
    if (const auto *Function = dyn_cast<FunctionDecl>(Ref->getDecl()))
      Result.Taken.insert(Function->getCanonicalDecl());
    return true;
  }

private:
  void markRead(const Expr *E) {
    MemberPath Path;
    if (const DeclRefExpr *Ref = splitMembers(E, Path))
      Understood.insert(Ref);
  }

  UnitUses &Result;
  llvm::SmallPtrSet<const DeclRefExpr *, 32> Understood;
};

UnitUses::UnitUses(ASTContext &Context) {
  Visitor(Context, *this).TraverseDecl(Context.getTranslationUnitDecl());
}

bool UnitUses::isNeverModified(const VarDecl *Variable) const {
  return !Variable->isExternallyVisible() &&
         !Variable->getType().isVolatileQualified() &&
         !Modified.contains(Variable->getCanonicalDecl());
}

llvm::ArrayRef<const CallExpr *>
UnitUses::callsOf(const FunctionDecl *Function) const {
  Function = Function->getCanonicalDecl();
  if (Function->isExternallyVisible() || Taken.contains(Function) ||
      isa<CXXMethodDecl>(Function))
    return {};
  auto It = Calls.find(Function);
  return It == Calls.end() ? llvm::ArrayRef<const CallExpr *>() : It->second;
}
