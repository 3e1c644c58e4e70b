// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A list of what is understood; all else gives no answer. The rate of an
// expression is by how much an iteration changes its value.

#include "LoopAddresses.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Expr.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/STLExtras.h"

using namespace sluice;
using namespace clang;

using Rate = std::optional<int64_t>;

/// The variable that \p E names, as an lvalue or read.
static const VarDecl *variableOf(const Expr *E) {
  const auto *Name = dyn_cast<DeclRefExpr>(E->IgnoreParenImpCasts());
  return Name ? dyn_cast<VarDecl>(Name->getDecl()) : nullptr;
}

LoopAddresses::LoopAddresses(const ASTContext &Context,
                             const FunctionDecl &Function, const ForStmt &For)
    : Context(Context), Body(For.getBody()), InFunction(Function.getBody()),
      InBody(For.getBody()), InStep(For.getInc()) {
  Loop.WhyNot = whyNotCounting(For);
}

/// Is it `++j`, `j++` or `j += 1`, perhaps with others beside?
bool LoopAddresses::countsUp(const Expr *Step) const {
  Step = Step->IgnoreParenImpCasts();
  if (const auto *Unary = dyn_cast<UnaryOperator>(Step))
    return Unary->isIncrementOp() &&
           variableOf(Unary->getSubExpr()) == Loop.Counter;
  const auto *Binary = dyn_cast<BinaryOperator>(Step);
  if (!Binary)
    return false;
  if (Binary->getOpcode() == BO_Comma)
    return countsUp(Binary->getLHS()) || countsUp(Binary->getRHS());
  Expr::EvalResult By;
  return Binary->getOpcode() == BO_AddAssign &&
         variableOf(Binary->getLHS()) == Loop.Counter &&
         Binary->getRHS()->EvaluateAsInt(By, Context) && By.Val.getInt() == 1;
}

std::string LoopAddresses::whyNotCounting(const ForStmt &For) {
  const auto *Test = dyn_cast_or_null<BinaryOperator>(
      For.getCond() ? For.getCond()->IgnoreParenImpCasts() : nullptr);
  if (!Test || (Test->getOpcode() != BO_LT && Test->getOpcode() != BO_GT) ||
      For.getConditionVariable())
    return "its condition is not of the form 'j < n'";
  const bool IsLess = Test->getOpcode() == BO_LT;
  Loop.Counter = variableOf(IsLess ? Test->getLHS() : Test->getRHS());
  Loop.End = IsLess ? Test->getRHS() : Test->getLHS();
  if (!Loop.Counter || !Loop.Counter->getType()->isIntegerType() ||
      !Loop.Counter->hasLocalStorage())
    return "its condition is not of the form 'j < n'";
  const VariableUse &Steps = InStep.use(Loop.Counter);
  if (!For.getInc() || !countsUp(For.getInc()) || Steps.Writes.size() != 1)
    return "it does not count by ones";
  if (!InBody.use(Loop.Counter).Writes.empty() ||
      InFunction.use(Loop.Counter).Escapes)
    return "its counter may change in its body";
  if (rate(*Loop.End) != 0)
    return "where it ends may change in it, or is not read from a variable";
  return "";
}

/// Has it one value in all iterations, which can be named in front?
bool LoopAddresses::isSteady(const VarDecl &Variable) const {
  if (Variable.getType().isVolatileQualified() ||
      Variable.getType()->isReferenceType())
    return false;
  if (!Variable.hasLocalStorage())
    return Variable.isUsableInConstantExpressions(Context);
  const SourceRange Inside = Body->getSourceRange();
  const SourceManager &SM = Context.getSourceManager();
  if (SM.isPointWithin(Variable.getLocation(), Inside.getBegin(),
                       Inside.getEnd()))
    return false;
  return !InFunction.use(&Variable).Escapes &&
         InBody.use(&Variable).Writes.empty() &&
         InStep.use(&Variable).Writes.empty();
}

/// Is the lvalue, which is read, the same variable each time, or a field of it?
bool LoopAddresses::isSteadyPlace(const Expr &E) const {
  const Expr *Place = E.IgnoreParens();
  while (const auto *Field = dyn_cast<MemberExpr>(Place)) {
    if (Field->isArrow() || !isa<FieldDecl>(Field->getMemberDecl()))
      return false;
    Place = Field->getBase()->IgnoreParenNoopCasts(Context);
  }
  const auto *Name = dyn_cast<DeclRefExpr>(Place);
  const auto *Variable = Name ? dyn_cast<VarDecl>(Name->getDecl()) : nullptr;
  return Variable && Variable != Loop.Counter && isSteady(*Variable);
}

Rate LoopAddresses::rateOfSum(const Expr &Left, const Expr &Right,
                              int Sign) const {
  const bool IsAddress =
      Left.getType()->isPointerType() || Right.getType()->isPointerType();
  auto Of = [&](const Expr &E) {
    return IsAddress && E.getType()->isIntegerType() ? rateOfIndex(E) : rate(E);
  };
  const Rate L = Of(Left), R = Of(Right);
  if (!L || !R)
    return std::nullopt;
  return *L + Sign * *R;
}

Rate LoopAddresses::rateOfProduct(const Expr &Left, const Expr &Right) const {
  const Rate L = rate(Left), R = rate(Right);
  if (!L || !R)
    return std::nullopt;
  if (*L == 0 && *R == 0)
    return 0;
  Expr::EvalResult Factor;
  const Expr &Constant = *L == 0 ? Left : Right;
  if ((*L != 0 && *R != 0) || !Constant.EvaluateAsInt(Factor, Context) ||
      !Factor.Val.getInt().isRepresentableByInt64() ||
      Factor.Val.getInt().getSignificantBits() > 31)
    return std::nullopt;
  return (*L + *R) * Factor.Val.getInt().getExtValue();
}

/// threadIdx.x and its like, as clang has them.
static bool isBuiltinIndex(const Expr &E) {
  const auto *Pseudo = dyn_cast<PseudoObjectExpr>(&E);
  const auto *Property =
      Pseudo ? dyn_cast<MSPropertyRefExpr>(Pseudo->getSyntacticForm())
             : nullptr;
  const VarDecl *Object =
      Property ? variableOf(Property->getBaseExpr()) : nullptr;
  return Object && Object->getIdentifier() &&
         llvm::is_contained({"threadIdx", "blockIdx", "blockDim", "gridDim"},
                            Object->getName());
}

/// Of an integer that becomes a part of an address. Unsigned ones may wrap
/// around before, signed ones do not, and the counter does not.
Rate LoopAddresses::rateOfIndex(const Expr &E) const {
  const Rate Of = rate(E);
  const bool Wraps = E.getType()->isUnsignedIntegerType() &&
                     Context.getIntWidth(E.getType()) <
                         Context.getTypeSize(Context.getUIntPtrType()) &&
                     variableOf(&E) != Loop.Counter;
  return Of != 0 && Wraps ? std::nullopt : Of;
}

Rate LoopAddresses::rateOfCast(const CastExpr &E) const {
  const Expr &From = *E.getSubExpr();
  switch (E.getCastKind()) {
  case CK_LValueToRValue:
    if (variableOf(&From) == Loop.Counter)
      return 1;
    return isSteadyPlace(From) ? Rate(0) : std::nullopt;
  case CK_ArrayToPointerDecay: {
    const Rate Of = rateOfPlace(From);
    return Of == 0 ? Of : std::nullopt; // it is of whole arrays
  }
  case CK_NoOp:
    return rate(From);
  case CK_BitCast: {
    const Rate Of = rate(From);
    return Of == 0 ? Of : std::nullopt;
  }
  case CK_IntegralCast: {
    const Rate Of = rate(From);
    if (!Of || *Of == 0)
      return Of;
    // Cut off, it may be anything.
    if (Context.getIntWidth(E.getType()) < Context.getIntWidth(From.getType()))
      return std::nullopt;
    return Context.getIntWidth(E.getType()) >
                   Context.getIntWidth(From.getType())
               ? rateOfIndex(From)
               : Of;
  }
  default:
    return std::nullopt;
  }
}

Rate LoopAddresses::rateOfBinary(const BinaryOperator &E) const {
  const Expr &Left = *E.getLHS(), &Right = *E.getRHS();
  switch (E.getOpcode()) {
  case BO_Add:
    return rateOfSum(Left, Right, 1);
  case BO_Sub:
    return rateOfSum(Left, Right, -1);
  case BO_Mul:
    return rateOfProduct(Left, Right);
  case BO_Div:
  case BO_Rem: {
    // By 0, where the loop would not run.
    Expr::EvalResult By;
    if (!Right.EvaluateAsInt(By, Context) || By.Val.getInt() == 0)
      return std::nullopt;
    [[fallthrough]];
  }
  case BO_Shl:
  case BO_Shr:
  case BO_And:
  case BO_Or:
  case BO_Xor:
    return rate(Left) == 0 && rate(Right) == 0 ? Rate(0) : std::nullopt;
  default:
    return std::nullopt;
  }
}

/// Of a value: an integer or a pointer, then in elements.
Rate LoopAddresses::rate(const Expr &Whole) const {
  const Expr &E = *Whole.IgnoreParens();
  if (const auto *Constant = dyn_cast<ConstantExpr>(&E))
    return rate(*Constant->getSubExpr());
  if (const auto *Parameter = dyn_cast<SubstNonTypeTemplateParmExpr>(&E))
    return rate(*Parameter->getReplacement());
  if (isa<IntegerLiteral, CharacterLiteral, CXXBoolLiteralExpr,
          UnaryExprOrTypeTraitExpr>(E) ||
      isBuiltinIndex(E))
    return 0;
  if (const auto *Name = dyn_cast<DeclRefExpr>(&E))
    return isa<EnumConstantDecl>(Name->getDecl()) ? Rate(0) : std::nullopt;
  if (const auto *Cast = dyn_cast<CastExpr>(&E))
    return rateOfCast(*Cast);
  if (const auto *Unary = dyn_cast<UnaryOperator>(&E)) {
    const UnaryOperatorKind Kind = Unary->getOpcode();
    if (Kind == UO_AddrOf)
      return rateOfPlace(*Unary->getSubExpr());
    if (Kind != UO_Plus && Kind != UO_Minus && Kind != UO_Not)
      return std::nullopt;
    const Rate Of = rate(*Unary->getSubExpr());
    return Kind == UO_Plus || Of == 0 ? Of : std::nullopt;
  }
  if (const auto *Binary = dyn_cast<BinaryOperator>(&E))
    return rateOfBinary(*Binary);
  return std::nullopt;
}

/// Of an lvalue's address, in elements of its type.
Rate LoopAddresses::rateOfPlace(const Expr &Whole) const {
  const Expr &E = *Whole.IgnoreParens();
  if (const auto *Element = dyn_cast<ArraySubscriptExpr>(&E))
    return rateOfSum(*Element->getBase(), *Element->getIdx(), 1);
  if (const auto *Deref = dyn_cast<UnaryOperator>(&E);
      Deref && Deref->getOpcode() == UO_Deref)
    return rate(*Deref->getSubExpr());
  if (const auto *Field = dyn_cast<MemberExpr>(&E)) {
    const auto *Declared = dyn_cast<FieldDecl>(Field->getMemberDecl());
    if (!Declared || Declared->isBitField())
      return std::nullopt;
    const Rate Of = Field->isArrow() ? rate(*Field->getBase())
                                     : rateOfPlace(*Field->getBase());
    return Of == 0 ? Of : std::nullopt; // else it moves by whole structs
  }
  const VarDecl *Variable = variableOf(&E);
  return Variable && !Variable->getType()->isReferenceType() ? Rate(0)
                                                             : std::nullopt;
}

Rate LoopAddresses::stepOf(const Expr &E) const { return rateOfPlace(E); }
