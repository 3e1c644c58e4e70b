// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every reference to a variable is a plain read, a write, or an escape, by the
// expression around it. From a read the search goes up the statements before it
// in its block, then up those before that block, and so on. It ends at a write
// that is a statement of its own there: whoever comes to the read came by it.
// It gives up at a statement that contains a write somewhere inside.

#include "sluice/Frontend/ReachingValues.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "llvm/ADT/STLExtras.h"

using namespace sluice;
using namespace clang;

const DeclRefExpr *sluice::splitMembers(const Expr *E, MemberPath &Path) {
  for (E = E->IgnoreParens(); const auto *Member = dyn_cast<MemberExpr>(E);
       E = Member->getBase()->IgnoreParens()) {
    const auto *Field = dyn_cast<FieldDecl>(Member->getMemberDecl());
    if (!Field || Member->isArrow())
      return nullptr;
    Path.push_back(Field);
  }
  std::reverse(Path.begin(), Path.end());
  return dyn_cast<DeclRefExpr>(E);
}

bool sluice::isConfiguredLaunch(const CallExpr *Call) {
  const FunctionDecl *Callee = Call->getDirectCallee();
  const IdentifierInfo *Name = Callee ? Callee->getIdentifier() : nullptr;
  return Name && Call->getNumArgs() >= 2 &&
         (Name->isStr("cudaLaunchKernelEx") ||
          Name->isStr("cudaLaunchKernelExC"));
}

/// Do two paths name a part that both have?
static bool overlap(llvm::ArrayRef<const FieldDecl *> A,
                    llvm::ArrayRef<const FieldDecl *> B) {
  size_t Common = std::min(A.size(), B.size());
  return A.take_front(Common) == B.take_front(Common);
}

ReachingValues::ReachingValues(const Stmt *Body) {
  if (Body)
    addTree(Body, nullptr);
  for (const DeclRefExpr *Ref : Refs)
    addUse(Ref);
}

void ReachingValues::addTree(const Stmt *S, const Stmt *Parent) {
  Parents[S] = Parent;
  HasLabels |= isa<LabelStmt>(S);
  if (const auto *Ref = dyn_cast<DeclRefExpr>(S))
    Refs.push_back(Ref);
  if (const auto *Declaration = dyn_cast<DeclStmt>(S))
    for (const Decl *D : Declaration->decls())
      if (const auto *Variable = dyn_cast<VarDecl>(D))
        Uses[Variable].Declared = S;
  for (const Stmt *Child : S->children())
    if (Child)
      addTree(Child, S);
}

bool ReachingValues::isIn(const Stmt *Inner, const Stmt *Outer) const {
  while (Inner && Inner != Outer)
    Inner = parent(Inner);
  return Inner;
}

bool ReachingValues::isInLambda(const Stmt *S) const {
  while (S && !isa<LambdaExpr>(S))
    S = parent(S);
  return S;
}

static bool isTrivialCopy(const Expr *E) {
  const auto *Construct = dyn_cast<CXXConstructExpr>(E);
  return Construct && Construct->getNumArgs() == 1 &&
         Construct->getConstructor()->isCopyOrMoveConstructor() &&
         Construct->getConstructor()->isTrivial();
}

/// `a = b` of structs without an operator of their own.
static const CXXOperatorCallExpr *trivialAssignment(const Expr *E) {
  const auto *Call = dyn_cast_or_null<CXXOperatorCallExpr>(E);
  const auto *Method =
      Call ? dyn_cast_or_null<CXXMethodDecl>(Call->getCalleeDecl()) : nullptr;
  return Method && Call->getNumArgs() == 2 && Method->isTrivial() &&
                 (Method->isCopyAssignmentOperator() ||
                  Method->isMoveAssignmentOperator())
             ? Call
             : nullptr;
}

/// std::min and std::max, which take their arguments by reference.
static bool isMinOrMax(const Expr *E) {
  const auto *Call = dyn_cast<CallExpr>(E);
  const FunctionDecl *Callee = Call ? Call->getDirectCallee() : nullptr;
  return Callee && Callee->isInStdNamespace() && Callee->getIdentifier() &&
         (Callee->getName() == "min" || Callee->getName() == "max");
}

/// A capture that has the variable's name: the lambda's body has its uses.
static bool isCapture(const Expr *E, const Stmt *Operand) {
  const auto *Lambda = dyn_cast<LambdaExpr>(E);
  if (!Lambda)
    return false;
  for (auto [Capture, Init] :
       llvm::zip(Lambda->captures(), Lambda->capture_inits()))
    if (Init == Operand)
      return Capture.capturesVariable() &&
             !Capture.getCapturedVar()->isInitCapture();
  return false;
}

/// Does \p E do no more with its \p Operand than read it?
bool ReachingValues::isRead(const Expr *E, const Stmt *Operand) const {
  if (const auto *Cast = dyn_cast<CastExpr>(E)) {
    if (Cast->getCastKind() == CK_LValueToRValue ||
        Cast->getCastKind() == CK_ToVoid)
      return true;
    const auto *Outer = dyn_cast_or_null<Expr>(parent(Cast));
    return isa<ImplicitCastExpr>(Cast) && Cast->getCastKind() == CK_NoOp &&
           Outer && (isMinOrMax(Outer) || isRead(Outer, Cast)); // as const
  }
  const auto *Assignment = trivialAssignment(E);
  return isTrivialCopy(E) || isCapture(E, Operand) ||
         (Assignment && Assignment->getArg(1) == Operand);
}

void ReachingValues::addUse(const DeclRefExpr *Ref) {
  const auto *Variable = dyn_cast<VarDecl>(Ref->getDecl());
  if (!Variable)
    return;
  Use &U = Uses[Variable];
  Write W;
  const Stmt *Part = Ref, *Around = parent(Ref);
  for (; Around; Part = Around, Around = parent(Around)) {
    if (isa<ParenExpr>(Around))
      continue;
    const auto *Member = dyn_cast<MemberExpr>(Around);
    const auto *Field =
        Member ? dyn_cast<FieldDecl>(Member->getMemberDecl()) : nullptr;
    if (!Field || Member->isArrow())
      break;
    W.Path.push_back(Field);
  }
  const auto *E = dyn_cast_or_null<Expr>(Around);
  if (E && isRead(E, Part))
    return;
  if (const auto *Assignment = trivialAssignment(E)) {
    W.Where = Assignment;
    W.Value = Assignment->getArg(1);
  } else if (const auto *Op = dyn_cast_or_null<BinaryOperator>(E);
             Op && Op->isAssignmentOp() && Op->getLHS() == Part) {
    W.Where = Op;
    W.Value = Op->getOpcode() == BO_Assign ? Op->getRHS() : nullptr;
  } else if (const auto *Op = dyn_cast_or_null<UnaryOperator>(E)) {
    if (Op->isIncrementDecrementOp()) {
      W.Where = Op;
    } else if (Op->getOpcode() == UO_AddrOf) {
      const Stmt *Outer = parent(Op);
      while (isa_and_nonnull<ImplicitCastExpr>(Outer))
        Outer = parent(Outer);
      const auto *Call = dyn_cast_or_null<CallExpr>(Outer);
      if (Call && isConfiguredLaunch(Call) && isIn(Op, Call->getArg(0)))
        return;
    }
  }
  // A lambda writes when it is called, and a mutable one writes a copy.
  if (!W.Where || isInLambda(W.Where)) {
    U.Escapes = true;
    return;
  }
  // The result of an assignment is the variable: `f(&(n = 5))`.
  const Stmt *Operand = W.Where, *User = parent(Operand);
  for (; isa_and_nonnull<FullExpr, ParenExpr>(User); User = parent(User))
    Operand = User;
  if (const auto *Outer = dyn_cast_or_null<Expr>(User);
      Outer && cast<Expr>(W.Where)->isGLValue() && !isRead(Outer, Operand))
    U.Escapes = true;
  U.Writes.push_back(std::move(W));
}

/// Can \p S be entered other than from the statement before it?
static bool isJumpedTo(const Stmt *S) { return isa<SwitchCase>(S); }

static const Stmt *withoutCleanups(const Stmt *S) {
  const auto *Full = dyn_cast<FullExpr>(S);
  return Full ? Full->getSubExpr() : S;
}

ReachingValues::Value
ReachingValues::valueAt(const DeclRefExpr *Ref,
                        llvm::ArrayRef<const FieldDecl *> Path) const {
  Value Unknown, Result;
  const auto *Variable = dyn_cast<VarDecl>(Ref->getDecl());
  auto It = Uses.find(Variable);
  if (!Variable || It == Uses.end() || It->second.Escapes ||
      Variable->getType()->isReferenceType() ||
      Variable->getType().isVolatileQualified())
    return Unknown;
  const Use &U = It->second;
  auto Initial = [&] {
    Result.IsArgument = isa<ParmVarDecl>(Variable);
    if (!Result.IsArgument)
      Result.Written = Variable->getInit();
    Result.Part.assign(Path.begin(), Path.end());
    return Result;
  };
  llvm::SmallVector<const Write *, 4> Writes;
  for (const Write &W : U.Writes)
    if (overlap(W.Path, Path))
      Writes.push_back(&W);
  if (Writes.empty())
    return Initial();
  if (HasLabels || isInLambda(Ref) || !Parents.contains(Ref) ||
      Variable->isStaticLocal())
    return Unknown;
  auto WritesIn = [&](const Stmt *S) {
    return llvm::any_of(Writes,
                        [&](const Write *W) { return isIn(W->Where, S); });
  };

  for (const Stmt *S = Ref; const Stmt *Block = parent(S); S = Block) {
    if (WritesIn(S))
      return Unknown;
    if (!isa<CompoundStmt>(Block))
      continue;
    llvm::SmallVector<const Stmt *, 16> Before;
    for (const Stmt *Child : Block->children()) {
      if (Child == S)
        break;
      Before.push_back(Child);
    }
    bool Jumped = isJumpedTo(S);
    for (const Stmt *T : llvm::reverse(Before)) {
      if (Jumped)
        break; // what is around the switch has no write, or it gives up there
      if (T == U.Declared)
        return WritesIn(T) ? Unknown : Initial();
      for (const Write *W : Writes)
        if (W->Where == withoutCleanups(T) && W->Value &&
            W->Path.size() <= Path.size()) {
          Result.Written = W->Value;
          Result.Part.assign(Path.begin() + W->Path.size(), Path.end());
          return Result;
        }
      if (WritesIn(T))
        return Unknown;
      Jumped = isJumpedTo(T);
    }
  }
  return isa<ParmVarDecl>(Variable) ? Initial() : Unknown;
}
