// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads before the stores that they do not depend on:
//
//   c[i] += a[i] * b;              load c[i], a[i], c[i + 1], a[i + 1]
//   c[i + 1] += a[i + 1] * b;  =>  store c[i]
//                                  store c[i + 1]
//
// The assembler keeps a load behind a store that may be of the same place, and
// all it sees are addresses. LLVM knows more: what `__restrict__` and the
// pointers' origins say. But it leaves loads where they stand. So each waits
// for the one before it, which a store needed. This pass moves a load, with
// what computes its address, up to the first of the stores before it in its
// block that it does not depend on.
//
// Where no load passes two stores all stay as they were.
//
// Before that loads of shared memory may go the other way
// (LateSharedLoads.cpp), and loads before barriers (LoadsBeforeBarriers.cpp);
// behind it loads go before others that wait (LoadsBeforeWaits.cpp).

#include "LoadOrder.h"
#include "ValueRegisters.h"
#include "sluice/Analysis/DebugPlace.h"
#include "sluice/Analysis/InlinePTX.h"
#include "sluice/Analysis/SharedMemory.h"
#include "sluice/Transforms/PassByName.h"
#include "sluice/Transforms/PlacedRemarks.h"
#include "sluice/Transforms/PlanMetadata.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/MemoryLocation.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/NVPTXAddrSpace.h"

using namespace llvm;
using namespace sluice;

#define DEBUG_TYPE "sluice-early-loads"

STATISTIC(NumMoved, "Number of loads moved before stores");
STATISTIC(NumBeforeWaits, "Number of loads moved before loads that wait");
STATISTIC(NumBeforeBarriers, "Number of loads moved before barriers");

/// Of what is moved no more registers are held across a store.
static constexpr uint64_t MostRegisters = 16;
/// One wait less gains little, and was seen to cost more in registers than it
/// gave (docs/passes/early-loads.md).
static constexpr size_t FewestPassed = 2;
/// Stores that a load is compared with, which keeps the pass linear.
static constexpr unsigned MostStores = 64;

namespace {

/// A store that loads may be moved before, and what they hold across it.
struct PassedStore {
  StoreInst *Store;
  uint64_t HeldRegisters = 0;
};

/// An instruction that was moved, and what it stood before.
struct Move {
  Instruction *What, *Behind;
};

class EarlyLoads {
public:
  EarlyLoads(Function &F, const AttachedPlan *Attached,
             FunctionAnalysisManager &FAM)
      : F(F), Attached(Attached), AA(FAM.getResult<AAManager>(F)),
        DT(FAM.getResult<DominatorTreeAnalysis>(F)), DL(F.getDataLayout()),
        IsWrong(Attached && Attached->Opts.Wrong == WrongRewrite::PassedAlias) {
  }

  /// True: \p F is changed.
  bool run();

private:
  bool passStores();
  bool passWaits();
  bool passBarriers();
  void visit(Instruction &I);
  void move(LoadInst &Load);
  void moveBefore(Instruction &I, Instruction &Before);
  void endStretch();
  bool mayMove(const LoadInst &Load) const;

  Function &F;
  const AttachedPlan *Attached;
  AAResults &AA;
  DominatorTree &DT;
  const DataLayout &DL;
  const bool IsWrong; ///< WrongRewrite::PassedAlias

  /// Of the stretch of a block that nothing divides which no load may pass.
  SmallVector<PassedStore, 16> Stores;
  SmallVector<Move, 16> Moves;
  SmallVector<LoadInst *, 16> Loads; ///< That were moved.
  size_t MostPassed = 0;             ///< Stores, by one of them.

  unsigned Moved = 0;
  const LoadInst *First = nullptr; ///< For the remark.
};

} // namespace

bool sluice::isFar(const Value *Pointer) {
  const unsigned Space = Pointer->getType()->getPointerAddressSpace();
  if (Space == NVPTXAS::ADDRESS_SPACE_GLOBAL)
    return true;
  if (Space != NVPTXAS::ADDRESS_SPACE_GENERIC)
    return false;
  const Value *Object = getUnderlyingObject(Pointer);
  return !isa<AllocaInst>(Object) &&
         Object->getType()->getPointerAddressSpace() !=
             NVPTXAS::ADDRESS_SPACE_SHARED;
}

std::optional<SmallVector<Instruction *, 8>>
sluice::addressBehind(LoadInst &Load, const Instruction &Before) {
  SmallPtrSet<Instruction *, 8> Seen;
  SmallVector<Instruction *, 8> Chain;
  auto Add = [&](Value *V) {
    auto *I = dyn_cast<Instruction>(V);
    if (I && I->getParent() == Load.getParent() && Before.comesBefore(I) &&
        Seen.insert(I).second)
      Chain.push_back(I);
  };
  Add(Load.getPointerOperand());
  for (size_t Next = 0; Next < Chain.size(); ++Next) {
    Instruction &I = *Chain[Next];
    if (I.mayReadOrWriteMemory() || isa<CallBase>(I) ||
        !isSafeToSpeculativelyExecute(&I))
      return std::nullopt;
    for (Value *Operand : I.operands())
      Add(Operand);
  }
  llvm::sort(Chain, [](const Instruction *X, const Instruction *Y) {
    return X->comesBefore(Y);
  });
  return Chain;
}

/// Does the source leave \p Load to Sluice?
bool EarlyLoads::mayMove(const LoadInst &Load) const {
  return !Attached || !isSwitchedOff(Load, *Attached);
}

void EarlyLoads::moveBefore(Instruction &I, Instruction &Before) {
  Moves.push_back({&I, I.getNextNode()});
  I.moveBefore(Before.getIterator());
}

/// Before the first store that it may pass with all that follow.
void EarlyLoads::move(LoadInst &Load) {
  // Not by types: code that reads a float's memory as an int is common, and
  // nothing that was measured gained by them.
  MemoryLocation Read = MemoryLocation::get(&Load);
  Read.AATags.TBAA = Read.AATags.TBAAStruct = nullptr;
  const uint64_t Registers = registersOf(Load, DL);
  const bool IsFar = isFar(Load.getPointerOperand());
  StoreInst *Before = nullptr;
  SmallVector<Instruction *, 8> Address;
  size_t At = Stores.size();
  for (; At > 0 && Stores.size() - At < MostStores; --At) {
    PassedStore &Next = Stores[At - 1];
    // Past a store to global memory the assembler moves a load of shared memory
    // by itself, where that gains.
    if (Next.HeldRegisters + Registers > MostRegisters ||
        (!IsFar && !sharedVariable(Next.Store->getPointerOperand())) ||
        (isModSet(AA.getModRefInfo(Next.Store, Read)) && !IsWrong))
      break;
    auto Chain = addressBehind(Load, *Next.Store);
    if (!Chain)
      break;
    Before = Next.Store;
    Address = std::move(*Chain);
  }
  if (!Before)
    return;
  MostPassed = std::max(MostPassed, Stores.size() - At);
  for (; At < Stores.size(); ++At)
    Stores[At].HeldRegisters += Registers;
  for (Instruction *I : Address)
    moveBefore(*I, *Before);
  moveBefore(Load, *Before);
  Loads.push_back(&Load);
}

/// What was moved stays so, or goes back.
void EarlyLoads::endStretch() {
  if (MostPassed >= FewestPassed) {
    Moved += Loads.size();
    if (!First)
      First = Loads.front();
  } else {
    for (auto [What, Behind] : reverse(Moves))
      What->moveBefore(Behind->getIterator());
  }
  Stores.clear();
  Moves.clear();
  Loads.clear();
  MostPassed = 0;
}

void EarlyLoads::visit(Instruction &I) {
  if (auto *Load = dyn_cast<LoadInst>(&I); Load && Load->isSimple()) {
    const Value *Pointer = Load->getPointerOperand();
    if (!Stores.empty() && (isFar(Pointer) || sharedVariable(Pointer)) &&
        mayMove(*Load))
      move(*Load);
    return;
  }
  if (auto *Store = dyn_cast<StoreInst>(&I); Store && Store->isSimple()) {
    Stores.push_back({Store});
    return;
  }
  const auto *Intrinsic = dyn_cast<IntrinsicInst>(&I);
  const auto *Call = dyn_cast<CallBase>(&I);
  if ((Intrinsic && Intrinsic->isAssumeLikeIntrinsic()) ||
      (Call && isPureAssembly(*Call)))
    return;
  // What may write, wait, or not come back.
  if (I.mayHaveSideEffects() || I.mayReadFromMemory() ||
      !isGuaranteedToTransferExecutionToSuccessor(&I))
    endStretch();
}

bool EarlyLoads::run() {
  const bool HavePassedBarriers = passBarriers(),
             HavePassedStores = passStores();
  return passWaits() || HavePassedStores || HavePassedBarriers;
}

bool EarlyLoads::passBarriers() {
  unsigned Count = 0;
  const LoadInst *First = loadBeforeBarriers(
      F, DT, [&](const LoadInst &Load) { return mayMove(Load); }, IsWrong,
      Count);
  if (!First)
    return false;
  NumBeforeBarriers += Count;
  OptimizationRemarkEmitter Remarks(&F);
  emitPlaced(Remarks, First->getDebugLoc(), [&](const DebugLoc &At) {
    return OptimizationRemark(DEBUG_TYPE, "BeforeBarriers", At,
                              First->getParent())
           << ore::NV("Loads", Count)
           << (Count == 1 ? " load goes" : " loads go")
           << " before the first barrier: nothing is written by then";
  });
  return true;
}

bool EarlyLoads::passWaits() {
  unsigned Count = 0;
  const LoadInst *First = loadBeforeWaits(
      F, [&](const LoadInst &Load) { return mayMove(Load); }, IsWrong, Count);
  if (!First)
    return false;
  NumBeforeWaits += Count;
  OptimizationRemarkEmitter Remarks(&F);
  emitPlaced(Remarks, First->getDebugLoc(), [&](const DebugLoc &At) {
    return OptimizationRemark(DEBUG_TYPE, "BeforeWaits", At, First->getParent())
           << ore::NV("Loads", Count)
           << (Count == 1 ? " load goes before one" : " loads go before some")
           << " that would wait for another";
  });
  return true;
}

bool EarlyLoads::passStores() {
  for (BasicBlock &BB : F) {
    for (Instruction &I : make_early_inc_range(BB))
      visit(I);
    endStretch();
  }
  if (!Moved)
    return false;
  NumMoved += Moved;
  OptimizationRemarkEmitter Remarks(&F);
  emitPlaced(Remarks, First->getDebugLoc(), [&](const DebugLoc &At) {
    return OptimizationRemark(DEBUG_TYPE, "Early", At, First->getParent())
           << ore::NV("Loads", Moved)
           << (Moved == 1 ? " load goes" : " loads go")
           << " before stores that " << (Moved == 1 ? "it does" : "they do")
           << " not depend on";
  });
  return true;
}

static bool isKept(const KernelPlan &Kernel) {
  return Kernel.LoadsFirst && !*Kernel.LoadsFirst;
}

namespace {

struct EarlyLoadsPass : PassInfoMixin<EarlyLoadsPass> {
  PreservedAnalyses run(Module &M, ModuleAnalysisManager &Analyses) {
    if (!M.getTargetTriple().isNVPTX())
      return PreservedAnalyses::all();
    auto Attached = attachedPlanOrWarning(M, "loads go before stores");
    if (Attached && !Attached->Opts.EarlyLoads)
      return PreservedAnalyses::all();
    auto &FAM =
        Analyses.getResult<FunctionAnalysisManagerModuleProxy>(M).getManager();
    auto MayChange = [&](Function &F) {
      return !F.isDeclaration() &&
             !(Attached && isKeptFrom(F, *Attached, isKept));
    };
    bool Changed = Attached && readSharedLate(M, *Attached, FAM, MayChange);
    for (Function &F : M)
      if (MayChange(F))
        Changed |= EarlyLoads(F, Attached ? &*Attached : nullptr, FAM).run();
    if (!Changed)
      return PreservedAnalyses::all();
    PreservedAnalyses Kept;
    Kept.preserveSet<CFGAnalyses>();
    return Kept;
  }
  static bool isRequired() { return true; }
};

} // namespace

namespace sluice {
/// The name `sluice-early-loads`.
void registerEarlyLoadsPass(PassBuilder &PB) {
  registerByName<EarlyLoadsPass>(PB, DEBUG_TYPE);
}
} // namespace sluice
