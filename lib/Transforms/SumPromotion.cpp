// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LICM keeps in a register what it can prove to overlap nothing. So a loop gets
// a second version with a test of addresses before it (LoopVersioningLICM's;
// SumVersions.h where that gives up), in both of them products are joined with
// sums and ordered as they would be in memory, and LICM does the rest. What
// would come of a loop is asked first, as every refusal is a remark with its
// reason.
//
//   for (int j = 0; j < n; ++j)
//     y[i] += A[i * n + j] * x[j];
//
// is in PTX, but for addresses and counting,
//
//   loop:
//     ld.global.b32 %r6, [%rd10];            // A
//     ld.global.b32 %r7, [%rd9];             // x, which may be y
//     fma.rn.f32    %r9, %r6, %r7, %r9;
//     st.global.b32 [%rd3], %r9;             // in each iteration
//     @%p2 bra      done;
//     bra.uni       loop;
//
// and with this pass
//
//     @%p8 bra      asItWas;                 // y[i] is in A[..] or in x[..]
//   loop:
//     ld.global.b32 %r7, [%rd16];
//     ld.global.b32 %r8, [%rd15];
//     fma.rn.f32    %r12, %r7, %r8, %r12;
//     @%p9 bra      store;
//     bra.uni       loop;
//   store:
//     st.global.b32 [%rd3], %r12;            // once

#include "sluice/Transforms/SumPromotion.h"
#include "sluice/Analysis/AccessAnalysis.h"
#include "sluice/Analysis/DebugPlace.h"
#include "sluice/Analysis/KernelFunction.h"
#include "sluice/Analysis/UnrollAnalysis.h"
#include "sluice/Plan/PromotionPlanner.h"
#include "sluice/Transforms/ContractMultiplyAdd.h"
#include "sluice/Transforms/LoopRounding.h"
#include "sluice/Transforms/PlacedRemarks.h"
#include "sluice/Transforms/PlanMetadata.h"
#include "sluice/Transforms/SumOrder.h"
#include "sluice/Transforms/SumVersions.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/LoopAccessAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/Debug.h"
#include "llvm/Transforms/Scalar/IndVarSimplify.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopDeletion.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/LoopVersioningLICM.h"
#include "llvm/Transforms/Utils/LCSSA.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;
using namespace sluice;

#define DEBUG_TYPE "sluice-promote"

STATISTIC(NumPromoted, "Loops that keep in registers what they add up");
STATISTIC(NumMissed, "Loops that go on adding up in memory");

/// What keeps LLVM's pass from a loop; it leaves it on both versions of one.
static constexpr char Versioned[] = "llvm.loop.licm_versioning.disable";

static SmallVector<StoreInst *, 2> sumsOf(const Loop &L) {
  SmallVector<StoreInst *, 2> Sums;
  for (BasicBlock *BB : L.blocks())
    for (Instruction &I : *BB)
      if (isSumInMemory(I, L))
        Sums.push_back(cast<StoreInst>(&I));
  return Sums;
}

/// Is any of \p Sums, the stores, one that people would call so: with what the
/// iteration before has left in global memory?
static bool addsUp(const Loop &L, ArrayRef<StoreInst *> Sums) {
  return any_of(Sums, [&](const StoreInst *Sum) {
    auto HasOldValue = [&](const User *U) {
      const auto *Load = dyn_cast<LoadInst>(U);
      return Load && L.contains(Load);
    };
    // Where the loop's load is gone already, the value goes round in a phi.
    auto GoesRound = [&](const User *U) {
      const auto *Phi = dyn_cast<PHINode>(U);
      return Phi && Phi->getParent() == L.getHeader();
    };
    // Constants keep no users, and add up nothing.
    return !isa<Constant>(Sum->getValueOperand()) &&
           !isa<ConstantData>(Sum->getPointerOperand()) &&
           isGlobalPointer(Sum->getPointerOperand()) &&
           (any_of(Sum->getPointerOperand()->users(), HasOldValue) ||
            any_of(Sum->getValueOperand()->users(), GoesRound));
  });
}

static bool hasSum(const Loop *L) {
  return L->isInnermost() && !sumsOf(*L).empty();
}

/// Is it known to last so few iterations that the test is not worth it?
static bool isShort(Loop &L, ScalarEvolution &SE) {
  if (unsigned Most = SE.getSmallConstantMaxTripCount(&L))
    if (Most < MinSumIterations)
      return true;
  // From branch weights, as of __builtin_expect.
  auto Estimated = getLoopEstimatedTripCount(&L);
  return Estimated && *Estimated < MinSumIterations;
}

/// What would come of a loop, as far as is known before it is tried.
static SumOutcome foresee(Loop &L, Function &F, FunctionAnalysisManager &FAM) {
  SmallVector<StoreInst *, 2> Sums = sumsOf(L);
  if (hasConvergentCalls(L))
    return SumOutcome::Barrier;
  auto CanTest = [&](const StoreInst *Sum) {
    return canTestAll(*Sum, L, FAM.getResult<LoopAccessAnalysis>(F).getInfo(L),
                      FAM.getResult<AAManager>(F));
  };
  if (!L.getLoopLatch() || none_of(Sums, CanTest))
    return SumOutcome::Untestable;
  const auto &DT = FAM.getResult<DominatorTreeAnalysis>(F);
  if (none_of(Sums, [&](const StoreInst *Sum) {
        return DT.dominates(Sum->getParent(), L.getLoopLatch());
      }))
    return SumOutcome::Conditional;
  if (dependsOnUnrolling(L, Sums))
    return SumOutcome::Unordered;
  if (isShort(L, FAM.getResult<ScalarEvolutionAnalysis>(F)))
    return SumOutcome::FewIterations;
  return SumOutcome::Promoted;
}

/// WrongRewrite::UntestedOverlap: what stands before both versions of a loop
/// goes to the one without stores.
static void skipTest(const Loop &L) {
  auto *Test = dyn_cast<BranchInst>(
      L.getLoopPreheader()->getSinglePredecessor()->getTerminator());
  if (Test && Test->isConditional())
    Test->setCondition(ConstantInt::getFalse(Test->getContext()));
}

/// Versions for what LLVM's pass left alone.
static void versionRest(Function &F, FunctionAnalysisManager &FAM) {
  auto &LI = FAM.getResult<LoopAnalysis>(F);
  auto &Accesses = FAM.getResult<LoopAccessAnalysis>(F);
  bool Changed = false;
  for (Loop *L : LI.getLoopsInPreorder()) {
    if (!hasSum(L) || findOptionMDForLoop(L, Versioned))
      continue;
    Loop *AsItWas =
        versionByRanges(*L, Accesses.getInfo(*L), FAM.getResult<AAManager>(F),
                        LI, FAM.getResult<DominatorTreeAnalysis>(F),
                        FAM.getResult<ScalarEvolutionAnalysis>(F));
    if (!AsItWas)
      continue;
    for (Loop *Version : {L, AsItWas})
      addStringMetadataToLoop(Version, Versioned);
    Accesses.clear(); // of what is other code now
    Changed = true;
  }
  if (Changed)
    FAM.invalidate(F, PreservedAnalyses::none());
}

/// Nor do loops need one where all is apart by itself, as sums in global memory
/// of what is read in shared memory. \returns those.
static SmallVector<CodeId, 2> markUntested(Function &F,
                                           FunctionAnalysisManager &FAM) {
  SmallVector<CodeId, 2> Untested;
  for (Loop *L : FAM.getResult<LoopAnalysis>(F).getLoopsInPreorder())
    if (hasSum(L) && !findOptionMDForLoop(L, Versioned) &&
        all_of(sumsOf(*L), [&](const StoreInst *Sum) {
          return needsNoTest(*Sum, *L, FAM.getResult<AAManager>(F));
        })) {
      addStringMetadataToLoop(L, Versioned);
      Untested.push_back(codeIdOf(*L));
    }
  return Untested;
}

static void run(Function &F, FunctionAnalysisManager &FAM,
                FunctionPassManager Passes) {
  FAM.invalidate(F, Passes.run(F, FAM));
}

namespace {

/// \p LoopPass for the loops that it is to change alone: what is computed in
/// others would be fused in another way, as it comes to stand elsewhere.
template <class LoopPass> struct OnlyIn : PassInfoMixin<OnlyIn<LoopPass>> {
  OnlyIn(LoopPass Inner, function_ref<bool(const Loop &)> IsMeant)
      : Inner(std::move(Inner)), IsMeant(IsMeant) {}
  PreservedAnalyses run(Loop &L, LoopAnalysisManager &AM,
                        LoopStandardAnalysisResults &Results,
                        LPMUpdater &Updater) {
    return IsMeant(L) ? Inner.run(L, AM, Results, Updater)
                      : PreservedAnalyses::all();
  }

  LoopPass Inner;
  function_ref<bool(const Loop &)> IsMeant; ///< Outlives the pass.
};

} // namespace

/// Is all that \p L does to add the same integers in each iteration?
static bool onlyCounts(const Loop &L, ScalarEvolution &SE) {
  auto IsCounter = [&](PHINode &P) {
    const auto *Form = SE.isSCEVable(P.getType())
                           ? dyn_cast<SCEVAddRecExpr>(SE.getSCEV(&P))
                           : nullptr;
    return Form && Form->getLoop() == &L && Form->isAffine();
  };
  return L.isInnermost() && SE.hasLoopInvariantBackedgeTakenCount(&L) &&
         all_of(L.getHeader()->phis(), IsCounter) &&
         all_of(L.blocks(), [](const BasicBlock *BB) {
           return none_of(*BB, [](const Instruction &I) {
             return I.mayReadOrWriteMemory() || isa<CallBase>(I);
           });
         });
}

/// Where a version adds what stays the same, as of
///
///   for (int j = 0; j < n; ++j)
///     y[i] += x[i];
///
/// its sum is known before it, and no loop is needed. Not where a product and a
/// sum could come to be in one block then, or a loop around it be unrolled.
static void removeCounting(Function &F, FunctionAnalysisManager &FAM,
                           function_ref<bool(const Loop &)> IsVersion) {
  auto OnlyCounts = [&](const Loop &L) {
    return IsVersion(L) &&
           onlyCounts(L, FAM.getResult<ScalarEvolutionAnalysis>(F));
  };
  if (any_of(instructions(F), isFusedProduct) ||
      none_of(FAM.getResult<LoopAnalysis>(F).getLoopsInPreorder(),
              [&](const Loop *L) { return OnlyCounts(*L); }))
    return;
  FunctionPassManager Removing;
  LoopPassManager OfLoop;
  OfLoop.addPass(OnlyIn(IndVarSimplifyPass(), OnlyCounts));
  OfLoop.addPass(OnlyIn(LoopDeletionPass(), OnlyCounts));
  Removing.addPass(createFunctionToLoopPassAdaptor(std::move(OfLoop)));
  run(F, FAM, std::move(Removing));
}

/// The loops of \p F with sums in memory, and what would come of them. Those
/// that are to stay are marked so.
static SmallVector<SumLoop> foreseeSums(Function &F,
                                        FunctionAnalysisManager &FAM,
                                        const SumLimits &Limits) {
  // By where they start: versioning makes loops anew.
  SmallVector<SumLoop> Sums;
  for (Loop *L : FAM.getResult<LoopAnalysis>(F).getLoopsInPreorder()) {
    if (!hasSum(L) || findOptionMDForLoop(L, Versioned))
      continue;
    SumLoop Sum{codeIdOf(*L), L->getStartLoc()};
    const bool IsOff = Limits.IsOff && Limits.IsOff(Sum.Id);
    Sum.AddsUp = addsUp(*L, sumsOf(*L));
    if (!IsOff)
      Sum.Outcome = foresee(*L, F, FAM);
    if (Sum.Outcome == SumOutcome::Promoted && Limits.WhyKept) {
      Sum.Why = Limits.WhyKept(Sum.Id);
      Sum.Outcome = Sum.Why.empty() ? SumOutcome::Promoted : SumOutcome::Kept;
    }
    if (Sum.Outcome == SumOutcome::Promoted) {
      // LLVM may find later that it cannot have copies of the loop.
      Sum.Why = whyProductApart(*L, /*ClangsCopies=*/1);
      Sum.Outcome = Sum.Why.empty() ? SumOutcome::Promoted : SumOutcome::Kept;
    }
    if (IsOff || Sum.Outcome != SumOutcome::Promoted)
      addStringMetadataToLoop(L, Versioned);
    if (!IsOff)
      Sums.push_back(std::move(Sum));
  }
  return Sums;
}

SmallVector<SumLoop> sluice::promoteSums(Function &F,
                                         FunctionAnalysisManager &FAM,
                                         const SumLimits &Limits) {
  auto Loops = [&] {
    return FAM.getResult<LoopAnalysis>(F).getLoopsInPreorder();
  };
  if (F.isDeclaration() || !isKernel(F) || F.hasOptNone() || F.hasMinSize() ||
      none_of(Loops(), hasSum))
    return {};
  FunctionPassManager Simplifying;
  Simplifying.addPass(LoopSimplifyPass());
  Simplifying.addPass(LCSSAPass());
  run(F, FAM, std::move(Simplifying));

  for (Loop *L : Loops())
    if (hasSum(L))
      markSharedApart(*L, Limits.Wrong == WrongRewrite::UntestedOverlap);
  SmallVector<SumLoop> Sums = foreseeSums(F, FAM, Limits);
  auto IsPromoted = [](const SumLoop &S) {
    return S.Outcome == SumOutcome::Promoted;
  };
  if (none_of(Sums, IsPromoted))
    return Sums;

  // Others may have what stays the same in memory, which stores keep there.
  auto MayHaveVersions = [](const Loop &L) {
    return whyProductApart(L, /*ClangsCopies=*/1).empty();
  };
  auto IsVersion = [&](const Loop *L) {
    return findOptionMDForLoop(L, Versioned) &&
           none_of(Sums, [&](const SumLoop &S) {
             return !IsPromoted(S) && S.Id == codeIdOf(*L);
           });
  };
  // What leaves one leaves loops around it, too.
  auto HasVersion = [&](const Loop &L) {
    return any_of(L.getLoopsInPreorder(), IsVersion);
  };
  FunctionPassManager Versioning, Moving;
  Versioning.addPass(createFunctionToLoopPassAdaptor(
      OnlyIn(LoopVersioningLICMPass(), MayHaveVersions)));
  Moving.addPass(createFunctionToLoopPassAdaptor(
      OnlyIn(LICMPass(LICMOptions()), HasVersion),
      /*UseMemorySSA=*/true));
  const auto Untested = markUntested(F, FAM);
  run(F, FAM, std::move(Versioning));
  versionRest(F, FAM);
  auto VersionsOf = [&](const SumLoop &Sum) {
    SmallVector<Loop *, 2> Versions;
    for (Loop *L : Loops())
      if (findOptionMDForLoop(L, Versioned) && codeIdOf(*L) == Sum.Id)
        Versions.push_back(L);
    return Versions;
  };
  // What is in one block with the sum now may not be when code is generated.
  for (const SumLoop &Sum : make_filter_range(Sums, IsPromoted))
    for (Loop *L : VersionsOf(Sum)) {
      for (BasicBlock *Block : L->blocks())
        if (Limits.Wrong != WrongRewrite::Unfused)
          contractMultiplyAdd(*Block, ContractionMode::Flagged);
      if (Limits.Wrong != WrongRewrite::Reordered)
        keepOrder(*L);
      if (Limits.Wrong == WrongRewrite::UntestedOverlap &&
          !is_contained(Untested, Sum.Id))
        skipTest(*L);
    }
  PreservedAnalyses Fused;
  Fused.preserveSet<CFGAnalyses>();
  FAM.invalidate(F, Fused);
  run(F, FAM, std::move(Moving));
  for (SumLoop &Sum : make_filter_range(Sums, IsPromoted))
    if (all_of(VersionsOf(Sum), hasSum))
      Sum.Outcome = SumOutcome::Untestable;
  removeCounting(F, FAM, HasVersion);
  return Sums;
}

namespace {

/// A remark's name and what it says.
struct Said {
  StringRef Name, Text;
};

} // namespace

static Said sayOutcome(const SumLoop &Sum) {
  switch (Sum.Outcome) {
  case SumOutcome::Promoted:
    return {"Promoted",
            "what the loop adds up in memory stays in registers where it "
            "overlaps nothing that the loop reads or writes"};
  case SumOutcome::Conditional:
    return {"Conditional", "it is not written in each iteration"};
  case SumOutcome::Barrier:
    return {"Barrier", "the loop has a barrier or another operation of several "
                       "threads together"};
  case SumOutcome::Unordered:
    return {"Unordered",
            "as the compiler may join or reorder floating-point operations of "
            "several iterations, results would depend on it"};
  case SumOutcome::FewIterations:
    return {"FewIterations",
            "its iterations are too few to pay for a test of addresses"};
  case SumOutcome::Kept:
    return {"Kept", Sum.Why};
  case SumOutcome::Untestable:
    return {"NotPromoted",
            "no test of addresses before it would tell whether they overlap "
            "(-Rpass-missed=loop-versioning-licm has LLVM's reason)"};
  }
  llvm_unreachable("all outcomes are above");
}

static void report(OptimizationRemarkEmitter &Remarks, const SumLoop &Sum,
                   const BasicBlock *Entry) {
  const Said Outcome = sayOutcome(Sum);
  LLVM_DEBUG(dbgs() << "loop at " << Sum.Id.str() << ": " << Outcome.Name
                    << (Sum.AddsUp ? "" : ", stores but adds up nothing")
                    << "\n");
  if (Sum.Outcome == SumOutcome::Promoted) {
    ++NumPromoted;
    emitPlaced(Remarks, Sum.Start, [&](const DebugLoc &At) {
      return OptimizationRemark(DEBUG_TYPE, Outcome.Name, At, Entry)
             << Outcome.Text;
    });
  } else if (Sum.AddsUp) {
    ++NumMissed;
    emitPlaced(Remarks, Sum.Start, [&](const DebugLoc &At) {
      return OptimizationRemarkMissed(DEBUG_TYPE, Outcome.Name, At, Entry)
             << "what the loop adds up in memory stays there: " << Outcome.Text;
    });
  }
}

/// What the plan in the module keeps in memory of \p F, and what the source.
static SumLimits limitsFor(const Function &F, const AttachedPlan &Attached) {
  SumLimits Limits;
  Limits.Wrong = Attached.Opts.Wrong;
  Limits.IsOff = [&](const CodeId &Id) { return isIn(Attached.Off, Id); };
  const KernelPlan *Plan = Attached.kernel(F);
  if (!Plan)
    return Limits;
  // Loops of one macro are at one place: none is kept unless all are.
  Limits.WhyKept = [Plan](const CodeId &Id) -> std::string {
    std::string Why;
    for (const LoopPlan &Loop : Plan->Loops)
      if (Loop.Promote && Loop.Id.ofAllCopies() == Id) {
        if (*Loop.Promote)
          return "";
        Why = Loop.PromoteWhy.empty() ? "the plan says so" : Loop.PromoteWhy;
      }
    return Why;
  };
  return Limits;
}

PreservedAnalyses SumPromotionPass::run(Module &M,
                                        ModuleAnalysisManager &Analyses) {
  if (!M.getTargetTriple().isNVPTX())
    return PreservedAnalyses::all();
  std::optional<AttachedPlan> Attached;
  if (!Limits) {
    Attached = attachedPlanOrWarning(M, "sums are promoted everywhere");
    if (Attached ? !Attached->Opts.Promote : OnlyPlanned)
      return PreservedAnalyses::all();
  }
  auto &FAM =
      Analyses.getResult<FunctionAnalysisManagerModuleProxy>(M).getManager();
  for (Function &F : M) {
    const SumLimits OfF = Limits     ? *Limits
                          : Attached ? limitsFor(F, *Attached)
                                     : SumLimits();
    for (const SumLoop &Sum : promoteSums(F, FAM, OfF)) {
      OptimizationRemarkEmitter Remarks(&F);
      report(Remarks, Sum, &F.getEntryBlock());
    }
  }
  return PreservedAnalyses::none();
}

void sluice::registerSumPromotionPass(PassBuilder &PB) {
  PB.registerPipelineParsingCallback(
      [](StringRef Name, ModulePassManager &MPM,
         ArrayRef<PassBuilder::PipelineElement>) {
        if (!Name.consume_front(DEBUG_TYPE))
          return false;
        const bool OnlyPlanned = Name == "<planned>";
        if (OnlyPlanned || Name.empty())
          MPM.addPass(SumPromotionPass(std::nullopt, OnlyPlanned));
        return OnlyPlanned || Name.empty();
      });
}
