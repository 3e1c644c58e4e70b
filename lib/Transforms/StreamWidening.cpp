// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which streams a thread can read or write 16 bytes at a time. A block of 16
// bytes is read before the first iteration that it serves and written behind
// the last, so nothing else in the loop may touch it between.

#include "sluice/Transforms/StreamWidening.h"
#include "LoopWidener.h"
#include "RowLengths.h"
#include "sluice/Transforms/LoopRounding.h"
#include "sluice/Transforms/PlacedRemarks.h"
#include "sluice/Transforms/StreamStaging.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"
#include <numeric>

using namespace llvm;
using namespace sluice;

#define DEBUG_TYPE "sluice-software-l1"

STATISTIC(NumWidenedLoops, "Number of loops with streams in registers");
STATISTIC(NumWidenedStreams, "Number of streams in registers");

/// Of one iteration of the new loop, in IR instructions: it is to stay in the
/// instruction cache.
static constexpr unsigned MostInstructions = 1024;
/// Bytes of all streams that a thread has in registers at a time: 32 registers.
static constexpr unsigned MostBytes = 128;
/// Of a thread's rows: of all 2,048 threads of an SM the L1 holds so much, and
/// a line is looked up once for each.
static constexpr uint64_t BytesInL1 = 64;

/// The iterations of whole blocks, where a row begins with one.
static unsigned iterationsOf(const StreamFacts &Facts) {
  return WideBytes / std::gcd(WideBytes, unsigned(Facts.Step));
}

/// All accesses of one size, each at a multiple of it where the row begins at a
/// multiple of 16: then none lies in two blocks.
static bool isRegular(const StreamFacts &Facts, const Stream &S) {
  const unsigned Bytes = Facts.Accesses.front().Bytes;
  const DataLayout &DL = S.Accesses.front()->getDataLayout();
  return isPowerOf2_32(Bytes) && Bytes < WideBytes && Facts.Step % Bytes == 0 &&
         all_of(
             zip(Facts.Accesses, S.Accesses),
             [&](auto Pair) {
               auto &[Access, I] = Pair;
               return Access.Bytes == Bytes && Access.Offset % Bytes == 0 &&
                      DL.getTypeSizeInBits(getLoadStoreType(I)) == 8 * Bytes;
             });
}

/// Is what else touches the stream's memory the same row, which is changed in
/// place? So it is if each iteration keeps to bytes of its own, which it first
/// reads and then writes.
static bool isInPlace(const StreamFacts &Facts, const Stream &S,
                      const DominatorTree &DT) {
  return all_of(zip(Facts.Conflicts, S.Conflicts), [&](auto Pair) {
    auto &[Conflict, Other] = Pair;
    if (!isa<LoadInst, StoreInst>(Other) || Conflict.Writes == Facts.IsStore ||
        !isWithinIteration(Conflict, *Other, Facts))
      return false;
    return all_of(S.Accesses, [&, Other = Other](const Instruction *Own) {
      return Facts.IsStore ? DT.dominates(Other, Own)
                           : DT.dominates(Own, Other);
    });
  });
}

static bool isWidenable(const StreamFacts &Facts, const Stream &S,
                        const DominatorTree &DT) {
  if (!isOwnRow(Facts, S) || Facts.Step > MostBytes || !isRegular(Facts, S) ||
      !isInPlace(Facts, S, DT))
    return false;
  uint64_t Touched = 0;
  for (const StreamAccess &A : Facts.Accesses)
    Touched += A.Bytes;
  const bool IsWhole = Facts.Bytes == uint64_t(Facts.Step);
  // Bytes between those that the loop reads may be another thread's to write.
  return Facts.IsStore ? IsWhole && Touched == Facts.Bytes
                       : IsWhole || Facts.IsReadOnly;
}

std::string sluice::whyNotRepeated(const Loop &L) {
  if (hasUnrollTransformation(&L) == TM_Disable ||
      hasUnrollTransformation(&L) == TM_SuppressedByUser)
    return "its source keeps it from being unrolled";
  return "";
}

/// Leaves \p Result the streams whose blocks fit into registers together, and
/// in how many iterations.
static void fit(Widenable &Result, ArrayRef<StreamFacts> Facts) {
  auto Fits = [&](unsigned S) {
    unsigned Iterations = std::lcm(Result.Iterations, iterationsOf(Facts[S]));
    unsigned Bytes = 0;
    for (unsigned Other : Result.Streams)
      Bytes += unsigned(Facts[Other].Step);
    Bytes += unsigned(Facts[S].Step);
    if (Iterations * Bytes > MostBytes)
      return false;
    Result.Iterations = Iterations;
    return true;
  };
  for (unsigned S : std::exchange(Result.Streams, {}))
    if (Fits(S))
      Result.Streams.push_back(S);
}

Widenable
sluice::findWidenable(const LoopStreams &Loop, ScalarEvolution &SE,
                      const DominatorTree &DT,
                      function_ref<bool(const StreamFacts &)> IsAsked) {
  Widenable Result;
  Result.Refusal = whyNotCut(Loop, SE);
  if (Result.Refusal.empty())
    Result.Refusal = whyNotRepeated(*Loop.L);
  if (!Result.Refusal.empty())
    return Result;
  SCEVExpander Expander(SE, "sluice");
  const Instruction *At = Loop.L->getLoopPreheader()->getTerminator();
  for (auto [Number, Facts, S] : enumerate(Loop.Facts.Streams, Loop.Streams))
    if (IsAsked(Facts) && isWidenable(Facts, S, DT) && mayCross(Facts, Loop) &&
        Expander.isSafeToExpandAt(S.Start, At))
      Result.Streams.push_back(unsigned(Number));
  if (Result.Streams.empty()) {
    Result.Refusal = Loop.Facts.Hazards.empty()
                         ? "no thread reads or writes a row of its own in it"
                         : "it has " + Loop.Facts.Hazards.front().str();
    return Result;
  }
  fit(Result, Loop.Facts.Streams);
  unsigned Instructions = 0;
  for (const BasicBlock *BB : Loop.L->blocks())
    Instructions += unsigned(BB->sizeWithoutDebug());
  if (Result.Streams.empty())
    Result.Refusal = "a block of its rows takes too many registers";
  else if (Result.Iterations < 2)
    Result.Refusal = "a block of its rows serves only one iteration";
  else if (Instructions * Result.Iterations > MostInstructions)
    Result.Refusal = "its body is too long to be repeated";
  if (!Result.Refusal.empty())
    Result.Streams.clear();
  return Result;
}

static std::string plural(size_t N, StringRef What) {
  return std::to_string(N) + " " + What.str() + (N == 1 ? "" : "s");
}

/// Iterations from which on rows are worth being widened, where the launch may
/// say so.
static unsigned leastTrips(const LoopStreams &Loop, const Widenable &Can) {
  uint64_t Moved = 0;
  for (unsigned S : Can.Streams)
    Moved += uint64_t(Loop.Facts.Streams[S].Step);
  return unsigned(std::max<uint64_t>(Can.Iterations, BytesInL1 / Moved + 1));
}

bool sluice::widenRows(Function &F, const LoopPlan &Planned, WrongRewrite Wrong,
                       FunctionAnalysisManager &FAM, RowLengths &Lengths,
                       OptimizationRemarkEmitter &Remarks) {
  KernelFacts Facts;
  std::vector<LoopStreams> All = findStreamsToStage(F, FAM, Facts);
  auto &SE = FAM.getResult<ScalarEvolutionAnalysis>(F);
  auto &DT = FAM.getResult<DominatorTreeAnalysis>(F);
  auto IsAsked = [&](const StreamFacts &S) {
    return isNamedBy(Planned.Widened, S);
  };
  Widenable Can;
  Can.Refusal = "the loop is not in the code any more";
  DebugLoc At;
  // Of the versions of a loop that another pass made one may be widened.
  for (LoopStreams &Streams : All) {
    if (!(Facts.Loops[Streams.Facts.Loop].Id.ofAllCopies() ==
          Planned.Id.ofAllCopies()))
      continue;
    Can = findWidenable(Streams, SE, DT, IsAsked);
    At = Streams.L->getStartLoc();
    if (!Can.Refusal.empty())
      continue;
    Lengths.note(Streams, leastTrips(Streams, Can), SE);
    if (Streams.FusesSumsFromZero)
      fuseSumsFromZero(*Streams.L);
    LoopWidener(F, Streams, Can, Wrong, FAM).run();
    ++NumWidenedLoops;
    NumWidenedStreams += Can.Streams.size();
    emitPlaced(Remarks, At, [&](const DebugLoc &Loc) {
      return OptimizationRemark(DEBUG_TYPE, "Widened", Loc, &F.getEntryBlock())
             << plural(Can.Streams.size(), "stream")
             << " of the loop moved 16 bytes at a time, "
             << ore::NV("Iterations", Can.Iterations)
             << " iterations at a time: " << Planned.WidenedWhy;
    });
    return true;
  }
  const std::string Why =
      Planned.Widened.empty()
          ? Planned.WidenedWhy
          : "its rows are not kept in registers: " + Can.Refusal;
  emitPlaced(Remarks, At, [&](const DebugLoc &Loc) {
    return OptimizationRemarkMissed(DEBUG_TYPE, "NotWidened", Loc,
                                    &F.getEntryBlock())
           << "the loop at " << Planned.Id.str() << " stays as it was: " << Why;
  });
  return false;
}
