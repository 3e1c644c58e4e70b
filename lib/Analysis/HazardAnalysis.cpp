// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "sluice/Analysis/HazardAnalysis.h"
#include "sluice/Analysis/DebugPlace.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
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

namespace {

/// What a call does that a throttled region, or kernel, must not.
struct CallHazard {
  std::string What; ///< Empty: nothing.
  bool WholeKernel = false;
};

} // namespace

static CallHazard intrinsicHazard(const CallBase &Call) {
  StringRef Name = Call.getCalledFunction()->getName();
  if (!Name.consume_front("llvm.nvvm."))
    return {};
  if (Name.starts_with("bar.warp.sync"))
    return {}; // whole warps take turns
  if (Name.starts_with("barrier.cluster"))
    return {"contains a cluster barrier", true};
  if (Name.starts_with("barrier") || Name.starts_with("bar.")) {
    // Barrier 0 of all threads is the one that turns use too. Other barriers
    // may be for some of the warps.
    const auto *Id = Call.arg_size() > 0
                         ? dyn_cast<ConstantInt>(Call.getArgOperand(0))
                         : nullptr;
    bool OfAllThreads = Name.contains("all") && Id && Id->isZero();
    return {"contains a block barrier", !OfAllThreads};
  }
  if (Name.starts_with("mbarrier"))
    return {"contains an mbarrier operation", true};
  if (Name.starts_with("cp.async") || Name.starts_with("tcgen05") ||
      Name.starts_with("wgmma") || Name.starts_with("fence.proxy.async"))
    return {"is part of an asynchronous pipeline", false};
  if (Name.starts_with("griddepcontrol") || Name.starts_with("setmaxnreg"))
    return {"controls the launch of dependent grids or registers", false};
  if (Name == "exit")
    return {"ends the thread", false};
  return {};
}

static CallHazard callHazard(const CallBase &Call) {
  if (const auto *Asm = dyn_cast<InlineAsm>(Call.getCalledOperand())) {
    StringRef Text = Asm->getAsmString();
    bool Waits = any_of(ArrayRef<StringRef>{"bar", "bra", "wait", "sleep"},
                        [&](StringRef Word) { return Text.contains(Word); });
    bool ClobbersMemory =
        StringRef(Asm->getConstraintString()).contains("~{memory}");
    if (Asm->hasSideEffects() || ClobbersMemory || Waits)
      return {"contains inline assembly with side effects", Waits};
    return {};
  }
  const Function *Callee = Call.getCalledFunction();
  if (!Callee)
    return {"calls through a pointer, so what runs is unknown", true};
  if (Callee->isIntrinsic())
    return intrinsicHazard(Call);
  std::string Name = demangle(Callee->getName().str());
  if (Callee->isDeclaration() && !isKnownRuntimeFunction(Callee->getName()))
    return {"calls '" + Name + "', whose body is not in this file", true};
  if (!Callee->isDeclaration() && Callee->isInterposable())
    return {"calls '" + Name + "', which is weak and may be replaced", true};
  return {};
}

/// The worst hazard in \p Entry or in what it calls, at its own place.
static std::optional<RegionHazard> worstHazardFrom(const Function &Entry) {
  std::optional<RegionHazard> Worst;
  SmallPtrSet<const Function *, 16> Seen = {&Entry};
  SmallVector<const Function *, 16> Work = {&Entry};
  while (!Work.empty()) {
    const Function *F = Work.pop_back_val();
    for (const Instruction &I : instructions(*F)) {
      const auto *Call = dyn_cast<CallBase>(&I);
      if (!Call)
        continue;
      CallHazard Hazard = callHazard(*Call);
      if (!Hazard.What.empty() &&
          (!Worst || (Hazard.WholeKernel && !Worst->WholeKernel)))
        Worst = RegionHazard{{},
                             placeOf(I.getDebugLoc().get()),
                             Hazard.What + " (in '" +
                                 demangle(F->getName().str()) + "')",
                             Hazard.WholeKernel};
      const Function *Callee = Call->getCalledFunction();
      if (Callee && !Callee->isDeclaration() && Seen.insert(Callee).second)
        Work.push_back(Callee);
    }
  }
  return Worst;
}

void HazardAnalysis::collect(const Function &Kernel,
                             std::vector<RegionHazard> &Hazards) {
  for (const Instruction &I : instructions(Kernel)) {
    const auto *Call = dyn_cast<CallBase>(&I);
    if (!Call)
      continue;
    const DILocation *Location = I.getDebugLoc().get();
    SourcePlace KernelPlace = kernelPlaceOf(Location, Kernel);
    CallHazard Hazard = callHazard(*Call);
    if (!Hazard.What.empty()) {
      Hazards.push_back(
          {KernelPlace, placeOf(Location), Hazard.What, Hazard.WholeKernel});
      continue;
    }
    const Function *Callee = Call->getCalledFunction();
    if (!Callee || Callee->isDeclaration())
      continue;
    auto [It, Inserted] = Summaries.try_emplace(Callee);
    if (Inserted)
      It->second = worstHazardFrom(*Callee);
    if (It->second)
      Hazards.push_back({KernelPlace, It->second->Place, It->second->What,
                         It->second->WholeKernel});
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
  void needControlInIteration(const BasicBlock *BB);
  bool waits(const Instruction &I, std::string &Why);

  const Loop &L;
  const DominatorTree &DT;
  bool FencesOrSleeps = false;
  bool CallsWriter = false; ///< It calls a function that may write memory.
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

/// An exit that not every iteration comes by depends on what leads to it.
void SpinFinder::needControlInIteration(const BasicBlock *BB) {
  SmallVector<BasicBlock *, 4> Latches;
  L.getLoopLatches(Latches);
  if (all_of(Latches,
             [&](const BasicBlock *Latch) { return DT.dominates(BB, Latch); }))
    return;
  for (const auto *Node = DT.getNode(BB); Node; Node = Node->getIDom()) {
    if (!L.contains(Node->getBlock()))
      return;
    needTerminator(Node->getBlock());
  }
}

bool SpinFinder::waits(const Instruction &I, std::string &Why) {
  if (!L.contains(&I))
    return false; // read once, before the loop
  if (const auto *Load = dyn_cast<LoadInst>(&I)) {
    if (Load->isVolatile())
      Why = "a volatile load";
    else if (Load->isAtomic())
      Why = "an atomic load";
    else if (FencesOrSleeps && L.contains(Load))
      Why = "memory that is read again after a fence or a sleep";
    else if (CallsWriter && L.contains(Load))
      Why = "memory that a function it calls may write";
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

/// Does \p Writer write into the object that \p Load reads?
static bool writesObjectOf(const Instruction &Writer, const LoadInst &Load) {
  const Value *Target = nullptr;
  if (const auto *RMW = dyn_cast<AtomicRMWInst>(&Writer))
    Target = RMW->getPointerOperand();
  else if (const auto *Exchange = dyn_cast<AtomicCmpXchgInst>(&Writer))
    Target = Exchange->getPointerOperand();
  else
    Target = cast<MemTransferInst>(Writer).getDest();
  return getUnderlyingObject(Target) ==
         getUnderlyingObject(Load.getPointerOperand());
}

const Instruction *SpinFinder::find(std::string &Why) {
  for (const BasicBlock *BB : L.blocks())
    for (const Instruction &I : *BB) {
      FencesOrSleeps |= isFenceOrSleep(I);
      const auto *Call = dyn_cast<CallBase>(&I);
      CallsWriter |= Call && Call->getCalledFunction() &&
                     !Call->getCalledFunction()->isDeclaration() &&
                     Call->mayWriteToMemory();
    }
  SmallVector<BasicBlock *, 4> Exiting;
  L.getExitingBlocks(Exiting);
  for (const BasicBlock *BB : Exiting) {
    needTerminator(BB);
    needControlInIteration(BB);
  }
  while (!Work.empty()) {
    const Instruction *I = Work.pop_back_val();
    if (waits(*I, Why))
      return I;
    if (const auto *Phi = dyn_cast<PHINode>(I))
      needControlOf(*Phi);
    for (const Value *Operand : I->operands())
      need(Operand);
    // Memory of the thread's own carries values round the loop.
    if (isa<LoadInst>(I) && L.contains(I))
      for (const BasicBlock *BB : L.blocks())
        for (const Instruction &Other : *BB) {
          if (const auto *Store = dyn_cast<StoreInst>(&Other)) {
            need(Store->getValueOperand());
            continue;
          }
          if (isa<AtomicRMWInst, AtomicCmpXchgInst, MemTransferInst>(Other) &&
              writesObjectOf(Other, *cast<LoadInst>(I)))
            need(&Other);
        }
  }
  return nullptr;
}

static bool synchronises(const Instruction &I) {
  if (I.isAtomic() || I.isVolatile())
    return true;
  const auto *Call = dyn_cast<CallBase>(&I);
  return Call && (Call->isInlineAsm() ||
                  (Call->getCalledFunction() &&
                   Call->getCalledFunction()->getName().starts_with(
                       "llvm.nvvm.atomic")));
}

/// In \p Entry or in what it calls.
static bool reachesSynchronisation(const Function &Entry) {
  SmallPtrSet<const Function *, 16> Seen = {&Entry};
  SmallVector<const Function *, 16> Work = {&Entry};
  while (!Work.empty())
    for (const Instruction &I : instructions(*Work.pop_back_val())) {
      if (synchronises(I))
        return true;
      const auto *Call = dyn_cast<CallBase>(&I);
      const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
      if (Callee && !Callee->isDeclaration() && Seen.insert(Callee).second)
        Work.push_back(Callee);
    }
  return false;
}

/// Collects from \p Path's last function and what it calls; \p Path is the
/// calls that lead there from the kernel. The places in the kernel stay
/// unknown.
static void collectSpinLoopsIn(SmallVectorImpl<Function *> &Path,
                               FunctionAnalysisManager &FAM,
                               SmallPtrSetImpl<const Function *> &Seen,
                               std::vector<RegionHazard> &Hazards);

static void collectOwnSpinLoops(Function &F, FunctionAnalysisManager &FAM,
                                bool IsKernel,
                                std::vector<RegionHazard> &Hazards) {
  LoopInfo &LI = FAM.getResult<LoopAnalysis>(F);
  const DominatorTree &DT = FAM.getResult<DominatorTreeAnalysis>(F);
  for (const Loop *L : LI.getLoopsInPreorder()) {
    std::string Why;
    const Instruction *I = SpinFinder(*L, DT).find(Why);
    if (!I)
      continue;
    SourcePlace Waits = placeOf(I->getDebugLoc().get());
    Hazards.push_back({IsKernel
                           ? kernelPlaceOf(L->getLocRange().getStart().get(), F)
                           : SourcePlace(),
                       Waits.isKnown() ? Waits : codeIdOf(*L).Place,
                       "contains a loop whose exit depends on " + Why +
                           ", so its warps may wait for one another",
                       /*WholeKernel=*/true});
  }
}

static void collectSpinLoopsOfCall(const CallBase &Call,
                                   SmallVectorImpl<Function *> &Path,
                                   FunctionAnalysisManager &FAM,
                                   SmallPtrSetImpl<const Function *> &Seen,
                                   std::vector<RegionHazard> &Hazards) {
  Function *Callee = Call.getCalledFunction();
  if (!Callee || Callee->isDeclaration())
    return;
  // A recursion that synchronises is a loop that may wait.
  bool Waits = is_contained(Path, Callee) && reachesSynchronisation(*Callee);
  if (Waits)
    Hazards.push_back({{},
                       placeOf(Call.getDebugLoc().get()),
                       "contains a recursion whose depth depends on atomic or "
                       "volatile memory, so its warps may wait for one another",
                       /*WholeKernel=*/true});
  if (!Seen.insert(Callee).second)
    return;
  Path.push_back(Callee);
  collectSpinLoopsIn(Path, FAM, Seen, Hazards);
  Path.pop_back();
}

static void collectSpinLoopsIn(SmallVectorImpl<Function *> &Path,
                               FunctionAnalysisManager &FAM,
                               SmallPtrSetImpl<const Function *> &Seen,
                               std::vector<RegionHazard> &Hazards) {
  Function &F = *Path.back();
  collectOwnSpinLoops(F, FAM, /*IsKernel=*/false, Hazards);
  for (const Instruction &I : instructions(F))
    if (const auto *Call = dyn_cast<CallBase>(&I))
      collectSpinLoopsOfCall(*Call, Path, FAM, Seen, Hazards);
}

void sluice::collectSpinLoops(Function &Kernel, FunctionAnalysisManager &FAM,
                              std::vector<RegionHazard> &Hazards) {
  collectOwnSpinLoops(Kernel, FAM, /*IsKernel=*/true, Hazards);
  for (const Instruction &I : instructions(Kernel)) {
    const auto *Call = dyn_cast<CallBase>(&I);
    if (!Call)
      continue;
    SmallVector<Function *, 8> Path = {&Kernel};
    SmallPtrSet<const Function *, 8> Seen;
    size_t First = Hazards.size();
    collectSpinLoopsOfCall(*Call, Path, FAM, Seen, Hazards);
    for (size_t H = First; H < Hazards.size(); ++H)
      Hazards[H].KernelPlace = kernelPlaceOf(I.getDebugLoc().get(), Kernel);
  }
}
