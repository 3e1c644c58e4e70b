// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tells LLVM's unroller what the plan says, by what a pragma would:
//
//   br i1 %more, label %loop, label %done, !llvm.loop !7
//   !7 = distinct !{!7, !8}
//   !8 = !{!"llvm.loop.unroll.count", i32 8}         ; added
//
// (Loops whose step is known when they run only are unrolled here,
// StridedLoops.cpp. Conditions that all threads decide alike go before loops
// first, UniformConditions.cpp.)
//
// LLVM unrolls, where that is legal, and the assembler moves the copies' loads
// together. By itself it does so within 32 registers if it can; where the plan
// knows that few threads are on an SM, it gets room:
//
//   attributes #0 = { ... "nvvm.maxnreg"="64" }      ; added

#include "GrownMark.h"
#include "LoopPieces.h"
#include "RegisterNeed.h"
#include "StridedLoops.h"
#include "UniformConditions.h"
#include "sluice/Analysis/DebugPlace.h"
#include "sluice/Analysis/InlinePTX.h"
#include "sluice/Analysis/KernelFunction.h"
#include "sluice/Analysis/UnrollAnalysis.h"
#include "sluice/Plan/LoadsInFlightPlanner.h"
#include "sluice/Target/Occupancy.h"
#include "sluice/Transforms/LoopRounding.h"
#include "sluice/Transforms/PassByName.h"
#include "sluice/Transforms/PlacedRemarks.h"
#include "sluice/Transforms/PlanMetadata.h"
#include "sluice/Transforms/StreamStaging.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;
using namespace sluice;

#define DEBUG_TYPE "sluice-loads-in-flight"

STATISTIC(NumUnrolled, "Number of loops unrolled for their loads");
STATISTIC(NumPieces, "Number of loops whose rest is taken in pieces");

/// Is \p L a loop of one copy with all its iterations by clang, and by fewer \p
/// Copies than it has iterations one as well?
static bool staysLoop(Loop &L, unsigned Copies, FunctionAnalysisManager &FAM) {
  Function &F = *L.getHeader()->getParent();
  const unsigned Trip =
      FAM.getResult<ScalarEvolutionAnalysis>(F).getSmallConstantTripCount(&L);
  const auto Own = askUnroller(L, FAM);
  return Own && Own->Copies == 1 && Own->IsKept && Trip > Copies &&
         Trip % Copies == 0;
}

/// Is a result of \p L another where clang takes several iterations together?
static bool isRoundedAnew(const Loop &L, ScalarEvolution &SE) {
  return L.getLoopLatch() &&
         (!whyRoundedAnew(L, SE).empty() || !whyStoredProduct(L, SE).empty());
}

namespace {

class KernelUnroller {
public:
  KernelUnroller(Function &F, const AttachedPlan &Attached,
                 const KernelPlan &Plan, const GPUModel &GPU,
                 FunctionAnalysisManager &FAM)
      : F(F), Attached(Attached), Plan(Plan), GPU(GPU), FAM(FAM), Remarks(&F) {}
  /// True: the code is changed, and not only marked.
  bool run();

private:
  /// How often the body of a loop is to be there.
  struct Choice {
    unsigned Copies = 0; ///< 0: as clang has it.
    std::string Why;
    unsigned Pieces = 0; ///< As many, and the rest in pieces. 0: one by one.
    unsigned Clangs = 1; ///< Iterations that clang takes together by itself.
    /// The assembler takes several pieces together, as of nvcc's code.
    bool GoesOn = false;
    /// Its first sums are to be fused, as where clang keeps the loop.
    bool FusesSumsFromZero = false;
    bool FusesProductsFromBefore = false; ///< Likewise.
    bool IsStrided = false;               ///< UnrollFacts::HasRunTimeStep
    bool WritesOwn = false;               ///< UnrollFacts::WritesOwn
    bool WritesTile = false;              ///< UnrollFacts::WritesTile
    bool IsOfConstants = false;           ///< It reads constant memory only.
    bool IsOfTile = false; ///< It reads shared or constant memory only.
  };
  const LoopPlan *planned(const Loop &L) const;
  bool isLeft(const Loop &L) const;
  unsigned mostThreadsOfBlock() const;
  Choice wanted(Loop &L, const LoopPlan *Planned) const;
  Choice ofCounts(const Loop &L) const;
  Choice choose(Loop &L);
  SmallVector<std::pair<Loop *, Choice>, 8> chooseAll();
  void keepShortLoops(SmallVectorImpl<std::pair<Loop *, Choice>> &Choices);
  bool unroll(Loop &L, const Choice &Chosen);

  Function &F;
  const AttachedPlan &Attached;
  const KernelPlan &Plan;
  const GPUModel &GPU;
  FunctionAnalysisManager &FAM;
  OptimizationRemarkEmitter Remarks;
};

} // namespace

const LoopPlan *KernelUnroller::planned(const Loop &L) const {
  const CodeId Id = codeIdOf(L).ofAllCopies();
  const auto Found = find_if(
      Plan.Loops, [&](const LoopPlan &P) { return P.Id.ofAllCopies() == Id; });
  return Found == Plan.Loops.end() ? nullptr : &*Found;
}

/// Is \p L to stay as it is, or another technique's?
bool KernelUnroller::isLeft(const Loop &L) const {
  const LoopPlan *Planned = planned(L);
  return isIn(Attached.Off, codeIdOf(L).ofAllCopies()) ||
         (Planned && keepsLinesOrRows(*Planned));
}

/// Of the largest block that is launched, or that may be.
unsigned KernelUnroller::mostThreadsOfBlock() const {
  const unsigned Most = mostThreads(F).value_or(MostThreadsPerBlock);
  uint64_t Largest = 0;
  for (const LaunchPlan &Launch : Plan.Launches)
    Largest = std::max(Largest, Launch.Block.total().value_or(Most));
  return Largest ? unsigned(std::min<uint64_t>(Largest, Most)) : Most;
}

/// As many as are wanted, whether the loop may be repeated or not.
KernelUnroller::Choice KernelUnroller::wanted(Loop &L,
                                              const LoopPlan *Planned) const {
  auto &SE = FAM.getResult<ScalarEvolutionAnalysis>(F);
  const auto &TTI = FAM.getResult<TargetIRAnalysis>(F);
  UnrollFacts Facts =
      analyzeUnrolling(L, SE, FAM.getResult<UniformityInfoAnalysis>(F), TTI,
                       FAM.getResult<AAManager>(F), mostThreadsOfBlock());
  const unsigned Fitting = Facts.Own;
  const bool IsCostly =
      Facts.Refusal.empty() && !Facts.Trip && isLengthCostly(L, SE, TTI);
  // The assembler takes iterations of one block together. A window within a
  // loop is short, and its rest runs each time: a filter lost 9 %.
  if (IsCostly && L.getNumBlocks() > 1 && L.isOutermost())
    Facts.Own = 1;
  Choice Chosen;
  if (!IsCostly && isOverArrays(L, Facts)) {
    Chosen.Pieces = piecesOf(L, /*Copies=*/0, Fitting, SE);
    Chosen.Clangs = Facts.Own;
    return Chosen;
  }
  if (!Facts.Refusal.empty() ||
      (!Facts.Loads && !Facts.TileLoads && !Facts.OddWords))
    return Chosen;
  if (Planned && Planned->Unroll) {
    Chosen.Why = Planned->UnrollWhy;
    // What is planned whole is unrolled whole, by a loop's own count.
    Chosen.Copies =
        Facts.Trip ? unsigned(std::min<uint64_t>(Planned->Unroll, *Facts.Trip))
                   : Planned->Unroll;
  } else if (Attached.Opts.ForcedUnroll) {
    Chosen.Why = "so many were asked for";
    const unsigned Asked = *Attached.Opts.ForcedUnroll;
    // LLVM unrolls it whole.
    Chosen.Copies = Facts.Trip && Asked >= *Facts.Trip ? 0 : Asked;
  } else {
    Chosen.Copies = iterationsTogether(Facts, Plan, GPU, Chosen.Why);
  }
  // Of what is written at steps that are known when it runs only nobody knows
  // that it is not read in a piece of the rest.
  // Shared memory is waited for where the iteration before wrote it.
  const bool IsWaitedFor =
      Facts.Loads || (Facts.WritesTile && L.getParentLoop());
  if (!Facts.Trip && IsWaitedFor && !Facts.WritesOwn)
    Chosen.Pieces = piecesOf(L, Chosen.Copies, Fitting, SE);
  // Of a row that the block's threads share (`i = tid; i < n; i += 256`) LLVM
  // takes one at a time, and the assembler four; of nvcc's four it takes 16. Of
  // a window with a condition (several blocks) the assembler takes none
  // together before four are one block.
  const bool IsRow = L.getNumBlocks() == 1 && Chosen.Copies < 2 &&
                     Fitting >= FewestCopies && Facts.Loads &&
                     !Facts.WritesOwn && !isRest(L, FewestCopies, SE);
  const bool IsWindow =
      L.getNumBlocks() > 1 && L.isOutermost() && Chosen.Copies == FewestOfClang;
  // And of a tile of which the last is shorter (`k < 32 && tile + k < n`).
  const bool IsTile = L.getNumBlocks() == 1 && Chosen.Copies < 2 &&
                      Fitting >= FewestOfClang && !Facts.Loads &&
                      Facts.TileLoads && !Facts.WritesTile &&
                      !isRest(L, FewestCopies, SE);
  if (IsCostly && (IsRow || IsWindow || IsTile)) {
    Chosen.Pieces = FewestOfClang;
    Chosen.GoesOn = true;
  }
  Chosen.Clangs = IsCostly ? 1 : Facts.Own;
  Chosen.IsStrided = Facts.HasRunTimeStep;
  Chosen.WritesOwn = Facts.WritesOwn;
  Chosen.WritesTile = Facts.WritesTile;
  Chosen.IsOfTile = !Facts.Loads;
  Chosen.IsOfConstants = !Facts.Loads && !Facts.TileLoads;
  return Chosen;
}

/// Two iterations of what counts only, if its length is not known. Where the
/// source says `#pragma unroll`, LLVM takes one of such a length.
KernelUnroller::Choice KernelUnroller::ofCounts(const Loop &L) const {
  Choice Chosen;
  if (!isOfCounts(L) ||
      FAM.getResult<ScalarEvolutionAnalysis>(F).getSmallConstantTripCount(&L))
    return Chosen;
  Chosen.Why = "what the counts of one need is computed while those of the "
               "other are made";
  Chosen.Copies = Chosen.Pieces = 2;
  return Chosen;
}

KernelUnroller::Choice KernelUnroller::choose(Loop &L) {
  if (isLeft(L))
    return {};
  Choice Chosen;
  const bool IsAsked = getBooleanLoopAttribute(&L, "llvm.loop.unroll.enable");
  if (IsAsked || hasUnrollTransformation(&L) == TM_Unspecified)
    Chosen = ofCounts(L);
  if (hasUnrollTransformation(&L) != TM_Unspecified && !Chosen.Pieces)
    return {};
  const LoopPlan *Planned = planned(L);
  if (Plan.ResidentBlocks && !(Planned && Planned->Unroll))
    return {};
  if (!Chosen.Pieces)
    Chosen = wanted(L, Planned);
  if ((Chosen.Copies < 2 && !Chosen.Pieces) ||
      Attached.Opts.Wrong == WrongRewrite::UnrolledProduct)
    return Chosen;
  // At -O2 it has half of -O3's threshold.
  if (Chosen.Clangs > 1 && !sumsOfProductsFromBefore(L).empty())
    if (const auto Own = askUnroller(L, FAM))
      Chosen.Clangs = std::min(Chosen.Clangs, Own->Copies);
  const bool MayFuse = hasFusedSumsFromZero(L, FAM);
  // A piece may be the loop's first.
  if (Chosen.Pieces && !MayFuse && hasSumFromZero(L))
    Chosen.Pieces = 0;
  auto &SE = FAM.getResult<ScalarEvolutionAnalysis>(F);
  Chosen.FusesSumsFromZero =
      MayFuse && (Chosen.Pieces || mayLoseIterations(L, SE));
  Chosen.FusesProductsFromBefore =
      Chosen.Clangs == 1 && hasFusedProductsFromBefore(L, FAM);
  std::string Rounded =
      Chosen.IsOfConstants && staysLoop(L, Chosen.Copies, FAM)
          ? whyRoundedAnew(L, Chosen.Clangs)
          : whyRoundedAnew(L, SE, Chosen.Clangs, Chosen.FusesSumsFromZero,
                           Chosen.FusesProductsFromBefore);
  if (Rounded.empty() && !Chosen.WritesOwn)
    Rounded = whyStoredProduct(L, SE);
  if (Rounded.empty() && Chosen.WritesTile)
    Rounded = whyProductInTile(L);
  if (Rounded.empty())
    Rounded = whyRoundedAround(L, FAM);
  if (Rounded.empty())
    return Chosen;
  if (Chosen.Copies >= 2)
    emitPlaced(Remarks, L.getStartLoc(), [&](const DebugLoc &At) {
      return OptimizationRemarkMissed(DEBUG_TYPE, "NotUnrolled", At,
                                      L.getHeader())
             << "iterations of the loop are not taken together: " << Rounded;
    });
  return {};
}

static SmallVector<CallBase *, 8> arithmeticPTX(const Loop &L) {
  SmallVector<CallBase *, 8> Found;
  for (BasicBlock *BB : L.blocks())
    for (Instruction &I : *BB)
      if (auto *Call = dyn_cast<CallBase>(&I); Call && isArithmeticPTX(*Call))
        Found.push_back(Call);
  return Found;
}

/// Without knowing that its assembly returns, scalar evolution knows no loop's
/// length. Of loops that stay as they are it is forgotten again, so that LLVM
/// does to them what it does without Sluice.
SmallVector<std::pair<Loop *, KernelUnroller::Choice>, 8>
KernelUnroller::chooseAll() {
  auto &SE = FAM.getResult<ScalarEvolutionAnalysis>(F);
  const auto Loops = FAM.getResult<LoopAnalysis>(F).getLoopsInPreorder();
  DenseMap<const Loop *, SmallVector<CallBase *, 8>> Marked;
  for (Loop *L : Loops)
    if (L->isInnermost())
      for (CallBase *Call : arithmeticPTX(*L))
        if (!Call->hasFnAttr(Attribute::WillReturn)) {
          Call->addFnAttr(Attribute::WillReturn);
          Marked[L].push_back(Call);
        }
  if (!Marked.empty())
    SE.forgetAllLoops();
  SmallVector<std::pair<Loop *, Choice>, 8> Choices;
  for (Loop *L : Loops)
    if (Choice Chosen = choose(*L); Chosen.Copies >= 2 || Chosen.Pieces) {
      Choices.emplace_back(L, std::move(Chosen));
      Marked.erase(L);
    }
  for (auto &[L, Calls] : Marked)
    for (CallBase *Call : Calls)
      Call->removeFnAttr(Attribute::WillReturn);
  if (!Marked.empty())
    SE.forgetAllLoops();
  return Choices;
}

/// Of a loop after one of \p Choices clang takes one iteration at a time, where
/// LLVM knows by a test before both that it has few. With a rest, or where it
/// ends in several places, the first hides the test, and clang would take
/// several of the other. So that is marked to stay as clang has it; where clang
/// may hide the test itself nobody knows how, and the first stays.
void KernelUnroller::keepShortLoops(
    SmallVectorImpl<std::pair<Loop *, Choice>> &Choices) {
  auto &SE = FAM.getResult<ScalarEvolutionAnalysis>(F);
  const auto &DT = FAM.getResult<DominatorTreeAnalysis>(F);
  const auto Loops = FAM.getResult<LoopAnalysis>(F).getLoopsInPreorder();
  for (Loop *Short : Loops) {
    if (hasUnrollTransformation(Short) != TM_Unspecified ||
        !isShortByTest(*Short, SE) || !isRoundedAnew(*Short, SE) ||
        any_of(Choices, [&](const auto &C) { return C.first == Short; }))
      continue;
    auto IsBefore = [&](const Loop *L) {
      return !L->contains(Short) && !Short->contains(L) &&
             DT.dominates(L->getHeader(), Short->getHeader());
    };
    auto Hides = [&](const auto &C) {
      const unsigned Trip = SE.getSmallConstantTripCount(C.first);
      return IsBefore(C.first) &&
             (C.second.Pieces || !Trip || Trip % C.second.Copies != 0);
    };
    if (none_of(Choices, Hides))
      continue;
    if (none_of(Loops, [&](Loop *L) {
          return IsBefore(L) && mayHideTests(*L, FAM);
        })) {
      Short->setLoopAlreadyUnrolled();
      continue;
    }
    erase_if(Choices, [&](const auto &C) {
      if (!Hides(C))
        return false;
      emitPlaced(Remarks, C.first->getStartLoc(), [&](const DebugLoc &At) {
        return OptimizationRemarkMissed(DEBUG_TYPE, "NotUnrolled", At,
                                        C.first->getHeader())
               << "iterations of the loop are not taken together: clang would "
                  "unroll one after it, and round it in another way";
      });
      return true;
    });
  }
}

/// True: the code is changed, and not only marked.
bool KernelUnroller::unroll(Loop &L, const Choice &Chosen) {
  if (Chosen.Copies >= 2)
    emitPlaced(Remarks, L.getStartLoc(), [&](const DebugLoc &At) {
      return OptimizationRemark(DEBUG_TYPE, "Unrolled", At, L.getHeader())
             << ore::NV("Iterations", Chosen.Copies)
             << " iterations of the loop are taken together: " << Chosen.Why;
    });
  if (Chosen.FusesSumsFromZero)
    fuseSumsFromZero(L);
  if (Chosen.FusesProductsFromBefore)
    fuseProductsFromBefore(L);
  const DebugLoc Start = L.getStartLoc();
  BasicBlock *Header = L.getHeader();
  // LLVM copies no loop with convergent calls that leaves a rest.
  for (CallBase *Call : arithmeticPTX(L))
    Call->setNotConvergent();
  if (Chosen.Pieces &&
      takeInPieces(L, Chosen.Pieces,
                   /*MayDivide=*/Chosen.Copies >= 2 || Chosen.GoesOn,
                   /*GoesOn=*/Chosen.Copies < 2 || Chosen.GoesOn, F, FAM,
                   Remarks)) {
    ++NumPieces;
    if (Chosen.Pieces > 2)
      emitPlaced(Remarks, Start, [&](const DebugLoc &At) {
        return OptimizationRemark(DEBUG_TYPE, "Pieces", At, Header)
               << "the rest of the loop, fewer than "
               << ore::NV("Iterations", Chosen.Pieces)
               << " iterations, is not taken one by one: each would wait for "
                  "its load";
      });
    return true;
  }
  // Where LLVM could not take it in pieces, it may have a block before it now.
  const bool IsChanged = Chosen.Pieces != 0;
  if (Chosen.IsStrided && Chosen.Copies >= 2)
    return takeStrides(L, Chosen.Pieces ? FewestCopies / 2 : Chosen.Copies, F,
                       FAM, Remarks, Attached.Opts.Wrong) ||
           IsChanged;
  if (Chosen.Copies >= 2)
    addStringMetadataToLoop(&L, "llvm.loop.unroll.count", Chosen.Copies);
  return IsChanged;
}

bool KernelUnroller::run() {
  // Of fewer blocks as few loads as can be are to be in flight. Rows that are
  // read again are fewer.
  if (Plan.ResidentBlocks &&
      none_of(Plan.Loops, [](const LoopPlan &L) { return L.Unroll != 0; }))
    return false;
  bool IsChanged =
      !Plan.ResidentBlocks && Attached.Opts.ConditionsFirst &&
      Plan.ConditionsFirst.value_or(true) &&
      decideBeforeLoops(
          F, FAM, Remarks, [&](const Loop &L) { return !isLeft(L); },
          Attached.Opts.Wrong == WrongRewrite::SwappedBodies);
  auto IsShortAndRounded = [&](const Loop &L) {
    auto &SE = FAM.getResult<ScalarEvolutionAnalysis>(F);
    return isShortByTest(L, SE) && isRoundedAnew(L, SE);
  };
  if (any_of(FAM.getResult<LoopAnalysis>(F).getLoopsInPreorder(),
             [&](const Loop *L) {
               return L->getLoopLatch() && !L->isLoopSimplifyForm() &&
                      (hasSumFromZero(*L) || IsShortAndRounded(*L) ||
                       (L->isInnermost() &&
                        !sumsOfProductsFromBefore(*L).empty()));
             })) {
    simplifyLoops(F, FAM); // else nobody knows if clang keeps it
    IsChanged = true;
  }
  // All are chosen by what the analyses say of the code as it is.
  auto Choices = chooseAll();
  if (!Choices.empty() && fillsBlock(F, &Plan))
    Choices.clear();
  keepShortLoops(Choices);
  bool HasMoreLoads = false;
  for (auto &[L, Chosen] : Choices) {
    // Of a tile's loop the assembler with more registers reads all, and then
    // computes all.
    HasMoreLoads |= Chosen.Copies >= 2 && !Chosen.IsOfTile;
    IsChanged |= unroll(*L, Chosen);
  }
  NumUnrolled +=
      count_if(Choices, [](const auto &C) { return C.second.Copies >= 2; });
  if (HasMoreLoads && Plan.LoadRegisters && !Plan.MaxRegisters &&
      !registerLimit(F)) {
    setRegisterLimit(F, Plan.LoadRegisters);
    F.addFnAttr(RoomMark);
  } else if (HasMoreLoads && !isGrown(F)) {
    F.addFnAttr(GrownMark);
  }
  return IsChanged;
}

namespace {

struct LoadsInFlightPass : PassInfoMixin<LoadsInFlightPass> {
  PreservedAnalyses run(Module &M, ModuleAnalysisManager &MAM) {
    if (!M.getTargetTriple().isNVPTX())
      return PreservedAnalyses::all();
    auto Attached = attachedPlanOrWarning(M, "no loop is unrolled");
    auto &FAM =
        MAM.getResult<FunctionAnalysisManagerModuleProxy>(M).getManager();
    bool Changed = false;
    if (!Attached || !Attached->Opts.LoadsInFlight)
      return PreservedAnalyses::all();
    for (Function &F : M) {
      if (F.isDeclaration() || !isKernel(F))
        continue;
      auto GPU =
          findGPUModel(F.getFnAttribute("target-cpu").getValueAsString());
      const KernelPlan *Plan = Attached->kernel(F);
      if (GPU && Plan && KernelUnroller(F, *Attached, *Plan, **GPU, FAM).run())
        Changed = true;
      else if (!GPU)
        consumeError(GPU.takeError());
    }
    return Changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }
};

} // namespace

namespace sluice {
/// The name `sluice-loads-in-flight`.
void registerLoadsInFlightPass(PassBuilder &PB) {
  registerByName<LoadsInFlightPass>(PB, DEBUG_TYPE);
}
} // namespace sluice
