// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One walk down the body. The mode says what is done with the object that the
// expression at hand names; what is not understood counts as an escape.

#include "sluice/Frontend/LocalVariables.h"
#include "clang/AST/ASTLambda.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "llvm/ADT/STLExtras.h"

using namespace sluice;
using namespace clang;

LocalVariables::LocalVariables(const Stmt *Body, CalleeVariables *Callees)
    : Callees(Callees) {
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

void LocalVariables::note(VariableUse &Use, Mode M, const Expr *Writer) {
  if (M == Mode::Write && Writer)
    Use.Writes.push_back(Writer);
  else if (M != Mode::Read)
    Use.Escapes = true;
}

/// The value of a child of a statement is not used; that of an operand may be,
/// and what is returned by reference is.
void LocalVariables::walkChildren(const Stmt *S) {
  for (const Stmt *Child : S->children()) {
    const auto *E = dyn_cast_or_null<Expr>(Child);
    bool Operand =
        E && E->isGLValue() && isa<Expr, DeclStmt, AsmStmt, ReturnStmt>(S);
    walk(Child, Operand ? Mode::Escape : Mode::Read, nullptr);
  }
}

/// A copy reads its source. All other arguments that are no plain values, and
/// objects of member functions, escape: a const can be cast away.
bool LocalVariables::walkCopy(const Expr *E) {
  const auto *Construct = dyn_cast<CXXConstructExpr>(E);
  if (!Construct || Construct->getNumArgs() != 1 ||
      !Construct->getConstructor()->isCopyOrMoveConstructor() ||
      !Construct->getConstructor()->isTrivial())
    return false;
  walk(Construct->getArg(0), Mode::Read, nullptr);
  return true;
}

const LocalVariables *LocalVariables::usesIn(const FunctionDecl &Definition) {
  if (Callees->try_emplace(&Definition).second) {
    auto Uses =
        std::make_unique<LocalVariables>(Definition.getBody(), *Callees);
    (*Callees)[&Definition] = std::move(Uses);
  }
  return Callees->find(&Definition)->second.get();
}

/// May the code of \p Definition be other than it shows, or write what it has
/// captured?
static bool isOpaque(const FunctionDecl &Definition) {
  if (Definition.isWeak())
    return true;
  const auto *Method = dyn_cast<CXXMethodDecl>(&Definition);
  return Method && (Method->isVirtual() || Method->getParent()->isLambda() ||
                    !Method->isImplicitObjectMemberFunction());
}

/// Is \p Call of what its callee names, and the callee evaluates nothing else?
static bool namesItsCallee(const CallExpr &Call) {
  return isa<DeclRefExpr, MemberExpr>(
             Call.getCallee()->IgnoreParenImpCasts()) &&
         !isa<CUDAKernelCallExpr>(Call);
}

/// A function that only reads what it gets leaves it as it is. What it returns
/// is no part of that: a reference to one is an escape there.
bool LocalVariables::walkCall(const CallExpr *Call) {
  const FunctionDecl *Callee = Call->getDirectCallee(), *Definition = nullptr;
  if (!Callees || !Callee || !namesItsCallee(*Call) ||
      !Callee->hasBody(Definition) || isOpaque(*Definition))
    return false;
  const LocalVariables *Uses = usesIn(*Definition);
  if (!Uses)
    return false;
  auto Lend = [&](const Expr *E, const VariableUse &Use) {
    const bool IsRead = Use.Writes.empty() && !Use.Escapes;
    walk(E, IsRead || !E->isGLValue() ? Mode::Read : Mode::Escape, nullptr);
  };
  llvm::ArrayRef<const Expr *> Arguments(Call->getArgs(), Call->getNumArgs());
  if (const auto *Member =
          dyn_cast<MemberExpr>(Call->getCallee()->IgnoreParenImpCasts())) {
    const bool IsOwn =
        isa<CXXThisExpr>(Member->getBase()->IgnoreParenImpCasts());
    const VariableUse &Use = Uses->Object;
    // As a pointer to itself, the object would escape.
    if (!IsOwn || !Use.Writes.empty() || Use.Escapes)
      Lend(Member->getBase(), Use);
  } else if (isa<CXXMethodDecl>(Definition)) { // an operator
    Lend(Arguments.front(), Uses->Object);
    Arguments = Arguments.drop_front();
  }
  for (auto [I, Argument] : llvm::enumerate(Arguments))
    if (I < Definition->getNumParams())
      Lend(Argument, Uses->use(Definition->getParamDecl(unsigned(I))));
    else
      walk(Argument, Argument->isGLValue() ? Mode::Escape : Mode::Read,
           nullptr);
  return true;
}

void LocalVariables::walkCaptures(const LambdaExpr &Lambda) {
  for (auto [Capture, Init] :
       llvm::zip(Lambda.captures(), Lambda.capture_inits())) {
    bool ByReference = Capture.getCaptureKind() == LCK_ByRef;
    walk(Init, ByReference ? Mode::Escape : Mode::Read, nullptr);
    if (ByReference && Capture.capturesVariable())
      if (auto *V = dyn_cast<VarDecl>(Capture.getCapturedVar()))
        if (V->hasInit() && V->isInitCapture())
          walk(V->getInit(), Mode::Escape, nullptr);
  }
}

void LocalVariables::walk(const Stmt *S, Mode M, const Expr *Writer) {
  if (!S)
    return;
  if (const auto *Ref = dyn_cast<DeclRefExpr>(S)) {
    const auto *Variable = dyn_cast<VarDecl>(Ref->getDecl());
    if (Variable && M != Mode::Read)
      note(Uses[Variable], M, Writer);
    return;
  }
  if (isa<CXXThisExpr>(S))
    return note(Object, Mode::Escape, nullptr);
  if (const auto *Call = dyn_cast<CallExpr>(S); Call && walkCall(Call))
    return;
  if (const auto *Paren = dyn_cast<ParenExpr>(S))
    return walk(Paren->getSubExpr(), M, Writer);
  if (const auto *Cast = dyn_cast<CastExpr>(S)) {
    if (Cast->getCastKind() == CK_LValueToRValue ||
        Cast->getCastKind() == CK_ToVoid)
      return walk(Cast->getSubExpr(), Mode::Read, nullptr);
    if (Cast->getCastKind() == CK_NoOp && isa<ImplicitCastExpr>(Cast))
      return walk(Cast->getSubExpr(), M, Writer);
    return walkChildren(S);
  }
  if (const auto *Op = dyn_cast<BinaryOperator>(S)) {
    if (Op->isAssignmentOp()) {
      // Its result is the variable again: who writes that writes it.
      walk(Op->getLHS(), Mode::Write, Op);
      if (M != Mode::Read)
        walk(Op->getLHS(), Mode::Escape, nullptr);
      return walk(Op->getRHS(), Mode::Read, nullptr);
    }
    if (Op->isCommaOp()) {
      walk(Op->getLHS(), Mode::Read, nullptr);
      return walk(Op->getRHS(), M == Mode::Read ? M : Mode::Escape, nullptr);
    }
    return walkChildren(S);
  }
  if (const auto *Choice = dyn_cast<ConditionalOperator>(S)) {
    walk(Choice->getCond(), Mode::Read, nullptr);
    walk(Choice->getTrueExpr(), M, Writer);
    return walk(Choice->getFalseExpr(), M, Writer);
  }
  if (const auto *Op = dyn_cast<UnaryOperator>(S)) {
    if (Op->isIncrementDecrementOp()) {
      walk(Op->getSubExpr(), Mode::Write, Op);
      if (M != Mode::Read)
        walk(Op->getSubExpr(), Mode::Escape, nullptr);
      return;
    }
    return walkChildren(S);
  }
  if (const auto *Member = dyn_cast<MemberExpr>(S);
      Member && isa<CXXMethodDecl>(Member->getMemberDecl()))
    return walk(Member->getBase(), Mode::Escape, nullptr);
  if (const auto *Member = dyn_cast<MemberExpr>(S);
      Member && isa<CXXThisExpr>(Member->getBase()->IgnoreParenImpCasts()))
    return note(Object, M, Writer);
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
  if (const auto *Lambda = dyn_cast<LambdaExpr>(S))
    return walkCaptures(*Lambda);
  if (const auto *E = dyn_cast<Expr>(S))
    if (walkCopy(E))
      return;
  walkChildren(S);
}
