// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "sluice/Analysis/HazardAnalysis.h"
#include "sluice/Analysis/DebugPlace.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace sluice;
using namespace llvm;

/// Functions that clang declares and the toolkit or the driver defines, none of
/// which waits for another thread.
static bool isKnownRuntimeFunction(StringRef Name) {
  return Name.starts_with("__nv_") || // libdevice
         StringSwitch<bool>(Name)
             .Cases({"vprintf", "printf", "__assertfail", "__assert_fail"},
                    true)
             .Cases({"malloc", "free", "memcpy", "memset", "memmove"}, true)
             .Default(false);
}

/// What an intrinsic does that a throttled region must not; empty if nothing.
static StringRef intrinsicHazard(StringRef Name) {
  if (!Name.consume_front("llvm.nvvm."))
    return "";
  if (Name.starts_with("bar.warp.sync"))
    return ""; // whole warps take turns
  if (Name.starts_with("barrier.cluster"))
    return "contains a cluster barrier";
  if (Name.starts_with("barrier") || Name.starts_with("bar."))
    return "contains a block barrier";
  if (Name.starts_with("mbarrier"))
    return "contains an mbarrier operation";
  if (Name.starts_with("cp.async") || Name.starts_with("tcgen05") ||
      Name.starts_with("wgmma") || Name.starts_with("fence.proxy.async"))
    return "is part of an asynchronous pipeline";
  if (Name.starts_with("griddepcontrol") || Name.starts_with("setmaxnreg"))
    return "controls the launch of dependent grids or registers";
  if (Name == "exit")
    return "ends the thread";
  return "";
}

static std::string callHazard(const CallBase &Call) {
  if (const auto *Asm = dyn_cast<InlineAsm>(Call.getCalledOperand())) {
    bool ClobbersMemory =
        StringRef(Asm->getConstraintString()).contains("~{memory}");
    if (Asm->hasSideEffects() || ClobbersMemory)
      return "contains inline assembly with side effects";
    return "";
  }
  const Function *Callee = Call.getCalledFunction();
  if (!Callee)
    return "calls through a pointer, so what runs is unknown";
  if (Callee->isIntrinsic())
    return intrinsicHazard(Callee->getName()).str();
  if (Callee->isDeclaration() && !isKnownRuntimeFunction(Callee->getName()))
    return "calls '" + demangle(Callee->getName().str()) +
           "', whose body is not in this file";
  return "";
}

/// The first hazard in \p Entry or in what it calls, at its own place.
static std::optional<RegionHazard> firstHazardFrom(const Function &Entry) {
  SmallPtrSet<const Function *, 16> Seen = {&Entry};
  SmallVector<const Function *, 16> Work = {&Entry};
  while (!Work.empty()) {
    const Function *F = Work.pop_back_val();
    for (const Instruction &I : instructions(*F)) {
      const auto *Call = dyn_cast<CallBase>(&I);
      if (!Call)
        continue;
      std::string What = callHazard(*Call);
      if (!What.empty())
        return RegionHazard{{},
                            placeOf(I.getDebugLoc().get()),
                            What + " (in '" + demangle(F->getName().str()) +
                                "')"};
      const Function *Callee = Call->getCalledFunction();
      if (Callee && !Callee->isDeclaration() && Seen.insert(Callee).second)
        Work.push_back(Callee);
    }
  }
  return std::nullopt;
}

void HazardAnalysis::collect(const Function &Kernel,
                             std::vector<RegionHazard> &Hazards) {
  for (const Instruction &I : instructions(Kernel)) {
    const auto *Call = dyn_cast<CallBase>(&I);
    if (!Call)
      continue;
    SourcePlace Place = placeOf(I.getDebugLoc().get());
    std::string What = callHazard(*Call);
    if (!What.empty()) {
      Hazards.push_back({Place, Place, std::move(What)});
      continue;
    }
    const Function *Callee = Call->getCalledFunction();
    if (!Callee || Callee->isDeclaration())
      continue;
    auto [It, Inserted] = Summaries.try_emplace(Callee);
    if (Inserted)
      It->second = firstHazardFrom(*Callee);
    if (It->second)
      Hazards.push_back({Place, It->second->Place, It->second->What});
  }
}

namespace {

/// Finds what the exits of one loop depend on.
class SpinFinder {
public:
  SpinFinder(const Loop &L, const DominatorTree &DT) : L(L), DT(DT) {}

  /// The instruction that makes it wait for others, and why; or null.
  const Instruction *find(std::string &Why);

private:
  void need(const Value *V) {
    if (const auto *I = dyn_cast<Instruction>(V))
      if (Seen.insert(I).second)
        Work.push_back(I);
  }
  void needTerminator(const BasicBlock *BB);
  void needControlOf(const PHINode &Phi);
  bool waits(const Instruction &I, std::string &Why);

  const Loop &L;
  const DominatorTree &DT;
  bool FencesOrSleeps = false;
  SmallPtrSet<const Instruction *, 32> Seen;
  SmallVector<const Instruction *, 32> Work;
};

bool isFenceOrSleep(const Instruction &I) {
  if (isa<FenceInst>(I))
    return true;
  const auto *Call = dyn_cast<IntrinsicInst>(&I);
  if (!Call || !Call->getCalledFunction())
    return false;
  StringRef Name = Call->getCalledFunction()->getName();
  return Name.starts_with("llvm.nvvm.membar") ||
         Name.starts_with("llvm.nvvm.fence") ||
         Name.starts_with("llvm.nvvm.nanosleep");
}

} // namespace

void SpinFinder::needTerminator(const BasicBlock *BB) {
  if (const auto *Branch = dyn_cast<BranchInst>(BB->getTerminator());
      Branch && Branch->isConditional())
    need(Branch->getCondition());
  else if (const auto *Switch = dyn_cast<SwitchInst>(BB->getTerminator()))
    need(Switch->getCondition());
}

/// The value of a phi after a branch depends on the branch: `done = true` in
/// `if (atomicCAS(...) == 0)` is a phi of constants.
void SpinFinder::needControlOf(const PHINode &Phi) {
  const BasicBlock *BB = Phi.getParent();
  if (BB == L.getHeader() || !L.contains(BB))
    return;
  const auto *Node = DT.getNode(BB);
  const BasicBlock *Above =
      Node && Node->getIDom() ? Node->getIDom()->getBlock() : L.getHeader();
  for (const BasicBlock *X : L.blocks())
    if (DT.dominates(Above, X) && !DT.dominates(BB, X))
      needTerminator(X);
}

bool SpinFinder::waits(const Instruction &I, std::string &Why) {
  if (const auto *Load = dyn_cast<LoadInst>(&I)) {
    if (Load->isVolatile())
      Why = "a volatile load";
    else if (Load->isAtomic())
      Why = "an atomic load";
    else if (FencesOrSleeps && L.contains(Load))
      Why = "memory that is read again after a fence or a sleep";
  } else if (I.isAtomic()) {
    Why = "an atomic operation";
  } else if (const auto *Call = dyn_cast<CallBase>(&I)) {
    const Function *Callee = Call->getCalledFunction();
    if (Call->isInlineAsm())
      Why = "inline assembly";
    else if (!Callee)
      Why = "a call through a pointer";
    else if (Callee->getName().starts_with("llvm.nvvm.atomic") ||
             Callee->getName().starts_with("llvm.nvvm.mbarrier"))
      Why = "an atomic operation";
    else if (!Callee->isDeclaration() && Call->mayReadFromMemory())
      Why = "what '" + demangle(Callee->getName().str()) + "' reads";
  }
  return !Why.empty();
}

const Instruction *SpinFinder::find(std::string &Why) {
  for (const BasicBlock *BB : L.blocks())
    for (const Instruction &I : *BB)
      FencesOrSleeps |= isFenceOrSleep(I);
  SmallVector<BasicBlock *, 4> Exiting;
  L.getExitingBlocks(Exiting);
  for (const BasicBlock *BB : Exiting)
    needTerminator(BB);
  while (!Work.empty()) {
    const Instruction *I = Work.pop_back_val();
    if (waits(*I, Why))
      return I;
    if (const auto *Phi = dyn_cast<PHINode>(I))
      needControlOf(*Phi);
    for (const Value *Operand : I->operands())
      need(Operand);
  }
  return nullptr;
}

/// \p ReachedFrom: where the kernel calls the function that is looked at;
/// unknown for the kernel itself.
static void collectSpinLoopsIn(Function &F, FunctionAnalysisManager &FAM,
                               const SourcePlace *ReachedFrom,
                               SmallPtrSetImpl<const Function *> &Seen,
                               std::vector<RegionHazard> &Hazards) {
  if (!Seen.insert(&F).second)
    return;
  LoopInfo &LI = FAM.getResult<LoopAnalysis>(F);
  const DominatorTree &DT = FAM.getResult<DominatorTreeAnalysis>(F);
  for (const Loop *L : LI.getLoopsInPreorder()) {
    std::string Why;
    const Instruction *I = SpinFinder(*L, DT).find(Why);
    if (!I)
      continue;
    CodeId Id = codeIdOf(*L);
    SourcePlace Waits = placeOf(I->getDebugLoc().get());
    Hazards.push_back({ReachedFrom ? *ReachedFrom : Id.kernelPlace(),
                       Waits.isKnown() ? Waits : Id.Place,
                       "contains a loop whose exit depends on " + Why +
                           ", so its warps may wait for one another"});
  }
  for (Instruction &I : instructions(F))
    if (auto *Call = dyn_cast<CallBase>(&I))
      if (Function *Callee = Call->getCalledFunction())
        if (!Callee->isDeclaration()) {
          SourcePlace At = ReachedFrom
                               ? *ReachedFrom
                               : codeIdOf(I.getDebugLoc().get()).kernelPlace();
          collectSpinLoopsIn(*Callee, FAM, &At, Seen, Hazards);
        }
}

void sluice::collectSpinLoops(Function &Kernel, FunctionAnalysisManager &FAM,
                              std::vector<RegionHazard> &Hazards) {
  SmallPtrSet<const Function *, 8> Seen;
  collectSpinLoopsIn(Kernel, FAM, nullptr, Seen, Hazards);
}
