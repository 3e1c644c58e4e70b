// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads of shared memory where they are needed:
//
//   q0 = shared[0]; ... q63 = shared[63]     for (...) {
//   for (...) {                                k0 = a[...]; ... k63 = a[...]
//     k0 = a[...]; ... k63 = a[...]       =>   q0 = shared[0]
//     sum = q0 * k0 + ... + q63 * k63          sum = q0 * k0 ...
//   }                                        }
//
// LLVM moves a load that is the same in each iteration out of its loop,
// whatever registers it holds there. The assembler, which wants many threads on
// an SM, does not add as many for the loads of global memory, of which only a
// few are on their way at a time then. Shared memory answers in a twentieth of
// the time and needs no register before. nvcc leaves such loads where they are.
//
// It is done where the kernel's registers, which are asked of the assembler, do
// not suffice for both, and where in each iteration as much is read from global
// memory as is read again from shared memory, so that this is not what takes
// the time.

#include "LoadOrder.h"
#include "ValueRegisters.h"
#include "sluice/Analysis/DebugPlace.h"
#include "sluice/Analysis/KernelFunction.h"
#include "sluice/Analysis/Reachability.h"
#include "sluice/Transforms/ModuleAssembly.h"
#include "sluice/Transforms/PlacedRemarks.h"
#include "sluice/Transforms/PlanMetadata.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/MemoryLocation.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/NVPTXAddrSpace.h"
#include "llvm/Transforms/Utils/ValueMapper.h"
#include <optional>

using namespace llvm;
using namespace sluice;

#define DEBUG_TYPE "sluice-early-loads"

STATISTIC(NumLate, "Number of shared loads moved back into loops");

/// Fewer registers are no hindrance: half of what every kernel can have.
static constexpr unsigned FewestRegisters = 32;
/// Of global memory, in an iteration.
static constexpr unsigned FewestFarLoads = 8;

namespace {

/// Where a load would stand again, for its users in one loop.
struct LatePlace {
  Instruction *Before;
  SmallVector<Instruction *, 8> Users;

  BasicBlock *block() const { return Before->getParent(); }
};

/// A load of shared memory, with what takes its words apart, in order. All that
/// needs them is in the loops of the places.
struct LateLoad {
  SmallVector<Instruction *, 4> Chain;
  SmallVector<LatePlace, 2> Places;

  LoadInst &load() const { return *cast<LoadInst>(Chain.front()); }
};

/// Registers that a block's loads from far away want.
struct FarLoads {
  unsigned Registers = 0;
  unsigned Loads = 0;
};

/// Those that are needed most in one block.
struct LateLoads {
  BasicBlock *Place = nullptr;
  std::vector<LateLoad> Loads;
  unsigned Held = 0; ///< Registers, of what the loop uses.
  unsigned Read = 0; ///< Registers, of what is read from shared memory.
  FarLoads Far;

  void add(LateLoad Late);
};

} // namespace

static bool isShared(const Value *Pointer) {
  return Pointer->getType()->getPointerAddressSpace() ==
             NVPTXAS::ADDRESS_SPACE_SHARED ||
         getUnderlyingObject(Pointer)->getType()->getPointerAddressSpace() ==
             NVPTXAS::ADDRESS_SPACE_SHARED;
}

/// Is \p I a part of its operand, or that as another type? Nothing that could
/// be fused with what stands in the loop.
static bool takesApart(const Instruction &I) {
  if (isa<CastInst>(I))
    return true;
  const bool IsPart =
      isa<ExtractElementInst>(I) ||
      (isa<BinaryOperator>(I) && I.getType()->isIntOrIntVectorTy());
  return IsPart && isa<Constant>(I.getOperand(1)) &&
         isSafeToSpeculativelyExecute(&I);
}

/// None: a phi needs it, what is in no loop, or nobody.
static std::optional<LateLoad> lateFor(LoadInst &Load, const LoopInfo &LI,
                                       const DominatorTree &DT) {
  LateLoad Late{{&Load}, {}};
  SmallSetVector<Instruction *, 8> Users;
  for (size_t Next = 0; Next < Late.Chain.size(); ++Next)
    for (User *U : Late.Chain[Next]->users()) {
      auto *I = cast<Instruction>(U);
      if (isa<PHINode>(I))
        return std::nullopt;
      if (I->getParent() == Load.getParent() && takesApart(*I))
        Late.Chain.push_back(I);
      else
        Users.insert(I);
    }
  MapVector<const Loop *, SmallVector<Instruction *, 8>> ByLoop;
  for (Instruction *I : Users)
    ByLoop[LI.getLoopFor(I->getParent())].push_back(I);
  if (ByLoop.empty())
    return std::nullopt;
  for (auto &[L, InLoop] : ByLoop) {
    if (!L || L->contains(Load.getParent()))
      return std::nullopt;
    BasicBlock *Place = InLoop.front()->getParent();
    for (Instruction *I : InLoop)
      Place = DT.findNearestCommonDominator(Place, I->getParent());
    Instruction *Before = Place->getTerminator();
    for (Instruction *I : InLoop)
      if (I->getParent() == Place && I->comesBefore(Before))
        Before = I;
    Late.Places.push_back({Before, std::move(InLoop)});
  }
  return Late;
}

/// May something between \p Load and \p Place, or in the loops around it, write
/// what \p Load reads? Every way to \p Place passes \p Load.
static bool mayBeWritten(LoadInst &Load, BasicBlock &Place, AAResults &AA) {
  // Not by types, as in EarlyLoadsPass.cpp.
  MemoryLocation Read = MemoryLocation::get(&Load);
  Read.AATags.TBAA = Read.AATags.TBAAStruct = nullptr;
  auto Writes = [&](Instruction &I) {
    return I.mayWriteToMemory() && isModSet(AA.getModRefInfo(&I, Read));
  };
  for (Instruction *I = Load.getNextNode(); I; I = I->getNextNode())
    if (Writes(*I))
      return true;
  SmallPtrSet<BasicBlock *, 16> Seen = {Load.getParent()};
  SmallVector<BasicBlock *, 16> Blocks;
  auto Add = [&](BasicBlock *BB) {
    if (Seen.insert(BB).second)
      Blocks.push_back(BB);
  };
  Add(&Place);
  while (!Blocks.empty()) {
    BasicBlock *BB = Blocks.pop_back_val();
    if (any_of(*BB, Writes))
      return true;
    for (BasicBlock *Before : predecessors(BB))
      Add(Before);
  }
  return false;
}

void LateLoads::add(LateLoad Late) {
  const DataLayout &DL = Late.load().getDataLayout();
  Read += registersOf(Late.load(), DL);
  for (const Instruction *I : Late.Chain)
    if (any_of(I->users(), [&](const User *U) {
          return !is_contained(Late.Chain, cast<Instruction>(U));
        }))
      Held += registersOf(*I, DL);
  Loads.push_back(std::move(Late));
}

static FarLoads farLoadsOf(const BasicBlock &BB) {
  FarLoads Far;
  for (const Instruction &I : BB)
    if (const auto *Load = dyn_cast<LoadInst>(&I);
        Load && isFar(Load->getPointerOperand())) {
      Far.Registers += registersOf(*Load, BB.getDataLayout());
      ++Far.Loads;
    }
  return Far;
}

/// Of \p Late's, that with the most loads from far away.
static BasicBlock *mainPlace(const LateLoad &Late) {
  return max_element(Late.Places,
                     [](const LatePlace &A, const LatePlace &B) {
                       return farLoadsOf(*A.block()).Registers <
                              farLoadsOf(*B.block()).Registers;
                     })
      ->block();
}

/// All that could go back in \p F, by the block where it pays most.
static std::vector<LateLoads> findLateLoads(Function &F,
                                            const AttachedPlan &Attached,
                                            FunctionAnalysisManager &FAM) {
  const LoopInfo &LI = FAM.getResult<LoopAnalysis>(F);
  if (LI.empty())
    return {};
  const bool IsWrong = Attached.Opts.Wrong == WrongRewrite::LateAlias;
  AAResults &AA = FAM.getResult<AAManager>(F);
  const DominatorTree &DT = FAM.getResult<DominatorTreeAnalysis>(F);
  MapVector<BasicBlock *, LateLoads> Found;
  for (BasicBlock &BB : F)
    for (Instruction &I : BB) {
      auto *Load = dyn_cast<LoadInst>(&I);
      if (!Load || !Load->isSimple() || !isShared(Load->getPointerOperand()) ||
          isSwitchedOff(*Load, Attached))
        continue;
      auto Late = lateFor(*Load, LI, DT);
      if (Late && (IsWrong || none_of(Late->Places, [&](const LatePlace &P) {
                     return mayBeWritten(*Load, *P.block(), AA);
                   })))
        Found[mainPlace(*Late)].add(std::move(*Late));
    }
  std::vector<LateLoads> Groups;
  for (auto &[Place, Group] : Found) {
    Group.Place = Place;
    Group.Far = farLoadsOf(*Place);
    const bool MayPay = Group.Held >= FewestRegisters &&
                        Group.Far.Loads >= FewestFarLoads &&
                        Group.Far.Registers >= Group.Read;
    if (Attached.Opts.AllLateLoads || MayPay)
      Groups.push_back(std::move(Group));
  }
  return Groups;
}

/// Copies of \p Late in all of its places; it itself goes.
static void moveBack(const LateLoad &Late) {
  for (const LatePlace &Place : Late.Places) {
    ValueToValueMapTy Copies;
    for (Instruction *I : Late.Chain) {
      Instruction *Copy = I->clone();
      Copy->insertBefore(Place.Before->getIterator());
      RemapInstruction(Copy, Copies,
                       RF_NoModuleLevelChanges | RF_IgnoreMissingLocals);
      Copy->takeName(I);
      Copies[I] = Copy;
    }
    for (Instruction *User : Place.Users)
      RemapInstruction(User, Copies,
                       RF_NoModuleLevelChanges | RF_IgnoreMissingLocals);
  }
  for (Instruction *I : reverse(Late.Chain))
    I->eraseFromParent();
}

static void moveBack(const LateLoads &Group) {
  const DebugLoc At = Group.Loads.front().load().getDebugLoc();
  for (const LateLoad &Late : Group.Loads)
    moveBack(Late);
  NumLate += Group.Loads.size();
  OptimizationRemarkEmitter Remarks(Group.Place->getParent());
  emitPlaced(Remarks, At, [&](const DebugLoc &Placed) {
    return OptimizationRemark(DEBUG_TYPE, "Late", Placed, Group.Place)
           << ore::NV("Loads", Group.Loads.size())
           << (Group.Loads.size() == 1 ? " load" : " loads")
           << " of shared memory " << (Group.Loads.size() == 1 ? "is" : "are")
           << " done in the loop, as clang has them hold "
           << ore::NV("Held", Group.Held)
           << " registers before it and loads of global memory want "
           << ore::NV("Far", Group.Far.Registers);
  });
}

/// The kernels of \p M from which a place of \p Groups is called.
static SmallSetVector<const Function *, 4>
kernelsAround(ArrayRef<LateLoads> Groups, const Module &M) {
  SmallSetVector<const Function *, 4> Kernels;
  for (const Function &Kernel : M) {
    if (Kernel.isDeclaration() || !isKernel(Kernel))
      continue;
    const auto Called = calledFrom(Kernel);
    if (any_of(Groups, [&](const LateLoads &Group) {
          return Called.contains(Group.Place->getParent());
        }))
      Kernels.insert(&Kernel);
  }
  return Kernels;
}

static Expected<AssembledKernels> assemble(const Module &M,
                                           ArrayRef<const Function *> Kernels,
                                           const AttachedPlan &Attached) {
  if (Kernels.empty())
    return AssembledKernels();
  auto Code = assemblyOf(M, Kernels, Attached);
  if (!Code)
    return Code.takeError();
  return Code->Cache.assemble({Code->PTX, Code->Arch});
}

/// The most that a kernel takes from which \p F is called; none: there is no
/// such kernel.
static std::optional<unsigned>
registersAround(const Function &F, ArrayRef<const Function *> Kernels,
                const AssembledKernels &Assembled) {
  std::optional<unsigned> Most;
  for (const Function *Kernel : Kernels)
    if (calledFrom(*Kernel).contains(&F))
      Most = std::max(Most.value_or(0),
                      Assembled.lookup(Kernel->getName()).Registers);
  return Most;
}

bool sluice::readSharedLate(Module &M, const AttachedPlan &Attached,
                            FunctionAnalysisManager &FAM,
                            function_ref<bool(Function &)> MayChange) {
  std::vector<LateLoads> Groups;
  for (Function &F : M)
    if (MayChange(F))
      append_range(Groups, findLateLoads(F, Attached, FAM));
  if (Groups.empty())
    return false;
  const auto Kernels = kernelsAround(Groups, M);
  AssembledKernels Assembled;
  if (!Attached.Opts.AllLateLoads) {
    auto Answer = assemble(M, Kernels.getArrayRef(), Attached);
    if (!Answer) {
      consumeError(Answer.takeError()); // another pass says so, if it matters
      return false;
    }
    Assembled = std::move(*Answer);
  }
  bool Changed = false;
  for (const LateLoads &Group : Groups) {
    const Function &F = *Group.Place->getParent();
    if (!Attached.Opts.AllLateLoads) {
      const auto Registers =
          registersAround(F, Kernels.getArrayRef(), Assembled);
      if (!Registers || *Registers >= Group.Held + Group.Far.Registers)
        continue;
    }
    moveBack(Group);
    Changed = true;
  }
  return Changed;
}
