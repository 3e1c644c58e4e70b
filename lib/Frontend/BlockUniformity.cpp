// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Optimistic and flow-insensitive: all variables begin as uniform; scans mark
// those that get a divergent value, or any value under divergent control,
// until a scan marks nothing more.

#include "sluice/Frontend/BlockUniformity.h"
#include "sluice/Analysis/KernelFunction.h"
#include "clang/AST/Attr.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "llvm/ADT/STLExtras.h"

using namespace sluice;
using namespace clang;

/// Nested simple calls are followed this deep.
static constexpr unsigned MaxCallDepth = 8;

static bool contains(const Stmt *S,
                     llvm::function_ref<bool(const Stmt *)> Test) {
  if (!S || isa<LambdaExpr>(S))
    return false;
  return Test(S) || llvm::any_of(S->children(), [&](const Stmt *Child) {
           return contains(Child, Test);
         });
}

BlockUniformity::BlockUniformity(const FunctionDecl &Kernel)
    : Locals(Kernel.getBody()) {
  const Stmt *Body = Kernel.getBody();
  HasGoto = contains(Body, [](const Stmt *S) {
    return isa<GotoStmt, IndirectGotoStmt, LabelStmt>(S);
  });
  Understood = !HasGoto && !contains(Body, [](const Stmt *S) {
    return isa<StmtExpr, CXXTryStmt, CoroutineBodyStmt>(S);
  });
  while (scan(Body, /*Divergent=*/false))
    ;
}

bool BlockUniformity::mark(const VarDecl *Variable) {
  return Variable && DivergentVariables.insert(Variable).second;
}

/// The variable that is written, in whole or in part.
static const VarDecl *writtenVariable(const Expr *E) {
  E = E->IgnoreParenImpCasts();
  if (const auto *Ref = dyn_cast<DeclRefExpr>(E))
    return dyn_cast<VarDecl>(Ref->getDecl());
  if (const auto *Member = dyn_cast<MemberExpr>(E);
      Member && !Member->isArrow())
    return writtenVariable(Member->getBase());
  if (const auto *Subscript = dyn_cast<ArraySubscriptExpr>(E))
    return writtenVariable(Subscript->getBase());
  return nullptr;
}

bool BlockUniformity::scanWrite(const Expr *Write, bool Divergent) {
  if (const auto *Op = dyn_cast<BinaryOperator>(Write);
      Op && Op->isAssignmentOp()) {
    bool Same = isUniform(Op->getRHS()) && !Divergent;
    return !Same && mark(writtenVariable(Op->getLHS()));
  }
  if (const auto *Op = dyn_cast<UnaryOperator>(Write);
      Op && Op->isIncrementDecrementOp())
    return Divergent && mark(writtenVariable(Op->getSubExpr()));
  return false;
}

static bool hasDivergentJump(const BlockUniformity &U, const Stmt *S,
                             bool Divergent, bool BreaksBind);

/// After a break by some threads the rest of a switch is for the others.
static bool isDivergentSwitch(const BlockUniformity &U,
                              const SwitchStmt &Switch) {
  return !U.isUniform(Switch.getCond()) ||
         hasDivergentJump(U, Switch.getBody(), /*Divergent=*/false,
                          /*BreaksBind=*/true);
}

/// A break or continue that binds to \p S's loop, under divergent control
/// inside it, or the same of a switch's breaks.
static bool hasDivergentJump(const BlockUniformity &U, const Stmt *S,
                             bool Divergent, bool BreaksBind) {
  if (!S || isa<LambdaExpr>(S))
    return false;
  if (isa<BreakStmt>(S))
    return Divergent && BreaksBind;
  if (isa<ContinueStmt>(S))
    return Divergent;
  if (isa<ForStmt, WhileStmt, DoStmt, CXXForRangeStmt>(S))
    return false; // its jumps are its own
  if (const auto *If = dyn_cast<IfStmt>(S)) {
    bool Branch = Divergent || !U.isUniform(If->getCond());
    return hasDivergentJump(U, If->getThen(), Branch, BreaksBind) ||
           hasDivergentJump(U, If->getElse(), Branch, BreaksBind);
  }
  if (const auto *Switch = dyn_cast<SwitchStmt>(S))
    return hasDivergentJump(U, Switch->getBody(),
                            Divergent || isDivergentSwitch(U, *Switch),
                            /*BreaksBind=*/false);
  return llvm::any_of(S->children(), [&](const Stmt *Child) {
    return hasDivergentJump(U, Child, Divergent, BreaksBind);
  });
}

/// Condition and body of a loop statement.
static std::pair<const Expr *, const Stmt *> loopParts(const Stmt *Loop) {
  if (const auto *For = dyn_cast<ForStmt>(Loop))
    return {For->getCond(), For->getBody()};
  if (const auto *While = dyn_cast<WhileStmt>(Loop))
    return {While->getCond(), While->getBody()};
  if (const auto *Do = dyn_cast<DoStmt>(Loop))
    return {Do->getCond(), Do->getBody()};
  if (const auto *Range = dyn_cast<CXXForRangeStmt>(Loop))
    return {Range->getCond(), Range->getBody()};
  return {nullptr, nullptr};
}

const Stmt *BlockUniformity::loopBody(const Stmt *Loop) {
  return loopParts(Loop).second;
}

bool BlockUniformity::scanLoop(const Stmt *Loop, bool Divergent) {
  auto [Condition, Body] = loopParts(Loop);
  bool Changed = false;
  if ((Condition && !isUniform(Condition)) ||
      hasDivergentJump(*this, Body, /*Divergent=*/false, /*BreaksBind=*/true))
    Changed |= DivergentLoops.insert(Loop).second;
  Divergent |= DivergentLoops.contains(Loop);
  for (const Stmt *Child : Loop->children())
    Changed |= scan(Child, Divergent);
  return Changed;
}

/// Returns whether it found anything new to be divergent.
bool BlockUniformity::scan(const Stmt *S, bool Divergent) {
  if (!S || isa<LambdaExpr>(S))
    return false;
  if (isa<ForStmt, WhileStmt, DoStmt, CXXForRangeStmt>(S))
    return scanLoop(S, Divergent);
  bool Changed = false;
  if (const auto *Declaration = dyn_cast<DeclStmt>(S))
    for (const Decl *D : Declaration->decls())
      if (const auto *Variable = dyn_cast<VarDecl>(D))
        if (Divergent || Locals.use(Variable).Escapes ||
            Variable->getType()->isReferenceType() ||
            (Variable->hasInit() && !isUniform(Variable->getInit())))
          Changed |= mark(Variable);
  if (const auto *E = dyn_cast<Expr>(S))
    Changed |= scanWrite(E, Divergent);

  if (const auto *If = dyn_cast<IfStmt>(S))
    Divergent |= !isUniform(If->getCond());
  else if (const auto *Switch = dyn_cast<SwitchStmt>(S))
    Divergent |= isDivergentSwitch(*this, *Switch);
  else if (const auto *Choice = dyn_cast<AbstractConditionalOperator>(S))
    Divergent |= !isUniform(Choice->getCond());
  else if (const auto *Op = dyn_cast<BinaryOperator>(S);
           Op && Op->isLogicalOp())
    Divergent |= !isUniform(Op->getLHS());
  for (const Stmt *Child : S->children())
    Changed |= scan(Child, Divergent);
  return Changed;
}

bool BlockUniformity::isUniformLoop(const Stmt *Loop) const {
  return Understood && !DivergentLoops.contains(Loop);
}

/// A scalar of the thread's own that only this function can change, or a
/// parameter of class type that nothing changes.
bool BlockUniformity::isUniformVariable(const VarDecl *Variable) const {
  QualType Type = Variable->getType();
  if (Type.isVolatileQualified() || Type->isReferenceType())
    return false;
  if (Variable->hasAttr<CUDAConstantAttr>())
    return true;
  if (!Variable->isLocalVarDeclOrParm())
    return Variable->isConstexpr();
  if (!Variable->hasLocalStorage() || Variable->hasAttr<CUDASharedAttr>() ||
      DivergentVariables.contains(Variable) || Locals.use(Variable).Escapes)
    return false;
  return Type->isScalarType() ||
         (isa<ParmVarDecl>(Variable) && Locals.isNeverModified(Variable));
}

/// blockIdx, blockDim, gridDim and warpSize, as clang's headers declare them.
static bool isBlockRegister(const VarDecl &Variable) {
  if (!Variable.getIdentifier() ||
      !Variable.getDeclContext()->getRedeclContext()->isTranslationUnit())
    return false;
  llvm::StringRef Name = Variable.getName();
  if (Name == "warpSize")
    return true;
  const auto *Record = Variable.getType()->getAsCXXRecordDecl();
  return Record && Record->getIdentifier() &&
         (Name == "blockIdx" || Name == "blockDim" || Name == "gridDim") &&
         Record->getName() == ("__cuda_builtin_" + Name + "_t").str();
}

static bool isBlockRegister(const FunctionDecl &Builtin) {
  llvm::StringRef Name = Builtin.getName();
  return Builtin.getBuiltinID() != 0 &&
         Name.consume_front("__nvvm_read_ptx_sreg_") &&
         (Name.starts_with("ctaid") || Name.starts_with("nctaid") ||
          Name.starts_with("ntid"));
}

/// A function of its arguments: of the mathematical library, or one whose body
/// only returns an expression of its parameters.
bool BlockUniformity::isUniformCall(const CallExpr *Call) const {
  const FunctionDecl *Callee = Call->getDirectCallee();
  if (!Callee || !Callee->getIdentifier() || isa<CXXMethodDecl>(Callee) ||
      Callee->hasAttr<WeakAttr>() || Depth >= MaxCallDepth)
    return false;
  if (isBlockRegister(*Callee))
    return true;
  if (!llvm::all_of(Call->arguments(),
                    [&](const Expr *Arg) { return isUniform(Arg); }))
    return false;
  if (!Callee->hasBody())
    return isLibdevice(Callee->getName());
  const auto *Body = dyn_cast_or_null<CompoundStmt>(Callee->getBody());
  if (!Body || Body->size() != 1)
    return false;
  const auto *Return = dyn_cast<ReturnStmt>(Body->body_front());
  if (!Return || !Return->getRetValue())
    return false;
  ++Depth;
  bool Result = isUniform(Return->getRetValue());
  --Depth;
  return Result;
}

bool BlockUniformity::isUniform(const Expr *E) const {
  if (!E)
    return true;
  if (!Understood)
    return false;
  E = E->IgnoreParens();
  if (isa<IntegerLiteral, FloatingLiteral, CharacterLiteral, CXXBoolLiteralExpr,
          CXXNullPtrLiteralExpr, ConstantExpr, UnaryExprOrTypeTraitExpr,
          TypeTraitExpr, ImplicitValueInitExpr, CXXScalarValueInitExpr>(E))
    return true;
  if (const auto *Ref = dyn_cast<DeclRefExpr>(E)) {
    if (isa<EnumConstantDecl>(Ref->getDecl()))
      return true;
    const auto *Variable = dyn_cast<VarDecl>(Ref->getDecl());
    if (!Variable)
      return false;
    return isBlockRegister(*Variable) || isUniformVariable(Variable);
  }
  if (const auto *X = dyn_cast<SubstNonTypeTemplateParmExpr>(E))
    return isUniform(X->getReplacement());
  if (const auto *X = dyn_cast<FullExpr>(E))
    return isUniform(X->getSubExpr());
  if (const auto *X = dyn_cast<MaterializeTemporaryExpr>(E))
    return isUniform(X->getSubExpr());
  if (const auto *X = dyn_cast<CXXDefaultArgExpr>(E))
    return isUniform(X->getExpr());
  if (const auto *X = dyn_cast<PseudoObjectExpr>(E)) {
    // blockIdx.x and its like are properties.
    const auto *Property =
        dyn_cast<MSPropertyRefExpr>(X->getSyntacticForm()->IgnoreParens());
    if (!Property)
      return false;
    const Expr *Base = Property->getBaseExpr()->IgnoreParens();
    if (const auto *Opaque = dyn_cast<OpaqueValueExpr>(Base))
      Base = Opaque->getSourceExpr();
    const auto *Ref = dyn_cast_or_null<DeclRefExpr>(Base);
    const auto *Variable = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
    return Variable && isBlockRegister(*Variable);
  }
  if (const auto *Cast = dyn_cast<CastExpr>(E))
    return isUniform(Cast->getSubExpr());
  if (const auto *Member = dyn_cast<MemberExpr>(E)) {
    const auto *Field = dyn_cast<FieldDecl>(Member->getMemberDecl());
    return Field && !Field->getType()->isReferenceType() &&
           !Field->getType().isVolatileQualified() && !Member->isArrow() &&
           isUniform(Member->getBase());
  }
  if (const auto *Op = dyn_cast<UnaryOperator>(E))
    return Op->getOpcode() != UO_Deref && Op->getOpcode() != UO_AddrOf &&
           isUniform(Op->getSubExpr());
  if (const auto *Op = dyn_cast<BinaryOperator>(E))
    return isUniform(Op->getLHS()) && isUniform(Op->getRHS());
  if (const auto *Choice = dyn_cast<ConditionalOperator>(E))
    return isUniform(Choice->getCond()) && isUniform(Choice->getTrueExpr()) &&
           isUniform(Choice->getFalseExpr());
  if (const auto *List = dyn_cast<InitListExpr>(E))
    return llvm::all_of(List->inits(),
                        [&](const Expr *Init) { return isUniform(Init); });
  if (const auto *Call = dyn_cast<CallExpr>(E))
    return isUniformCall(Call);
  return false;
}
