// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which streams can be staged, how the slots are laid out, and the pass. How a
// loop is rewritten, with before and after: LoopStager.cpp.

#include "sluice/Transforms/StreamStaging.h"
#include "LoopStager.h"
#include "LoopWidener.h"
#include "sluice/Analysis/AccessAnalysis.h"
#include "sluice/Analysis/KernelFunction.h"
#include "sluice/Analysis/SharedMemory.h"
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
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;
using namespace sluice;

#define DEBUG_TYPE "sluice-software-l1"

STATISTIC(NumStagedLoops, "Number of loops with streams in shared memory");
STATISTIC(NumStagedStreams, "Number of streams in shared memory");

//===- What can be staged -------------------------------------------------===//

static bool isStageable(const StreamFacts &Facts, const Stream &S) {
  const bool IsApart = Facts.Spread == LaneSpread::Wide ||
                       Facts.Spread == LaneSpread::Symbolic ||
                       Facts.Spread == LaneSpread::Loaded;
  return !Facts.IsStore && IsApart && Facts.IsGlobal && Facts.Step > 0 &&
         Facts.Span <= uint64_t(Facts.Step) && Facts.Conflicts.empty() &&
         all_of(Facts.Accesses,
                [](const StreamAccess &A) {
                  return A.Runs == StreamRuns::Always;
                }) &&
         all_of(S.Accesses, [](const Instruction *I) {
           return isa<LoadInst>(I) && cast<LoadInst>(I)->isSimple();
         });
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
    Result.Refusal = "no thread reads a row of its own in it";
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

StagingSlot sluice::layOutSlot(ArrayRef<StreamFacts> Facts,
                               ArrayRef<unsigned> Streams,
                               unsigned ChunkBytes) {
  StagingSlot Slot;
  uint64_t Iterations = ChunkBytes;
  for (unsigned S : Streams)
    Iterations = std::min(Iterations, ChunkBytes / uint64_t(Facts[S].Step));
  Slot.Iterations = unsigned(Iterations);
  if (Iterations == 0)
    return Slot;
  for (unsigned S : Streams) {
    StagingSlot::Part Part;
    uint64_t Moves = Iterations * uint64_t(Facts[S].Step);
    Part.Offset = Slot.Bytes;
    Part.ReadBytes = unsigned(Moves - Facts[S].Step + Facts[S].Span);
    Part.CopyBytes = unsigned(alignTo(Part.ReadBytes, CopyUnit));
    Part.IsAligned = Facts[S].Alignment >= CopyUnit && Moves % CopyUnit == 0;
    Slot.Bytes += Part.CopyBytes + (Part.IsAligned ? 0 : CopyUnit);
    Slot.Parts.push_back(Part);
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

bool KernelStager::stage(const LoopPlan &Planned, LoopStreams &Found,
                         Stageable Can) {
  DebugLoc At = Found.L->getStartLoc();
  llvm::erase_if(Can.Streams, [&](unsigned S) {
    return none_of(Planned.Staged, [&](const StagedStream &Asked) {
      return Found.Facts.Streams[S].Accesses.front().Id.ofAllCopies() ==
             Asked.Id.ofAllCopies();
    });
  });
  if (Can.Streams.empty()) {
    missed(Planned, At,
           Can.Refusal.empty() ? "none is as the plan has it" : Can.Refusal);
    return false;
  }
  StagingSlot Slot =
      layOutSlot(Found.Facts.Streams, Can.Streams, Planned.ChunkBytes);
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
  LoopStager(F, Found, Can.Streams, Slot, Planned.StagedWarps, Wrong, FAM)
      .run();
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
    if (Found && !Can.Refusal.empty())
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
