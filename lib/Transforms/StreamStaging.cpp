// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which streams can be staged, how the slots are laid out, and the pass. How a
// loop is rewritten, with before and after: LoopStager.cpp.

#include "sluice/Transforms/StreamStaging.h"
#include "LoopStager.h"
#include "LoopWidener.h"
#include "sluice/Analysis/AccessAnalysis.h"
#include "sluice/Analysis/DebugPlace.h"
#include "sluice/Analysis/KernelFunction.h"
#include "sluice/Analysis/SharedMemory.h"
#include "sluice/Plan/StagingPlanner.h"
#include "sluice/Target/BlockClaim.h"
#include "sluice/Target/GPUModel.h"
#include "sluice/Transforms/PassByName.h"
#include "sluice/Transforms/PlacedRemarks.h"
#include "sluice/Transforms/PlanMetadata.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;
using namespace sluice;

#define DEBUG_TYPE "sluice-software-l1"

STATISTIC(NumStagedLoops, "Number of loops with streams in shared memory");
STATISTIC(NumStagedStreams, "Number of streams in shared memory");

//===- What can be staged -------------------------------------------------===//

/// Tests of addresses before a loop that are still cheap.
static constexpr unsigned MostTests = 8;

/// Do neighbouring lanes have rows of their own?
static bool isApart(const StreamFacts &Facts) {
  return Facts.Spread == LaneSpread::Wide ||
         Facts.Spread == LaneSpread::Symbolic ||
         Facts.Spread == LaneSpread::Loaded;
}

/// But for what else the loop does there.
static bool isStageable(const StreamFacts &Facts, const Stream &S) {
  // Of what is written whole blocks are: each byte has to be the loop's.
  const bool IsWhole = !Facts.IsStore || Facts.Bytes == uint64_t(Facts.Step);
  return isApart(Facts) && IsWhole && Facts.IsGlobal && Facts.Step > 0 &&
         Facts.Span <= uint64_t(Facts.Step) &&
         all_of(Facts.Accesses,
                [](const StreamAccess &A) {
                  return A.Runs == StreamRuns::Always;
                }) &&
         all_of(S.Accesses, [](const Instruction *I) {
           const auto *Load = dyn_cast<LoadInst>(I);
           return Load ? Load->isSimple() : cast<StoreInst>(I)->isSimple();
         });
}

/// The bytes that an iteration writes as \p Store are those that it reads as
/// \p Load, or some of them: then both can have one buffer.
static bool isReadFrom(const LoopStreams &Loop, unsigned Load, unsigned Store) {
  const StreamFacts &Written = Loop.Facts.Streams[Store];
  if (!Written.IsStore || Loop.Facts.Streams[Load].IsStore ||
      Loop.Facts.Streams[Load].Step != Written.Step)
    return false;
  return all_of(Loop.Streams[Load].Accesses, [&](const Instruction *I) {
    const auto &Conflicts = Loop.Streams[Store].Conflicts;
    const auto *Found = find(Conflicts, I);
    if (Found == Conflicts.end())
      return false;
    auto Offset = Written.Conflicts[Found - Conflicts.begin()].Offset;
    return Offset && *Offset >= 0 &&
           *Offset + int64_t(bytesTouched(*I)) <= Written.Step;
  });
}

/// Takes from \p Streams those that overlap, or may overlap without a test,
/// what else the loop touches. \returns the tests that the others need.
static unsigned keepApart(const LoopStreams &Loop,
                          std::vector<unsigned> &Streams) {
  auto OverlapsOnlyItsOwn = [&](unsigned S, unsigned &Tests) {
    for (auto [I, C] : zip_equal(Loop.Streams[S].Conflicts,
                                 Loop.Facts.Streams[S].Conflicts)) {
      if (any_of(Streams, [&, I = I](unsigned Other) {
            return is_contained(Loop.Streams[Other].Accesses, I) &&
                   (isReadFrom(Loop, S, Other) || isReadFrom(Loop, Other, S));
          }))
        continue;
      // What moves along in the same object overlaps for certain.
      if (C.Offset || !C.IsTestable)
        return false;
      ++Tests;
    }
    return true;
  };
  unsigned Tests = 0;
  auto Overlaps = [&](unsigned S) { return !OverlapsOnlyItsOwn(S, Tests); };
  while (true) {
    Tests = 0;
    const auto Bad = find_if(Streams, Overlaps);
    if (Bad == Streams.end())
      return Tests;
    Streams.erase(Bad);
  }
}

/// Floating-point results that depend on how the loop is unrolled: flags let
/// the compiler add in another order.
static bool hasReassociation(const Loop &L) {
  return any_of(L.blocks(), [](const BasicBlock *BB) {
    return any_of(*BB, [](const Instruction &I) {
      return isa<FPMathOperator>(I) && I.hasAllowReassoc();
    });
  });
}

/// Where clang unrolls a loop, a product is fused with what the next iteration
/// adds it to, and rounds another way; who rewrites the loop does not know if
/// clang would.
static bool carriesSummand(const Loop &L) {
  auto IsSummed = [&](const User *U) {
    const auto *I = cast<Instruction>(U);
    return L.contains(I) &&
           (I->getOpcode() == Instruction::FAdd ||
            I->getOpcode() == Instruction::FSub ||
            I->getOpcode() == Instruction::FNeg || isa<IntrinsicInst>(I));
  };
  return any_of(L.getHeader()->phis(), [&](const PHINode &P) {
    const auto *Next =
        dyn_cast<Instruction>(P.getIncomingValueForBlock(L.getLoopLatch()));
    return Next && L.contains(Next) && Next->getOpcode() == Instruction::FMul &&
           Next->hasAllowContract() && any_of(P.users(), IsSummed);
  });
}

std::string sluice::whyNotCut(const LoopStreams &Loop, ScalarEvolution &SE) {
  const llvm::Loop &L = *Loop.L;
  if (!L.isInnermost())
    return "it has a loop in it";
  if (!Loop.Facts.Hazards.empty())
    return "it has " + Loop.Facts.Hazards.front().str();
  if (!L.getLoopPreheader() || !L.getLoopLatch() || !L.getUniqueExitBlock() ||
      L.getExitingBlock() != L.getLoopLatch())
    return "it ends at several places, or not behind its body";
  if (Loop.Facts.Trip != StreamTrip::Exact || !Loop.Taken)
    return "how often it runs is not known where it begins";
  if (hasReassociation(L))
    return "its results may be added up in any order";
  if (carriesSummand(L))
    return "it carries a product over into its next iteration";
  // Lanes may take different versions of the loop.
  if (any_of(L.blocks(), [](const BasicBlock *BB) {
        return any_of(*BB, [](const Instruction &I) {
          const auto *Call = dyn_cast<CallBase>(&I);
          return Call && (Call->isConvergent() || Call->cannotDuplicate());
        });
      }))
    return "lanes exchange values in it";
  if (!SCEVExpander(SE, "sluice")
           .isSafeToExpandAt(Loop.Taken, L.getLoopPreheader()->getTerminator()))
    return "how often it runs cannot be computed before it";
  return "";
}

Stageable sluice::findStageable(const LoopStreams &Loop, ScalarEvolution &SE) {
  Stageable Result;
  Result.Refusal = whyNotCut(Loop, SE);
  if (!Result.Refusal.empty())
    return Result;
  SCEVExpander Expander(SE, "sluice");
  const Instruction *At = Loop.L->getLoopPreheader()->getTerminator();
  for (auto [Number, Facts, S] : enumerate(Loop.Facts.Streams, Loop.Streams))
    if (isStageable(Facts, S) && Expander.isSafeToExpandAt(S.Start, At))
      Result.Streams.push_back(unsigned(Number));
  if (Result.Streams.empty())
    Result.Refusal = "its threads go through them backwards, with gaps, or not "
                     "in each iteration";
  Result.Tests = keepApart(Loop, Result.Streams);
  if (Result.Tests > MostTests) {
    Result.Refusal = "it has too many accesses that may overlap its rows";
    Result.Streams.clear();
  } else if (Result.Streams.empty() && Result.Refusal.empty()) {
    Result.Refusal = "its rows may overlap what else it touches";
  }
  for (unsigned S : Result.Streams)
    if (any_of(Result.Streams,
               [&](unsigned Other) { return isReadFrom(Loop, S, Other); }))
      Result.Within.push_back(S);
  return Result;
}

std::vector<LoopStreams>
sluice::findStreamsToStage(Function &F, FunctionAnalysisManager &FAM,
                           KernelFacts &Facts) {
  auto &LI = FAM.getResult<LoopAnalysis>(F);
  auto &DT = FAM.getResult<DominatorTreeAnalysis>(F);
  auto &SE = FAM.getResult<ScalarEvolutionAnalysis>(F);
  for (Loop *L : LI) {
    simplifyLoop(L, &DT, &LI, &SE, nullptr, nullptr,
                 /*PreserveLCSSA=*/false);
    formLCSSARecursively(*L, DT, &LI, &SE);
  }
  analyzeAccesses(LI, SE, Facts);
  return findStreams(F, FAM, Facts);
}

/// The row of \p S, with what of it else is read.
static StagingSlot::Part makePart(const LoopStreams &Loop, unsigned S,
                                  ArrayRef<unsigned> Streams) {
  StagingSlot::Part Part;
  Part.Members.push_back({S, 0});
  Part.IsWritten = Loop.Facts.Streams[S].IsStore;
  Part.IsRead = !Part.IsWritten;
  for (unsigned Other : Streams)
    if (isReadFrom(Loop, Other, S)) {
      const auto &Conflicts = Loop.Streams[S].Conflicts;
      auto Number = find(Conflicts, Loop.Streams[Other].Accesses.front()) -
                    Conflicts.begin();
      Part.Members.push_back(
          {Other, unsigned(*Loop.Facts.Streams[S].Conflicts[Number].Offset)});
      Part.IsRead = true;
    }
  return Part;
}

/// Of rows that begin anywhere one whose chunks, but for the first, can begin
/// where a multiple of their length does. Rows that are written come first:
/// partly written lines cost more.
static std::optional<size_t> chooseAligner(const StagingSlot &Slot,
                                           ArrayRef<StreamFacts> Facts) {
  std::optional<size_t> Best;
  for (auto [Number, P] : enumerate(Slot.Parts)) {
    const uint64_t Step = uint64_t(Facts[P.Members.front().Stream].Step);
    if (!P.IsAligned && isPowerOf2_64(Step) &&
        isPowerOf2_64(Slot.Iterations * Step) &&
        (!Best || (P.IsWritten && !Slot.Parts[*Best].IsWritten)))
      Best = Number;
  }
  return Best;
}

StagingSlot sluice::layOutSlot(const LoopStreams &Loop,
                               ArrayRef<unsigned> Streams,
                               unsigned ChunkBytes) {
  const auto &Facts = Loop.Facts.Streams;
  StagingSlot Slot;
  uint64_t Iterations = ChunkBytes;
  for (unsigned S : Streams)
    Iterations = std::min(Iterations, ChunkBytes / uint64_t(Facts[S].Step));
  Slot.Iterations = unsigned(Iterations);
  if (Iterations == 0)
    return Slot;
  for (unsigned S : Streams) {
    if (any_of(Streams,
               [&](unsigned Other) { return isReadFrom(Loop, S, Other); }))
      continue; // it is in the other's part
    StagingSlot::Part Part = makePart(Loop, S, Streams);
    const uint64_t Moves = Iterations * uint64_t(Facts[S].Step);
    Part.UsedBytes = unsigned(Moves - Facts[S].Step + Facts[S].Span);
    Part.IsAligned = Facts[S].Alignment >= CopyUnit && Moves % CopyUnit == 0;
    Slot.Parts.push_back(std::move(Part));
  }
  Slot.Aligner = chooseAligner(Slot, Facts);
  for (StagingSlot::Part &P : Slot.Parts) {
    // Chunks of all rows begin where those of the aligner do.
    P.IsAligned &= !Slot.Aligner;
    P.Offset = Slot.Bytes;
    Slot.Bytes += alignTo(P.UsedBytes, CopyUnit) + (P.IsAligned ? 0 : CopyUnit);
    Slot.ServedByUnit = std::max<unsigned>(
        Slot.ServedByUnit, CopyUnit / Facts[P.Members.front().Stream].Step);
  }
  if (Slot.Bytes / CopyUnit % 2 == 0)
    Slot.Bytes += CopyUnit;
  return Slot;
}

//===- The pass -----------------------------------------------------------===//

namespace {

/// Stages what the plan says of one kernel.
class KernelStager {
public:
  KernelStager(Function &F, const KernelPlan &Plan, WrongRewrite Wrong,
               FunctionAnalysisManager &FAM)
      : F(F), Plan(Plan), Wrong(Wrong), FAM(FAM), Remarks(&F) {}
  bool run();

private:
  bool stage(const LoopPlan &Planned);
  bool stage(const LoopPlan &Planned, LoopStreams &Found, Stageable Can);
  void refused(const LoopPlan &Planned);
  void missed(const LoopPlan &Planned, DebugLoc At, const Twine &Why);

  Function &F;
  const KernelPlan &Plan;
  const WrongRewrite Wrong;
  FunctionAnalysisManager &FAM;
  OptimizationRemarkEmitter Remarks;
};

} // namespace

void KernelStager::missed(const LoopPlan &Planned, DebugLoc At,
                          const Twine &Why) {
  emitPlaced(Remarks, At, [&](const DebugLoc &Loc) {
    return OptimizationRemarkMissed(DEBUG_TYPE, "NotStaged", Loc,
                                    &F.getEntryBlock())
           << "streams of the loop at " << Planned.Id.str()
           << " are not staged: " << Why.str();
  });
}

void KernelStager::refused(const LoopPlan &Planned) {
  for (const Loop *L : FAM.getResult<LoopAnalysis>(F).getLoopsInPreorder())
    if (codeIdOf(*L).ofAllCopies() == Planned.Id.ofAllCopies()) {
      emitPlaced(Remarks, L->getStartLoc(), [&](const DebugLoc &Loc) {
        return OptimizationRemarkMissed(DEBUG_TYPE, "NotStaged", Loc,
                                        &F.getEntryBlock())
               << Planned.StagedWhy;
      });
      return;
    }
}

bool KernelStager::stage(const LoopPlan &Planned, LoopStreams &Found,
                         Stageable Can) {
  DebugLoc At = Found.L->getStartLoc();
  llvm::erase_if(Can.Streams, [&](unsigned S) {
    return none_of(Planned.Staged, [&](const StagedStream &Asked) {
      return Found.Facts.Streams[S].Accesses.front().Id.ofAllCopies() ==
             Asked.Id.ofAllCopies();
    });
  });
  keepApart(Found, Can.Streams);
  if (Can.Streams.empty()) {
    missed(Planned, At,
           Can.Refusal.empty() ? "none is as the plan has it" : Can.Refusal);
    return false;
  }
  StagingSlot Slot = layOutSlot(Found, Can.Streams, Planned.ChunkBytes);
  uint64_t Bytes = uint64_t(Slot.Bytes) * StagedLanes * Planned.StagedWarps +
                   4 * uint64_t(Planned.StagedWarps);
  if (Slot.Iterations < 2) {
    missed(Planned, At, "a chunk is too small for its streams");
    return false;
  }
  // The assembler may align each variable.
  const DeclaredShared Declared = declaredShared(F, Align(128));
  if (Declared.IsDynamic ||
      Declared.StaticBytes + Bytes > MostSharedWithoutOptIn) {
    missed(Planned, At,
           Declared.IsDynamic
               ? "the kernel has dynamic shared memory"
               : "there is too little shared memory for its buffers");
    return false;
  }
  Slot.LeastTrips =
      std::max(Planned.StagedFrom, uint64_t(LeastChunks) * Slot.Iterations);
  LoopStager(F, Found, Slot, Planned.StagedWarps, Wrong, FAM).run();
  ++NumStagedLoops;
  NumStagedStreams += Can.Streams.size();
  emitPlaced(Remarks, At, [&](const DebugLoc &Loc) {
    return OptimizationRemark(DEBUG_TYPE, "Staged", Loc, &F.getEntryBlock())
           << ore::NV("Streams", unsigned(Can.Streams.size()))
           << " streams of the loop are staged in shared memory, "
           << ore::NV("Iterations", Slot.Iterations)
           << " iterations at a time: " << Planned.StagedWhy;
  });
  return true;
}

bool KernelStager::stage(const LoopPlan &Planned) {
  KernelFacts Facts;
  std::vector<LoopStreams> All = findStreamsToStage(F, FAM, Facts);
  auto &SE = FAM.getResult<ScalarEvolutionAnalysis>(F);
  // Of the versions of a loop that another pass made one may be staged.
  LoopStreams *Found = nullptr;
  Stageable OfFound;
  for (LoopStreams &Streams : All) {
    if (!(Facts.Loops[Streams.Facts.Loop].Id.ofAllCopies() ==
          Planned.Id.ofAllCopies()))
      continue;
    Stageable Can = findStageable(Streams, SE);
    auto Rank = [](const Stageable &Of) {
      return std::pair(Of.Streams.size(), -int(Of.Tests));
    };
    if (Found && Rank(Can) <= Rank(OfFound))
      continue;
    Found = &Streams;
    OfFound = std::move(Can);
  }
  if (!Found) {
    missed(Planned, DebugLoc(), "the loop is not in the code any more");
    return false;
  }
  return stage(Planned, *Found, std::move(OfFound));
}

/// Both ways take registers, and blocks of 1,024 threads must still be
/// possible: they have 64 for each thread. Where the source bounds its blocks,
/// the assembler sees to it.
static void keepLaunchable(Function &F, const KernelPlan &Plan) {
  static constexpr char Most[] = "nvvm.maxnreg";
  if (!Plan.MaxRegisters && !F.hasFnAttribute(Most) &&
      !F.hasFnAttribute("nvvm.maxntid") && !F.hasFnAttribute("nvvm.reqntid"))
    F.addFnAttr(Most, "64");
}

/// Does \p F's GPU have cp.async?
static bool hasAsyncCopies(const Function &F) {
  auto GPU = findGPUModel(F.getFnAttribute("target-cpu").getValueAsString());
  if (GPU)
    return (*GPU)->Major >= 8;
  consumeError(GPU.takeError());
  return false;
}

bool KernelStager::run() {
  bool Changed = false;
  for (const LoopPlan &Planned : Plan.Loops) {
    if (!Planned.Widened.empty() || !Planned.WidenedWhy.empty())
      Changed |= widenRows(F, Planned, Wrong, FAM, Remarks);
    else if (!Planned.Staged.empty() && hasAsyncCopies(F))
      Changed |= stage(Planned);
    else if (Planned.Staged.empty() && !Planned.StagedWhy.empty())
      refused(Planned);
    else
      continue;
    FAM.invalidate(F, PreservedAnalyses::none()); // also if only simplified
  }
  if (Changed)
    keepLaunchable(F, Plan);
  return Changed;
}

PreservedAnalyses StreamStagingPass::run(Module &M,
                                         ModuleAnalysisManager &Analyses) {
  if (!M.getTargetTriple().isNVPTX())
    return PreservedAnalyses::all();
  auto Attached = attachedPlanOrWarning(M, "no streams are staged");
  if (!Attached || !Attached->Opts.SoftwareL1)
    return PreservedAnalyses::all();
  auto &FAM =
      Analyses.getResult<FunctionAnalysisManagerModuleProxy>(M).getManager();
  bool Changed = false;
  for (Function &F : M) {
    if (F.isDeclaration() || !isKernel(F))
      continue;
    if (const KernelPlan *Plan = Attached->kernel(F))
      Changed |= KernelStager(F, *Plan, Attached->Opts.Wrong, FAM).run();
  }
  return Changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

void sluice::registerStreamStagingPass(PassBuilder &PB) {
  registerByName<StreamStagingPass>(PB, DEBUG_TYPE);
}
