// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each cycle of the kernel and of each function that it reaches is to be shown
// not to wait; so is each recursion. There is no list of what a wait looks
// like: what is not shown is a hazard.

#include "sluice/Analysis/WaitAnalysis.h"
#include "ExitSlice.h"
#include "GlobalPointer.h"
#include "sluice/Analysis/DebugPlace.h"
#include "sluice/Analysis/KernelWrites.h"
#include "sluice/Analysis/Reachability.h"
#include "sluice/Analysis/ThreadOrder.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/CycleAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Support/Debug.h"

using namespace sluice;
using namespace llvm;

#define DEBUG_TYPE "sluice-waits"

STATISTIC(NumCycles, "Cycles that order something between threads");
STATISTIC(NumWaits, "Cycles and recursions in which warps may wait");

namespace {

class WaitFinder {
public:
  WaitFinder(Function &Kernel, FunctionAnalysisManager &FAM,
             std::vector<RegionHazard> &Hazards)
      : Kernel(Kernel), FAM(FAM), Hazards(Hazards), Writes(Kernel) {}

  void run();

private:
  ThreadOrder orderReachedFrom(const Function &F);
  bool isPlain(const Cycle &C);
  void check(const Cycle &C, Function &F);
  void checkCycles(Function &F);
  void checkRecursion(const Function &F);
  void placeInKernel(const Function &F, size_t First);
  void add(const Instruction *At, SourcePlace KernelPlace, std::string What);

  Function &Kernel;
  FunctionAnalysisManager &FAM;
  std::vector<RegionHazard> &Hazards;
  KernelWrites Writes;
  DenseMap<const Function *, ThreadOrder> Reached;
};

/// Not shared memory, whose writes KernelWrites does not count.
bool isGlobalMemory(const LoadInst &Load) {
  SmallVector<const Value *, 4> Objects;
  getUnderlyingObjects(Load.getPointerOperand(), Objects);
  return all_of(Objects, [](const Value *Object) {
    const auto *A = dyn_cast<Argument>(Object);
    return isGlobalObject(Object) || (A && A->hasByValAttr());
  });
}

/// In \p F itself.
const Instruction *callOf(const Function &Callee, const Function &F) {
  for (const Instruction &I : instructions(F))
    if (calleeWithBody(I) == &Callee)
      return &I;
  return nullptr;
}

} // namespace

/// The most that \p F does, with all that it calls.
ThreadOrder WaitFinder::orderReachedFrom(const Function &F) {
  auto [It, Inserted] = Reached.try_emplace(&F, ThreadOrder::None);
  if (!Inserted)
    return It->second;
  auto Most = ThreadOrder::None;
  for (const Function *Callee : calledFrom(F))
    for (const Instruction &I : instructions(*Callee))
      Most = std::max(Most, threadOrderOf(I));
  return Reached[&F] = Most;
}

/// Does it order nothing between threads but by barriers of the block?
bool WaitFinder::isPlain(const Cycle &C) {
  return all_of(C.blocks(), [&](const BasicBlock *BB) {
    return all_of(*BB, [&](const Instruction &I) {
      const Function *Callee = calleeWithBody(I);
      return threadOrderOf(I) <= ThreadOrder::Block &&
             (!Callee || orderReachedFrom(*Callee) <= ThreadOrder::Block);
    });
  });
}

void WaitFinder::add(const Instruction *At, SourcePlace KernelPlace,
                     std::string What) {
  ++NumWaits;
  LLVM_DEBUG(dbgs() << What << ":"; if (At) dbgs() << *At; dbgs() << "\n");
  SourcePlace Place = At ? placeOf(At->getDebugLoc().get()) : SourcePlace();
  Hazards.push_back({KernelPlace, Place.isKnown() ? Place : KernelPlace,
                     std::move(What) + ", so its warps may wait for one "
                                       "another",
                     /*WholeKernel=*/true});
}

void WaitFinder::check(const Cycle &C, Function &F) {
  if (isPlain(C))
    return;
  ++NumCycles;
  SourcePlace Place, KernelPlace;
  if (const Loop *L = FAM.getResult<LoopAnalysis>(F).getLoopFor(C.getHeader());
      L && L->getHeader() == C.getHeader()) {
    const DebugLoc Start = L->getLocRange().getStart();
    Place = placeOf(Start.get());
    KernelPlace = kernelPlaceOf(Start.get(), Kernel);
  }
  if (!C.isReducible())
    return add(&C.getHeader()->front(), {},
               "contains a loop with several entries");
  auto &AA = FAM.getResult<AAManager>(F);
  // Nor by the host or another kernel, of which it would see that here.
  const bool SeesOthers = any_of(C.blocks(), [](const BasicBlock *BB) {
    return any_of(*BB, [](const Instruction &I) {
      return !synchronisationOf(I).empty();
    });
  });
  auto IsUnwritten = [&](const LoadInst &Load) {
    return &F == &Kernel && !SeesOthers && isGlobalMemory(Load) &&
           Writes.whyWrittenHere(Load, AA).empty();
  };
  ExitSlice Slice(C, FAM.getResult<CycleAnalysis>(F), AA, IsUnwritten);
  std::string On;
  const Instruction *I = Slice.findForeign(On);
  if (!I) {
    LLVM_DEBUG(dbgs() << "no warp waits in '" << F.getName() << "', block "
                      << C.getHeader()->getName() << "\n");
    return;
  }
  add(I, KernelPlace, "contains a loop whose exit depends on " + On);
  if (!Hazards.back().Place.isKnown())
    Hazards.back().Place = Place;
}

void WaitFinder::checkCycles(Function &F) {
  auto &Cycles = FAM.getResult<CycleAnalysis>(F);
  SmallVector<const Cycle *, 8> Work(Cycles.toplevel_cycles());
  while (!Work.empty()) {
    const Cycle *C = Work.pop_back_val();
    check(*C, F);
    append_range(Work, C->children());
  }
}

/// A recursion is a loop whose exits are not looked at.
void WaitFinder::checkRecursion(const Function &F) {
  if (orderReachedFrom(F) <= ThreadOrder::Block)
    return;
  for (const Function *Reachable : calledFrom(F))
    if (const Instruction *Call = callOf(F, *Reachable))
      return add(Call, {},
                 "contains a recursion that synchronises with other threads");
}

/// What was found in \p F from hazard \p First on is in the kernel wherever
/// that calls what leads to \p F.
void WaitFinder::placeInKernel(const Function &F, size_t First) {
  const std::vector<RegionHazard> Found(Hazards.begin() + First, Hazards.end());
  Hazards.resize(First);
  for (const Instruction &I : instructions(Kernel)) {
    const Function *Callee = calleeWithBody(I);
    if (!Callee || !calledFrom(*Callee).contains(&F))
      continue;
    for (RegionHazard Hazard : Found) {
      Hazard.KernelPlace = kernelPlaceOf(I.getDebugLoc().get(), Kernel);
      Hazards.push_back(std::move(Hazard));
    }
  }
}

void WaitFinder::run() {
  if (orderReachedFrom(Kernel) <= ThreadOrder::Block)
    return;
  for (const Function *F : calledFrom(Kernel)) {
    const size_t First = Hazards.size();
    checkCycles(const_cast<Function &>(*F));
    if (F == &Kernel)
      continue;
    checkRecursion(*F);
    if (Hazards.size() > First)
      placeInKernel(*F, First);
  }
}

void sluice::collectWaits(Function &Kernel, FunctionAnalysisManager &FAM,
                          std::vector<RegionHazard> &Hazards) {
  WaitFinder(Kernel, FAM, Hazards).run();
}
