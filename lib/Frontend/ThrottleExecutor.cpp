// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Regions are found anew, on the function that is rewritten. A region inside
// another one's turns gets none of its own. Remarks come when all of that is
// known, one for the loops that share a reason.

#include "sluice/Frontend/ThrottleExecutor.h"
#include "sluice/Frontend/Remarks.h"
#include "sluice/Frontend/ThrottleRewriter.h"
#include "sluice/Plan/ThrottlePlanner.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Frontend/CompilerInstance.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace sluice;

static std::string loopKey(const KernelPlan &Kernel, const LoopPlan &Loop) {
  return Kernel.Name + " " + Loop.Id.str();
}

/// Why a test of \p OnlyIf cannot be made; empty: all can.
static std::string whyNoTests(const KernelFacts &Facts,
                              llvm::ArrayRef<ArgumentMinimum> OnlyIf) {
  for (const ArgumentMinimum &M : OnlyIf)
    if (std::string Why = whyNoTest(Facts, M); !Why.empty())
      return "the kernel cannot test " + M.str() + ": " + Why;
  return "";
}

/// Is \p Inner \p Outer or below it?
static bool encloses(const clang::Stmt *Outer, const clang::Stmt *Inner) {
  return Outer && (Outer == Inner ||
                   llvm::any_of(Outer->children(), [&](const clang::Stmt *C) {
                     return encloses(C, Inner);
                   }));
}

static bool encloses(const FoundRegion &Outer, const clang::Stmt *Inner) {
  return llvm::any_of(Outer.statements(),
                      [&](const clang::Stmt *S) { return encloses(S, Inner); });
}

void ThrottleExecutor::collectTurns(clang::FunctionDecl &Kernel,
                                    const KernelPlan &Plan,
                                    const KernelFacts &Facts,
                                    std::vector<RegionTurns> &Turns) {
  RegionFinder Finder(Kernel, CI.getASTContext(), Device.Off);
  for (const LoopPlan &Loop : Plan.Loops) {
    if (Loop.WarpGroups <= 1)
      continue;
    auto Fact = llvm::find_if(
        Facts.Loops, [&](const LoopFacts &F) { return F.Id == Loop.Id; });
    FoundRegion Region = Finder.find(*Fact, Facts);
    if (!Region.Facts.Refusal.empty()) {
      std::string Why = "the region at " + Region.Facts.Place.str() + " " +
                        Region.Facts.Refusal;
      if (Region.Facts.RefusalPlace.isKnown())
        Why += " at " + Region.Facts.RefusalPlace.str();
      Refusals[loopKey(Plan, Loop)] = std::move(Why);
      continue;
    }
    if (std::string Why = whyNoTests(Facts, Loop.OnlyIf); !Why.empty()) {
      Refusals[loopKey(Plan, Loop)] = std::move(Why);
      continue;
    }
    if (std::string Why = Writer->whyNot(Kernel, Region, Loop.OnlyIf);
        !Why.empty()) {
      Refusals[loopKey(Plan, Loop)] =
          "the region at " + Region.Facts.Place.str() + " " + Why;
      RefusedByWriter.insert(loopKey(Plan, Loop));
      continue;
    }
    // Turns are not taken inside turns: the outer region stays.
    llvm::erase_if(Turns, [&](const RegionTurns &T) {
      return T.Region.First != Region.First && encloses(Region, T.Region.First);
    });
    auto Around = llvm::find_if(Turns, [&](const RegionTurns &T) {
      return encloses(T.Region, Region.First);
    });
    if (Around == Turns.end()) {
      Turns.push_back(
          {Region, LaunchTable::of(Loop), Loop.OnlyIf, SkipTurn, Loop.Why});
    } else if (Around->Region.First == Region.First) {
      if (Loop.WarpGroups > Around->WarpGroups.most())
        Around->Why = Loop.Why;
      Around->WarpGroups = largerOf(Around->WarpGroups, LaunchTable::of(Loop));
      Around->OnlyIf = bothOf(Around->OnlyIf, Loop.OnlyIf);
    } else {
      Refusals[loopKey(Plan, Loop)] = "it is inside the throttled region at " +
                                      Around->Region.Facts.Place.str();
    }
  }
}

/// Finds clang's locations for the kernel and its loops, also for those in
/// functions that it calls, for the remarks.
void ThrottleExecutor::locate(const clang::FunctionDecl &Kernel,
                              const KernelPlan &Plan) {
  const clang::SourceManager &SM = CI.getSourceManager();
  Locations[Plan.Name] = Kernel.getLocation().getRawEncoding();
  llvm::SmallPtrSet<const clang::FunctionDecl *, 16> Seen;
  llvm::SmallVector<const clang::FunctionDecl *, 16> Functions = {&Kernel};
  llvm::StringMap<unsigned> Found;
  while (!Functions.empty()) {
    const clang::FunctionDecl *Function = Functions.pop_back_val();
    const clang::FunctionDecl *Definition = nullptr;
    if (!Function || !Function->hasBody(Definition) ||
        !Seen.insert(Definition).second)
      continue;
    llvm::SmallVector<const clang::Stmt *, 32> Work = {Definition->getBody()};
    while (!Work.empty()) {
      const clang::Stmt *S = Work.pop_back_val();
      if (BlockUniformity::loopBody(S))
        Found.try_emplace(placeOf(SM, S->getBeginLoc()).str(),
                          S->getBeginLoc().getRawEncoding());
      if (const auto *Call = llvm::dyn_cast<clang::CallExpr>(S))
        if (const clang::FunctionDecl *Callee = Call->getDirectCallee())
          Functions.push_back(Callee);
      if (const auto *Construct = llvm::dyn_cast<clang::CXXConstructExpr>(S)) {
        Functions.push_back(Construct->getConstructor());
        Functions.push_back(
            Construct->getConstructor()->getParent()->getDestructor());
      }
      for (const clang::Stmt *Child : S->children())
        if (Child)
          Work.push_back(Child);
    }
  }
  for (const LoopPlan &Loop : Plan.Loops)
    if (auto It = Found.find(Loop.Id.Place.str()); It != Found.end())
      Locations[loopKey(Plan, Loop)] = It->second;
}

void ThrottleExecutor::execute(clang::FunctionDecl &Function) {
  if (!Function.hasAttr<clang::CUDAGlobalAttr>() ||
      !Function.doesThisDeclarationHaveABody() ||
      Function.isDependentContext() || !Done.insert(&Function).second)
    return;
  std::string Name = kernelName(Function);
  const KernelPlan *Plan = Device.Decisions.kernel(Name);
  const KernelFacts *Facts = Device.facts(Name);
  if (!Plan || !Facts)
    return;
  Definitions[Name] = &Function;
  if (!Writer)
    return;
  std::vector<RegionTurns> Turns;
  collectTurns(Function, *Plan, *Facts, Turns);
  Writer->writeRows(Function, *Plan, *Facts);
  Writer->wrap(Function, Turns);
}

void ThrottleExecutor::askWriter(const clang::FunctionDecl &Kernel,
                                 const KernelPlan &Plan) {
  std::string Why = Writer ? Writer->whyNot(Kernel) : "";
  if (Why.empty())
    return;
  for (const LoopPlan &Loop : Plan.Loops)
    if (Loop.WarpGroups > 1 &&
        Refusals.try_emplace(loopKey(Plan, Loop), Why).second)
      RefusedByWriter.insert(loopKey(Plan, Loop));
}

/// " (8 blocks of 256 threads on an SM, 30 registers by the assembler)"; with a
/// grid that is not known "at most 8 blocks".
static std::string occupancyNote(const KernelPlan &Kernel) {
  for (const LaunchPlan &Launch : Kernel.Launches)
    if (Launch.BlocksPerSM > 0)
      return llvm::formatv(
          " ({0}{1} blocks of {2} threads on an SM, {3} registers "
          "{4})",
          Launch.Grid.total() ? "" : "at most ", Launch.BlocksPerSM,
          Launch.Block.total().value_or(0), Kernel.Registers,
          Kernel.RegistersFrom == "assembler" ? "by the assembler"
          : Kernel.RegistersFrom == "assembler, at least"
              ? "or more, by the assembler"
          : Kernel.RegistersFrom == "assumed" ? "assumed"
                                              : "by its launch bounds");
  return "";
}

/// Why \p Loop is not throttled, without its place: several loops may share it.
static std::string reasonOf(const KernelPlan &Kernel, const LoopPlan &Loop,
                            const std::string *Refusal) {
  std::string Why =
      !Refusal ? Loop.Why
               : llvm::formatv("N={0}{1} is planned, but {2}", Loop.WarpGroups,
                               ifNote(Loop.OnlyIf), *Refusal)
                     .str();
  return Why + occupancyNote(Kernel);
}

Remark ThrottleExecutor::loopRemark(const KernelPlan &Kernel,
                                    const LoopPlan &Loop,
                                    const KernelFacts &Facts) const {
  Remark R;
  R.Function = Kernel.Name;
  R.Place = Loop.Id.Place.isKnown() ? Loop.Id.Place : Facts.Place;
  auto Location = Locations.find(loopKey(Kernel, Loop));
  R.Location = Location != Locations.end() ? Location->second
                                           : Locations.lookup(Kernel.Name);
  std::string Where =
      Loop.Id.InlinedAt.empty() ? "" : " (" + Loop.Id.str() + ")";
  auto Refusal = Refusals.find(loopKey(Kernel, Loop));
  if (Loop.WarpGroups > 1 && Refusal == Refusals.end()) {
    R.Kind = Remark::Passed;
    R.Name = "Throttled";
    std::string N = Loop.ByLaunch.empty()
                        ? llvm::formatv("N={0}", Loop.WarpGroups).str()
                        : "N by launch (" + LaunchTable::of(Loop).str() + ")";
    R.Message = llvm::formatv("loop of '{0}'{1} throttled, {2}{3}: {4}{5}",
                              Kernel.DisplayName, Where, N, ifNote(Loop.OnlyIf),
                              Loop.Why, occupancyNote(Kernel));
    return R;
  }
  R.Kind = Remark::Missed;
  R.Name = "NotThrottled";
  R.Message = llvm::formatv(
      "loop of '{0}'{1} not throttled: {2}", Kernel.DisplayName, Where,
      reasonOf(Kernel, Loop,
               Refusal == Refusals.end() ? nullptr : &Refusal->second));
  return R;
}

/// From a library, whose user cannot change it?
bool ThrottleExecutor::isOfLibrary(unsigned Location) const {
  auto Loc = clang::SourceLocation::getFromRawEncoding(Location);
  const clang::SourceManager &SM = CI.getSourceManager();
  return Loc.isValid() && SM.isInSystemHeader(SM.getExpansionLoc(Loc));
}

/// Loops that are left alone for one reason get one line: at the kernel if they
/// are all that it has, else at the first of them. The record has each.
void ThrottleExecutor::reportLoops(const KernelPlan &Kernel,
                                   const KernelFacts &Facts) {
  struct Group {
    Remark First;
    std::string Reason;
    size_t Index = 0;
    unsigned Loops = 0;
    bool IsUsers = false;
    uint64_t FootprintBytes = 0; ///< Of the largest.
  };
  std::vector<Group> Groups;
  for (const LoopPlan &Loop : Kernel.Loops) {
    Remark R = loopRemark(Kernel, Loop, Facts);
    if (RefusedByWriter.contains(loopKey(Kernel, Loop))) {
      Said.push_back({std::move(R), "", 0, /*IsWarning=*/true});
      continue;
    }
    keepRemark(R);
    if (R.Kind == Remark::Passed || Device.AllRemarks) {
      say(R, Kernel);
      continue;
    }
    auto Refusal = Refusals.find(loopKey(Kernel, Loop));
    std::string Reason = reasonOf(
        Kernel, Loop, Refusal == Refusals.end() ? nullptr : &Refusal->second);
    // Whatever else is said of it, this is what the user can do about it.
    if (Facts.Launches.empty() && Loop.WarpGroups == 1 &&
        llvm::StringRef(Loop.Why).starts_with(NoLaunch))
      Reason = NoLaunch.str();
    auto G = llvm::find_if(
        Groups, [&](const Group &Other) { return Other.Reason == Reason; });
    if (G == Groups.end())
      G = Groups.insert(Groups.end(), {R, Reason, Groups.size()});
    ++G->Loops;
    G->IsUsers |= !isOfLibrary(R.Location);
    G->FootprintBytes = std::max(G->FootprintBytes, Loop.FootprintBytes);
  }
  // First where most could be gained, then as in the source.
  llvm::sort(Groups, [](const Group &A, const Group &B) {
    return std::make_pair(B.FootprintBytes, A.Index) <
           std::make_pair(A.FootprintBytes, B.Index);
  });
  for (Group &G : Groups) {
    if (!G.IsUsers)
      continue;
    if (G.Loops > 1 && G.Loops == Kernel.Loops.size()) {
      G.First.Location = Locations.lookup(Kernel.Name);
      G.First.Message = llvm::formatv("none of the {0} loops of '{1}' "
                                      "throttled: {2}",
                                      G.Loops, Kernel.DisplayName, G.Reason);
    } else if (G.Loops > 1) {
      G.First.Message =
          llvm::formatv("{0} loops of '{1}' not throttled, this the first: {2}",
                        G.Loops, Kernel.DisplayName, G.Reason);
    }
    say(G.First, Kernel);
  }
}

void ThrottleExecutor::reportKernel(const KernelPlan &Kernel,
                                    const KernelFacts &Facts) {
  const unsigned Location = Locations.lookup(Kernel.Name);
  const bool Prints = Device.AllRemarks || !isOfLibrary(Location);
  auto Report = [&](const Remark &R) {
    keepRemark(R);
    if (Prints || R.Kind == Remark::Passed)
      say(R, Kernel);
  };
  for (Remark R : Device.Remarks)
    if (R.Function == Kernel.Name) {
      R.Location = Location;
      Report(R);
    }
  if (!Writer)
    return;
  if (!Facts.IsPlanned)
    Report({Remark::Missed, "NotPlanned", Kernel.Name, Facts.Place,
            "kernel '" + Kernel.DisplayName +
                "' is all its library's, and no launch of it is in this file",
            Location});
  else if (Kernel.Loops.empty())
    Report({Remark::Analysis, "NoLoop", Kernel.Name, Facts.Place,
            "kernel '" + Kernel.DisplayName + "' has no loop to throttle",
            Location});
  reportLoops(Kernel, Facts);
}

static void warn(clang::CompilerInstance &CI, const Remark &R) {
  clang::DiagnosticsEngine &Diags = CI.getDiagnostics();
  Diags.Report(clang::SourceLocation::getFromRawEncoding(R.Location),
               Diags.getDiagnosticIDs()->getCustomDiagID(
                   clang::DiagnosticIDs::Warning, "%0"))
      << R.Message;
}

/// What instances of a template have in common is said once.
void ThrottleExecutor::say(Remark R, const KernelPlan &Kernel) {
  const std::string Name = "'" + Kernel.DisplayName + "'";
  const size_t At = R.Message.find(Name);
  if (Device.AllRemarks || R.Kind == Remark::Passed || At == std::string::npos)
    return Said.push_back({std::move(R), "", 0});
  R.Message.replace(At, Name.size(), "{0}");
  auto Same = llvm::find_if(Said, [&](const SaidRemark &Other) {
    return Other.R.Location == R.Location && Other.R.Message == R.Message;
  });
  if (Same == Said.end())
    return Said.push_back({std::move(R), Name, 0});
  ++Same->Others;
}

void ThrottleExecutor::print() {
  for (SaidRemark &S : Said) {
    const size_t At =
        S.Name.empty() ? std::string::npos : S.R.Message.find("{0}");
    if (At != std::string::npos)
      S.R.Message.replace(
          At, 3,
          S.Others == 0 ? S.Name
                        : llvm::formatv("{0} and {1} other instance{2}", S.Name,
                                        S.Others, S.Others == 1 ? "" : "s")
                              .str());
    if (S.IsWarning)
      warn(CI, S.R);
    else
      printRemark(CI, S.R);
  }
  Said.clear();
}

void ThrottleExecutor::report() {
  for (const KernelPlan &Kernel : Device.Decisions.Kernels)
    if (const clang::FunctionDecl *Definition =
            Definitions.lookup(Kernel.Name)) {
      locate(*Definition, Kernel);
      askWriter(*Definition, Kernel);
    }
  // Kernels that are launched first, unless all is wanted anyway.
  for (bool Launched : {true, false})
    for (const KernelPlan &Kernel : Device.Decisions.Kernels) {
      const KernelFacts &Facts = *Device.facts(Kernel.Name);
      if (Launched == (Device.AllRemarks || !Facts.Launches.empty()))
        reportKernel(Kernel, Facts);
    }
  print();
}
