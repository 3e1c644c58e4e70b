// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which streams can be staged, and how the slots are laid out. How a loop is
// rewritten, with before and after: LoopStager.cpp.

#include "sluice/Transforms/StreamStaging.h"
#include "sluice/Analysis/AccessAnalysis.h"
#include "sluice/Analysis/LocalArrays.h"
#include "sluice/Analysis/ThreadOrder.h"
#include "sluice/Plan/StagingPlanner.h"
#include "sluice/Transforms/LoopRounding.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;
using namespace sluice;

/// Tests of addresses before a loop that are still cheap.
static constexpr unsigned MostTests = 8;

bool sluice::isOwnRow(const StreamFacts &Facts, const Stream &S) {
  return areApart(Facts.Spread) && Facts.Step > 0 &&
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

bool sluice::isWithinIteration(const StreamConflict &Conflict,
                               const Instruction &I, const StreamFacts &Facts) {
  return Conflict.Offset && *Conflict.Offset >= 0 &&
         *Conflict.Offset + int64_t(bytesTouched(I)) <= Facts.Step;
}

bool sluice::isNamedBy(ArrayRef<StagedStream> Planned,
                       const StreamFacts &Facts) {
  return any_of(Planned, [&](const StagedStream &Named) {
    return Facts.Accesses.front().Id.ofAllCopies() == Named.Id.ofAllCopies();
  });
}

/// But for what else the loop does there.
static bool isStageable(const StreamFacts &Facts, const Stream &S) {
  // Of what is written whole blocks are: each byte has to be the loop's.
  const bool IsWhole = !Facts.IsStore || Facts.Bytes == uint64_t(Facts.Step);
  return IsWhole && Facts.IsGlobal && isOwnRow(Facts, S);
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
    return Found != Conflicts.end() &&
           isWithinIteration(Written.Conflicts[Found - Conflicts.begin()], *I,
                             Written);
  });
}

/// Has another of \p Streams a buffer that serves \p S too?
static bool isWithinAny(const LoopStreams &Loop, unsigned S,
                        ArrayRef<unsigned> Streams) {
  return any_of(Streams,
                [&](unsigned Other) { return isReadFrom(Loop, S, Other); });
}

unsigned sluice::keepApart(const LoopStreams &Loop,
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

/// Orders at most what threads write: what nobody writes while the kernel runs
/// can be read on either side of it.
static bool isHarmlessToReadOnly(const StreamHazard &H) {
  return H.Kind == StreamHazard::Atomic;
}

bool sluice::mayCross(const StreamFacts &S, const LoopStreams &Loop) {
  return Loop.Facts.Hazards.empty() || S.IsReadOnly;
}

/// What is known of the number of iterations rules out two blocks of 16 bytes.
static bool isShort(const LoopStreams &Loop, ScalarEvolution &SE) {
  const uint64_t Most = SE.getSmallConstantMaxTripCount(Loop.L);
  return Most != 0 &&
         none_of(Loop.Facts.Streams, [&](const StreamFacts &Facts) {
           return Most * uint64_t(std::abs(Facts.Step)) >=
                  LeastChunks * CopyUnit;
         });
}

std::string sluice::whyNotCut(const LoopStreams &Loop, ScalarEvolution &SE) {
  const llvm::Loop &L = *Loop.L;
  if (!L.isInnermost())
    return "it has a loop in it";
  for (const StreamHazard &H : Loop.Facts.Hazards)
    if (!isHarmlessToReadOnly(H))
      return "it has " + H.str();
  if (!L.getLoopPreheader() || !L.getLoopLatch() || !L.getUniqueExitBlock() ||
      L.getExitingBlock() != L.getLoopLatch())
    return "it ends at several places, or not behind its body";
  if (Loop.Facts.Trip != StreamTrip::Exact || !Loop.Taken)
    return "how often it runs is not known where it begins";
  if (!Loop.Facts.Streams.empty() && isShort(Loop, SE))
    return "its rows are too short";
  if (goesOverSmallArray(L, SE))
    return "it goes over an array that may be kept in registers";
  // Its start may be taken apart, up to where it is aligned.
  if (hasSumFromZero(L) && !Loop.FusesSumsFromZero)
    return "its first sum may be a product alone";
  if (std::string Why = whyRoundedAnew(L, SE, 1, Loop.FusesSumsFromZero);
      !Why.empty())
    return Why;
  // Lanes may take different versions of the loop. Inline assembly counts as
  // convergent whatever it is, as in __half2float.
  if (any_of(L.blocks(), [](const BasicBlock *BB) {
        return any_of(*BB, [](const Instruction &I) {
          const auto *Call = dyn_cast<CallBase>(&I);
          return Call && (Call->cannotDuplicate() ||
                          (Call->isConvergent() &&
                           !(Call->isInlineAsm() &&
                             threadOrderOf(*Call) == ThreadOrder::None)));
        });
      }))
    return "lanes may exchange values in it, or a function that it calls may "
           "loop";
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
    if (isStageable(Facts, S) && mayCross(Facts, Loop) &&
        Expander.isSafeToExpandAt(S.Start, At))
      Result.Streams.push_back(unsigned(Number));
  if (Result.Streams.empty())
    Result.Refusal = Loop.Facts.Hazards.empty()
                         ? "its threads go through them backwards, with gaps, "
                           "or not in each iteration"
                         : "it has " + Loop.Facts.Hazards.front().str();
  Result.Tests = keepApart(Loop, Result.Streams);
  if (Result.Tests > MostTests) {
    Result.Refusal = "it has too many accesses that may overlap its rows";
    Result.Streams.clear();
  } else if (Result.Streams.empty() && Result.Refusal.empty()) {
    Result.Refusal = "its rows may overlap what else it touches";
  }
  for (unsigned S : Result.Streams)
    if (isWithinAny(Loop, S, Result.Streams))
      Result.Within.push_back(S);
  return Result;
}

void sluice::simplifyLoops(Function &F, FunctionAnalysisManager &FAM) {
  auto &LI = FAM.getResult<LoopAnalysis>(F);
  auto &DT = FAM.getResult<DominatorTreeAnalysis>(F);
  auto &SE = FAM.getResult<ScalarEvolutionAnalysis>(F);
  for (Loop *L : LI) {
    simplifyLoop(L, &DT, &LI, &SE, nullptr, nullptr,
                 /*PreserveLCSSA=*/false);
    formLCSSARecursively(*L, DT, &LI, &SE);
  }
}

std::vector<LoopStreams>
sluice::findStreamsToStage(Function &F, FunctionAnalysisManager &FAM,
                           KernelFacts &Facts) {
  simplifyLoops(F, FAM);
  analyzeAccesses(FAM.getResult<LoopAnalysis>(F),
                  FAM.getResult<ScalarEvolutionAnalysis>(F), Facts);
  std::vector<LoopStreams> All = findStreams(F, FAM, Facts);
  for (LoopStreams &Of : All)
    Of.FusesSumsFromZero = hasFusedSumsFromZero(*Of.L, FAM);
  return All;
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
    if (isWithinAny(Loop, S, Streams))
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
