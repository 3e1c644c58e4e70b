// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The loops of a kernel in which threads keep lines, by its plan. They share
// one buffer: a thread's lines are its own, and it is in one of the loops at a
// time. So nobody waits for anybody, and it does not matter which loop, or
// which copy of it, the other threads are in.

#include "KernelLines.h"
#include "LineCacher.h"
#include "SharedArrays.h"
#include "sluice/Analysis/AccessAnalysis.h"
#include "sluice/Analysis/DebugPlace.h"
#include "sluice/Analysis/KernelFunction.h"
#include "sluice/Analysis/SharedMemory.h"
#include "sluice/Target/BlockClaim.h"
#include "sluice/Transforms/PlacedRemarks.h"
#include "sluice/Transforms/StreamStaging.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/ValueHandle.h"

using namespace llvm;
using namespace sluice;

#define DEBUG_TYPE "sluice-software-l1"

STATISTIC(NumLinedLoops, "Number of loops whose threads keep lines");
STATISTIC(NumLinedStructures, "Number of structures that lines may be of");

/// Copies of a loop that get lines: code grows with each.
static constexpr unsigned MostCopies = 8;

namespace {

/// A loop of the plan, by the headers of all its versions: promotion makes two,
/// and a loop around it that is unrolled whole makes more.
struct Job {
  const LoopPlan *Planned;
  SmallVector<WeakVH, 2> Headers;
};

class KernelLines {
public:
  KernelLines(Function &F, const KernelPlan &Plan, unsigned Counted,
              WrongRewrite Wrong, FunctionAnalysisManager &FAM,
              OptimizationRemarkEmitter &Remarks)
      : F(F), Plan(Plan), Counted(Counted), Wrong(Wrong), FAM(FAM),
        Remarks(Remarks) {}
  bool run();

private:
  std::string makeBuffer(const LoopPlan &Planned);
  void findJobs();
  std::string cache(const LoopPlan &Planned, Loop &L);
  bool run(Job &Work);
  LineLoop findPlanned(const LoopPlan &Planned, Loop &L);
  bool counts(const LoopPlan &Planned) const {
    return Planned.LinesMonitored && Counted != 0;
  }
  void missed(const LoopPlan &Planned, DebugLoc At, const Twine &Why);

  Function &F;
  const KernelPlan &Plan;
  const unsigned Counted;
  const WrongRewrite Wrong;
  FunctionAnalysisManager &FAM;
  OptimizationRemarkEmitter &Remarks;
  LineBuffer Buffer;
  std::vector<Job> Jobs;
};

} // namespace

void KernelLines::missed(const LoopPlan &Planned, DebugLoc At,
                         const Twine &Why) {
  emitPlaced(Remarks, At, [&](const DebugLoc &Loc) {
    return OptimizationRemarkMissed(DEBUG_TYPE, "NoLines", Loc,
                                    &F.getEntryBlock())
           << "the loop at " << Planned.Id.str()
           << " stays as it was: " << Why.str();
  });
}

/// For \p Planned, and what other loops can have of it. \returns why not.
std::string KernelLines::makeBuffer(const LoopPlan &Planned) {
  if (Buffer.Bytes)
    return Planned.LineThreads == Buffer.Threads
               ? ""
               : "another loop's lines are for other threads";
  Buffer.Threads = Planned.LineThreads;
  for (const LoopPlan &Other : Plan.Loops)
    if (!Other.Lines.empty() && Other.LineThreads == Buffer.Threads)
      Buffer.LinesPerThread =
          std::max(Buffer.LinesPerThread, Other.LinesPerThread);
  const uint64_t Bytes =
      uint64_t(ThreadLineBytes) * Buffer.Threads * Buffer.LinesPerThread;
  const DeclaredShared Declared = declaredShared(F, Align(ThreadLineBytes));
  if (Declared.IsDynamic)
    return "the kernel has dynamic shared memory";
  if (Declared.StaticBytes + Bytes > MostSharedWithoutOptIn)
    return "there is too little shared memory for its lines";
  auto *Ty = ArrayType::get(Type::getInt8Ty(F.getContext()), Bytes);
  Buffer.Bytes = makeSharedArray(*F.getParent(), Ty, Align(ThreadLineBytes),
                                 "__sluice_lines." + F.getName());
  return "";
}

void KernelLines::findJobs() {
  const auto Loops = FAM.getResult<LoopAnalysis>(F).getLoopsInPreorder();
  for (const LoopPlan &Planned : Plan.Loops) {
    if (!isOfLines(Planned))
      continue;
    Job &Work = Jobs.emplace_back(Job{&Planned, {}});
    for (const Loop *L : Loops)
      if (codeIdOf(*L).ofAllCopies() == Planned.Id.ofAllCopies() &&
          Work.Headers.size() < MostCopies)
        Work.Headers.push_back(L->getHeader());
  }
}

/// The structures that the plan names, in its order, as many as can be.
LineLoop KernelLines::findPlanned(const LoopPlan &Planned, Loop &L) {
  auto &LI = FAM.getResult<LoopAnalysis>(F);
  auto &AA = FAM.getResult<AAManager>(F);
  KernelFacts Facts;
  analyzeAccesses(LI, FAM.getResult<ScalarEvolutionAnalysis>(F), Facts);
  const auto Ids = idsOfAccesses(LI, Facts);
  auto RankOf = [&](const LineStructure &S) {
    size_t Rank = Planned.Lines.size();
    for (const Instruction *I : S.Accesses) {
      auto Id = Ids.find(I);
      if (Id == Ids.end())
        continue;
      auto Named = find_if(Planned.Lines, [&](const StagedStream &Named) {
        return Named.Id.ofAllCopies() == Id->second.ofAllCopies();
      });
      Rank = std::min(Rank, size_t(Named - Planned.Lines.begin()));
    }
    return Rank;
  };
  // With the number by which they were found, so that no two are alike.
  SmallVector<std::pair<std::pair<size_t, size_t>, const Value *>,
              MostStructures>
      Named;
  LineLoop All = findLines(L, LI, AA, [&](const LineStructure &S) {
    const size_t Rank = RankOf(S);
    if (Rank < Planned.Lines.size())
      Named.push_back({{Rank, Named.size()}, S.Object});
    return Rank < Planned.Lines.size();
  });
  const size_t Most =
      counts(Planned) ? MostStructures : size_t(Planned.LinesPerThread);
  if (Named.size() <= Most)
    return All;
  llvm::sort(Named, less_first());
  Named.truncate(Most);
  return findLines(L, LI, AA, [&](const LineStructure &S) {
    return any_of(Named, [&](const auto &N) { return N.second == S.Object; });
  });
}

/// \returns why not.
std::string KernelLines::cache(const LoopPlan &Planned, Loop &L) {
  const DebugLoc At = L.getStartLoc();
  const LineLoop Lines = findPlanned(Planned, L);
  if (!Lines.Refusal.empty())
    return Lines.Refusal;
  if (counts(Planned) && Lines.KeepsLanesTogether)
    return "lanes must stay together in it, so none can choose by what it "
           "counts";
  if (std::string Why = makeBuffer(Planned); !Why.empty())
    return Why;
  LineCacher(F, Lines, Buffer, mostThreads(F), counts(Planned) ? Counted : 0,
             Wrong, FAM.getResult<LoopAnalysis>(F))
      .run();
  ++NumLinedLoops;
  NumLinedStructures += Lines.Structures.size();
  emitPlaced(Remarks, At, [&](const DebugLoc &Loc) {
    return OptimizationRemark(DEBUG_TYPE, "Lines", Loc, &F.getEntryBlock())
           << "threads keep lines of what the loop accesses in shared memory: "
           << Planned.LinesWhy;
  });
  return "";
}

bool KernelLines::run(Job &Work) {
  bool Changed = false;
  const bool IsRefused = Work.Planned->Lines.empty();
  std::string Why;
  if (Work.Headers.empty())
    Why = IsRefused ? Work.Planned->LinesWhy : "it is not in the code any more";
  DebugLoc At;
  for (const WeakVH &Header : Work.Headers) {
    if (!Header)
      continue; // in a loop that has lines
    simplifyLoops(F, FAM);
    Loop *L =
        FAM.getResult<LoopAnalysis>(F).getLoopFor(cast<BasicBlock>(Header));
    if (!L || L->getHeader() != Header)
      continue;
    At = L->getStartLoc();
    Why = Work.Planned->LinesWhy;
    if (IsRefused)
      break;
    const SmallPtrSet<BasicBlock *, 16> Blocks(L->block_begin(),
                                               L->block_end());
    Why = cache(*Work.Planned, *L);
    FAM.invalidate(F, PreservedAnalyses::none()); // also if only simplified
    if (!Why.empty())
      continue;
    Changed = true;
    // A thread has its lines in one loop at a time.
    for (Job &Other : Jobs)
      for (WeakVH &Inside : Other.Headers)
        if (Inside && Blocks.contains(cast<BasicBlock>(Inside)))
          Inside = nullptr;
  }
  if (!Changed && !Why.empty())
    missed(*Work.Planned, At, Why);
  return Changed;
}

bool KernelLines::run() {
  simplifyLoops(F, FAM);
  findJobs();
  bool Changed = false;
  for (Job &Work : Jobs)
    Changed |= run(Work);
  FAM.invalidate(F, PreservedAnalyses::none());
  return Changed;
}

bool sluice::cacheLines(Function &F, const KernelPlan &Plan, unsigned Counted,
                        WrongRewrite Wrong, FunctionAnalysisManager &FAM,
                        OptimizationRemarkEmitter &Remarks) {
  return KernelLines(F, Plan, Counted, Wrong, FAM, Remarks).run();
}
