// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builtins are made by name: threadIdx would need the CUDA headers, and a
// lookup a scope, which there is none of while a precompiled header is used.
// The turns' loop has unroll(disable): with N a constant, LLVM would otherwise
// copy the region N times.

#include "sluice/Frontend/ThrottleRewriter.h"
#include "sluice/Frontend/KernelParameters.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "clang/Frontend/CompilerInstance.h"
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
  Expr *number64(uint64_t Value) {
    return IntegerLiteral::Create(Context, llvm::APInt(64, Value),
                                  Context.UnsignedLongLongTy, Loc);
  }
  Expr *either(Expr *Condition, Expr *Then, Expr *Else) {
    return paren(S.ActOnConditionalOp(Loc, Loc, Condition, Then, Else).get());
  }
  Expr *all(Expr *A, Expr *B) { return binary(BO_LAnd, A, B); }
  Expr *blockIs(const BlockShape &Block);
  Expr *lookUp(llvm::ArrayRef<GridStep> Steps, VarDecl *Blocks);
  Expr *lookUp(llvm::ArrayRef<LaunchTable::WarpRange> Ranges,
               const LaunchTable &Table, VarDecl *Blocks);
  VarDecl *countBlocks();
  Expr *lookUp(const LaunchTable &Table, VarDecl *Blocks);
  Expr *argument(unsigned Number);
  Expr *isLess(const ArgumentMinimum &M);
  VarDecl *lookUp(const RegionTurns &Turns,
                  llvm::SmallVectorImpl<Stmt *> &Code);
  VarDecl *variable(llvm::StringRef Name, QualType Type, Expr *Init);
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

VarDecl *TurnBuilder::variable(llvm::StringRef Name, QualType Type,
                               Expr *Init) {
  VarDecl *V = VarDecl::Create(
      Context, &Kernel, Loc, Loc, &Context.Idents.get(Name), Type,
      Context.getTrivialTypeSourceInfo(Type, Loc), SC_None);
  V->setImplicit();
  S.AddInitializerToDecl(V, Init, /*DirectInit=*/false);
  return V;
}

Expr *TurnBuilder::blockIs(const BlockShape &Block) {
  auto Is = [&](llvm::StringRef Axis, unsigned Size) {
    return binary(BO_EQ, specialRegister(Axis), number(Size));
  };
  return all(all(Is("ntid_x", Block[0]), Is("ntid_y", Block[1])),
             Is("ntid_z", Block[2]));
}

/// N for a grid of \p Blocks blocks: `blocks < 265 ? 1 : blocks < 529 ? 2 : 4`.
Expr *TurnBuilder::lookUp(llvm::ArrayRef<GridStep> Steps, VarDecl *Blocks) {
  Expr *N = number(Steps.empty() ? 1 : Steps.back().WarpGroups);
  for (size_t I = Steps.size(); I-- > 0;)
    if (Steps[I].MinBlocks > 1)
      N = either(binary(BO_LT, reference(Blocks), number64(Steps[I].MinBlocks)),
                 number(I ? Steps[I - 1].WarpGroups : 1), N);
  return N;
}

/// The same for a block of some of \p Ranges, by bisection.
Expr *TurnBuilder::lookUp(llvm::ArrayRef<LaunchTable::WarpRange> Ranges,
                          const LaunchTable &Table, VarDecl *Blocks) {
  if (Ranges.size() > 1) {
    size_t Half = Ranges.size() / 2;
    Expr *InFirst = binary(BO_LT, specialRegister("ntid_x"),
                           number(32 * Ranges[Half].First));
    return either(InFirst, lookUp(Ranges.take_front(Half), Table, Blocks),
                  lookUp(Ranges.drop_front(Half), Table, Blocks));
  }
  if (Ranges.front().Steps.empty())
    return number(Table.Otherwise);
  return lookUp(Ranges.front().Steps, Blocks);
}

VarDecl *TurnBuilder::countBlocks() {
  auto Size = [&](llvm::StringRef Axis) {
    return binary(BO_Mul, number64(1), specialRegister(Axis));
  };
  return variable("__sluice_blocks", Context.UnsignedLongLongTy.withConst(),
                  binary(BO_Mul,
                         binary(BO_Mul, Size("nctaid_x"), Size("nctaid_y")),
                         Size("nctaid_z")));
}

Expr *TurnBuilder::lookUp(const LaunchTable &Table, VarDecl *Blocks) {
  Expr *N = number(Table.Otherwise);
  auto Ranges = Table.warpRanges();
  if (Ranges.size() > 1 || !Ranges.front().Steps.empty()) {
    // One-dimensional, of whole warps.
    Expr *IsRow =
        all(all(binary(BO_EQ, specialRegister("ntid_y"), number(1)),
                binary(BO_EQ, specialRegister("ntid_z"), number(1))),
            binary(BO_EQ,
                   paren(binary(BO_Rem, specialRegister("ntid_x"), number(32))),
                   number(0)));
    N = either(IsRow, lookUp(Ranges, Table, Blocks), N);
  }
  for (const auto &[Block, Steps] : Table.Shapes)
    N = either(blockIs(Block), lookUp(Steps, Blocks), N);
  return N;
}

/// The parameter \p Number, or the field of one: `v.size.cols`.
Expr *TurnBuilder::argument(unsigned Number) {
  std::optional<FieldOfParameter> Field = fieldOfParameter(Kernel, Number);
  if (!Field)
    return reference(Kernel.getParamDecl(Number));
  Expr *Value =
      reference(Kernel.getParamDecl(Field->Parameter->getFunctionScopeIndex()));
  for (const FieldDecl *Part : Field->Path)
    Value = MemberExpr::CreateImplicit(Context, Value, /*IsArrow=*/false,
                                       const_cast<FieldDecl *>(Part),
                                       Part->getType(), VK_LValue, OK_Ordinary);
  return Value;
}

/// `n < 32`, by the type of n.
Expr *TurnBuilder::isLess(const ArgumentMinimum &M) {
  Expr *Minimum = IntegerLiteral::Create(
      Context, llvm::APInt(32, uint64_t(M.Minimum)), Context.IntTy, Loc);
  return binary(BO_LT, argument(M.Argument), Minimum);
}

/// Declares in \p Code what holds N.
VarDecl *TurnBuilder::lookUp(const RegionTurns &Turns,
                             llvm::SmallVectorImpl<Stmt *> &Code) {
  Expr *N = number(Turns.WarpGroups.Otherwise);
  if (Turns.isByLaunch()) {
    VarDecl *Blocks = countBlocks();
    Code.push_back(declare(Blocks));
    N = lookUp(Turns.WarpGroups, Blocks);
  }
  for (const ArgumentMinimum &M : llvm::reverse(Turns.OnlyIf))
    N = either(isLess(M), number(1), N);
  VarDecl *Groups =
      variable("__sluice_groups", Context.UnsignedIntTy.withConst(), N);
  Code.push_back(declare(Groups));
  return Groups;
}

Stmt *TurnBuilder::turnLoop(llvm::ArrayRef<Stmt *> Body,
                            const RegionTurns &Turns) {
  const LaunchTable &Table = Turns.WarpGroups;
  const bool IsLookedUp = Turns.isLookedUp();
  llvm::SmallVector<Stmt *, 4> Whole;
  VarDecl *Groups = IsLookedUp ? lookUp(Turns, Whole) : nullptr;
  /// N, 32 * N and so on.
  auto TimesN = [&](unsigned Factor) {
    if (!IsLookedUp)
      return number(Factor * Table.Otherwise);
    return Factor == 1
               ? reference(Groups)
               : paren(binary(BO_Mul, number(Factor), reference(Groups)));
  };
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
  Expr *RoundedUp =
      IsLookedUp
          ? binary(BO_Sub, binary(BO_Add, Threads, TimesN(32)), number(1))
          : binary(BO_Add, Threads, number(32 * Table.Otherwise - 1));
  Expr *WarpsPerGroup = binary(BO_Div, paren(RoundedUp), TimesN(32));
  VarDecl *Group =
      variable("__sluice_group", Context.UnsignedIntTy,
               binary(BO_Div, paren(binary(BO_Div, paren(Thread), number(32))),
                      paren(WarpsPerGroup)));
  VarDecl *Turn = variable("__sluice_turn", Context.UnsignedIntTy, number(0));

  Sema::ConditionResult MyTurn = S.ActOnCondition(
      nullptr, Loc, binary(BO_EQ, reference(Group), reference(Turn)),
      Sema::ConditionKind::Boolean);
  Stmt *Guarded = IfStmt::Create(Context, Loc, IfStatementKind::Ordinary,
                                 /*Init=*/nullptr, /*Var=*/nullptr,
                                 MyTurn.get().second, Loc, Loc, compound(Body));
  Expr *Last =
      IsLookedUp ? TimesN(1) : number(Table.Otherwise - Turns.SkipTurn);
  if (IsLookedUp && Turns.SkipTurn)
    Last = paren(binary(BO_Sub, Last, number(1)));
  Expr *More = binary(BO_LT, reference(Turn), Last);
  Expr *Next = S.BuildUnaryOp(nullptr, Loc, UO_PreInc, reference(Turn)).get();
  Stmt *Barrier = call("__syncthreads");
  if (IsLookedUp) {
    Sema::ConditionResult TakesTurns = S.ActOnCondition(
        nullptr, Loc, binary(BO_GT, reference(Groups), number(1)),
        Sema::ConditionKind::Boolean);
    Barrier = IfStmt::Create(Context, Loc, IfStatementKind::Ordinary,
                             /*Init=*/nullptr, /*Var=*/nullptr,
                             TakesTurns.get().second, Loc, Loc, Barrier);
  }
  Stmt *Loop =
      new (Context) ForStmt(Context, declare(Turn), More, /*CondVar=*/nullptr,
                            Next, compound({Guarded, Barrier}), Loc, Loc, Loc);
  const Attr *Attributes[] = {LoopHintAttr::CreateImplicit(
      Context, LoopHintAttr::Unroll, LoopHintAttr::Disable, nullptr,
      SourceRange(Loc, Loc))};
  Whole.push_back(declare(Group));
  Whole.push_back(AttributedStmt::Create(Context, Loc, Attributes, Loop));
  return compound(Whole);
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

void ThrottleRewriter::wrap(FunctionDecl &Kernel,
                            llvm::ArrayRef<RegionTurns> Regions) {
  if (Regions.empty())
    return;
  Sema &S = CI.getSema();
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
