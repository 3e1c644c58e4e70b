// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "sluice/Frontend/LaunchCollector.h"
#include "sluice/Frontend/ConstantFolder.h"
#include "sluice/Frontend/SourceMarks.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/STLExtras.h"

using namespace sluice;
using namespace clang;

namespace {

class LaunchVisitor : public RecursiveASTVisitor<LaunchVisitor> {
public:
  LaunchVisitor(ASTContext &Context, CollectedLaunches &Result)
      : SM(Context.getSourceManager()), Folder(Context), Result(Result) {}

  bool shouldVisitTemplateInstantiations() const { return true; }

  /// Launches do not come from the toolkit's own headers, which are large.
  bool TraverseDecl(Decl *D) {
    if (D && !isa<TranslationUnitDecl>(D) && D->getLocation().isValid() &&
        SM.isInSystemHeader(D->getLocation()))
      return true;
    return RecursiveASTVisitor::TraverseDecl(D);
  }

  bool VisitCUDAKernelCallExpr(CUDAKernelCallExpr *Call) {
    const FunctionDecl *Kernel = Call->getDirectCallee();
    const CallExpr *Config = Call->getConfig();
    if (!Kernel || !Config || Config->getNumArgs() < 2)
      return true;
    LaunchConfig Launch =
        configuration(Config->getArg(0), Config->getArg(1),
                      Config->getNumArgs() > 2 ? Config->getArg(2) : nullptr,
                      Call->getBeginLoc());
    for (unsigned I = 0; I < Call->getNumArgs(); ++I)
      Launch.Arguments.push_back(argument(Call->getArg(I)));
    Result.Launches[Kernel->getCanonicalDecl()].push_back(std::move(Launch));
    return true;
  }

  /// cudaLaunchKernel(function, grid, block, arguments, shared, stream)
  bool VisitCallExpr(CallExpr *Call) {
    const FunctionDecl *Callee = Call->getDirectCallee();
    if (!Callee || !Callee->getIdentifier() || Call->getNumArgs() < 5)
      return true;
    llvm::StringRef Name = Callee->getName();
    if (Name != "cudaLaunchKernel" && Name != "cudaLaunchCooperativeKernel")
      return true;
    const Expr *Target = Call->getArg(0)->IgnoreParenCasts();
    if (const auto *AddressOf = dyn_cast<UnaryOperator>(Target))
      Target = AddressOf->getSubExpr()->IgnoreParenCasts();
    const auto *Ref = dyn_cast<DeclRefExpr>(Target);
    const auto *Kernel = Ref ? dyn_cast<FunctionDecl>(Ref->getDecl()) : nullptr;
    if (Kernel)
      Result.Launches[Kernel->getCanonicalDecl()].push_back(
          configuration(Call->getArg(1), Call->getArg(2), Call->getArg(4),
                        Call->getBeginLoc()));
    return true;
  }

  bool VisitAttributedStmt(AttributedStmt *S) {
    if (isSwitchedOff(*S))
      Result.Off.push_back(placesOf(SM, S->getSubStmt()->getSourceRange()));
    return true;
  }
  bool VisitStmt(Stmt *S) {
    if (!offPlaces().empty() &&
        llvm::is_contained(offPlaces(), placeOf(SM, S->getBeginLoc())))
      Result.Off.push_back(placesOf(SM, S->getSourceRange()));
    return true;
  }
  bool VisitFunctionDecl(FunctionDecl *D) {
    if (D->doesThisDeclarationHaveABody() && isSwitchedOff(*D))
      Result.Off.push_back(placesOf(SM, D->getSourceRange()));
    return true;
  }
  bool VisitVarDecl(VarDecl *D) {
    if (isSwitchedOff(*D))
      Result.Off.push_back(placesOf(SM, D->getSourceRange()));
    return true;
  }

private:
  LaunchConfig configuration(const Expr *Grid, const Expr *Block,
                             const Expr *Shared, SourceLocation Location) {
    LaunchConfig Launch;
    Launch.Grid.Sizes = Folder.dim(Grid);
    Launch.Block.Sizes = Folder.dim(Block);
    if (!Shared || isa<CXXDefaultArgExpr>(Shared)) {
      Launch.DynamicSharedBytes = 0;
    } else if (auto Bytes = Folder.integer(Shared); Bytes && *Bytes >= 0) {
      Launch.DynamicSharedBytes = uint64_t(*Bytes);
    }
    Launch.Place = placeOf(SM, Location);
    return Launch;
  }

  std::optional<int64_t> argument(const Expr *E) {
    if (!E->getType()->isIntegralOrEnumerationType())
      return std::nullopt;
    return Folder.integer(E);
  }

  const SourceManager &SM;
  ConstantFolder Folder;
  CollectedLaunches &Result;
};

} // namespace

CollectedLaunches sluice::collectLaunches(ASTContext &Context) {
  CollectedLaunches Result;
  LaunchVisitor(Context, Result).TraverseDecl(Context.getTranslationUnitDecl());
  return Result;
}
