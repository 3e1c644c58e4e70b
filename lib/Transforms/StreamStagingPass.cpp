// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass that carries out the software L1's decisions. Which rows can be
// staged: StreamStaging.cpp; how a loop is rewritten: LoopStager.cpp.

#include "GrownMark.h"
#include "KernelLines.h"
#include "LoopStager.h"
#include "LoopWidener.h"
#include "RowLengths.h"
#include "sluice/Analysis/DebugPlace.h"
#include "sluice/Analysis/KernelFunction.h"
#include "sluice/Analysis/SharedMemory.h"
#include "sluice/Plan/StagingPlanner.h"
#include "sluice/Target/BlockClaim.h"
#include "sluice/Target/GPUModel.h"
#include "sluice/Transforms/LoopRounding.h"
#include "sluice/Transforms/PassByName.h"
#include "sluice/Transforms/PlacedRemarks.h"
#include "sluice/Transforms/PlanMetadata.h"
#include "sluice/Transforms/SfuVersions.h"
#include "sluice/Transforms/StreamStaging.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include <map>

using namespace llvm;
using namespace sluice;

#define DEBUG_TYPE "sluice-software-l1"

STATISTIC(NumStagedLoops, "Number of loops with streams in shared memory");
STATISTIC(NumStagedStreams, "Number of streams in shared memory");

/// Copies of a loop that are staged: code grows with each.
static constexpr unsigned MostCopies = 8;
/// Of loops that are staged, and of what is left of them as they were.
static constexpr char StagedMark[] = "sluice.staged";

namespace {

/// Stages what the plan says of one kernel.
class KernelStager {
public:
  KernelStager(Function &F, const KernelPlan &Plan, const Options &Opts,
               FunctionAnalysisManager &FAM)
      : F(F), Plan(Plan), Opts(Opts), Wrong(Opts.Wrong), FAM(FAM), Remarks(&F) {
  }
  bool run();
  const RowLengths &lengths() const { return Lengths; }

private:
  bool stage(const LoopPlan &Planned);
  bool stage(const LoopPlan &Planned, LoopStreams &Found, Stageable Can,
             Buffers &Own);

  /// By the number of warps that have some.
  std::map<unsigned, Buffers> Shared;
  void refused(const LoopPlan &Planned);
  void missed(const LoopPlan &Planned, DebugLoc At, const Twine &Why);

  Function &F;
  const KernelPlan &Plan;
  const Options &Opts;
  const WrongRewrite Wrong;
  FunctionAnalysisManager &FAM;
  OptimizationRemarkEmitter Remarks;
  RowLengths Lengths;
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

/// Does \p F's GPU have cp.async?
static bool hasAsyncCopies(const Function &F) {
  auto GPU = findGPUModel(F.getFnAttribute("target-cpu").getValueAsString());
  if (GPU)
    return (*GPU)->Major >= 8;
  consumeError(GPU.takeError());
  return false;
}

bool KernelStager::stage(const LoopPlan &Planned, LoopStreams &Found,
                         Stageable Can, Buffers &Own) {
  DebugLoc At = Found.L->getStartLoc();
  llvm::erase_if(Can.Streams, [&](unsigned S) {
    return !isNamedBy(Planned.Staged, Found.Facts.Streams[S]);
  });
  keepApart(Found, Can.Streams);
  if (Can.Streams.empty()) {
    missed(Planned, At,
           Can.Refusal.empty() ? "none is as the plan has it" : Can.Refusal);
    return false;
  }
  StagingSlot Slot = layOutSlot(Found, Can.Streams, Planned.ChunkBytes);
  if (Slot.Iterations < 2) {
    missed(Planned, At, "a chunk is too small for its streams");
    return false;
  }
  if (Own.Slots && Slot.Bytes > Own.SlotBytes) {
    if (!Own.AreOfOther)
      return false; // another copy's rows are better aligned
    Own = {};
  }
  if (Own.Slots)
    Slot.Bytes = Own.SlotBytes;
  else if (count_if(Plan.Loops, [&](const LoopPlan &L) {
             return !L.Staged.empty() && L.StagedWarps == Planned.StagedWarps;
           }) > 1)
    // The others' rows may be less aligned.
    Slot.Bytes = std::max<unsigned>(
        Slot.Bytes, largestSlotBytes(Slot.Parts.size(), Planned.ChunkBytes));
  const uint64_t Bytes = Own.Slots ? 0
                                   : (uint64_t(Slot.Bytes) * StagedLanes + 4) *
                                         Planned.StagedWarps;
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
  Slot.ThroughL1 = Planned.ThroughL1;
  Slot.HasAsyncCopies = hasAsyncCopies(F);
  Lengths.note(Found, Slot.LeastTrips,
               FAM.getResult<ScalarEvolutionAnalysis>(F));
  if (Found.FusesSumsFromZero)
    fuseSumsFromZero(*Found.L);
  LoopStager(F, Found, Slot, Planned.StagedWarps, Own, Wrong, FAM).run();
  ++NumStagedLoops;
  NumStagedStreams += Can.Streams.size();
  emitPlaced(Remarks, At, [&](const DebugLoc &Loc) {
    return OptimizationRemark(DEBUG_TYPE, "Staged", Loc, &F.getEntryBlock())
           << ore::NV("Streams", unsigned(Can.Streams.size()))
           << (Can.Streams.size() == 1 ? " stream of the loop is"
                                       : " streams of the loop are")
           << " staged in shared memory, "
           << ore::NV("Iterations", Slot.Iterations)
           << " iterations at a time: " << Planned.StagedWhy;
  });
  return true;
}

/// Of the versions of a loop that promotion makes the best is staged, and all
/// copies of it that unrolling a loop around it has made; they share buffers.
bool KernelStager::stage(const LoopPlan &Planned) {
  using Rank = std::pair<size_t, int>;
  std::optional<Rank> OfFirst;
  Buffers &Known = Shared[Planned.StagedWarps];
  Buffers Own = Known;
  Own.AreOfOther = Own.Slots;
  for (unsigned Copy = 0; Copy < MostCopies; ++Copy) {
    KernelFacts Facts;
    std::vector<LoopStreams> All = findStreamsToStage(F, FAM, Facts);
    auto &SE = FAM.getResult<ScalarEvolutionAnalysis>(F);
    LoopStreams *Found = nullptr;
    Stageable OfFound;
    Rank Best;
    for (LoopStreams &Streams : All) {
      if (!(Facts.Loops[Streams.Facts.Loop].Id.ofAllCopies() ==
            Planned.Id.ofAllCopies()) ||
          findOptionMDForLoop(Streams.L, StagedMark))
        continue;
      Stageable Can = findStageable(Streams, SE);
      const Rank OfThis(Can.Streams.size(), -int(Can.Tests));
      if (Found && OfThis <= Best)
        continue;
      Found = &Streams;
      OfFound = std::move(Can);
      Best = OfThis;
    }
    if (!Found && !OfFirst)
      missed(Planned, DebugLoc(), "the loop is not in the code any more");
    if (!Found || (OfFirst && Best < *OfFirst))
      break;
    addStringMetadataToLoop(Found->L, StagedMark);
    if (!stage(Planned, *Found, std::move(OfFound), Own))
      break;
    OfFirst = Best;
    Own.AreOfOther = false;
    if (!Known.Slots)
      Known = Own;
    FAM.invalidate(F, PreservedAnalyses::none());
  }
  return OfFirst.has_value();
}

/// Both ways take registers, and blocks of 1,024 threads must still be
/// possible: they have 64 for each thread. A kernel that takes more by itself
/// cannot have such blocks; it keeps what it has. Where the source bounds its
/// blocks, the assembler sees to it.
static void keepLaunchable(Function &F, const KernelPlan &Plan) {
  /// Of a thread: what a warp is given is a multiple of 256.
  static constexpr unsigned RegisterUnit = 8;
  if (!Plan.MaxRegisters && !registerLimit(F) &&
      !F.hasFnAttribute("nvvm.maxntid") && !F.hasFnAttribute("nvvm.reqntid")) {
    setRegisterLimit(F,
                     unsigned(std::clamp<uint64_t>(
                         alignTo(Plan.OwnRegisters, RegisterUnit), 64, 255)));
    F.addFnAttr(RoomMark);
  }
}

bool KernelStager::run() {
  bool Changed = false;
  for (const LoopPlan &Planned : Plan.Loops) {
    if (!Planned.Widened.empty() || !Planned.WidenedWhy.empty())
      Changed |= widenRows(F, Planned, Wrong, FAM, Lengths, Remarks);
    else if (!Planned.Staged.empty())
      Changed |= stage(Planned);
    else if (Planned.Staged.empty() && !Planned.StagedWhy.empty())
      refused(Planned);
    else
      continue;
    FAM.invalidate(F, PreservedAnalyses::none()); // also if only simplified
  }
  if (any_of(Plan.Loops, isOfLines)) {
    Lengths.noteUnknown();
    Changed |= cacheLines(F, Plan, Opts.CountedAccesses, Wrong, FAM, Remarks);
  }
  if (Changed)
    keepLaunchable(F, Plan);
  return Changed;
}

/// Buffers that warps of a block share, and wait for, would be there twice.
static void dropShared(Function &F, KernelPlan &Plan) {
  bool HadSome = false;
  for (LoopPlan &L : Plan.Loops) {
    HadSome |= !L.Staged.empty() || !L.Lines.empty();
    L.Staged.clear();
    static_cast<LinesPlan &>(L) = {};
  }
  if (!HadSome)
    return;
  OptimizationRemarkEmitter(&F).emit(
      OptimizationRemarkMissed(DEBUG_TYPE, "NotStaged", F.getSubprogram(),
                               &F.getEntryBlock())
      << "nothing is kept in shared memory: warps of a block run two versions "
         "of the kernel (sfu)");
}

/// May launches take a kernel for short rows beside \p F?
static bool mayHaveSecond(const Function &F, const KernelPlan &Plan,
                          const AttachedPlan &Attached) {
  const Options &Opts = Attached.Opts;
  // What is forced to be staged stays so.
  return Opts.ShortRows && !Opts.StageAll && !Opts.WidenAll &&
         Attached.IsWhole && !hasSfuVersions(F) && !Plan.ResidentBlocks &&
         Plan.ClaimedSharedBytes == 0 &&
         any_of(Plan.Loops, [](const LoopPlan &L) {
           return !L.Staged.empty() || !L.Widened.empty();
         });
}

static bool stageKernel(Function &F, const KernelPlan &Plan,
                        const AttachedPlan &Attached,
                        FunctionAnalysisManager &FAM) {
  Function *Copy = nullptr;
  if (mayHaveSecond(F, Plan, Attached)) {
    ValueToValueMapTy Values;
    Copy = CloneFunction(&F, Values);
  }
  KernelStager Stager(F, Plan, Attached.Opts, FAM);
  const bool IsChanged = Stager.run();
  if (Copy && Stager.lengths().lengths().empty())
    Copy->eraseFromParent();
  else if (Copy)
    makeKernelForShortRows(*Copy, F, Stager.lengths().lengths(), Plan);
  return IsChanged;
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
  SmallVector<Function *, 8> Kernels;
  for (Function &F : M)
    if (!F.isDeclaration() && isKernel(F) && Attached->kernel(F))
      Kernels.push_back(&F);
  bool Changed = false;
  for (Function *F : Kernels) {
    KernelPlan Kept = *Attached->kernel(*F);
    for (LoopPlan &L : Kept.Loops)
      if (isIn(Attached->Off, L.Id)) // the source has the last word
        static_cast<StagingPlan &>(L) = {};
    if (hasSfuVersions(*F))
      dropShared(*F, Kept);
    Changed |= stageKernel(*F, Kept, *Attached, FAM);
  }
  return Changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

void sluice::registerStreamStagingPass(PassBuilder &PB) {
  registerByName<StreamStagingPass>(PB, DEBUG_TYPE);
}
