// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For each launch: occupancy and the L1 it leaves (Eq. 1 to 4), then for each
// loop N (ThrottleDecision.h). Where the grid is not known at compile time, N
// for each number of blocks that an SM can hold of it; where the block is not,
// that for each number of warps. If the launches agree the loop gets their N,
// else a table that the kernel looks N up in. The innermost loop of a nest goes
// first. Last M and the carveout (ThrottledBlocks.cpp).

#include "sluice/Plan/ThrottlePlanner.h"
#include "ThrottledKernel.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/FormatVariadic.h"
#include <algorithm>

using namespace sluice;
using llvm::formatv;

void ThrottlePlanner::describeAccesses(const LoopFootprint &Footprint,
                                       LoopPlan &Plan) const {
  Plan.Accesses.clear();
  for (const AccessFootprint &A : Footprint.Accesses) {
    AccessPlan P;
    P.Id = A.Access->Id;
    P.Kind = A.Access->IsStore ? "store" : "load";
    P.Bytes = A.Access->Bytes;
    P.Address = A.Access->Address.str();
    P.LinesPerWarp = A.LinesPerWarp;
    P.SectorsPerWarp = A.SectorsPerWarp;
    P.LinesPerBlock = A.LinesPerBlock;
    if (A.Measured)
      P.MeasuredLinesPerWarp = A.Access->Measured->linesPerRequest();
    P.IterationStride = A.IterationStride;
    Plan.Accesses.push_back(std::move(P));
  }
}

static BlockShape shapeOf(const LaunchConfig &Launch) {
  BlockShape Shape;
  for (unsigned I = 0; I < 3; ++I)
    Shape[I] = unsigned(*Launch.Block.Sizes[I]);
  return Shape;
}

/// What is decided for a launch in \p State; where its grid is not known, that
/// of the most blocks, or of those that want the largest N. N by the grid goes
/// to \p Steps.
Decision ThrottlePlanner::decideState(unsigned LoopIndex,
                                      const LaunchState &State,
                                      GridSteps &Steps) {
  Decision D;
  auto Grid = State.Launch.Grid.total();
  Steps = {{Grid.value_or(1), 1}};
  const LoopFootprint &Footprint = Footprints.of(LoopIndex, State.Launch);
  if (!State.Unknown.empty()) {
    D.Why = State.Unknown;
    return D;
  }
  if (!Footprint.Unknown.empty()) {
    D.Why = "the footprint is unknown: " + Footprint.Unknown;
    return D;
  }
  if (Footprint.Accesses.empty()) {
    D.Why = "no global load in it";
    return D;
  }
  if (Grid) {
    D = Decider.decide(LoopIndex, State, Footprint);
    Steps.front().WarpGroups = D.WarpGroups;
    return D;
  }
  // Blocks go round the SMs: an SM has R if each has R - 1 and there is one
  // more.
  Steps.clear();
  LaunchState Part = State;
  unsigned WarpsPerBlock = State.Held.WarpsPerSM / State.Held.BlocksPerSM;
  for (unsigned R = 1; R <= State.Held.BlocksPerSM; ++R) {
    Part.Held.BlocksPerSM = R;
    Part.Held.WarpsPerSM = R * WarpsPerBlock;
    Decision OfPart = Decider.decide(LoopIndex, Part, Footprint);
    Steps.push_back({uint64_t(R - 1) * Options.SMs + 1, OfPart.WarpGroups});
    if (OfPart.WarpGroups >= D.WarpGroups)
      D = std::move(OfPart);
  }
  Steps = simplified(Steps);
  return D;
}

/// The same for all blocks that the launch can have: of those that want turns,
/// or of all where none does, the one with the largest footprint.
Decision ThrottlePlanner::decideCase(unsigned LoopIndex, const LaunchCase &Case,
                                     LoopPlan &Plan,
                                     std::vector<Wish> &Wishes) {
  Decision Chosen;
  bool SaysWhich = false;
  unsigned Threads = 0;
  for (const LaunchState &State : Case.States) {
    Wish W;
    Decision D = decideState(LoopIndex, State, W.Steps);
    W.Block = shapeOf(State.Launch);
    W.AnyBlock = Case.AnyBlock;
    W.Grid = State.Launch.Grid.total();
    W.OnlyIf = D.OnlyIf;
    Wishes.push_back(std::move(W));
    if (D.FootprintBytes >= Plan.FootprintBytes) {
      Plan.FootprintBytes = D.FootprintBytes;
      describeAccesses(Footprints.of(LoopIndex, State.Launch), Plan);
    }
    SaysWhich |= Threads != 0 && D.Why != Chosen.Why;
    if (Threads == 0 ||
        std::make_pair(D.WarpGroups > 1, D.FootprintBytes) >=
            std::make_pair(Chosen.WarpGroups > 1, Chosen.FootprintBytes)) {
      Chosen = std::move(D);
      Threads = State.Launch.Block.total().value_or(0);
    }
  }
  if (SaysWhich)
    Chosen.Why =
        formatv("with blocks of {0} threads: {1}", Threads, Chosen.Why);
  if (Case.States.empty())
    Chosen.Why = Case.Unknown;
  return Chosen;
}

/// Is one N right for all launches that there are?
bool ThrottlePlanner::suitsAll(const LaunchTable &Table) const {
  unsigned Most = Table.most();
  return llvm::none_of(Cases,
                       [](const LaunchCase &Case) { return Case.AnyBlock; }) &&
         llvm::all_of(Table.Shapes, [&](const auto &Shape) {
           return llvm::all_of(Shape.second, [&](const GridStep &Step) {
             return Step.WarpGroups == Most;
           });
         });
}

LoopPlan ThrottlePlanner::planLoop(unsigned LoopIndex) {
  const LoopFacts &Loop = Kernel.Loops[LoopIndex];
  LoopPlan Plan;
  Plan.Id = Loop.Id;
  if (Kernel.Off) {
    Plan.Why = "the source switches Sluice off for this kernel";
    return Plan;
  }
  if (Options.ForcedWarpGroups)
    return planForced(LoopIndex, std::move(Plan));
  if (Cases.empty()) {
    Plan.Why = NoLaunch.str() + "; it uses dynamic shared memory";
    return Plan;
  }
  // Footprints of all blocks take long, and could change nothing.
  if (Kernel.IsLibrarys && !refusalOf(LoopIndex).empty()) {
    Plan.Why = NoLaunch.str() + "; the region at " + Loop.Region.Place.str() +
               " " + refusalOf(LoopIndex);
    return Plan;
  }

  std::vector<Wish> Wishes;
  std::vector<Decision> Decisions;
  std::string Against;
  for (const LaunchCase &Case : Cases) {
    Decision D = decideCase(LoopIndex, Case, Plan, Wishes);
    if (D.Nanoseconds) {
      Plan.PredictedNanoseconds = D.Nanoseconds;
      Plan.UnthrottledNanoseconds = D.UnthrottledNanoseconds;
    }
    bool IsUnknown =
        Case.States.empty() || !Case.States.front().Unknown.empty();
    if (D.WarpGroups == 1 && Against.empty())
      Against = Cases.size() == 1 || IsUnknown
                    ? D.Why
                    : launchName(Case.Launch) + ": " + D.Why;
    Decisions.push_back(std::move(D));
  }
  LaunchTable Table;
  // Of a launch that could be any, nothing can be said of the others either.
  if (llvm::none_of(Cases,
                    [](const LaunchCase &Case) { return Case.States.empty(); }))
    Table = tableOf(Wishes);
  auto WantsMost = [N = Table.most()](const Decision &D) {
    return D.WarpGroups == N;
  };
  auto WantsTurns = [](const Decision &D) { return D.WarpGroups > 1; };
  if (Table.most() == 1) {
    Plan.Why = Against;
    if (Kernel.Launches.empty())
      Plan.Why = NoLaunch.str() + "; of any: " + Against;
  } else {
    auto Found = llvm::find_if(Decisions, WantsMost);
    if (Found == Decisions.end()) // its wish met another launch's
      Found = llvm::find_if(Decisions, WantsTurns);
    Plan.Why = Found->Why;
    WishedTests Tests = testsOf(Wishes);
    Plan.OnlyIf = std::move(Tests.OnlyIf);
    if (Tests.Differ)
      Plan.Why += "; the tests are those of all launches together";
  }
  setTable(LoopIndex, std::move(Table), Plan);
  heedRegion(LoopIndex, Plan);
  return Plan;
}

/// `throttle=N`: the user's N for every loop with reuse, whatever the model
/// says. The turn-taking reads the block size at run time, so no launch need be
/// known; reuse (Eq. 6) is tested with any block.
LoopPlan ThrottlePlanner::planForced(unsigned LoopIndex, LoopPlan Plan) {
  LaunchConfig Launch;
  if (!Kernel.Launches.empty())
    Launch = Kernel.Launches.front();
  if (!Launch.Block.total())
    Launch.Block = LaunchDim::known(256);
  const LoopFootprint &Footprint = Footprints.of(LoopIndex, Launch);
  describeAccesses(Footprint, Plan);
  if (!Footprint.HasReuse) {
    Plan.Why =
        "no load is known to touch its cache line again in the next iteration";
    return Plan;
  }
  if (!Cases.empty() && !Cases.front().AnyBlock && !Footprint.UnknownDistance &&
      Footprint.OnlyIf.empty()) {
    const LaunchState &State = Cases.front().States.front();
    if (State.Unknown.empty())
      Plan.FootprintBytes = Decider.bytesOf(Footprint.linesPerBlock(1), State);
  }
  LaunchTable Table;
  Table.Otherwise = std::min(*Options.ForcedWarpGroups,
                             std::max(1u, Footprint.WarpsPerBlock));
  setTable(LoopIndex, std::move(Table), Plan);
  Plan.Why = formatv("N={0} was asked for", *Options.ForcedWarpGroups);
  if (Plan.WarpGroups < *Options.ForcedWarpGroups)
    Plan.Why += Plan.WarpGroups == 1 ? ", but a block is one warp"
                                     : formatv(", and a block has {0} warps",
                                               Footprint.WarpsPerBlock)
                                           .str();
  heedRegion(LoopIndex, Plan);
  return Plan;
}

/// Sets N and the footprint that is left with it, of those launches that have
/// turns.
void ThrottlePlanner::setTable(unsigned LoopIndex, LaunchTable Table,
                               LoopPlan &Plan) {
  Tables[LoopIndex] = std::move(Table);
  const LaunchTable &New = Tables[LoopIndex];
  Plan.WarpGroups = New.most();
  Plan.ThrottledFootprintBytes = Plan.FootprintBytes;
  if (Plan.WarpGroups == 1)
    Plan.OnlyIf.clear();
  if (Plan.WarpGroups == 1 || Plan.FootprintBytes == 0)
    return;
  Plan.ThrottledFootprintBytes = 0;
  for (const LaunchCase &Case : Cases)
    for (const LaunchState &State : Case.States) {
      if (!State.Unknown.empty())
        continue;
      uint64_t Filling = uint64_t(State.Held.BlocksPerSM) * Options.SMs;
      unsigned N = New.warpGroups(shapeOf(State.Launch),
                                  State.Launch.Grid.total().value_or(Filling));
      if (N > 1)
        Plan.ThrottledFootprintBytes = std::max(
            Plan.ThrottledFootprintBytes,
            Decider.bytesOf(
                Footprints.of(LoopIndex, State.Launch).linesPerBlock(N),
                State));
    }
}

/// Why the loop's region takes no turns; empty: it may.
std::string ThrottlePlanner::refusalOf(unsigned LoopIndex) const {
  return Options.TakeTurns ? Kernel.Loops[LoopIndex].Region.Refusal
                           : "must not be throttled (throttle=off)";
}

/// A wish for turns ends where the region cannot take them.
void ThrottlePlanner::heedRegion(unsigned LoopIndex, LoopPlan &Plan) {
  const LoopFacts &Loop = Kernel.Loops[LoopIndex];
  std::string Refusal = refusalOf(LoopIndex);
  if (Plan.WarpGroups == 1 || Refusal.empty())
    return;
  Plan.Why = formatv("N={0}{1} is wanted ({2}), but the region at {3} {4}",
                     Plan.WarpGroups, ifNote(Plan.OnlyIf), Plan.Why,
                     Loop.Region.Place.str(), Refusal);
  if (Options.TakeTurns && Loop.Region.RefusalPlace.isKnown())
    Plan.Why += " at " + Loop.Region.RefusalPlace.str();
  setTable(LoopIndex, {}, Plan);
}

/// A loop around a throttled loop is not throttled as well.
void ThrottlePlanner::settleNests(KernelPlan &Plan) {
  for (unsigned Inner = Kernel.Loops.size(); Inner-- > 0;) {
    if (Plan.Loops[Inner].WarpGroups == 1)
      continue;
    for (auto Outer = Kernel.Loops[Inner].Parent; Outer;
         Outer = Kernel.Loops[*Outer].Parent)
      if (Plan.Loops[*Outer].WarpGroups != 1) {
        setTable(*Outer, {}, Plan.Loops[*Outer]);
        Plan.Loops[*Outer].Why = "its inner loop at " +
                                 Plan.Loops[Inner].Id.str() +
                                 " is throttled instead";
      }
  }
}

/// What turns at the loop would hold up in branches beside it, whose threads
/// gain nothing from them; empty: nothing.
std::string ThrottlePlanner::heldUp(unsigned LoopIndex,
                                    const KernelPlan &Plan) const {
  const ThrottleRegion &Region = Kernel.Loops[LoopIndex].Region;
  if (Region.LoadBeside)
    return Region.LoadBeside->Place.isKnown()
               ? "the load at " + Region.LoadBeside->str()
               : "a load";
  for (unsigned Beside : Region.LoopsBeside) {
    auto TakesTurns = [&](unsigned L) {
      return Plan.Loops[L].WarpGroups > 1 &&
             (isWithin(Kernel, L, Beside) || isWithin(Kernel, Beside, L));
    };
    auto Loops = llvm::seq<unsigned>(0, Kernel.Loops.size());
    if (!Kernel.Loops[Beside].Accesses.empty() &&
        llvm::none_of(Loops, TakesTurns))
      return "the loop at " + Kernel.Loops[Beside].Id.str();
  }
  return "";
}

/// No turns that hold up other threads' work, but where the user asked for them
/// or a simulation, which has that work, says that they pay.
void ThrottlePlanner::settleBranches(KernelPlan &Plan) {
  if (Options.ForcedWarpGroups)
    return;
  for (bool Changed = true; Changed;) { // other loops may wait for one now
    Changed = false;
    for (unsigned L = 0; L < Plan.Loops.size(); ++L) {
      LoopPlan &Loop = Plan.Loops[L];
      if (Loop.WarpGroups == 1 || Loop.PredictedNanoseconds)
        continue;
      std::string What = heldUp(L, Plan);
      if (What.empty())
        continue;
      Loop.Why = formatv("N={0}{1} is wanted ({2}), but its turns would hold "
                         "up {3}, in a branch that other threads take",
                         Loop.WarpGroups, ifNote(Loop.OnlyIf), Loop.Why, What);
      setTable(L, {}, Loop);
      HoldsUp[L] = Changed = true;
    }
  }
}

/// Loops that can only be throttled together get one N, the largest. It needs
/// no test where one of them wants it without; else it has the tests of all.
void ThrottlePlanner::settleRegions(KernelPlan &Plan) {
  for (unsigned A = 0; A < Plan.Loops.size(); ++A)
    for (unsigned B = 0; B < Plan.Loops.size(); ++B) {
      if (Plan.Loops[A].WarpGroups == 1 || Plan.Loops[B].WarpGroups == 1 ||
          Kernel.Loops[A].Region.Index != Kernel.Loops[B].Region.Index)
        continue;
      LaunchTable Both = largerOf(Tables[A], Tables[B]);
      auto WantsItAlways = [&](unsigned L) {
        return Tables[L] == Both && Plan.Loops[L].OnlyIf.empty();
      };
      ArgumentMinima OfBoth;
      if (!WantsItAlways(A) && !WantsItAlways(B))
        OfBoth = bothOf(Plan.Loops[A].OnlyIf, Plan.Loops[B].OnlyIf);
      const bool HasOtherTests = OfBoth != Plan.Loops[A].OnlyIf;
      if (Both == Tables[A] && !HasOtherTests)
        continue;
      Plan.Loops[A].OnlyIf = std::move(OfBoth);
      setTable(A, std::move(Both), Plan.Loops[A]);
      Plan.Loops[A].Why += formatv("; throttled together with the loop at {0}",
                                   Plan.Loops[B].Id.str());
      if (suitsAll(Tables[A]))
        Plan.Loops[A].Why += formatv(", N={0}", Plan.Loops[A].WarpGroups);
      if (HasOtherTests)
        Plan.Loops[A].Why +=
            Plan.Loops[A].OnlyIf.empty()
                ? ", whatever the arguments"
                : formatv(", only{0}", ifNote(Plan.Loops[A].OnlyIf)).str();
    }
}

LaunchPlan ThrottlePlanner::launchPlan(const LaunchCase &Case) const {
  LaunchPlan P;
  P.Grid = Case.Launch.Grid;
  P.Block = Case.Launch.Block;
  P.DynamicSharedBytes = Case.Launch.DynamicSharedBytes;
  P.Place = Case.Launch.Place;
  P.FromProfile = Case.Launch.FromProfile;
  if (!Case.AnyBlock) {
    P.BlocksPerSM = Case.States.front().Held.BlocksPerSM;
    P.L1Bytes = Case.States.front().Held.L1Bytes;
  }
  return P;
}

KernelPlan ThrottlePlanner::plan() {
  KernelPlan Plan;
  Plan.Name = Kernel.Name;
  Plan.DisplayName = Kernel.DisplayName;
  Plan.Registers = Registers.Count;
  Plan.RegistersFrom = Registers.From;
  Plan.StaticSharedBytes = Kernel.StaticSharedBytes;
  Cases = launchCases(Ledger);
  for (unsigned L = 0; L < Kernel.Launches.size(); ++L)
    Plan.Launches.push_back(launchPlan(Cases[L]));
  Tables.resize(Kernel.Loops.size());
  HoldsUp.resize(Kernel.Loops.size());
  for (unsigned L = 0; L < Kernel.Loops.size(); ++L)
    Plan.Loops.push_back(planLoop(L));
  settleNests(Plan);
  settleBranches(Plan);
  settleRegions(Plan);
  for (unsigned L = 0; L < Kernel.Loops.size(); ++L)
    if (Plan.Loops[L].WarpGroups > 1 && !suitsAll(Tables[L]))
      Plan.Loops[L].ByLaunch = Tables[L].rows();
  limitBlocks(Plan);
  return Plan;
}

KernelPlan sluice::planThrottling(const KernelFacts &Kernel,
                                  const GPUModel &GPU,
                                  const RegisterFact &Registers,
                                  const ThrottleOptions &Options,
                                  const ThrottleThresholds &Thresholds,
                                  LoopFootprints *Footprints) {
  LoopFootprints Own(Kernel, GPU);
  return ThrottlePlanner(Kernel, GPU, Registers, Options, Thresholds,
                         Footprints ? *Footprints : Own)
      .plan();
}
