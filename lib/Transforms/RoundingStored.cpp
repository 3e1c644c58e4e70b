// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A product that a loop stores, and that its next iteration reads. While the
// loop stays one, it comes from memory, rounded. Where both iterations are in
// one block, LLVM sees that the load gives what was stored, and the product may
// be fused with a sum.

#include "sluice/Analysis/SharedMemory.h"
#include "sluice/Transforms/LoopRounding.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace sluice;

bool sluice::mayBeProduct(const Value *V) {
  SmallPtrSet<const Value *, 16> Seen;
  SmallVector<const Value *, 16> Open = {V};
  while (!Open.empty()) {
    const auto *I = dyn_cast<Instruction>(Open.pop_back_val());
    if (!I || !Seen.insert(I).second)
      continue;
    if (isFusedProduct(*I))
      return true;
    if (!isSum(*I) && !isa<LoadInst>(I) && !isa<IntrinsicInst>(I))
      append_range(Open, I->operand_values());
  }
  return false;
}

std::string sluice::whyStoredProduct(const Loop &L, ScalarEvolution &SE,
                                     const DominatorTree *DT) {
  SmallVector<std::pair<const SCEV *, const StoreInst *>, 4> Stored;
  for (const BasicBlock *BB : L.blocks())
    for (const Instruction &I : *BB)
      if (const auto *Store = dyn_cast<StoreInst>(&I);
          Store && mayBeProduct(Store->getValueOperand()))
        Stored.emplace_back(
            SE.getSCEV(const_cast<Value *>(Store->getPointerOperand())), Store);
  // That they are the same place is seen of one array only. At the same index
  // each iteration reads its own, from memory where a store between them might
  // be of the place.
  auto MayRead = [&](const auto &Written, const LoadInst &Load) {
    const auto &[Place, Store] = Written;
    const SCEV *Read =
        SE.getSCEV(const_cast<Value *>(Load.getPointerOperand()));
    const auto *Moved = dyn_cast<SCEVAddRecExpr>(Read);
    const bool IsOwn = Place == Read && Moved && Moved->getLoop() == &L;
    return SE.getPointerBase(Place) == SE.getPointerBase(Read) &&
           (!IsOwn || (DT && !DT->dominates(&Load, Store)));
  };
  for (const BasicBlock *BB : L.blocks())
    for (const Instruction &I : *BB)
      if (const auto *Load = dyn_cast<LoadInst>(&I))
        if (any_of(Stored, [&](const auto &Written) {
              return MayRead(Written, *Load);
            }))
          return DT ? "it may read a product that it writes"
                    : "its next iteration may read a product that it writes";
  return "";
}

/// Where a loop becomes a piece of straight code, what was stored before it and
/// what is loaded after it are seen through, too.
std::string sluice::whyProductInTile(const Loop &L) {
  SmallPtrSet<const GlobalVariable *, 4> Read, ReadWithin, Written,
      WrittenWithin;
  for (const Instruction &I : instructions(*L.getHeader()->getParent())) {
    const Value *Pointer = getLoadStorePointerOperand(&I);
    const GlobalVariable *Tile = Pointer ? sharedVariable(Pointer) : nullptr;
    const auto *Store = dyn_cast<StoreInst>(&I);
    if (!Tile || (Store && !mayBeProduct(Store->getValueOperand())))
      continue;
    (Store ? Written : Read).insert(Tile);
    if (L.contains(&I))
      (Store ? WrittenWithin : ReadWithin).insert(Tile);
  }
  auto IsIn = [](const auto &Tiles) {
    return [&](const GlobalVariable *Tile) { return Tiles.contains(Tile); };
  };
  return any_of(Written, IsIn(ReadWithin)) || any_of(WrittenWithin, IsIn(Read))
             ? "a product that is stored may be read where it is known"
             : "";
}
