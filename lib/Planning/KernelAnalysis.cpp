// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the code of a module's kernels tells: loops and their accesses, hazards,
// waits, shared memory, and whether sums will be promoted.

#include "PlannedKernel.h"
#include "sluice/Analysis/AccessAnalysis.h"
#include "sluice/Analysis/HazardAnalysis.h"
#include "sluice/Analysis/Reachability.h"
#include "sluice/Analysis/ResidencyAnalysis.h"
#include "sluice/Analysis/SharedMemory.h"
#include "sluice/Analysis/SourceLoopPipeline.h"
#include "sluice/Analysis/WaitAnalysis.h"
#include "sluice/Planning/ModulePlanner.h"
#include "sluice/Transforms/LineCaching.h"
#include "sluice/Transforms/StreamStaging.h"
#include "sluice/Transforms/StreamWidening.h"
#include "sluice/Transforms/SumPromotion.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/TimeProfiler.h"
#include "llvm/Target/TargetMachine.h"

using namespace sluice;
using namespace llvm;

/// Will clang unroll the loop whole, which is before sums are promoted?
static bool isUnrolledWhole(const Loop &L, const LoopFacts &Facts,
                            const TargetTransformInfo &TTI) {
  // LLVM's general threshold at -O3, which NVPTX keeps.
  static constexpr unsigned MaxInstructions = 300;
  if (!Facts.TripCount || Facts.UnrollHint == 1)
    return false;
  InstructionCost Cost = 0;
  for (const BasicBlock *BB : L.blocks())
    for (const Instruction &I : *BB)
      Cost +=
          TTI.getInstructionCost(&I, TargetTransformInfo::TCK_SizeAndLatency);
  // The copies share one comparison and one branch back.
  return (Cost - 2) * *Facts.TripCount + 2 < MaxInstructions;
}

/// Promoted, sums do not part the loads of iterations. Tries it, and so leaves
/// the kernel's IR for nothing else.
static void foreseePromotion(PlannedKernel &Work, FunctionAnalysisManager &FAM,
                             const std::vector<PlaceRange> &Off) {
  auto &All = Work.Facts.Loops;
  if (none_of(All, [](const LoopFacts &L) { return L.WritesOnlySums; }))
    return;
  const auto &TTI = FAM.getResult<TargetIRAnalysis>(*Work.F);
  for (auto [Facts, L] :
       zip(All, FAM.getResult<LoopAnalysis>(*Work.F).getLoopsInPreorder()))
    if (isUnrolledWhole(*L, Facts, TTI))
      Facts.WritesOnlySums = false;
  SumLimits Limits;
  Limits.IsOff = [&](const CodeId &Id) { return isIn(Off, Id); };
  for (const SumLoop &Sum : promoteSums(*Work.F, FAM, Limits))
    for (LoopFacts &Loop : All)
      if (Sum.Outcome == SumOutcome::Promoted && Loop.WritesOnlySums &&
          Loop.Id.ofAllCopies() == Sum.Id) {
        Loop.PromotesSums = true;
        Loop.WritesMemory = false;
      }
}

/// What would still spread over as many lines if \p Kept were staged; empty:
/// nothing.
static std::string leftBy(ArrayRef<unsigned> Kept,
                          const StreamLoopFacts &Streams) {
  if (!Streams.Others.empty())
    return "the access at " + Streams.Others.front().Id.str() +
           " is to no row of a thread";
  for (auto [Number, S] : enumerate(Streams.Streams)) {
    const bool IsNarrow =
        S.Spread == LaneSpread::Uniform || S.Spread == LaneSpread::Coalesced;
    if (!IsNarrow && !is_contained(Kept, Number))
      return "the access at " + S.Accesses.front().Id.str() +
             " cannot be staged";
  }
  return "";
}

static StageableStream stageable(const StreamFacts &S, const LoopFacts &Loop) {
  StageableStream Result;
  Result.Id = S.Accesses.front().Id;
  Result.Start = Loop.Accesses[S.Accesses.front().Access].Address;
  Result.Step = S.Step;
  Result.IsStore = S.IsStore;
  if (S.Spread == LaneSpread::Wide)
    Result.LaneDistance = S.Distance.asConstant();
  Result.IsReadAgain = S.IsSameInParent;
  return Result;
}

/// Has each thread a row of its own in the loop?
static bool hasRows(const StreamLoopFacts &Streams) {
  return any_of(Streams.Streams,
                [](const StreamFacts &S) { return areApart(S.Spread); });
}

/// Fills \p To with the streams that \p Can says, of them \p Within those that
/// share another's buffer. Of the versions of a loop that promotion makes one
/// may do. \p MayLeave: it gains too where others still spread.
template <typename T>
static void foresee(const T &Can, ArrayRef<unsigned> Within, bool MayLeave,
                    const LoopStreams &Streams, const LoopFacts &Loop,
                    std::vector<StageableStream> &To, std::string &Refusal) {
  if (!To.empty() && (Refusal.empty() || !Can.Refusal.empty()))
    return;
  To.clear();
  if (!Can.Refusal.empty()) {
    if (hasRows(Streams.Facts))
      Refusal = Can.Refusal;
    return;
  }
  for (unsigned S : Can.Streams) {
    To.push_back(stageable(Streams.Facts.Streams[S], Loop));
    To.back().IsWithin = is_contained(Within, S);
  }
  Refusal = MayLeave ? "" : leftBy(Can.Streams, Streams.Facts);
}

/// Which streams could be in shared memory or in registers, once sums have left
/// their loops. Leaves the kernel's IR for nothing else.
static void foreseeStaging(PlannedKernel &Work, FunctionAnalysisManager &FAM) {
  KernelFacts Now;
  const std::vector<LoopStreams> All = findStreamsToStage(*Work.F, FAM, Now);
  auto &SE = FAM.getResult<ScalarEvolutionAnalysis>(*Work.F);
  auto &DT = FAM.getResult<DominatorTreeAnalysis>(*Work.F);
  for (const LoopStreams &Streams : All) {
    const LoopFacts &Found = Now.Loops[Streams.Facts.Loop];
    const CodeId Id = Found.Id.ofAllCopies();
    for (LoopFacts &Loop : Work.Facts.Loops) {
      if (!(Loop.Id.ofAllCopies() == Id))
        continue;
      const Stageable Can = findStageable(Streams, SE);
      foresee(Can, Can.Within, /*MayLeave=*/false, Streams, Found,
              Loop.Stageable, Loop.StagingRefusal);
      // Its lines come through the L1 as they did, a quarter as often: also
      // beside a gather, as of a sparse matrix's vector.
      foresee(findWidenable(Streams, SE, DT), {}, /*MayLeave=*/true, Streams,
              Found, Loop.Widenable, Loop.WideningRefusal);
    }
  }
}

/// What is only read has half the work of a line.
static std::vector<unsigned> likeliestFirst(ArrayRef<LineStructure> Of) {
  std::vector<std::pair<uint64_t, unsigned>> Scores;
  for (auto [Number, S] : enumerate(Of))
    Scores.push_back({S.IsWritten ? S.Weight : 2 * S.Weight, unsigned(Number)});
  llvm::sort(Scores, [](const auto &A, const auto &B) {
    return A.first != B.first ? A.first > B.first : A.second < B.second;
  });
  std::vector<unsigned> Order;
  for (auto [Score, Number] : Scores)
    Order.push_back(Number);
  return Order;
}

/// What loops access that lines could serve.
static void foreseeLines(PlannedKernel &Work, FunctionAnalysisManager &FAM) {
  simplifyLoops(*Work.F, FAM);
  auto &LI = FAM.getResult<LoopAnalysis>(*Work.F);
  KernelFacts Now;
  analyzeAccesses(LI, FAM.getResult<ScalarEvolutionAnalysis>(*Work.F), Now);
  if (Now.Loops.empty())
    return;
  const auto Ids = idsOfAccesses(LI, Now);
  for (auto [L, Named] : zip_equal(LI.getLoopsInPreorder(), Now.Loops)) {
    LineLoop Lines = findLines(*L, LI, FAM.getResult<AAManager>(*Work.F));
    const std::vector<unsigned> Order = likeliestFirst(Lines.Structures);
    for (LoopFacts &Loop : Work.Facts.Loops) {
      if (!(Loop.Id.ofAllCopies() == Named.Id.ofAllCopies()) ||
          !Loop.Cacheable.empty())
        continue;
      Loop.CachingRefusal = Lines.Refusal;
      Loop.KeepsLanesTogether = Lines.KeepsLanesTogether;
      if (Lines.Refusal.empty())
        for (unsigned Number : Order) {
          const LineStructure &S = Lines.Structures[Number];
          const auto *Named = find_if(S.Accesses, [&](const Instruction *I) {
            return Ids.lookup(I).Place.isKnown();
          });
          if (Named != S.Accesses.end())
            Loop.Cacheable.push_back(
                {Ids.lookup(*Named), S.IsWritten, unsigned(S.Accesses.size())});
        }
    }
  }
}

/// Data of loops that the source switches off stay where they are.
static void leaveWhatIsOff(KernelFacts &Kernel,
                           const std::vector<PlaceRange> &Off) {
  static constexpr char Why[] = "it is switched off in the source";
  for (LoopFacts &Loop : Kernel.Loops) {
    if (!isIn(Off, Loop.Id))
      continue;
    if (!Loop.Stageable.empty() || !Loop.StagingRefusal.empty())
      Loop.StagingRefusal = Why;
    if (!Loop.Widenable.empty() || !Loop.WideningRefusal.empty())
      Loop.WideningRefusal = Why;
    if (!Loop.Cacheable.empty() || !Loop.CachingRefusal.empty())
      Loop.CachingRefusal = Why;
    Loop.Stageable.clear();
    Loop.Widenable.clear();
    Loop.Cacheable.clear();
  }
}

void sluice::chooseKernels(Module &M, const Options &Opts,
                           MutableArrayRef<PlannedKernel> Kernels) {
  ReachedGlobals Looping;
  if (!needsAllFacts(Opts))
    Looping = reachingLoops(M);
  for (PlannedKernel &Work : Kernels)
    Work.IsAnalyzed = needsAllFacts(Opts) ||
                      (Work.Facts.IsPlanned && Looping.contains(Work.F));
}

void sluice::analyzeKernels(Module &M, TargetMachine *TM, const Options &Opts,
                            const std::vector<PlaceRange> &Off,
                            MutableArrayRef<PlannedKernel> Kernels) {
  TimeTraceScope Scope("SluiceAnalysis");
  SmallVector<PlannedKernel *, 16> Analyzed;
  SmallVector<const Function *, 16> Roots;
  for (PlannedKernel &Work : Kernels)
    if (Work.IsAnalyzed) {
      Analyzed.push_back(&Work);
      Roots.push_back(Work.F);
    }
  HazardAnalysis Hazards;
  for (PlannedKernel *Work : Analyzed) {
    Hazards.collect(*Work->F, Work->Facts.Hazards);
    Work->Facts.FixedResidency = findFixedResidency(*Work->F);
  }

  SourceLoopPipeline Pipeline(M, TM, Roots);
  FunctionAnalysisManager &FAM = Pipeline.analyses();
  for (PlannedKernel *Work : Analyzed) {
    if (Opts.Wrong != WrongRewrite::UnseenWait)
      collectWaits(*Work->F, FAM, Work->Facts.Hazards);
    analyzeAccesses(FAM.getResult<LoopAnalysis>(*Work->F),
                    FAM.getResult<ScalarEvolutionAnalysis>(*Work->F),
                    Work->Facts);
    const DeclaredShared Shared = declaredShared(*Work->F);
    Work->Facts.StaticSharedBytes += Shared.StaticBytes;
    Work->Facts.UsesDynamicShared = Shared.IsDynamic;
  }
  if (Opts.Promote)
    for (PlannedKernel *Work : Analyzed)
      foreseePromotion(*Work, FAM, Off);
  if (Opts.PromoteInRows && Opts.SoftwareL1)
    for (PlannedKernel *Work : Analyzed) {
      // Turns are planned for loops that are without it.
      std::vector<LoopFacts> Unpromoted = Work->Facts.Loops;
      foreseePromotion(*Work, FAM, Off);
      Work->Facts.Loops = std::move(Unpromoted);
    }
  if (Opts.SoftwareL1)
    for (PlannedKernel *Work : Analyzed)
      if (!Work->Facts.Loops.empty()) {
        Opts.CacheAll ? foreseeLines(*Work, FAM) : foreseeStaging(*Work, FAM);
        leaveWhatIsOff(Work->Facts, Off);
      }
}
