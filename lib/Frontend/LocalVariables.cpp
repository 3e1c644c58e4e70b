// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One walk down the body. The mode says what is done with the object that the
// expression at hand names; what is not understood counts as an escape.

#include "sluice/Frontend/LocalVariables.h"
#include "clang/AST/ASTLambda.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"

using namespace sluice;
using namespace clang;

LocalVariables::LocalVariables(const Stmt *Body) {
  if (Body)
    walk(Body, Mode::Read, nullptr);
}

const VariableUse &LocalVariables::use(const VarDecl *Variable) const {
  auto It = Uses.find(Variable);
  return It == Uses.end() ? Unused : It->second;
}

bool LocalVariables::isNeverModified(const VarDecl *Variable) const {
  const VariableUse &U = use(Variable);
  return U.Writes.empty() && !U.Escapes;
}

void LocalVariables::walkChildren(const Stmt *S) {
  for (const Stmt *Child : S->children()) {
    const auto *E = dyn_cast_or_null<Expr>(Child);
    walk(Child, E && E->isGLValue() ? Mode::Escape : Mode::Read, nullptr);
  }
}

/// Arguments bound to references to const, and objects of const methods, are
/// read; those bound to other references escape.
bool LocalVariables::walkCall(const Expr *E) {
  auto Argument = [&](const Expr *Arg, QualType Parameter) {
    bool ReadsOnly = !Parameter->isReferenceType() ||
                     Parameter.getNonReferenceType().isConstQualified();
    walk(Arg, ReadsOnly ? Mode::Read : Mode::Escape, nullptr);
  };
  if (const auto *Construct = dyn_cast<CXXConstructExpr>(E)) {
    const CXXConstructorDecl *C = Construct->getConstructor();
    for (unsigned I = 0; I < Construct->getNumArgs(); ++I)
      if (I < C->getNumParams())
        Argument(Construct->getArg(I), C->getParamDecl(I)->getType());
      else
        walk(Construct->getArg(I), Mode::Escape, nullptr);
    return true;
  }
  const auto *Call = dyn_cast<CallExpr>(E);
  if (!Call)
    return false;
  const FunctionDecl *Callee = Call->getDirectCallee();
  unsigned FirstParameter = 0; // the argument that is parameter 0
  if (const auto *Operator = dyn_cast<CXXOperatorCallExpr>(Call);
      Operator && isa_and_nonnull<CXXMethodDecl>(Callee))
    FirstParameter = 1;
  if (const auto *Method = dyn_cast<CXXMemberCallExpr>(Call)) {
    const CXXMethodDecl *D = Method->getMethodDecl();
    if (const Expr *Object = Method->getImplicitObjectArgument())
      walk(Object, D && D->isConst() ? Mode::Read : Mode::Escape, nullptr);
  } else {
    walk(Call->getCallee(), Mode::Read, nullptr);
  }
  for (unsigned I = 0; I < Call->getNumArgs(); ++I) {
    const Expr *Arg = Call->getArg(I);
    if (I < FirstParameter)
      walk(Arg, cast<CXXMethodDecl>(Callee)->isConst() ? Mode::Read
                                                       : Mode::Escape,
           nullptr);
    else if (Callee && I - FirstParameter < Callee->getNumParams())
      Argument(Arg, Callee->getParamDecl(I - FirstParameter)->getType());
    else
      walk(Arg, Arg->isGLValue() ? Mode::Escape : Mode::Read, nullptr);
  }
  return true;
}

void LocalVariables::walk(const Stmt *S, Mode M, const Expr *Writer) {
  if (!S)
    return;
  if (const auto *Ref = dyn_cast<DeclRefExpr>(S)) {
    const auto *Variable = dyn_cast<VarDecl>(Ref->getDecl());
    if (!Variable)
      return;
    if (M == Mode::Write && Writer)
      Uses[Variable].Writes.push_back(Writer);
    else if (M != Mode::Read)
      Uses[Variable].Escapes = true;
    return;
  }
  if (const auto *Paren = dyn_cast<ParenExpr>(S))
    return walk(Paren->getSubExpr(), M, Writer);
  if (const auto *Cast = dyn_cast<CastExpr>(S)) {
    switch (Cast->getCastKind()) {
    case CK_LValueToRValue:
      return walk(Cast->getSubExpr(), Mode::Read, nullptr);
    case CK_NoOp:
    case CK_DerivedToBase:
    case CK_UncheckedDerivedToBase:
      return walk(Cast->getSubExpr(), M, Writer);
    default:
      return walkChildren(S);
    }
  }
  if (const auto *Op = dyn_cast<BinaryOperator>(S); Op && Op->isAssignmentOp()) {
    walk(Op->getLHS(), Mode::Write, Op);
    return walk(Op->getRHS(), Mode::Read, nullptr);
  }
  if (const auto *Op = dyn_cast<UnaryOperator>(S)) {
    if (Op->isIncrementDecrementOp())
      return walk(Op->getSubExpr(), Mode::Write, Op);
    if (Op->getOpcode() == UO_AddrOf)
      return walk(Op->getSubExpr(), Mode::Escape, nullptr);
    return walkChildren(S);
  }
  if (const auto *Member = dyn_cast<MemberExpr>(S))
    return walk(Member->getBase(), Member->isArrow() ? Mode::Read : M,
                Member->isArrow() ? nullptr : Writer);
  if (const auto *Subscript = dyn_cast<ArraySubscriptExpr>(S)) {
    const Expr *Base = Subscript->getBase();
    walk(Subscript->getIdx(), Mode::Read, nullptr);
    if (const auto *Decay = dyn_cast<ImplicitCastExpr>(Base);
        Decay && Decay->getCastKind() == CK_ArrayToPointerDecay)
      return walk(Decay->getSubExpr(), M, Writer); // an element of an array
    return walk(Base, Mode::Read, nullptr);
  }
  if (const auto *Lambda = dyn_cast<LambdaExpr>(S)) {
    for (const LambdaCapture &Capture : Lambda->captures())
      if (Capture.capturesVariable() &&
          Capture.getCaptureKind() == LCK_ByRef)
        if (auto *V = dyn_cast<VarDecl>(Capture.getCapturedVar()))
          Uses[V].Escapes = true;
    return;
  }
  if (const auto *E = dyn_cast<Expr>(S))
    if (walkCall(E))
      return;
  walkChildren(S);
}
