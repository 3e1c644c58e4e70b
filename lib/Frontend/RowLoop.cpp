// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the plan says of a loop was found in its code; here each access of that
// code has to be found in the text, so that nothing is overlooked that stands
// in a function which is called. What is not understood is refused.

#include "RowLoop.h"
#include "LoopAddresses.h"
#include "sluice/Frontend/SourcePlaces.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace sluice;
using namespace clang;

/// Larger elements take too few to a chunk.
static constexpr uint64_t MostElementBytes = 64, MostAlignment = 16;

namespace {

/// Collects what the body of a loop touches.
class AccessCollector {
public:
  AccessCollector(const ASTContext &Context, const LoopAddresses &Addresses,
                  const ForStmt &For, RowLoop &Result)
      : Context(Context), SM(Context.getSourceManager()), Addresses(Addresses),
        Result(Result) {
    visitLoop(For);
  }

private:
  enum UseTy { Reads = 1, Writes = 2 };

  void visitLoop(const ForStmt &For);
  void visit(const Stmt *S);
  void visitJump(const Stmt *S);
  bool visitOperator(const Expr *E);
  bool visitCopy(const Expr *E);
  void visitNames(const Stmt *S);
  void use(const Expr *Place, unsigned How, const Expr *At);
  void note(const Expr *Place, unsigned How, const Expr *At, const Expr *Whole);
  void visitInside(const Expr *Place);
  void refuse(std::string Why, const Stmt *At);

  const ASTContext &Context;
  const SourceManager &SM;
  const LoopAddresses &Addresses;
  RowLoop &Result;
  llvm::SmallVector<llvm::FoldingSetNodeID, 8> Profiles; ///< Of Accesses.
  llvm::SmallPtrSet<const Expr *, 8> Always; ///< Run in each iteration.
  unsigned Depth = 0; ///< Of switches, in which a break ends no loop.
};

} // namespace

void AccessCollector::refuse(std::string Why, const Stmt *At) {
  if (Result.WhyNot.empty())
    Result.WhyNot =
        std::move(Why) + " at " + placeOf(SM, At->getBeginLoc()).str();
}

void AccessCollector::visitLoop(const ForStmt &For) {
  auto NoteAlways = [&](const Stmt *S) {
    if (const auto *E = dyn_cast<Expr>(S))
      Always.insert(E->IgnoreParenImpCasts());
  };
  if (const auto *Scope = dyn_cast<CompoundStmt>(For.getBody()))
    llvm::for_each(Scope->body(), NoteAlways);
  else
    NoteAlways(For.getBody());
  visit(For.getBody());
  visit(For.getInc());
  if (!Result.Continues.empty()) // what stands behind one does not always run
    for (LoopAccess &A : Result.Accesses)
      A.IsAlways = false;
}

/// The object in memory that \p Place is, or is a part of: an element, `*p`,
/// `p->x`. Null: it is a variable, or something else.
static const Expr *objectOf(const Expr *Place) {
  while (true) {
    Place = Place->IgnoreParens();
    if (const auto *Cast = dyn_cast<CastExpr>(Place);
        Cast && Cast->getCastKind() == CK_NoOp) {
      Place = Cast->getSubExpr();
      continue;
    }
    const auto *Field = dyn_cast<MemberExpr>(Place);
    if (!Field || Field->isArrow())
      break;
    Place = Field->getBase();
  }
  return Place;
}

/// An array variable of the function, or shared by its block, of which \p
/// Element is one.
static bool isOfLocalArray(const Expr *Element) {
  while (const auto *Subscript =
             dyn_cast<ArraySubscriptExpr>(Element->IgnoreParens())) {
    const auto *Decay =
        dyn_cast<ImplicitCastExpr>(Subscript->getBase()->IgnoreParens());
    if (!Decay || Decay->getCastKind() != CK_ArrayToPointerDecay)
      return false;
    Element = objectOf(Decay->getSubExpr());
  }
  const auto *Name = dyn_cast<DeclRefExpr>(Element->IgnoreParens());
  const auto *Variable = Name ? dyn_cast<VarDecl>(Name->getDecl()) : nullptr;
  return Variable && !Variable->getType()->isReferenceType() &&
         (Variable->hasLocalStorage() || Variable->hasAttr<CUDASharedAttr>());
}

/// \p How the lvalue \p Whole is used, by what stands at \p At.
void AccessCollector::use(const Expr *Whole, unsigned How, const Expr *At) {
  const Expr *Place = objectOf(Whole);
  if (const auto *Name = dyn_cast<DeclRefExpr>(Place)) {
    const auto *Variable = dyn_cast<VarDecl>(Name->getDecl());
    if (!Variable || Variable->getType()->isReferenceType())
      return refuse("uses a reference", Whole);
    if (Variable->hasLocalStorage() || Variable->hasAttr<CUDASharedAttr>() ||
        Variable->isUsableInConstantExpressions(Context))
      return;
  } else if (!isa<ArraySubscriptExpr, MemberExpr>(Place) &&
             !(isa<UnaryOperator>(Place) &&
               cast<UnaryOperator>(Place)->getOpcode() == UO_Deref)) {
    if (isa<MaterializeTemporaryExpr>(Place))
      return visitInside(Place);
    return refuse("uses memory in a way that is not understood", Whole);
  }
  visitInside(Place);
  if (!isOfLocalArray(Place))
    note(Place, How, At, Whole);
}

void AccessCollector::visitInside(const Expr *Place) {
  for (const Stmt *Child : Place->children())
    visit(Child);
}

void AccessCollector::note(const Expr *Place, unsigned How, const Expr *At,
                           const Expr *Whole) {
  llvm::FoldingSetNodeID Profile;
  Place->Profile(Profile, Context, /*Canonical=*/true);
  size_t Number = llvm::find(Profiles, Profile) - Profiles.begin();
  if (Number == Profiles.size()) {
    Profiles.push_back(Profile);
    Result.Accesses.emplace_back();
    Result.Accesses.back().Step = Addresses.stepOf(*Place);
  }
  LoopAccess &Access = Result.Accesses[Number];
  Access.Reads |= (How & Reads) != 0;
  Access.Writes |= (How & Writes) != 0;
  Access.IsAlways |= (How & Writes) != 0 && Always.contains(At);
  Access.Uses.push_back(Place);
  for (const Expr *E : {Place, Whole, At})
    Access.Places.push_back(placeOf(SM, E->getExprLoc()));
}

/// Operators that write, also those of structs.
bool AccessCollector::visitOperator(const Expr *E) {
  if (const auto *Binary = dyn_cast<BinaryOperator>(E);
      Binary && Binary->isAssignmentOp()) {
    use(Binary->getLHS(),
        Binary->isCompoundAssignmentOp() ? Reads | Writes : Writes, E);
    visit(Binary->getRHS());
    return true;
  }
  if (const auto *Unary = dyn_cast<UnaryOperator>(E);
      Unary && Unary->isIncrementDecrementOp()) {
    use(Unary->getSubExpr(), Reads | Writes, E);
    return true;
  }
  const auto *Call = dyn_cast<CXXOperatorCallExpr>(E);
  const auto *Method =
      Call ? dyn_cast_or_null<CXXMethodDecl>(Call->getDirectCallee()) : nullptr;
  if (!Method || Call->getNumArgs() != 2 || !Method->isTrivial() ||
      !(Method->isCopyAssignmentOperator() ||
        Method->isMoveAssignmentOperator()))
    return false;
  use(Call->getArg(0), Writes, E);
  if (Call->getArg(1)->isGLValue())
    use(Call->getArg(1), Reads, E);
  else
    visit(Call->getArg(1));
  return true;
}

bool AccessCollector::visitCopy(const Expr *E) {
  if (const auto *Cast = dyn_cast<CastExpr>(E);
      Cast && Cast->getCastKind() == CK_LValueToRValue) {
    use(Cast->getSubExpr(), Reads, Cast);
    return true;
  }
  const auto *Construct = dyn_cast<CXXConstructExpr>(E);
  if (!Construct || Construct->getNumArgs() != 1 ||
      !Construct->getConstructor()->isCopyOrMoveConstructor() ||
      !Construct->getConstructor()->isTrivial() ||
      !Construct->getArg(0)->isGLValue())
    return false;
  use(Construct->getArg(0), Reads, E);
  return true;
}

void AccessCollector::visitJump(const Stmt *S) {
  if (const auto *Continue = dyn_cast<ContinueStmt>(S))
    Result.Continues.push_back(Continue);
  else if (isa<BreakStmt>(S) && Depth == 0)
    refuse("has a break", S);
  else if (isa<ReturnStmt, GotoStmt, IndirectGotoStmt, LabelStmt, CXXThrowExpr>(
               S))
    refuse("has a jump", S);
  else if (isa<ForStmt, WhileStmt, DoStmt, CXXForRangeStmt>(S))
    refuse("has a loop in it", S);
  else if (isa<LambdaExpr, StmtExpr, BlockExpr>(S))
    refuse("has a lambda in it", S);
  else if (isa<AsmStmt>(S))
    refuse("has assembly in it", S);
}

/// What a lambda of C++17 cannot name.
void AccessCollector::visitNames(const Stmt *S) {
  if (const auto *Name = dyn_cast<DeclRefExpr>(S);
      Name && isa<BindingDecl>(Name->getDecl()))
    refuse("uses a structured binding", S);
  if (isa<CXXThisExpr>(S))
    refuse("uses 'this'", S);
}

void AccessCollector::visit(const Stmt *S) {
  if (!S || !Result.WhyNot.empty())
    return;
  visitJump(S);
  visitNames(S);
  if (const auto *E = dyn_cast<Expr>(S)) {
    if (visitOperator(E) || visitCopy(E))
      return;
    if (isa<UnaryExprOrTypeTraitExpr>(E) || isa<PseudoObjectExpr>(E))
      return; // not evaluated; threadIdx.x
    // Bound to a reference, or its address is taken: who knows what happens.
    if (E->isGLValue() && !isa<DeclRefExpr>(E)) {
      const Expr *Place = objectOf(E);
      if (isa<ArraySubscriptExpr, UnaryOperator, MemberExpr>(Place) &&
          !isOfLocalArray(Place))
        return refuse("hands on where something is in memory", S);
    }
  }
  const bool IsSwitch = isa<SwitchStmt>(S);
  Depth += IsSwitch;
  for (const Stmt *Child : S->children())
    visit(Child);
  Depth -= IsSwitch;
}

//===- What is what -------------------------------------------------------===//

namespace {

class RowFinder {
public:
  RowFinder(const ASTContext &Context, const LoopPlan &Planned,
            const KernelFacts &Facts, RowLoop &Result)
      : Context(Context), Planned(Planned), Result(Result) {
    for (const LoopFacts &Loop : Facts.Loops)
      if (Loop.Id.ofAllCopies() == Planned.Id.ofAllCopies())
        Copies.push_back(&Loop);
  }

  void run();

private:
  void findRows();
  void findSums();
  void dropBesides();
  std::string whyNotRow(const LoopAccess &Row, int64_t Step) const;
  std::string whyNotFound() const;

  const ASTContext &Context;
  const LoopPlan &Planned;
  /// The loop, and what the optimiser made of it besides.
  llvm::SmallVector<const LoopFacts *, 2> Copies;
  RowLoop &Result;
};

} // namespace

std::string RowFinder::whyNotRow(const LoopAccess &Row, int64_t Step) const {
  const QualType Type = Row.Uses.front()->getType();
  if (!Row.Step || *Row.Step != 1)
    return "is not an element that the counter numbers";
  if (Context.getTypeSizeInChars(Type).getQuantity() != Step)
    return "is a part of what an iteration moves by";
  if (uint64_t(Step) > MostElementBytes ||
      uint64_t(Context.getTypeAlignInChars(Type).getQuantity()) > MostAlignment)
    return "has elements that are too large";
  const CXXRecordDecl *Class = Type->getAsCXXRecordDecl();
  if (!Type.isTriviallyCopyableType(Context) || Type.isVolatileQualified() ||
      (Class && !Class->hasTrivialDefaultConstructor()))
    return "has elements that cannot be copied byte by byte";
  return "";
}

/// The rows that the plan names.
void RowFinder::findRows() {
  const bool IsStaged = !Planned.Staged.empty();
  for (const StagedStream &Stream :
       IsStaged ? Planned.Staged : Planned.Widened) {
    const SourcePlace &Place = Stream.Id.Place;
    const StageableStream *Fact = nullptr;
    for (const LoopFacts *Copy : Copies)
      for (const StageableStream &S :
           IsStaged ? Copy->Stageable : Copy->Widenable)
        if (S.Id.ofAllCopies() == Stream.Id.ofAllCopies())
          Fact = &S;
    auto Row = llvm::find_if(Result.Accesses, [&](const LoopAccess &A) {
      return llvm::is_contained(A.Places, Place);
    });
    if (!Stream.Id.InlinedAt.empty() || !Fact || Row == Result.Accesses.end()) {
      Result.WhyNot = "has the row at " + Stream.Id.str() +
                      " in code that is not in its text";
      return;
    }
    if (std::string Why = whyNotRow(*Row, Fact->Step); !Why.empty()) {
      Result.WhyNot = "has the row at " + Place.str() + ", which " + Why;
      return;
    }
    Row->Kind = LoopAccess::Row;
  }
}

/// What the iterations add up in memory can be in a register if where all else
/// is can be tested.
void RowFinder::findSums() {
  auto IsKnown = [](const LoopAccess &A) {
    return A.Step && *A.Step >= -1 && *A.Step <= 1;
  };
  if (Planned.Promote == false || !llvm::all_of(Result.Accesses, IsKnown))
    return;
  for (LoopAccess &A : Result.Accesses)
    if (A.Kind == LoopAccess::Beside && A.Step == 0 && A.Reads && A.IsAlways &&
        A.Uses.front()->getType()->isArithmeticType())
      A.Kind = LoopAccess::Sum;
}

/// Leaves what can meet a row or a sum where one of the two is written.
void RowFinder::dropBesides() {
  const bool WritesElements = llvm::any_of(Result.Accesses, [](const auto &A) {
    return A.Kind != LoopAccess::Beside && A.Writes;
  });
  llvm::erase_if(Result.Accesses, [&](const LoopAccess &A) {
    return A.Kind == LoopAccess::Beside && !A.Writes && !WritesElements;
  });
  for (const LoopAccess &A : Result.Accesses)
    if (A.Kind == LoopAccess::Beside &&
        (!A.Step || *A.Step < -1 || *A.Step > 1)) {
      Result.WhyNot =
          "may touch its rows with the access at " + A.Places.front().str();
      return;
    }
}

/// Is all that the loop's code touches in its text?
std::string RowFinder::whyNotFound() const {
  for (const LoopFacts *Copy : Copies)
    for (const AccessPattern &Access : Copy->Accesses) {
      auto IsThere = [&](const LoopAccess &A) {
        return llvm::is_contained(A.Places, Access.Id.Place);
      };
      if (!Access.Id.InlinedAt.empty() ||
          llvm::none_of(Result.Accesses, IsThere))
        return "has the access at " + Access.Id.str() +
               " in code that is not in its text";
    }
  return "";
}

void RowFinder::run() {
  if (Result.WhyNot = whyNotFound(); !Result.WhyNot.empty())
    return;
  findRows();
  if (!Result.WhyNot.empty())
    return;
  findSums();
  dropBesides();
}

/// All loops of the kernel at \p Place.
static void findLoops(const Stmt *S, const SourceManager &SM,
                      const SourcePlace &Place,
                      llvm::SmallVectorImpl<const Stmt *> &Found) {
  if (!S)
    return;
  if (isa<ForStmt, WhileStmt, DoStmt, CXXForRangeStmt>(S) &&
      placeOf(SM, S->getBeginLoc()) == Place)
    Found.push_back(S);
  for (const Stmt *Child : S->children())
    findLoops(Child, SM, Place, Found);
}

RowLoop sluice::findRowLoop(const FunctionDecl &Kernel,
                            const ASTContext &Context, const LoopPlan &Planned,
                            const KernelFacts &Facts) {
  RowLoop Result;
  llvm::SmallVector<const Stmt *, 1> Found;
  if (Planned.Id.InlinedAt.empty())
    findLoops(Kernel.getBody(), Context.getSourceManager(), Planned.Id.Place,
              Found);
  if (Found.size() != 1) {
    Result.WhyNot = Planned.Id.InlinedAt.empty()
                        ? "cannot be found in the kernel's source"
                        : "is in a function that the kernel calls";
    return Result;
  }
  Result.For = dyn_cast<ForStmt>(Found.front());
  if (!Result.For) {
    Result.WhyNot = "is no 'for' loop";
    return Result;
  }
  LoopAddresses Addresses(Context, Kernel, *Result.For);
  if (!Addresses.loop().WhyNot.empty()) {
    Result.WhyNot = "cannot be cut: " + Addresses.loop().WhyNot;
    return Result;
  }
  Result.End = Addresses.loop().End;
  Result.Counter = Addresses.loop().Counter->getName().str();
  AccessCollector(Context, Addresses, *Result.For, Result);
  if (Result.WhyNot.empty())
    RowFinder(Context, Planned, Facts, Result).run();
  return Result;
}
