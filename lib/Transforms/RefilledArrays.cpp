// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which bytes are written is counted: the loops inside have constant numbers of
// iterations, and arrays that matter have a few hundred bytes.

#include "RefilledArrays.h"
#include "sluice/Analysis/LocalArrays.h"
#include "sluice/Analysis/SharedMemory.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;
using namespace sluice;

/// Of one array, and writes of one store in an iteration.
static constexpr uint64_t MostBytes = 4096, MostWrites = 4096;

/// Adds the values of \p Form in the iterations of loops inside \p Around.
/// False: they are not known.
static bool addValues(const SCEV *Form, const Loop &Around, ScalarEvolution &SE,
                      SmallVectorImpl<int64_t> &To) {
  if (const auto *C = dyn_cast<SCEVConstant>(Form)) {
    To.push_back(C->getAPInt().getSExtValue());
    return To.size() <= MostWrites;
  }
  const auto *Steps = dyn_cast<SCEVAddRecExpr>(Form);
  if (!Steps || !Steps->isAffine() || Steps->getLoop() == &Around ||
      !Around.contains(Steps->getLoop()))
    return false;
  const auto *Step = dyn_cast<SCEVConstant>(Steps->getStepRecurrence(SE));
  const unsigned Trips = SE.getSmallConstantTripCount(Steps->getLoop());
  SmallVector<int64_t, 16> Starts;
  if (!Step || !Trips || !addValues(Steps->getStart(), Around, SE, Starts) ||
      Starts.size() * Trips > MostWrites)
    return false;
  for (const int64_t Start : Starts)
    for (unsigned I = 0; I < Trips; ++I)
      To.push_back(Start + I * Step->getAPInt().getSExtValue());
  return true;
}

/// Marks what \p Store writes of \p Array in each iteration of \p Around.
static void mark(const StoreInst &Store, AllocaInst &Array, const Loop &Around,
                 ScalarEvolution &SE, const DominatorTree &DT,
                 BitVector &Written) {
  const BasicBlock *Latch = Around.getLoopLatch();
  if (!Latch || !DT.dominates(Store.getParent(), Latch))
    return;
  const SCEV *Offset = SE.getMinusSCEV(
      SE.getSCEV(const_cast<Value *>(Store.getPointerOperand())),
      SE.getSCEV(&Array));
  SmallVector<int64_t, 64> Begins;
  if (isa<SCEVCouldNotCompute>(Offset) ||
      !addValues(Offset, Around, SE, Begins))
    return;
  const uint64_t Size = Store.getDataLayout().getTypeStoreSize(
      Store.getValueOperand()->getType());
  for (const int64_t Begin : Begins)
    if (Begin >= 0 && uint64_t(Begin) + Size <= Written.size())
      Written.set(unsigned(Begin), unsigned(Begin + Size));
}

RefilledArrays::RefilledArrays(const Loop &Around, ScalarEvolution &SE,
                               const DominatorTree &DT)
    : SE(SE) {
  for (const BasicBlock *Block : Around.blocks())
    for (const Instruction &I : *Block)
      if (const auto *Store = dyn_cast<StoreInst>(&I))
        if (const auto *Tile = sharedVariable(Store->getPointerOperand()))
          Tiles[Tile].push_back(Store);
  const Function &F = *Around.getHeader()->getParent();
  for (const Instruction &I : F.getEntryBlock()) {
    auto *Array = dyn_cast<AllocaInst>(const_cast<Instruction *>(&I));
    if (!Array || !Array->isStaticAlloca())
      continue;
    const auto Size = Array->getAllocationSize(F.getDataLayout());
    SmallVector<Instruction *, 8> Accesses;
    if (!Size || Size->isScalable() || Size->getFixedValue() > MostBytes ||
        !collectAccesses(*Array, Accesses))
      continue;
    BitVector Written(unsigned(Size->getFixedValue()));
    SmallVector<const StoreInst *, 4> All;
    bool AreStores = true;
    for (const Instruction *Access : Accesses) {
      if (!Around.contains(Access) || isa<LoadInst>(Access))
        continue;
      const auto *Store = dyn_cast<StoreInst>(Access);
      AreStores &= Store != nullptr;
      if (!Store)
        break;
      All.push_back(Store);
      mark(*Store, *Array, Around, SE, DT, Written);
    }
    if (AreStores && !All.empty() && Written.all())
      Stores[Array] = std::move(All);
  }
}

bool RefilledArrays::isFilledBy(const Value *Pointer,
                                function_ref<bool(const Value *)> Holds) const {
  if (Stores.empty())
    return false;
  const auto It =
      Stores.find(dyn_cast<AllocaInst>(getUnderlyingObject(Pointer)));
  return It != Stores.end() && all_of(It->second, [&](const StoreInst *Store) {
           return Holds(Store->getValueOperand());
         });
}

bool RefilledArrays::isInRewrittenTile(const Value *Pointer) const {
  const GlobalVariable *Tile = sharedVariable(Pointer);
  const auto It = Tile ? Tiles.find(Tile) : Tiles.end();
  return It != Tiles.end() && any_of(It->second, [&](const StoreInst *Store) {
           const SCEV *Apart = SE.getMinusSCEV(
               SE.getSCEV(const_cast<Value *>(Store->getPointerOperand())),
               SE.getSCEV(const_cast<Value *>(Pointer)));
           return !isa<SCEVConstant>(Apart);
         });
}
