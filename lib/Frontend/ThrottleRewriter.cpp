// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builtins are made by name: threadIdx would need the CUDA headers, and a
// lookup a scope, which there is none of while a precompiled header is used.
// The turns' loop has unroll(disable): with N a constant, LLVM would otherwise
// copy the region N times.

#include "sluice/Frontend/ThrottleRewriter.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "clang/Sema/EnterExpressionEvaluationContext.h"
#include "clang/Sema/Sema.h"
#include "llvm/ADT/STLExtras.h"

using namespace sluice;
using namespace clang;

namespace {

class TurnBuilder {
public:
  TurnBuilder(Sema &S, FunctionDecl &Kernel)
      : S(S), Context(S.getASTContext()), Kernel(Kernel) {}

  void wrap(const RegionTurns &Turns);

private:
  Stmt *turnLoop(llvm::ArrayRef<Stmt *> Body, const RegionTurns &Turns);
  Stmt *splitInitialisation(DeclStmt *Declaration);
  void replace(const FoundRegion &Region, llvm::ArrayRef<Stmt *> New);
  void replaceScope(CompoundStmt *Old, CompoundStmt *New);

  Expr *number(unsigned Value) {
    return IntegerLiteral::Create(Context, llvm::APInt(32, Value),
                                  Context.UnsignedIntTy, Loc);
  }
  Expr *paren(Expr *E) { return new (Context) ParenExpr(Loc, Loc, E); }
  Expr *binary(BinaryOperatorKind Op, Expr *A, Expr *B) {
    return S.BuildBinOp(nullptr, Loc, Op, A, B).get();
  }
  Expr *reference(VarDecl *Variable) {
    return S.BuildDeclRefExpr(
        Variable, Variable->getType().getNonReferenceType(), VK_LValue, Loc);
  }
  Expr *call(llvm::StringRef Builtin);
  Expr *specialRegister(llvm::StringRef Name) {
    // An explicit cast: the user's -Wsign-conversion is not about this code.
    Expr *Value = call(("__nvvm_read_ptx_sreg_" + Name).str());
    return CStyleCastExpr::Create(
        Context, Context.UnsignedIntTy, VK_PRValue, CK_IntegralCast, Value,
        /*BasePath=*/nullptr, FPOptionsOverride(),
        Context.getTrivialTypeSourceInfo(Context.UnsignedIntTy, Loc), Loc, Loc);
  }
  VarDecl *variable(llvm::StringRef Name, Expr *Init);
  Stmt *declare(VarDecl *Variable) {
    return new (Context) DeclStmt(DeclGroupRef(Variable), Loc, Loc);
  }
  CompoundStmt *compound(llvm::ArrayRef<Stmt *> Body) {
    return CompoundStmt::Create(Context, Body, FPOptionsOverride(), Loc, Loc);
  }

  Sema &S;
  ASTContext &Context;
  FunctionDecl &Kernel;
  SourceLocation Loc; ///< Of what is built: where the region begins.
  /// Scopes that took more statements than they had room for.
  llvm::DenseMap<Stmt *, CompoundStmt *> Enlarged;
};

} // namespace

Expr *TurnBuilder::call(llvm::StringRef Builtin) {
  IdentifierInfo &Name = Context.Idents.get(Builtin);
  ASTContext::GetBuiltinTypeError Error;
  QualType Type = Context.GetBuiltinType(Name.getBuiltinID(), Error);
  assert(Error == ASTContext::GE_None && "NVPTX has this builtin");
  FunctionDecl *Function =
      S.CreateBuiltin(&Name, Type, Name.getBuiltinID(), Loc);
  Expr *Callee = S.BuildDeclRefExpr(Function, Type, VK_LValue, Loc);
  return S.BuildCallExpr(nullptr, Callee, Loc, {}, Loc).get();
}

VarDecl *TurnBuilder::variable(llvm::StringRef Name, Expr *Init) {
  QualType Type = Context.UnsignedIntTy;
  VarDecl *V = VarDecl::Create(
      Context, &Kernel, Loc, Loc, &Context.Idents.get(Name), Type,
      Context.getTrivialTypeSourceInfo(Type, Loc), SC_None);
  V->setImplicit();
  S.AddInitializerToDecl(V, Init, /*DirectInit=*/false);
  return V;
}

Stmt *TurnBuilder::turnLoop(llvm::ArrayRef<Stmt *> Body,
                            const RegionTurns &Turns) {
  const unsigned WarpGroups = Turns.WarpGroups;
  // The block's threads in the order that warps are made of.
  Expr *Thread =
      binary(BO_Add, specialRegister("tid_x"),
             binary(BO_Mul, specialRegister("ntid_x"),
                    paren(binary(BO_Add, specialRegister("tid_y"),
                                 binary(BO_Mul, specialRegister("ntid_y"),
                                        specialRegister("tid_z"))))));
  Expr *Threads = binary(
      BO_Mul,
      binary(BO_Mul, specialRegister("ntid_x"), specialRegister("ntid_y")),
      specialRegister("ntid_z"));
  // ceil(ceil(threads / 32) / N)
  Expr *WarpsPerGroup = binary(
      BO_Div, paren(binary(BO_Add, Threads, number(32 * WarpGroups - 1))),
      number(32 * WarpGroups));
  VarDecl *Group =
      variable("__sluice_group",
               binary(BO_Div, paren(binary(BO_Div, paren(Thread), number(32))),
                      paren(WarpsPerGroup)));
  VarDecl *Turn = variable("__sluice_turn", number(0));

  Sema::ConditionResult MyTurn = S.ActOnCondition(
      nullptr, Loc, binary(BO_EQ, reference(Group), reference(Turn)),
      Sema::ConditionKind::Boolean);
  Stmt *Guarded = IfStmt::Create(Context, Loc, IfStatementKind::Ordinary,
                                 /*Init=*/nullptr, /*Var=*/nullptr,
                                 MyTurn.get().second, Loc, Loc, compound(Body));
  Expr *More =
      binary(BO_LT, reference(Turn), number(WarpGroups - Turns.SkipTurn));
  Expr *Next = S.BuildUnaryOp(nullptr, Loc, UO_PreInc, reference(Turn)).get();
  Stmt *Loop = new (Context)
      ForStmt(Context, declare(Turn), More, /*CondVar=*/nullptr, Next,
              compound({Guarded, call("__syncthreads")}), Loc, Loc, Loc);
  const Attr *Attributes[] = {LoopHintAttr::CreateImplicit(
      Context, LoopHintAttr::Unroll, LoopHintAttr::Disable, nullptr,
      SourceRange(Loc, Loc))};
  return compound(
      {declare(Group), AttributedStmt::Create(Context, Loc, Attributes, Loop)});
}

/// `T v = e;` gives up its initialiser and returns `v = e;`.
Stmt *TurnBuilder::splitInitialisation(DeclStmt *Declaration) {
  auto *V = cast<VarDecl>(Declaration->getSingleDecl());
  Expr *Init = V->getInit();
  V->setInit(nullptr);
  V->setInitStyle(VarDecl::CInit);
  V->setType(V->getType().getUnqualifiedType());
  auto *Cleanups = dyn_cast<ExprWithCleanups>(Init);
  Expr *Assignment = BinaryOperator::Create(
      Context, reference(V), Cleanups ? Cleanups->getSubExpr() : Init,
      BO_Assign, V->getType(), VK_LValue, OK_Ordinary, Init->getExprLoc(),
      S.CurFPFeatureOverrides());
  if (Cleanups)
    Assignment = ExprWithCleanups::Create(Context, Assignment,
                                          Cleanups->cleanupsHaveSideEffects(),
                                          Cleanups->getObjects());
  return Assignment;
}

/// \p Old stands somewhere in the kernel's body; \p New takes its place.
void TurnBuilder::replaceScope(CompoundStmt *Old, CompoundStmt *New) {
  Enlarged[Old] = New;
  if (Kernel.getBody() == Old) {
    Kernel.setBody(New);
    return;
  }
  llvm::SmallVector<Stmt *, 16> Work = {Kernel.getBody()};
  while (!Work.empty()) {
    Stmt *Here = Work.pop_back_val();
    for (Stmt *&Child : Here->children()) {
      if (Child == Old) {
        Child = New;
        return;
      }
      if (Child)
        Work.push_back(Child);
    }
  }
  llvm_unreachable("the region's scope is in the kernel");
}

void TurnBuilder::replace(const FoundRegion &Region,
                          llvm::ArrayRef<Stmt *> New) {
  auto *Scope = dyn_cast<CompoundStmt>(Region.Parent);
  if (!Scope) {
    for (Stmt *&Child : Region.Parent->children())
      if (Child == Region.First)
        Child = compound(New);
    return;
  }
  llvm::SmallVector<Stmt *, 16> Body;
  bool Inside = false;
  for (Stmt *Child : Scope->body()) {
    Inside |= Child == Region.First;
    if (Child == Region.First)
      Body.append(New.begin(), New.end());
    if (!Inside)
      Body.push_back(Child);
    Inside &= Child != Region.Last;
  }
  if (Body.size() == Scope->size()) { // the scope itself can stay
    llvm::copy(Body, Scope->body_begin());
    return;
  }
  replaceScope(Scope, CompoundStmt::Create(Context, Body,
                                           Scope->hasStoredFPFeatures()
                                               ? Scope->getStoredFPFeatures()
                                               : FPOptionsOverride(),
                                           Scope->getLBracLoc(),
                                           Scope->getRBracLoc()));
}

void TurnBuilder::wrap(const RegionTurns &Turns) {
  FoundRegion Region = Turns.Region;
  while (CompoundStmt *Larger = Enlarged.lookup(Region.Parent))
    Region.Parent = Larger;
  Loc = Region.First->getBeginLoc();
  if (Region.SplitsDeclaration) {
    Stmt *Assignment = splitInitialisation(cast<DeclStmt>(Region.First));
    replace(Region, {Region.First, turnLoop(Assignment, Turns)});
    return;
  }
  llvm::SmallVector<Stmt *, 8> Body;
  if (auto *Scope = dyn_cast<CompoundStmt>(Region.Parent)) {
    auto First = llvm::find(Scope->body(), Region.First);
    auto Last = llvm::find(Scope->body(), Region.Last);
    Body.append(First, Last + 1);
  } else {
    Body.push_back(Region.First);
  }
  replace(Region, turnLoop(Body, Turns));
}

void sluice::wrapInTurns(Sema &S, FunctionDecl &Kernel,
                         llvm::ArrayRef<RegionTurns> Regions) {
  Sema::ContextRAII InKernel(S, &Kernel);
  S.PushFunctionScope();
  {
    EnterExpressionEvaluationContext Evaluated(
        S, Sema::ExpressionEvaluationContext::PotentiallyEvaluated);
    TurnBuilder Builder(S, Kernel);
    for (const RegionTurns &Turns : Regions)
      Builder.wrap(Turns);
  }
  S.PopFunctionScopeInfo();
}
