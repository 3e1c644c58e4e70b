// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   for (int i = 0; i < n; ++i)
//     a[i * 512 + me] -= q[i * 512] * r;       // q is __restrict__
//
// Accesses of one array that stay within so many bytes as it goes on are of
// other elements in each iteration. Of two arrays alias analysis has to say
// that they do not overlap, wherever in them the accesses are.

#include "sluice/Analysis/ApartStores.h"
#include "GlobalPointer.h"
#include "sluice/Analysis/InlinePTX.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include <algorithm>
#include <cstdlib>
#include <optional>

using namespace llvm;
using namespace sluice;

/// More take longer to compare than they are worth.
static constexpr size_t MostAccesses = 32;

static const SCEV *placeOf(const Instruction &Access, ScalarEvolution &SE) {
  return SE.getSCEV(const_cast<Value *>(getLoadStorePointerOperand(&Access)));
}

static int64_t sizeOf(const Instruction &Access) {
  return int64_t(Access.getDataLayout()
                     .getTypeStoreSize(getLoadStoreType(&Access))
                     .getKnownMinValue());
}

namespace {
/// What an address goes on by in each iteration of a loop.
struct Move {
  std::optional<int64_t> Bytes; ///< None: that is known when it runs only.
};
} // namespace

/// How \p Place goes on in \p L, if by the same each time. Where an index of
/// fewer bits is made longer it is taken not to wrap around: so does LLVM take
/// it of copies, by what their sums promise.
static std::optional<Move> moveOf(const SCEV *Place, const Loop &L,
                                  ScalarEvolution &SE) {
  if (const auto *Moved = dyn_cast<SCEVAddRecExpr>(Place)) {
    if (Moved->getLoop() != &L || !Moved->isAffine())
      return std::nullopt;
    const auto *Step = dyn_cast<SCEVConstant>(Moved->getStepRecurrence(SE));
    if (!Step)
      return Move();
    return Step->getAPInt().isSignedIntN(32)
               ? std::optional(Move{Step->getAPInt().getSExtValue()})
               : std::nullopt;
  }
  if (isa<SCEVSignExtendExpr, SCEVZeroExtendExpr>(Place))
    return moveOf(cast<SCEVCastExpr>(Place)->getOperand(), L, SE);
  const auto *Parts = dyn_cast<SCEVNAryExpr>(Place);
  if (!isa_and_nonnull<SCEVAddExpr, SCEVMulExpr>(Parts))
    return std::nullopt;
  std::optional<Move> Whole;
  std::optional<int64_t> Factor;
  for (const SCEV *Part : Parts->operands()) {
    if (const auto *Constant = dyn_cast<SCEVConstant>(Part);
        Constant && Constant->getAPInt().isSignedIntN(31))
      Factor = Constant->getAPInt().getSExtValue();
    if (SE.isLoopInvariant(Part, &L))
      continue;
    if (Whole)
      return std::nullopt; // both of them move
    Whole = moveOf(Part, L, SE);
    if (!Whole)
      return std::nullopt;
  }
  if (!Whole || !isa<SCEVMulExpr>(Parts))
    return Whole;
  return Whole->Bytes && Factor && Parts->getNumOperands() == 2
             ? Move{*Whole->Bytes * *Factor}
             : Move();
}

/// Are \p A and \p B, of one array, of other bytes in all other iterations?
static bool areOwn(const Instruction &A, const Instruction &B, const Loop &L,
                   ScalarEvolution &SE) {
  const auto Step = moveOf(placeOf(A, SE), L, SE);
  const auto *Between =
      dyn_cast<SCEVConstant>(SE.getMinusSCEV(placeOf(A, SE), placeOf(B, SE)));
  return Step && Step->Bytes && Between &&
         Between->getAPInt().isSignedIntN(32) &&
         std::abs(*Step->Bytes) -
                 std::abs(Between->getAPInt().getSExtValue()) >=
             std::max(sizeOf(A), sizeOf(B));
}

/// All of the arrays that \p Access is of. What C++ says of types is no reason:
/// early-loads takes none of it either.
static MemoryLocation arrayOf(const Instruction &Access) {
  MemoryLocation Array = MemoryLocation::get(&Access).getWithNewSize(
      LocationSize::beforeOrAfterPointer());
  Array.AATags.TBAA = Array.AATags.TBAAStruct = nullptr;
  return Array;
}

/// Does the assembler load by \p Load whenever it likes (`ld.global.nc`)?
static bool isReadOnly(const LoadInst &Load) {
  const auto *Given =
      dyn_cast<Argument>(getUnderlyingObject(Load.getPointerOperand()));
  return Given && Given->hasNoAliasAttr() && Given->onlyReadsMemory();
}

namespace {
/// What a loop reads and writes.
struct Accesses {
  SmallVector<const Instruction *, 16> All, Stores;
};
} // namespace

/// None: it does something else to memory, or a load that is behind a branch
/// stays behind the stores before that.
static std::optional<Accesses> accessesOf(const Loop &L) {
  Accesses Found;
  for (const BasicBlock *BB : L.blocks())
    for (const Instruction &I : *BB) {
      const auto *Call = dyn_cast<CallBase>(&I);
      if (!I.mayReadOrWriteMemory() || (Call && isArithmeticPTX(*Call)) ||
          isa<AssumeInst>(I) || I.isLifetimeStartOrEnd())
        continue;
      const auto *Store = dyn_cast<StoreInst>(&I);
      const auto *Load = dyn_cast<LoadInst>(&I);
      if ((!Store || !Store->isSimple()) && (!Load || !Load->isSimple()))
        return std::nullopt;
      if (Load && globalPointer(I) && L.getNumBlocks() > 1 &&
          (BB != L.getHeader() || !isReadOnly(*Load)))
        return std::nullopt;
      Found.All.push_back(&I);
      const Value *Array = getUnderlyingObject(getLoadStorePointerOperand(&I));
      if (!Store || isa<AllocaInst>(Array))
        continue;
      if (!globalPointer(I))
        return std::nullopt;
      Found.Stores.push_back(&I);
    }
  if (Found.Stores.empty() || Found.All.size() > MostAccesses)
    return std::nullopt;
  return Found;
}

bool sluice::writesApart(const Loop &L, ScalarEvolution &SE, AAResults &AA) {
  const auto Found = accessesOf(L);
  if (!Found)
    return false;
  auto IsApart = [&](const Instruction *Store, const Instruction *Other) {
    if (SE.getPointerBase(placeOf(*Store, SE)) !=
        SE.getPointerBase(placeOf(*Other, SE)))
      return isa<StoreInst>(Other) ||
             AA.isNoAlias(arrayOf(*Store), arrayOf(*Other));
    // By a step that is known when it runs only LLVM sees one place as another
    // one neither.
    return areOwn(*Store, *Other, L, SE) ||
           (Store == Other && !moveOf(placeOf(*Store, SE), L, SE)->Bytes);
  };
  return all_of(Found->Stores, [&](const Instruction *Store) {
    // What stays at one place is written once only, where LLVM sees that.
    return moveOf(placeOf(*Store, SE), L, SE) &&
           all_of(Found->All, [&](const Instruction *Other) {
             return IsApart(Store, Other);
           });
  });
}
