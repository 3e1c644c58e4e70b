// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "sluice/Frontend/ConstantFolder.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace sluice;
using namespace clang;

/// Calls of calls of ... are followed this deep.
static constexpr unsigned MaxDepth = 32;

static const Expr *strip(const Expr *E) {
  while (E) {
    const Expr *Inner = E->IgnoreParens();
    if (const auto *X = dyn_cast<FullExpr>(Inner))
      Inner = X->getSubExpr();
    else if (const auto *X = dyn_cast<MaterializeTemporaryExpr>(Inner))
      Inner = X->getSubExpr();
    else if (const auto *X = dyn_cast<CXXBindTemporaryExpr>(Inner))
      Inner = X->getSubExpr();
    else if (const auto *X = dyn_cast<CXXDefaultArgExpr>(Inner))
      Inner = X->getExpr();
    else if (const auto *X = dyn_cast<SubstNonTypeTemplateParmExpr>(Inner))
      Inner = X->getReplacement();
    if (Inner == E)
      break;
    E = Inner;
  }
  return E;
}

/// The value that \p Variable has wherever it is used, as an expression; null
/// where it may change or is not known.
const Expr *ConstantFolder::initializer(const VarDecl *Variable) {
  if (!Variable->hasInit() || Variable->getType()->isReferenceType() ||
      isa<ParmVarDecl>(Variable))
    return nullptr;
  if (Variable->isConstexpr() || Variable->getType().isConstQualified())
    return Variable->getInit();
  const auto *Function =
      dyn_cast_or_null<FunctionDecl>(Variable->getParentFunctionOrMethod());
  if (!Function || !Variable->isLocalVarDecl() || Variable->isStaticLocal())
    return nullptr;
  auto &Body = Bodies[Function];
  if (!Body)
    Body = std::make_unique<LocalVariables>(Function->getBody());
  return Body->isNeverModified(Variable) ? Variable->getInit() : nullptr;
}

ConstantFolder::Number ConstantFolder::wrap(int64_t Value, QualType T) const {
  Number N;
  unsigned Bits = Context.getIntWidth(T);
  if (Bits >= 64)
    N.Integer = Value;
  else if (T->isUnsignedIntegerOrEnumerationType())
    N.Integer =
        int64_t(uint64_t(Value) & llvm::maskTrailingOnes<uint64_t>(Bits));
  else
    N.Integer = llvm::SignExtend64(uint64_t(Value), Bits);
  return N;
}

std::optional<ConstantFolder::Number>
ConstantFolder::convert(Number N, QualType To) const {
  if (To->isBooleanType())
    return wrap(N.IsFloat ? N.Float != 0 : N.Integer != 0, To);
  if (To->isIntegralOrEnumerationType()) {
    if (!N.IsFloat)
      return wrap(N.Integer, To);
    if (!(std::abs(N.Float) < 9.0e18))
      return std::nullopt;
    return wrap(int64_t(N.Float), To);
  }
  if (!To->isRealFloatingType())
    return std::nullopt;
  Number R;
  R.IsFloat = true;
  R.Float = N.IsFloat ? N.Float : double(N.Integer);
  if (Context.getTypeSize(To) == 32)
    R.Float = float(R.Float);
  return R;
}

std::optional<ConstantFolder::Number>
ConstantFolder::ofVariable(const VarDecl *Variable) {
  if (const auto *P = dyn_cast<ParmVarDecl>(Variable)) {
    auto It = Parameters.find(P);
    if (It == Parameters.end())
      return std::nullopt;
    return It->second;
  }
  const Expr *Init = initializer(Variable);
  return Init ? number(Init) : std::nullopt;
}

/// ceil and floor, and functions whose body is one return statement.
std::optional<ConstantFolder::Number>
ConstantFolder::ofCall(const CallExpr *Call) {
  const FunctionDecl *Callee = Call->getDirectCallee();
  if (!Callee)
    return std::nullopt;
  const IdentifierInfo *Name = Callee->getIdentifier();
  if (Name && Call->getNumArgs() == 1 &&
      (Name->isStr("ceil") || Name->isStr("ceilf") || Name->isStr("floor") ||
       Name->isStr("floorf"))) {
    auto X = number(Call->getArg(0));
    if (!X)
      return std::nullopt;
    Number R;
    R.IsFloat = true;
    double Value = X->IsFloat ? X->Float : double(X->Integer);
    R.Float = Name->getName().starts_with("ceil") ? std::ceil(Value)
                                                  : std::floor(Value);
    return R;
  }
  const FunctionDecl *Definition = nullptr;
  const Stmt *Body = Callee->getBody(Definition);
  const auto *Block = dyn_cast_or_null<CompoundStmt>(Body);
  if (!Block || Block->size() != 1)
    return std::nullopt;
  const auto *Return = dyn_cast<ReturnStmt>(Block->body_front());
  if (!Return || !Return->getRetValue())
    return std::nullopt;
  llvm::SmallVector<std::pair<const ParmVarDecl *, Number>, 4> Bound;
  unsigned Count = std::min(Call->getNumArgs(), Definition->getNumParams());
  for (unsigned I = 0; I < Count; ++I) {
    QualType T = Definition->getParamDecl(I)->getType();
    if (auto Value = number(Call->getArg(I)))
      if (auto Converted = convert(*Value, T.getNonReferenceType()))
        Bound.push_back({Definition->getParamDecl(I), *Converted});
  }
  auto Outer = Parameters;
  for (auto [P, Value] : Bound)
    Parameters[P] = Value;
  auto Result = number(Return->getRetValue());
  Parameters = std::move(Outer);
  return Result;
}

std::optional<ConstantFolder::Number>
ConstantFolder::ofBinary(const BinaryOperator *Op) {
  if (Op->isAssignmentOp())
    return std::nullopt;
  auto L = number(Op->getLHS()), R = number(Op->getRHS());
  if (!L || !R)
    return std::nullopt;
  QualType Operand = Op->getLHS()->getType();
  if (L->IsFloat || R->IsFloat) {
    double A = L->Float, B = R->Float;
    Number N;
    N.IsFloat = true;
    switch (Op->getOpcode()) {
    case BO_Add:
      N.Float = A + B;
      break;
    case BO_Sub:
      N.Float = A - B;
      break;
    case BO_Mul:
      N.Float = A * B;
      break;
    case BO_Div:
      N.Float = A / B;
      break;
    default:
      return std::nullopt;
    }
    return convert(N, Op->getType());
  }
  int64_t A = L->Integer, B = R->Integer;
  uint64_t UA = A, UB = B;
  bool Unsigned = Operand->isUnsignedIntegerOrEnumerationType();
  switch (Op->getOpcode()) {
  case BO_Add:
    return wrap(int64_t(UA + UB), Op->getType());
  case BO_Sub:
    return wrap(int64_t(UA - UB), Op->getType());
  case BO_Mul:
    return wrap(int64_t(UA * UB), Op->getType());
  case BO_Div:
  case BO_Rem:
    if (B == 0 || (!Unsigned && A == INT64_MIN && B == -1))
      return std::nullopt;
    if (Op->getOpcode() == BO_Div)
      return wrap(Unsigned ? int64_t(UA / UB) : A / B, Op->getType());
    return wrap(Unsigned ? int64_t(UA % UB) : A % B, Op->getType());
  case BO_Shl:
    return UB < 64
               ? std::optional<Number>(wrap(int64_t(UA << UB), Op->getType()))
               : std::nullopt;
  case BO_Shr:
    if (UB >= 64)
      return std::nullopt;
    return wrap(Unsigned ? int64_t(UA >> UB) : A >> UB, Op->getType());
  case BO_And:
    return wrap(A & B, Op->getType());
  case BO_Or:
    return wrap(A | B, Op->getType());
  case BO_Xor:
    return wrap(A ^ B, Op->getType());
  case BO_LT:
    return wrap(Unsigned ? UA < UB : A < B, Op->getType());
  case BO_GT:
    return wrap(Unsigned ? UA > UB : A > B, Op->getType());
  case BO_LE:
    return wrap(Unsigned ? UA <= UB : A <= B, Op->getType());
  case BO_GE:
    return wrap(Unsigned ? UA >= UB : A >= B, Op->getType());
  case BO_EQ:
    return wrap(A == B, Op->getType());
  case BO_NE:
    return wrap(A != B, Op->getType());
  default:
    return std::nullopt;
  }
}

/// Which component of a dim3 a member is, or 3.
static unsigned componentOf(const MemberExpr *Member) {
  llvm::StringRef Name = Member->getMemberDecl()->getName();
  return Name == "x" ? 0 : Name == "y" ? 1 : Name == "z" ? 2 : 3;
}

static bool isDim3(QualType T) {
  const auto *Record = T.getNonReferenceType()->getAsCXXRecordDecl();
  return Record && Record->getIdentifier() && Record->getName() == "dim3";
}

std::optional<ConstantFolder::Number> ConstantFolder::number(const Expr *E) {
  E = strip(E);
  if (!E || E->isValueDependent() || E->isTypeDependent() || Depth >= MaxDepth)
    return std::nullopt;
  ++Depth;
  llvm::scope_exit Leave([&] { --Depth; });

  Expr::EvalResult Constant;
  if (E->getType()->isIntegralOrEnumerationType() &&
      E->EvaluateAsInt(Constant, Context) &&
      Constant.Val.getInt().getSignificantBits() <= 64)
    return wrap(Constant.Val.getInt().getExtValue(), E->getType());

  if (const auto *Literal = dyn_cast<FloatingLiteral>(E)) {
    Number N;
    N.IsFloat = true;
    N.Float = Literal->getValueAsApproximateDouble();
    return N;
  }
  if (const auto *Cast = dyn_cast<CastExpr>(E)) {
    if (Cast->getCastKind() == CK_LValueToRValue ||
        Cast->getCastKind() == CK_NoOp)
      return number(Cast->getSubExpr());
    if (!E->getType()->isArithmeticType() && !E->getType()->isEnumeralType())
      return std::nullopt;
    auto Sub = number(Cast->getSubExpr());
    return Sub ? convert(*Sub, E->getType()) : std::nullopt;
  }
  if (const auto *Ref = dyn_cast<DeclRefExpr>(E)) {
    const auto *Variable = dyn_cast<VarDecl>(Ref->getDecl());
    return Variable ? ofVariable(Variable) : std::nullopt;
  }
  if (const auto *Member = dyn_cast<MemberExpr>(E)) {
    unsigned Component = componentOf(Member);
    if (!isDim3(Member->getBase()->getType()) || Component > 2)
      return std::nullopt;
    auto Value = dim(Member->getBase())[Component];
    return Value ? std::optional<Number>(wrap(int64_t(*Value), E->getType()))
                 : std::nullopt;
  }
  if (const auto *Op = dyn_cast<UnaryOperator>(E)) {
    auto Sub = number(Op->getSubExpr());
    if (!Sub || Sub->IsFloat)
      return std::nullopt;
    switch (Op->getOpcode()) {
    case UO_Plus:
      return Sub;
    case UO_Minus:
      return wrap(int64_t(-uint64_t(Sub->Integer)), E->getType());
    case UO_Not:
      return wrap(~Sub->Integer, E->getType());
    case UO_LNot:
      return wrap(!Sub->Integer, E->getType());
    default:
      return std::nullopt;
    }
  }
  if (const auto *Op = dyn_cast<BinaryOperator>(E))
    return ofBinary(Op);
  if (const auto *Choice = dyn_cast<ConditionalOperator>(E)) {
    auto C = number(Choice->getCond());
    if (!C || C->IsFloat)
      return std::nullopt;
    return number(C->Integer ? Choice->getTrueExpr() : Choice->getFalseExpr());
  }
  if (const auto *Call = dyn_cast<CallExpr>(E))
    return ofCall(Call);
  if (const auto *List = dyn_cast<InitListExpr>(E);
      List && List->getNumInits() == 1)
    return number(List->getInit(0));
  return std::nullopt;
}

std::optional<int64_t> ConstantFolder::integer(const Expr *E) {
  auto N = number(E);
  if (!N || N->IsFloat)
    return std::nullopt;
  return N->Integer;
}

ConstantFolder::Dim ConstantFolder::dim(const Expr *E) {
  Dim Unknown;
  E = strip(E);
  if (!E || Depth >= MaxDepth)
    return Unknown;
  ++Depth;
  llvm::scope_exit Leave([&] { --Depth; });

  if (const auto *Construct = dyn_cast<CXXConstructExpr>(E)) {
    if (Construct->getNumArgs() > 0 && isDim3(Construct->getArg(0)->getType()))
      return dim(Construct->getArg(0)); // a copy
    Dim D = {1, 1, 1};
    for (unsigned I = 0; I < Construct->getNumArgs() && I < 3; ++I) {
      D[I] = std::nullopt;
      if (auto Value = integer(Construct->getArg(I)); Value && *Value >= 0)
        D[I] = uint64_t(*Value);
    }
    return D;
  }
  if (const auto *Cast = dyn_cast<CastExpr>(E))
    return dim(Cast->getSubExpr());
  if (const auto *Ref = dyn_cast<DeclRefExpr>(E)) {
    const auto *Variable = dyn_cast<VarDecl>(Ref->getDecl());
    const Expr *Init = Variable && isDim3(Variable->getType())
                           ? initializer(Variable)
                           : nullptr;
    if (Init)
      return dim(Init);
  }
  if (E->getType()->isIntegralOrEnumerationType())
    if (auto Value = integer(E); Value && *Value >= 0)
      return {uint64_t(*Value), 1, 1};
  return Unknown;
}
