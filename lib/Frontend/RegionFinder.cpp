// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Three steps: the statement that the loop's identity names, with the path to
// it from the kernel's body; from the body inwards, the last statement on the
// path that all threads reach together; the reasons to refuse it.

#include "sluice/Frontend/RegionFinder.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/STLExtras.h"

using namespace sluice;
using namespace clang;

static bool isLoop(const Stmt *S) {
  return isa<ForStmt, WhileStmt, DoStmt, CXXForRangeStmt>(S);
}

/// Do places in \p Range increase with the text? A #line inside breaks that.
static bool hasPlainLines(const SourceManager &SM, SourceRange Range) {
  if (!SM.hasLineTable())
    return true;
  SourceLocation Begin = SM.getExpansionLoc(Range.getBegin());
  SourceLocation End = SM.getExpansionLoc(Range.getEnd());
  FileID File = SM.getFileID(Begin);
  PresumedLoc First = SM.getPresumedLoc(Begin);
  if (First.isInvalid() || File != SM.getFileID(End))
    return false;
  unsigned FirstLine = SM.getExpansionLineNumber(Begin);
  for (unsigned Line = FirstLine; Line <= SM.getExpansionLineNumber(End);
       ++Line) {
    PresumedLoc Here = SM.getPresumedLoc(SM.translateLineCol(File, Line, 1));
    if (Here.isInvalid() ||
        Here.getLine() - First.getLine() != Line - FirstLine ||
        llvm::StringRef(Here.getFilename()) != First.getFilename())
      return false;
  }
  return true;
}

/// Classes in the body have functions of their own there, whose places are not
/// where they run.
static bool declaresClass(const Stmt *S) {
  if (!S || isa<LambdaExpr>(S))
    return false;
  if (const auto *Declaration = dyn_cast<DeclStmt>(S))
    if (llvm::any_of(Declaration->decls(),
                     [](const Decl *D) { return isa<TagDecl>(D); }))
      return true;
  return llvm::any_of(S->children(), declaresClass);
}

RegionFinder::RegionFinder(const FunctionDecl &Kernel, ASTContext &Context,
                           llvm::ArrayRef<PlaceRange> Off)
    : Kernel(Kernel), Context(Context), Off(Off), Uniformity(Kernel) {
  const SourceManager &SM = Context.getSourceManager();
  SourceRange Range = Kernel.getBody()->getSourceRange();
  if (hasPlainLines(SM, Range) && !declaresClass(Kernel.getBody()))
    Body = placesOf(SM, Range);
}

void RegionFinder::refuse(FoundRegion &Region, std::string Why,
                          const SourcePlace &Place) {
  if (!Region.Facts.Refusal.empty())
    return; // the first reason is enough
  Region.Facts.Refusal = std::move(Why);
  Region.Facts.RefusalPlace = Place;
}

/// Calls \p Visit with the path to each statement below \p S, S itself
/// included; lambda bodies are other functions.
template <typename PathT, typename VisitT>
static void forEachPath(Stmt *S, PathT &P, VisitT Visit) {
  if (!S)
    return;
  P.push_back(S);
  Visit(P);
  if (!isa<LambdaExpr>(S))
    for (Stmt *Child : S->children())
      forEachPath(Child, P, Visit);
  P.pop_back();
}

/// The statement for a loop that stands in the kernel, or the call through
/// which an inlined one is reached. Returns why there is none; empty if found.
std::string RegionFinder::findStatement(const LoopFacts &Loop,
                                        const KernelFacts &Facts, Path &Found) {
  const SourceManager &SM = Context.getSourceManager();
  const SourcePlace &Place = Loop.Id.kernelPlace();
  if (!Place.isKnown())
    return "has no place in the source";
  bool InKernel = Loop.Id.InlinedAt.empty();
  std::vector<Path> Candidates;
  Path P;
  forEachPath(Kernel.getBody(), P, [&](const Path &Here) {
    const Stmt *S = Here.back();
    if (InKernel) {
      if (isLoop(S) && placeOf(SM, S->getBeginLoc()) == Place)
        Candidates.push_back(Here);
      return;
    }
    const auto *E = dyn_cast<Expr>(S);
    if (E && isa<CallExpr, CXXConstructExpr>(E) &&
        (placeOf(SM, E->getExprLoc()) == Place ||
         placeOf(SM, E->getBeginLoc()) == Place))
      Candidates.push_back(Here);
  });
  if (Candidates.empty())
    return "cannot be found in the kernel's source";
  if (!InKernel || Candidates.size() == 1) {
    // Several calls at one place: the first encloses the others, or they come
    // from one macro and stand in one statement.
    Found = Candidates.front();
    return "";
  }
  // Macros put several loops at one place; source order and the IR's agree if
  // their numbers do.
  unsigned Alike = llvm::count_if(Facts.Loops, [&](const LoopFacts &Other) {
    return Other.Id.Place == Loop.Id.Place && Other.Id.InlinedAt.empty();
  });
  if (Alike != Candidates.size() || Loop.Id.Ordinal >= Candidates.size())
    return "is one of several loops at the same place, and which one is "
           "unclear";
  Found = Candidates[Loop.Id.Ordinal];
  return "";
}

/// Do all threads that reach \p Here together reach \p Next, its child?
bool RegionFinder::allGoOn(const Stmt *Here, const Stmt *Next) const {
  if (isa<CompoundStmt, AttributedStmt>(Here))
    return true;
  if (const auto *If = dyn_cast<IfStmt>(Here))
    return (Next == If->getThen() || Next == If->getElse()) &&
           Uniformity.isUniform(If->getCond());
  return isLoop(Here) && Next == BlockUniformity::loopBody(Here) &&
         Uniformity.isUniformLoop(Here);
}

/// Walks the path inwards for as long as all threads go the same way.
void RegionFinder::chooseRegion(const Path &P, FoundRegion &Region) {
  for (size_t I = 1; I < P.size() && allGoOn(P[I - 1], P[I]); ++I) {
    // A compound statement as a whole is not smaller than what it contains,
    // and an attribute stays with its statement.
    if (isa<CompoundStmt>(P[I]) || isa<AttributedStmt>(P[I - 1]))
      continue;
    Region.Parent = P[I - 1];
    Region.First = Region.Last = P[I];
  }
}

/// A declaration cannot move into the turns with its scope. A variable of a
/// plain type keeps its declaration and takes only its initialisation there;
/// for others the rest of the scope goes along.
void RegionFinder::handleDeclaration(FoundRegion &Region) {
  const auto *Declaration = dyn_cast_or_null<DeclStmt>(Region.First);
  if (!Declaration)
    return;
  auto *Scope = dyn_cast<CompoundStmt>(Region.Parent);
  if (!Scope)
    return;
  const auto *Variable = Declaration->isSingleDecl()
                             ? dyn_cast<VarDecl>(Declaration->getSingleDecl())
                             : nullptr;
  if (Variable && Variable->hasInit() && Variable->hasLocalStorage() &&
      (Variable->getType()->isArithmeticType() ||
       Variable->getType()->isPointerType() ||
       Variable->getType()->isEnumeralType()))
    Region.SplitsDeclaration = true;
  else
    Region.Last = Scope->body_back();
}

llvm::ArrayRef<Stmt *> FoundRegion::statements() const {
  auto *Scope = dyn_cast<CompoundStmt>(Parent);
  if (!Scope)
    return llvm::ArrayRef(&First, 1);
  Stmt **Begin = llvm::find(Scope->body(), First);
  Stmt **End = llvm::find(Scope->body(), Last);
  return llvm::ArrayRef(Begin, End + 1);
}

/// Through the end of the scope where the region goes there: destructors run
/// at its brace.
PlaceRange RegionFinder::rangeOf(const FoundRegion &Region) const {
  SourceLocation End = Region.Last->getEndLoc();
  if (const auto *Scope = dyn_cast<CompoundStmt>(Region.Parent);
      Scope && Scope->body_back() == Region.Last)
    End = Scope->getRBracLoc();
  return placesOf(Context.getSourceManager(),
                  {Region.First->getBeginLoc(), End});
}

void RegionFinder::refuseForSource(const LoopFacts &Loop, FoundRegion &Region) {
  auto IsOff = [&](const SourcePlace &Place) {
    return llvm::any_of(
        Off, [&](const PlaceRange &Range) { return Range.contains(Place); });
  };
  if (IsOff(Loop.Id.Place) || llvm::any_of(Loop.Id.InlinedAt, IsOff)) {
    refuse(Region, "is switched off in the source (#pragma sluice off)", {});
    Region.Facts.SwitchedOff = true;
  }
  for (const PlaceRange &Statement : Off)
    Region.Facts.SwitchedOff |= Body.contains(Statement.Begin);
}

namespace {

/// Statements by which control, or a name, would cross the region's edge.
struct EdgeCrossing {
  const Stmt *Where = nullptr;
  const char *Why = nullptr;

  void find(const Stmt *S, bool InLoop, bool InSwitch) {
    if (!S || Where || isa<LambdaExpr>(S))
      return;
    if (isa<ReturnStmt, CoreturnStmt>(S))
      found(S, "contains a return");
    else if (isa<GotoStmt, IndirectGotoStmt, LabelStmt>(S))
      found(S, "contains a goto or a label");
    else if (isa<BreakStmt>(S) && !InLoop && !InSwitch)
      found(S, "contains a break out of it");
    else if (isa<ContinueStmt>(S) && !InLoop)
      found(S, "contains a continue of a loop around it");
    else if (isa<SwitchCase>(S) && !InSwitch)
      found(S, "contains a case of a switch around it");
    else if (isa<GCCAsmStmt>(S) && cast<GCCAsmStmt>(S)->isAsmGoto())
      found(S, "contains an asm goto");
    bool Loop = isLoop(S);
    for (const Stmt *Child : S->children())
      find(Child, InLoop || Loop,
           Loop ? false : InSwitch || isa<SwitchStmt>(S));
  }

private:
  void found(const Stmt *S, const char *Reason) {
    Where = S;
    Why = Reason;
  }
};

} // namespace

void RegionFinder::refuseForJumps(FoundRegion &Region) {
  EdgeCrossing Crossing;
  for (const Stmt *S : Region.statements())
    Crossing.find(S, /*InLoop=*/false, /*InSwitch=*/false);
  if (Crossing.Where)
    refuse(Region, Crossing.Why,
           placeOf(Context.getSourceManager(), Crossing.Where->getBeginLoc()));
}

void RegionFinder::refuseForHazards(const KernelFacts &Facts,
                                    FoundRegion &Region) {
  PlaceRange Range = rangeOf(Region);
  for (const PlaceRange &Statement : Off)
    if (Range.contains(Statement.Begin))
      refuse(Region, "contains a statement that is switched off in the source",
             Statement.Begin);
  // What runs in the kernel but is written elsewhere, as default arguments and
  // member initialisers are, may run anywhere in it.
  auto MayBeIn = [&](const SourcePlace &Place) {
    return !Body.contains(Place) || Range.contains(Place);
  };
  for (const RegionHazard &Hazard : Facts.Hazards)
    if (MayBeIn(Hazard.KernelPlace))
      refuse(Region, Hazard.What, Hazard.Place);
  for (const RegionHazard &Hazard : Facts.Hazards)
    if (Hazard.WholeKernel)
      refuse(Region, "is in a kernel that " + Hazard.What, Hazard.Place);
}

/// What other threads do while those of the loop at the end of \p P run it.
void RegionFinder::findBeside(const Path &P, const KernelFacts &Facts,
                              FoundRegion &Region) {
  for (auto Here = llvm::find(P, Region.First); Here != P.end(); ++Here) {
    const auto *If = dyn_cast<IfStmt>(*Here);
    if (!If || std::next(Here) == P.end() ||
        Uniformity.isUniform(If->getCond()))
      continue;
    const Stmt *Next = *std::next(Here);
    const Stmt *Other = Next == If->getThen()   ? If->getElse()
                        : Next == If->getElse() ? If->getThen()
                                                : nullptr;
    if (!Other)
      continue;
    PlaceRange Range =
        placesOf(Context.getSourceManager(), Other->getSourceRange());
    for (const CodeId &Load : Facts.LoadsOutsideLoops)
      if (!Region.Facts.LoadBeside && Range.contains(Load.kernelPlace()))
        Region.Facts.LoadBeside = Load;
    for (unsigned L = 0; L < Facts.Loops.size(); ++L)
      if (Range.contains(Facts.Loops[L].Id.kernelPlace()))
        Region.Facts.LoopsBeside.push_back(L);
  }
}

/// Is \p S the loop of turns that `sluice throttle` wrote?
static bool takesTurns(const Stmt *S) {
  const auto *For = dyn_cast<ForStmt>(S);
  const auto *Init = For ? dyn_cast_or_null<DeclStmt>(For->getInit()) : nullptr;
  if (!Init || !Init->isSingleDecl())
    return false;
  const auto *Turn = dyn_cast<VarDecl>(Init->getSingleDecl());
  return Turn && Turn->getIdentifier() &&
         Turn->getName().starts_with(TurnNamePrefix.str() + "turn");
}

FoundRegion RegionFinder::find(const LoopFacts &Loop,
                               const KernelFacts &Facts) {
  FoundRegion Region;
  Region.Facts.Place = Loop.Id.kernelPlace();
  Path P;
  if (std::string Why = findStatement(Loop, Facts, P); !Why.empty()) {
    refuse(Region, Why, Loop.Id.Place);
    return Region;
  }
  refuseForSource(Loop, Region);
  if (llvm::any_of(P, takesTurns)) {
    refuse(Region, "takes turns in the source", {});
    Region.Facts.SwitchedOff = true;
  }
  if (!Region.Facts.Refusal.empty())
    return Region;
  if (Uniformity.hasGoto()) {
    refuse(Region, "is in a kernel with goto, so who reaches it is unclear",
           placeOf(Context.getSourceManager(), Kernel.getLocation()));
    return Region;
  }
  chooseRegion(P, Region);
  if (!Region.Parent) {
    refuse(Region, "is not a statement of the kernel's body", Loop.Id.Place);
    return Region;
  }
  handleDeclaration(Region);
  Region.Facts.Place =
      placeOf(Context.getSourceManager(), Region.First->getBeginLoc());
  refuseForJumps(Region);
  refuseForHazards(Facts, Region);
  findBeside(P, Facts, Region);
  return Region;
}
