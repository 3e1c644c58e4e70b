// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One walk over all that can run. A kernel can be held by a variable or given
// to a function of the file; where its address goes somewhere that is not
// understood, a launch of unknown sizes stands for what may become of it.

#include "sluice/Frontend/LaunchCollector.h"
#include "sluice/Frontend/ConstantFolder.h"
#include "sluice/Frontend/RunCode.h"
#include "sluice/Frontend/SourceMarks.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "llvm/ADT/STLExtras.h"

using namespace sluice;
using namespace clang;

namespace {

class LaunchVisitor : public RunCodeVisitor {
public:
  LaunchVisitor(ASTContext &Context, CollectedLaunches &Result)
      : RunCodeVisitor(Context), SM(Context.getSourceManager()),
        Folder(Context), Result(Result) {}

  void addUnknownLaunches();

  bool VisitCUDAKernelCallExpr(CUDAKernelCallExpr *Call) override {
    const CallExpr *Config = Call->getConfig();
    Kernels Launched = kernelsOf(Call->getCallee());
    if (Launched.empty() || !Config || Config->getNumArgs() < 2)
      return true;
    LaunchConfig Launch =
        configuration(Config->getArg(0), Config->getArg(1),
                      Config->getNumArgs() > 2 ? Config->getArg(2) : nullptr,
                      Call->getBeginLoc());
    for (unsigned I = 0; I < Call->getNumArgs(); ++I)
      Launch.Arguments.push_back(argument(Call->getArg(I)));
    add(Launched, Launch);
    return true;
  }

  /// cudaLaunchKernel(function, grid, block, arguments, shared, stream) and
  /// cudaLaunchKernelEx(&config, function, argument, ...)
  bool VisitCallExpr(CallExpr *Call) override {
    const FunctionDecl *Callee = Call->getDirectCallee();
    if (!Callee || !Callee->getIdentifier())
      return true;
    llvm::StringRef Name = Callee->getName();
    if ((Name == "cudaLaunchKernel" || Name == "cudaLaunchCooperativeKernel") &&
        Call->getNumArgs() >= 5) {
      Kernels Launched = kernelsOf(Call->getArg(0));
      if (!Launched.empty())
        add(Launched, configuration(Call->getArg(1), Call->getArg(2),
                                    Call->getArg(4), Call->getBeginLoc()));
    } else if (isConfiguredLaunch(Call)) {
      Kernels Launched = kernelsOf(Call->getArg(1));
      if (!Launched.empty())
        add(Launched, configured(Call));
    } else if (Name.starts_with("cudaFunc") ||
               Name.starts_with("cudaOccupancy")) {
      for (const Expr *Argument : Call->arguments()) // nothing is launched
        if (kernelsOf(Argument).empty())
          Understood.insert(variableIn(Argument));
    } else {
      passOn(*Call, *Callee);
    }
    return true;
  }

  /// A variable that holds a kernel: what is done with it counts.
  bool VisitVarDecl(VarDecl *D) override {
    if (isSwitchedOff(*D))
      Result.Off.push_back(placesOf(SM, D->getSourceRange()));
    if (D->hasInit() && D->getType()->isPointerType() && D->isLocalVarDecl())
      if (Kernels Held = kernelsOf(D->getInit()); !Held.empty())
        Holders[D] = std::move(Held);
    return true;
  }

  bool VisitDeclRefExpr(DeclRefExpr *Ref) override {
    if (Understood.contains(Ref))
      return true;
    if (isKernel(Ref->getDecl()))
      escape(cast<FunctionDecl>(Ref->getDecl()), Ref->getLocation());
    if (const auto *Variable = dyn_cast<VarDecl>(Ref->getDecl());
        Variable && Variable->getType()->isPointerType())
      PointerUses.push_back({Variable, Ref->getLocation()});
    return true;
  }

  bool VisitAttributedStmt(AttributedStmt *S) override {
    if (isSwitchedOff(*S))
      Result.Off.push_back(placesOf(SM, S->getSubStmt()->getSourceRange()));
    return true;
  }
  bool VisitStmt(Stmt *S) override {
    if (!offPlaces().empty() &&
        llvm::is_contained(offPlaces(), placeOf(SM, S->getBeginLoc())))
      Result.Off.push_back(placesOf(SM, S->getSourceRange()));
    return true;
  }
  bool VisitFunctionDecl(FunctionDecl *D) override {
    if (D->doesThisDeclarationHaveABody() && isSwitchedOff(*D))
      Result.Off.push_back(placesOf(SM, D->getSourceRange()));
    return true;
  }

private:
  using Kernels = llvm::SmallVector<const FunctionDecl *, 2>;

  static bool isKernel(const ValueDecl *D) {
    return isa<FunctionDecl>(D) && D->hasAttr<CUDAGlobalAttr>();
  }

  /// The kernels of which \p E is one; none where it could be others. Marks
  /// the references to them as understood.
  Kernels kernelsOf(const Expr *E) {
    E = E->IgnoreParenCasts();
    if (const auto *AddressOf = dyn_cast<UnaryOperator>(E);
        AddressOf && AddressOf->getOpcode() == UO_AddrOf)
      E = AddressOf->getSubExpr()->IgnoreParenCasts();
    if (const auto *Choice = dyn_cast<ConditionalOperator>(E)) {
      Kernels A = kernelsOf(Choice->getTrueExpr());
      Kernels B = kernelsOf(Choice->getFalseExpr());
      if (A.empty() || B.empty())
        return {};
      A.append(B);
      return A;
    }
    const auto *Ref = dyn_cast<DeclRefExpr>(E);
    if (!Ref)
      return {};
    if (isKernel(Ref->getDecl())) {
      Understood.insert(Ref);
      return {cast<FunctionDecl>(Ref->getDecl())};
    }
    const auto *Variable = dyn_cast<VarDecl>(Ref->getDecl());
    if (!Variable || isa<ParmVarDecl>(Variable) ||
        !Holders.contains(Variable) ||
        Folder.definition(Ref) != Variable->getInit())
      return {};
    Understood.insert(Ref);
    return Holders.lookup(Variable);
  }

  static const DeclRefExpr *variableIn(const Expr *E) {
    return dyn_cast<DeclRefExpr>(E->IgnoreParenCasts());
  }

  /// A function of this file that a kernel is given to shows what it does.
  void passOn(const CallExpr &Call, const FunctionDecl &Callee) {
    const FunctionDecl *Definition = nullptr;
    if (isa<CXXOperatorCallExpr>(Call) || !Callee.hasBody(Definition) ||
        SM.isInSystemHeader(Definition->getLocation()))
      return;
    const auto *Method = dyn_cast<CXXMethodDecl>(Definition);
    if (Definition->isWeak() || (Method && Method->isVirtual()))
      return;
    for (auto [Parameter, Argument] :
         llvm::zip(Definition->parameters(), Call.arguments()))
      if (Parameter->getType()->isPointerType())
        if (Kernels Given = kernelsOf(Argument); !Given.empty())
          Holders[Parameter].append(Given);
  }

  void add(const Kernels &Launched, const LaunchConfig &Launch) {
    for (const FunctionDecl *Kernel : Launched)
      Result.Launches[Kernel->getCanonicalDecl()].push_back(Launch);
  }

  /// Of a launch that is elsewhere, or by a pointer, only the kernel is known.
  void escape(const FunctionDecl *Kernel, SourceLocation Location) {
    LaunchConfig Launch;
    Launch.Place = placeOf(SM, Location);
    Escaped.push_back({Kernel->getCanonicalDecl(), Launch});
  }

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

  LaunchConfig configured(const CallExpr *Call) {
    LaunchConfig Launch;
    const Expr *Config = Call->getArg(0);
    Launch.Grid.Sizes = Folder.dimField(Config, "gridDim");
    Launch.Block.Sizes = Folder.dimField(Config, "blockDim");
    if (auto Bytes = Folder.integerField(Config, "dynamicSmemBytes");
        Bytes && *Bytes >= 0)
      Launch.DynamicSharedBytes = uint64_t(*Bytes);
    Launch.Place = placeOf(SM, Call->getBeginLoc());
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
  llvm::SmallPtrSet<const DeclRefExpr *, 32> Understood;
  /// Variables that hold kernels, and where else pointers are used.
  llvm::DenseMap<const VarDecl *, Kernels> Holders;
  std::vector<std::pair<const VarDecl *, SourceLocation>> PointerUses;
  std::vector<std::pair<const FunctionDecl *, LaunchConfig>> Escaped;
};

} // namespace

/// Where a kernel has launches of its own, one that is not seen must not be
/// forgotten; without any the kernel is one that is not launched in this file.
void LaunchVisitor::addUnknownLaunches() {
  for (auto [Variable, Location] : PointerUses)
    for (const FunctionDecl *Kernel : Holders.lookup(Variable))
      escape(Kernel, Location);
  for (const auto &[Kernel, Launch] : Escaped)
    if (auto It = Result.Launches.find(Kernel); It != Result.Launches.end())
      It->second.push_back(Launch);
}

CollectedLaunches sluice::collectLaunches(ASTContext &Context) {
  CollectedLaunches Result;
  LaunchVisitor Visitor(Context, Result);
  Visitor.TraverseDecl(Context.getTranslationUnitDecl());
  Visitor.addUnknownLaunches();
  return Result;
}
