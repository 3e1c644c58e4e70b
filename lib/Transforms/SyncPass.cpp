// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Synchronisation that is wider than what it is for:
//
//   call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
//
// in a block that is promised to be one warp becomes
//
//   call void @llvm.nvvm.bar.warp.sync(i32 -1)
//
// A fence for the device, in a kernel that does nothing which another block may
// see before the kernel ends, becomes one for the block:
//
//   call void @llvm.nvvm.membar.gl()     ->   call void @llvm.nvvm.membar.cta()
//
// And who gives a lock in shared memory back stores:
//
//   %old = atomicrmw xchg ptr %lock, i32 0 seq_cst      ; not used
//   store atomic i32 0, ptr %lock syncscope("block") monotonic
//
// docs/passes/sync.md says why each is right.

#include "sluice/Analysis/InlinePTX.h"
#include "sluice/Analysis/KernelFunction.h"
#include "sluice/Analysis/SharedMemory.h"
#include "sluice/Transforms/PassByName.h"
#include "sluice/Transforms/PlacedRemarks.h"
#include "sluice/Transforms/PlanMetadata.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"

using namespace llvm;
using namespace sluice;

#define DEBUG_TYPE "sluice-sync"

STATISTIC(NumBarriers, "Number of barriers that are of a warp");
STATISTIC(NumFences, "Number of fences that are for a block");
STATISTIC(NumUnlocks, "Number of locks that are given back by a store");

static constexpr uint64_t WarpSize = 32;

//===- What instructions are ----------------------------------------------===//

static bool isBlockBarrier(const Instruction &I) {
  const auto *Call = dyn_cast<IntrinsicInst>(&I);
  if (!Call ||
      Call->getIntrinsicID() != Intrinsic::nvvm_barrier_cta_sync_aligned_all)
    return false;
  const auto *Id = dyn_cast<ConstantInt>(Call->getArgOperand(0));
  return Id && Id->isZero();
}

static bool isFence(const Instruction &I) {
  const auto *Call = dyn_cast<IntrinsicInst>(&I);
  return Call && (Call->getIntrinsicID() == Intrinsic::nvvm_membar_cta ||
                  Call->getIntrinsicID() == Intrinsic::nvvm_membar_gl ||
                  Call->getIntrinsicID() == Intrinsic::nvvm_membar_sys);
}

static bool isDeviceFence(const Instruction &I) {
  const auto *Call = dyn_cast<IntrinsicInst>(&I);
  return Call && Call->getIntrinsicID() == Intrinsic::nvvm_membar_gl;
}

/// Of what is between threads of a warp or a block, and of nobody else.
static bool isOfBlock(StringRef Name) {
  return Name.consume_front("llvm.nvvm.") &&
         any_of(ArrayRef<StringRef>{"read.ptx.sreg.", "membar.", "barrier.cta.",
                                    "bar.warp.sync", "shfl.", "vote.", "match.",
                                    "redux.sync", "activemask", "nanosleep"},
                [&](StringRef Known) { return Name.starts_with(Known); });
}

/// Distributed shared memory: other blocks read and write this one's.
static bool isOfCluster(StringRef Name) {
  return Name.contains("mapa") || Name.contains("cluster");
}

/// May another block, or the host, see in which order this call comes to
/// others of its kernel?
static bool isSeenByOthers(const CallBase &Call) {
  if (const auto *Asm = dyn_cast<InlineAsm>(Call.getCalledOperand()))
    return isa<CallBrInst>(Call) ||
           classifyInlinePTX(Asm->getAsmString()) != InlinePTX::Computes;
  const Function *Callee = Call.getCalledFunction();
  if (!Callee)
    return true;
  if (const auto *Intrinsic = dyn_cast<IntrinsicInst>(&Call)) {
    if (isOfCluster(Callee->getName()))
      return true;
    if (Intrinsic->isAssumeLikeIntrinsic() ||
        Intrinsic->isLifetimeStartOrEnd() || Intrinsic->isDebugOrPseudoInst())
      return false;
    if (const auto *Memory = dyn_cast<MemIntrinsic>(Intrinsic))
      return Memory->isVolatile();
    return !Callee->doesNotAccessMemory() && !isOfBlock(Callee->getName());
  }
  return !isLibdevice(Callee->getName()) || !Callee->doesNotAccessMemory();
}

/// The same of any instruction. Plain accesses that another block's conflict
/// with are a race, whatever fences there are.
static bool isSeenByOthers(const Instruction &I) {
  if (const auto *Call = dyn_cast<CallBase>(&I))
    return isSeenByOthers(*Call);
  if (const auto *Load = dyn_cast<LoadInst>(&I))
    return !Load->isSimple() && !sharedVariable(Load->getPointerOperand());
  if (const auto *Store = dyn_cast<StoreInst>(&I))
    return !Store->isSimple() && !sharedVariable(Store->getPointerOperand());
  if (const auto *Update = dyn_cast<AtomicRMWInst>(&I))
    return !sharedVariable(Update->getPointerOperand());
  if (const auto *Exchange = dyn_cast<AtomicCmpXchgInst>(&I))
    return !sharedVariable(Exchange->getPointerOperand());
  return I.mayReadOrWriteMemory();
}

//===- The rewrites -------------------------------------------------------===//

namespace {

class KernelSync {
public:
  KernelSync(Function &F, const AttachedPlan *Attached)
      : F(F), Attached(Attached),
        Wrong(Attached ? Attached->Opts.Wrong : WrongRewrite::None),
        Remarks(&F) {}
  /// True: \p F is changed.
  bool run();

private:
  bool isOff(const Instruction &I) const {
    return Attached && isReachedFrom(Attached->Off, I.getDebugLoc().get());
  }
  void report(const Instruction &At, StringRef Name, const Twine &Text);
  void reportMissed(const Instruction &At, StringRef Name, const Twine &Text);

  bool unlockByStores();
  bool narrowFences();
  bool narrowBarriers();

  Function &F;
  const AttachedPlan *Attached;
  const WrongRewrite Wrong;
  OptimizationRemarkEmitter Remarks;
};

} // namespace

void KernelSync::report(const Instruction &At, StringRef Name,
                        const Twine &Text) {
  emitPlaced(Remarks, At.getDebugLoc(), [&](const DebugLoc &Place) {
    return OptimizationRemark(DEBUG_TYPE, Name, Place, At.getParent())
           << Text.str();
  });
}

void KernelSync::reportMissed(const Instruction &At, StringRef Name,
                              const Twine &Text) {
  emitPlaced(Remarks, At.getDebugLoc(), [&](const DebugLoc &Place) {
    return OptimizationRemarkMissed(DEBUG_TYPE, Name, Place, At.getParent())
           << Text.str();
  });
}

//===--- Locks ------------------------------------------------------------===//

/// The fence before \p I, with nothing of memory in between; null: there is
/// none.
static Instruction *fenceBefore(Instruction &I) {
  for (Instruction *Before = I.getPrevNode(); Before;
       Before = Before->getPrevNode()) {
    if (isFence(*Before))
      return Before;
    if (Before->mayReadOrWriteMemory() && !Before->isDebugOrPseudoInst())
      return nullptr;
  }
  return nullptr;
}

/// An exchange that gives a lock back: its thread has taken the same lock
/// before, by a compare-exchange, and a fence stands between. So whoever takes
/// the lock from here sees all that those before had seen, by the fence, and
/// not because atomic operations follow each other.
static bool isUnlock(AtomicRMWInst &I, const DominatorTree &DT, bool IsUsed) {
  if (I.getOperation() != AtomicRMWInst::Xchg || (!I.use_empty() && !IsUsed) ||
      I.isVolatile() || !sharedVariable(I.getPointerOperand()) ||
      !(I.getType()->isIntegerTy(32) || I.getType()->isIntegerTy(64)) ||
      !fenceBefore(I))
    return false;
  return any_of(instructions(*I.getFunction()), [&](const Instruction &Other) {
    const auto *Lock = dyn_cast<AtomicCmpXchgInst>(&Other);
    return Lock && Lock->getPointerOperand() == I.getPointerOperand() &&
           DT.dominates(Lock, &I);
  });
}

bool KernelSync::unlockByStores() {
  const DominatorTree DT(F);
  SmallVector<AtomicRMWInst *, 4> Unlocks;
  for (Instruction &I : instructions(F))
    if (auto *Update = dyn_cast<AtomicRMWInst>(&I);
        Update && isUnlock(*Update, DT, Wrong == WrongRewrite::UsedExchange) &&
        !isOff(*Update))
      Unlocks.push_back(Update);
  for (AtomicRMWInst *Unlock : Unlocks) {
    IRBuilder<> IR(Unlock);
    StoreInst *Store =
        IR.CreateAlignedStore(Unlock->getValOperand(),
                              Unlock->getPointerOperand(), Unlock->getAlign());
    Store->setAtomic(AtomicOrdering::Monotonic,
                     F.getContext().getOrInsertSyncScopeID("block"));
    Store->setDebugLoc(Unlock->getDebugLoc());
    report(*Unlock, "Unlock",
           "a store gives the lock in shared memory back: the thread has it, "
           "and a fence stands before");
    Unlock->replaceAllUsesWith(Constant::getNullValue(Unlock->getType()));
    Unlock->eraseFromParent();
    ++NumUnlocks;
  }
  return !Unlocks.empty();
}

//===--- Fences -----------------------------------------------------------===//

bool KernelSync::narrowFences() {
  SmallVector<Instruction *, 8> Fences;
  for (Instruction &I : instructions(F))
    if (isDeviceFence(I) && !isOff(I))
      Fences.push_back(&I);
  if (Fences.empty())
    return false;
  for (const Instruction &I : instructions(F))
    if (isSeenByOthers(I)) {
      const DebugLoc &At = I.getDebugLoc();
      reportMissed(*Fences.front(), "Fence",
                   "fences stay for the device: other blocks may see what "
                   "this kernel does" +
                       (At ? " in line " + Twine(At.getLine()) : Twine()));
      return false;
    }
  for (Instruction *Fence : Fences) {
    IRBuilder<> IR(Fence);
    IR.CreateIntrinsic(Intrinsic::nvvm_membar_cta, {});
    report(*Fence, "Fence",
           "the fence is for the block: no other one can see what this kernel "
           "does before it ends");
    Fence->eraseFromParent();
    ++NumFences;
  }
  return true;
}

//===--- Barriers ---------------------------------------------------------===//

/// Threads of a block at most, as the source or a pass promises; none: it does
/// not.
static std::optional<uint64_t> promisedThreads(const Function &F) {
  std::optional<uint64_t> Fewest;
  for (StringRef Name : {"nvvm.maxntid", "nvvm.reqntid"}) {
    const StringRef Text = F.getFnAttribute(Name).getValueAsString();
    if (Text.empty())
      continue;
    uint64_t Threads = 1;
    bool IsKnown = true;
    for (StringRef Size : split(Text, ',')) {
      uint64_t Number = 0;
      IsKnown &= !Size.trim().getAsInteger(10, Number);
      Threads *= Number;
    }
    if (IsKnown)
      Fewest = std::min(Fewest.value_or(Threads), Threads);
  }
  return Fewest;
}

/// Are all launches that the plan knows of blocks of one warp?
static bool hasSmallLaunches(const KernelPlan *Plan) {
  return Plan && !Plan->Launches.empty() &&
         all_of(Plan->Launches, [](const LaunchPlan &L) {
           const auto Threads = L.Block.total();
           return Threads && *Threads <= WarpSize;
         });
}

/// What could meet a thread of the block at its barrier and is not seen here.
static const Instruction *otherMeeting(const Function &F) {
  for (const Instruction &I : instructions(F)) {
    const auto *Call = dyn_cast<CallBase>(&I);
    if (!Call || isa<IntrinsicInst>(Call))
      continue;
    const auto *Asm = dyn_cast<InlineAsm>(Call->getCalledOperand());
    if (Asm ? classifyInlinePTX(Asm->getAsmString()) == InlinePTX::Unknown
            : Call->isConvergent())
      return Call;
  }
  return nullptr;
}

bool KernelSync::narrowBarriers() {
  SmallVector<Instruction *, 8> Barriers;
  for (Instruction &I : instructions(F))
    if (isBlockBarrier(I))
      Barriers.push_back(&I);
  if (Barriers.empty())
    return false;
  const auto Promised = promisedThreads(F);
  if (!(Promised && *Promised <= WarpSize) && Wrong != WrongRewrite::AnyBlock) {
    // A second body behind a test of the size makes short kernels slower.
    if (hasSmallLaunches(Attached ? Attached->kernel(F) : nullptr))
      reportMissed(*Barriers.front(), "Barrier",
                   "barriers stay for the block: all launches that are known "
                   "have blocks of a warp, but only __launch_bounds__(32) or "
                   "smaller promises it");
    return false;
  }
  // All or none: a thread at one of them may wait for another at another.
  if (any_of(Barriers, [&](const Instruction *I) { return isOff(*I); }))
    return false;
  if (const Instruction *Other = otherMeeting(F)) {
    reportMissed(
        *Barriers.front(), "Barrier",
        "barriers stay for the block: a call may have one, too, at "
        "line " +
            Twine(Other->getDebugLoc() ? Other->getDebugLoc().getLine() : 0));
    return false;
  }
  for (Instruction *Barrier : Barriers) {
    report(*Barrier, "Barrier",
           "the barrier is of a warp: the block has no more threads");
    ++NumBarriers;
    IRBuilder<> IR(Barrier);
    IR.CreateIntrinsic(Intrinsic::nvvm_bar_warp_sync, {IR.getInt32(~0U)});
    Barrier->eraseFromParent();
  }
  return true;
}

bool KernelSync::run() {
  bool Changed = unlockByStores();
  // Programs with races may count on them.
  if (!Attached || Attached->Opts.SyncFences)
    Changed |= narrowFences();
  Changed |= narrowBarriers();
  return Changed;
}

static bool isKept(const KernelPlan &Kernel) {
  return Kernel.NarrowSync && !*Kernel.NarrowSync;
}

namespace {

struct SyncPass : PassInfoMixin<SyncPass> {
  PreservedAnalyses run(Module &M, ModuleAnalysisManager &) {
    if (!M.getTargetTriple().isNVPTX())
      return PreservedAnalyses::all();
    auto Attached =
        attachedPlanOrWarning(M, "barriers and fences are narrowed");
    if (Attached && !Attached->Opts.Sync)
      return PreservedAnalyses::all();
    bool Changed = false;
    for (Function &F : M)
      if (!F.isDeclaration() && isKernel(F) && !F.hasOptNone() &&
          !(Attached && isKeptFrom(F, *Attached, isKept)))
        Changed |= KernelSync(F, Attached ? &*Attached : nullptr).run();
    return Changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }
};

} // namespace

namespace sluice {
/// The name `sluice-sync`.
void registerSyncPass(PassBuilder &PB) {
  registerByName<SyncPass>(PB, DEBUG_TYPE);
}
} // namespace sluice
