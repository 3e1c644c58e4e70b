// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Goes down an expression by its form. clang evaluates what is constant in the
// language; a variable is what ReachingValues says was written to it last.
// Depth and steps are bounded, and beyond them there is no answer.

#include "sluice/Frontend/ConstantFolder.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace sluice;
using namespace clang;

/// Calls of calls of ... are followed this deep.
static constexpr unsigned MaxDepth = 32;
/// And so many expressions for one answer.
static constexpr unsigned MaxSteps = 4096;

ConstantFolder::Scope::Scope(ConstantFolder &Folder) : Folder(Folder) {
  if (Folder.Depth++ == 0)
    Folder.Steps = 0;
  ++Folder.Steps;
}

bool ConstantFolder::Scope::isTooMuch() const {
  return Folder.Depth > MaxDepth || Folder.Steps > MaxSteps;
}

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

/// \p E without what changes nothing; null for what cannot be looked at: the
/// text of a template, or what clang has made of an error.
const Expr *ConstantFolder::understandable(const Expr *E) {
  E = strip(E);
  return E && !E->getType().isNull() && !E->isInstantiationDependent() &&
                 !E->containsErrors()
             ? E
             : nullptr;
}

UnitUses &ConstantFolder::uses() {
  if (!Uses)
    Uses = std::make_unique<UnitUses>(Context);
  return *Uses;
}

/// Of a parameter only that it is one.
ReachingValues::Value ConstantFolder::valueOf(const DeclRefExpr *Ref,
                                              Path Part) {
  ReachingValues::Value Initial;
  const auto *Variable = dyn_cast<VarDecl>(Ref->getDecl());
  if (!Variable || Variable->getType()->isReferenceType() ||
      Variable->getType().isVolatileQualified())
    return Initial;
  if (!isa<ParmVarDecl>(Variable)) {
    Initial.Written = Variable->getAnyInitializer();
    Initial.Part.assign(Part.begin(), Part.end());
    if (Variable->isConstexpr() || Variable->getType().isConstQualified())
      return Initial;
  }
  const auto *Function =
      dyn_cast_or_null<FunctionDecl>(Variable->getParentFunctionOrMethod());
  if (!Function) {
    if (Variable->hasGlobalStorage() && uses().isNeverModified(Variable))
      return Initial;
    return {};
  }
  const FunctionDecl *Definition = nullptr;
  if (!Function->hasBody(Definition))
    return {};
  auto &Body = Bodies[Definition];
  if (!Body)
    Body = std::make_unique<ReachingValues>(Definition->getBody());
  return Body->valueAt(Ref, Part);
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

/// What every call of a function that is only called in this file gives.
std::optional<ConstantFolder::Number>
ConstantFolder::ofParameter(const ParmVarDecl *Parameter) {
  auto Bound = Parameters.find(Parameter);
  if (Bound != Parameters.end())
    return Bound->second;
  const auto *Function = dyn_cast<FunctionDecl>(Parameter->getDeclContext());
  unsigned Index = Parameter->getFunctionScopeIndex();
  if (!Function || Index >= Function->getNumParams() ||
      Parameter->isParameterPack())
    return std::nullopt;
  // A call that passes the parameter on finds it unknown.
  auto [It, IsNew] = Arguments.try_emplace(Parameter);
  if (!IsNew)
    return It->second;
  std::optional<Number> Result;
  // The calls are elsewhere: nothing that is bound here holds there.
  Bindings Here = std::exchange(Parameters, Bindings());
  for (const CallExpr *Call : uses().callsOf(Function)) {
    std::optional<Number> Value;
    if (Index < Call->getNumArgs())
      Value = number(Call->getArg(Index));
    if (!Value || (Result && !(*Result == *Value))) {
      Result = std::nullopt;
      break;
    }
    Result = Value;
  }
  Parameters = std::move(Here);
  return Arguments[Parameter] = Result;
}

std::optional<ConstantFolder::Number>
ConstantFolder::partOf(const DeclRefExpr *Ref, Path Part) {
  ReachingValues::Value V = valueOf(Ref, Part);
  if (V.Written)
    return partOf(V.Written, V.Part);
  const auto *Parameter = dyn_cast<ParmVarDecl>(Ref->getDecl());
  // The body of a function that only returns shows whether it is modified.
  if (Parameter && Part.empty() &&
      (V.IsArgument || Parameters.contains(Parameter)))
    return ofParameter(Parameter);
  return std::nullopt;
}

static bool hasNameIn(const FunctionDecl *Callee,
                      std::initializer_list<llvm::StringRef> Names) {
  return Callee->getIdentifier() &&
         llvm::is_contained(Names, Callee->getName());
}

/// ceil and floor.
std::optional<ConstantFolder::Number>
ConstantFolder::ofRounding(const CallExpr *Call) {
  auto X = number(Call->getArg(0));
  if (!X)
    return std::nullopt;
  Number R;
  R.IsFloat = true;
  double Value = X->IsFloat ? X->Float : double(X->Integer);
  R.Float = Call->getDirectCallee()->getName().starts_with("ceil")
                ? std::ceil(Value)
                : std::floor(Value);
  return convert(R, Call->getType().getNonReferenceType());
}

std::optional<ConstantFolder::Number>
ConstantFolder::ofMinOrMax(const CallExpr *Call) {
  const FunctionDecl *Callee = Call->getDirectCallee();
  QualType T = Callee->getReturnType().getNonReferenceType();
  if (!T->isIntegralOrEnumerationType())
    return std::nullopt;
  std::optional<Number> Values[2];
  for (unsigned I = 0; I < 2; ++I)
    if (auto V = number(Call->getArg(I)); V && !V->IsFloat)
      Values[I] = convert(*V, T);
  if (!Values[0] || !Values[1])
    return std::nullopt;
  int64_t A = Values[0]->Integer, B = Values[1]->Integer;
  bool Less = T->isUnsignedIntegerOrEnumerationType()
                  ? uint64_t(A) < uint64_t(B)
                  : A < B;
  return Less == (Callee->getName() == "min") ? Values[0] : Values[1];
}

const Expr *ConstantFolder::returned(const CallExpr *Call, Bindings &Values) {
  const FunctionDecl *Callee = Call->getDirectCallee();
  const FunctionDecl *Definition = nullptr;
  const Stmt *Body = Callee ? Callee->getBody(Definition) : nullptr;
  const auto *Block = dyn_cast_or_null<CompoundStmt>(Body);
  if (!Block || Block->size() != 1 || Definition->isWeak())
    return nullptr;
  // Another class may have its own.
  const auto *Method = dyn_cast<CXXMethodDecl>(Definition);
  if (Method && Method->isVirtual())
    return nullptr;
  const auto *Return = dyn_cast<ReturnStmt>(Block->body_front());
  if (!Return || !Return->getRetValue())
    return nullptr;
  // The object comes first where an operator of its class is called.
  unsigned Skipped = Method && isa<CXXOperatorCallExpr>(Call) ? 1 : 0;
  for (unsigned I = 0; I < Definition->getNumParams(); ++I) {
    const ParmVarDecl *P = Definition->getParamDecl(I);
    if (I + Skipped >= Call->getNumArgs())
      break;
    if (auto Value = number(Call->getArg(I + Skipped)))
      if (auto Converted = convert(*Value, P->getType().getNonReferenceType()))
        Values[P] = *Converted;
  }
  return Return->getRetValue();
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

std::optional<ConstantFolder::Number>
ConstantFolder::ofUnary(const UnaryOperator *Op) {
  auto Sub = number(Op->getSubExpr());
  if (!Sub || Sub->IsFloat)
    return std::nullopt;
  switch (Op->getOpcode()) {
  case UO_Plus:
    return Sub;
  case UO_Minus:
    return wrap(int64_t(-uint64_t(Sub->Integer)), Op->getType());
  case UO_Not:
    return wrap(~Sub->Integer, Op->getType());
  case UO_LNot:
    return wrap(!Sub->Integer, Op->getType());
  default:
    return std::nullopt;
  }
}

std::optional<ConstantFolder::Number> ConstantFolder::number(const Expr *E) {
  E = understandable(E);
  Scope Level(*this);
  if (!E || Level.isTooMuch())
    return std::nullopt;

  Expr::EvalResult Constant;
  if (E->getType()->isIntegralOrEnumerationType() &&
      E->EvaluateAsInt(Constant, Context) &&
      Constant.Val.getInt().isRepresentableByInt64())
    return wrap(Constant.Val.getInt().getExtValue(), E->getType());

  if (const auto *Literal = dyn_cast<FloatingLiteral>(E)) {
    Number N;
    N.IsFloat = true;
    N.Float = Literal->getValueAsApproximateDouble();
    return N;
  }
  if (isa<ImplicitValueInitExpr>(E))
    return E->getType()->isIntegralOrEnumerationType()
               ? std::optional<Number>(Number())
               : std::nullopt;
  if (const auto *Cast = dyn_cast<CastExpr>(E)) {
    if (Cast->getCastKind() == CK_LValueToRValue ||
        Cast->getCastKind() == CK_NoOp)
      return number(Cast->getSubExpr());
    if (!E->getType()->isArithmeticType() && !E->getType()->isEnumeralType())
      return std::nullopt;
    auto Sub = number(Cast->getSubExpr());
    return Sub ? convert(*Sub, E->getType()) : std::nullopt;
  }
  MemberPath Part;
  if (const DeclRefExpr *Ref = splitMembers(E, Part))
    return partOf(Ref, Part);
  if (const auto *Member = dyn_cast<MemberExpr>(E)) { // dim3(...).x
    const auto *Field = dyn_cast<FieldDecl>(Member->getMemberDecl());
    return Field && !Member->isArrow() ? partOf(Member->getBase(), Path(Field))
                                       : std::nullopt;
  }
  if (const auto *Op = dyn_cast<UnaryOperator>(E))
    return ofUnary(Op);
  if (const auto *Op = dyn_cast<BinaryOperator>(E))
    return ofBinary(Op);
  if (const auto *Choice = dyn_cast<ConditionalOperator>(E)) {
    if (auto C = number(Choice->getCond()); C && !C->IsFloat)
      return number(C->Integer ? Choice->getTrueExpr()
                               : Choice->getFalseExpr());
    auto A = number(Choice->getTrueExpr()), B = number(Choice->getFalseExpr());
    return A && B && *A == *B ? A : std::nullopt;
  }
  if (const auto *Call = dyn_cast<CallExpr>(E)) {
    const FunctionDecl *Callee = Call->getDirectCallee();
    if (!Callee)
      return std::nullopt;
    // One with a body that is not the library's does what the body says.
    bool IsLibrarys =
        !Callee->hasBody() ||
        Context.getSourceManager().isInSystemHeader(Callee->getLocation());
    if (IsLibrarys && Call->getNumArgs() == 1 &&
        hasNameIn(Callee, {"ceil", "ceilf", "floor", "floorf"}))
      return ofRounding(Call);
    if ((IsLibrarys || Callee->isInStdNamespace()) && Call->getNumArgs() == 2 &&
        hasNameIn(Callee, {"min", "max"}))
      return ofMinOrMax(Call);
    Bindings Values;
    const Expr *Result = returned(Call, Values);
    if (!Result)
      return std::nullopt;
    std::swap(Parameters, Values);
    auto N = number(Result);
    std::swap(Parameters, Values);
    return N;
  }
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

const Expr *ConstantFolder::definition(const Expr *E) {
  for (unsigned I = 0; I < MaxDepth; ++I) {
    const Expr *Inner = understandable(E);
    const auto *Ref =
        Inner ? dyn_cast<DeclRefExpr>(Inner->IgnoreParenImpCasts()) : nullptr;
    ReachingValues::Value V;
    if (Ref && isa<VarDecl>(Ref->getDecl()))
      V = valueOf(Ref, {});
    if (!V.Written)
      break;
    E = V.Written;
  }
  return E;
}
