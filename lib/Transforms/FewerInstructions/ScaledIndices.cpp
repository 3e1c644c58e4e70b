// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An index that is extended before a loop is multiplied by its elements' size
// there, and not in the loop or behind it:
//
//   i = zext n                    i = zext n
//   loop: p = &x[i]         =>    s = i * 8
//                                 loop: p = x + s
//
// A product of two numbers of 32 bits with 64 is one instruction (mul.wide),
// and one with the sum behind it (IMAD.WIDE), for which the assembler holds the
// number of 32 bits alone. LLVM selects instructions block by block, and makes
// of an extension in one and a product in another a conversion and a shift of
// 64 bits: up to four instructions with the sum, and two registers over the
// loop. Likewise where a loop's index begins with one: there it is extended
// again, in the block that strength reduction multiplies it in.
//
// Where no loop is between, nothing was gained by it, and the assembler then
// orders other instructions in another way, such as stores of parts of a sector
// apart from each other. An extension and a product in one loop may take the
// array's address from a register that lanes share, as IMAD.WIDE may not. And
// where loops have many loads, how many go together depends on few registers:
// with two to hold less the assembler may take 32 in place of 40, and then wait
// twice. All these stay as they are.

#include "FewerInstructions.h"
#include "sluice/Analysis/AccessAnalysis.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Operator.h"

using namespace llvm;
using namespace sluice;

/// How deep a sum is looked into for constants.
static constexpr unsigned MostDepth = 6;
/// Loads of global memory in a block of a loop, if its registers are not to be
/// changed.
static constexpr unsigned ManyLoads = 4;

CastInst *sluice::asExtension(Value *V) {
  auto *Cast = dyn_cast<CastInst>(V);
  return Cast && isa<ZExtInst, SExtInst>(Cast) &&
                 Cast->getType()->isIntegerTy(64) &&
                 Cast->getSrcTy()->isIntegerTy(32)
             ? Cast
             : nullptr;
}

/// Has \p V a constant that LLVM may make an offset of the access? It looks for
/// it in the index, and not in products.
static bool hasConstantPart(const Value *V, unsigned Depth = 0) {
  const auto *I = dyn_cast<Instruction>(V);
  if (!I || Depth == MostDepth)
    return isa<Constant>(V);
  const bool IsSum = I->getOpcode() == Instruction::Add ||
                     I->getOpcode() == Instruction::Sub ||
                     I->getOpcode() == Instruction::Or;
  return (IsSum || isa<CastInst>(I)) &&
         any_of(I->operands(),
                [&](const Use &U) { return hasConstantPart(U, Depth + 1); });
}

/// The bytes that each step of \p Index moves \p GEP by, if nothing else of it
/// varies; 0 if something does, or a product of 32 bits cannot have it.
static uint64_t strideOf(GetElementPtrInst &GEP, Value *Index, APInt &Rest) {
  SmallMapVector<Value *, APInt, 4> Variable;
  const DataLayout &Layout = GEP.getDataLayout();
  Rest = APInt(64, 0);
  if (GEP.getType()->isVectorTy() ||
      Layout.getIndexTypeSizeInBits(GEP.getType()) != 64 ||
      !GEP.collectOffset(Layout, 64, Variable, Rest) || Variable.size() != 1 ||
      Variable.front().first != Index)
    return 0;
  const APInt Stride = Variable.front().second;
  return Stride.isStrictlyPositive() && Stride.isIntN(30)
             ? Stride.getZExtValue()
             : 0;
}

/// Is \p Pointer one to memory whose addresses have 64 bits?
static bool isWide(const Value *Pointer) {
  return mayBeGlobal(Pointer) && mayBeGlobal(getUnderlyingObject(Pointer));
}

static bool hasManyLoads(const LoopInfo &LI) {
  return any_of(LI.getTopLevelLoops(), [](const Loop *L) {
    return any_of(L->blocks(), [](const BasicBlock *BB) {
      return count_if(*BB, [](const Instruction &I) {
               const Value *Pointer = getLoadStorePointerOperand(&I);
               return isa<LoadInst>(I) && isWide(Pointer);
             }) >= ManyLoads;
    });
  });
}

/// Is a loop that \p From is not in around \p To, or between them?
static bool isLoopBetween(const BasicBlock &From, const BasicBlock &To,
                          const LoopInfo &LI) {
  return any_of(LI.getLoopsInPreorder(), [&](const Loop *L) {
    return !L->contains(&From) &&
           (L->contains(&To) ||
            (isPotentiallyReachable(&From, L->getHeader(), nullptr, nullptr,
                                    &LI) &&
             isPotentiallyReachable(L->getHeader(), &To, nullptr, nullptr,
                                    &LI)));
  });
}

namespace {
class IndexScaler {
  CastInst &Index;
  const LoopInfo &LI;
  SmallMapVector<uint64_t, Value *, 2> Products;

public:
  IndexScaler(CastInst &Index, const LoopInfo &LI) : Index(Index), LI(LI) {}
  unsigned run(ChangeTest MayChange);

private:
  Value *times(uint64_t Stride);
};
} // namespace

Value *IndexScaler::times(uint64_t Stride) {
  Value *&Product = Products[Stride];
  if (!Product) {
    IRBuilder<> B(&*Index.getInsertionPointAfterDef().value());
    B.SetCurrentDebugLocation(Index.getDebugLoc());
    Product = B.CreateMul(&Index, B.getInt64(Stride), "",
                          /*HasNUW=*/isa<ZExtInst>(Index), /*HasNSW=*/true);
  }
  return Product;
}

/// The addresses in other blocks by \p Index; none if it is used there for
/// something else, too, and so would be held beside its products.
static SmallSetVector<GetElementPtrInst *, 4> addressesBy(CastInst &Index) {
  SmallSetVector<GetElementPtrInst *, 4> Addresses;
  for (User *U : Index.users()) {
    auto *GEP = dyn_cast<GetElementPtrInst>(U);
    if (cast<Instruction>(U)->getParent() == Index.getParent() &&
        !isa<PHINode>(U))
      continue;
    APInt Rest;
    if (!GEP || !isWide(GEP) || strideOf(*GEP, &Index, Rest) < 2)
      return {};
    Addresses.insert(GEP);
  }
  return Addresses;
}

unsigned IndexScaler::run(ChangeTest MayChange) {
  if (hasConstantPart(Index.getOperand(0)))
    return 0;
  const auto Addresses = addressesBy(Index);
  if (!all_of(Addresses, [&](auto *GEP) { return MayChange(*GEP); }) ||
      none_of(Addresses, [&](auto *GEP) {
        return isLoopBetween(*Index.getParent(), *GEP->getParent(), LI);
      }))
    return 0;
  for (GetElementPtrInst *GEP : Addresses) {
    APInt Rest;
    const uint64_t Stride = strideOf(*GEP, &Index, Rest);
    IRBuilder<> B(GEP);
    Value *New = B.CreatePtrAdd(GEP->getPointerOperand(), times(Stride), "",
                                Rest.isZero() ? GEP->getNoWrapFlags()
                                              : GEPNoWrapFlags::none());
    if (!Rest.isZero())
      New = B.CreatePtrAdd(New, B.getInt(Rest));
    New->takeName(GEP);
    GEP->replaceAllUsesWith(New);
    GEP->eraseFromParent();
  }
  return Addresses.size();
}

/// Is \p Phi the index of elements that take more than a byte?
static bool isIndexOfElements(PHINode &Phi) {
  return any_of(Phi.users(), [&](User *U) {
    auto *GEP = dyn_cast<GetElementPtrInst>(U);
    APInt Rest;
    return GEP && isWide(GEP) && strideOf(*GEP, &Phi, Rest) > 1;
  });
}

/// A phi of one extension in several blocks is that extension, behind a loop.
static bool extendOnce(PHINode &Phi, const DominatorTree &DT,
                       const LoopInfo &LI) {
  CastInst *First = asExtension(Phi.getIncomingValue(0));
  if (!First || !DT.dominates(First->getOperand(0), &Phi))
    return false;
  bool IsBehindLoop = false;
  for (Value *V : Phi.incoming_values()) {
    CastInst *Other = asExtension(V);
    if (!Other || Other->getOpcode() != First->getOpcode() ||
        Other->getOperand(0) != First->getOperand(0))
      return false;
    IsBehindLoop |= isLoopBetween(*Other->getParent(), *Phi.getParent(), LI);
  }
  if (!IsBehindLoop || !isIndexOfElements(Phi))
    return false;
  IRBuilder<> B(Phi.getParent(), Phi.getParent()->getFirstInsertionPt());
  B.SetCurrentDebugLocation(Phi.getDebugLoc());
  Phi.replaceAllUsesWith(
      B.CreateCast(First->getOpcode(), First->getOperand(0), Phi.getType()));
  Phi.eraseFromParent();
  return true;
}

/// Extends again what indices of \p L begin with, by a copy that LLVM does not
/// look through. Returns how many.
static unsigned extendAtStart(const Loop &L, ChangeTest MayChange) {
  BasicBlock *Start = L.getLoopPreheader();
  if (!Start)
    return 0;
  SmallMapVector<CastInst *, SmallVector<PHINode *, 2>, 2> Indices;
  for (PHINode &Phi : L.getHeader()->phis())
    if (CastInst *First = asExtension(Phi.getIncomingValueForBlock(Start));
        First && First->getParent() != Start && isIndexOfElements(Phi) &&
        MayChange(Phi))
      Indices[First].push_back(&Phi);
  for (auto &[First, Phis] : Indices) {
    IRBuilder<> B(Start->getTerminator());
    B.SetCurrentDebugLocation(First->getDebugLoc());
    Value *Copy = B.CreateIntrinsic(B.getInt32Ty(), Intrinsic::nvvm_move_i32,
                                    {First->getOperand(0)});
    Value *Again = B.CreateCast(First->getOpcode(), Copy, First->getType());
    for (PHINode *Phi : Phis)
      Phi->setIncomingValueForBlock(Start, Again);
  }
  return Indices.size();
}

Rewritten sluice::scaleIndices(Function &F, ChangeTest MayChange) {
  Rewritten Done;
  const DominatorTree DT(F);
  const LoopInfo LI(DT);
  if (LI.empty() || hasManyLoads(LI))
    return Done;
  for (BasicBlock &BB : F)
    for (PHINode &Phi : make_early_inc_range(BB.phis()))
      if (MayChange(Phi))
        Done.Count += extendOnce(Phi, DT, LI);
  for (const Loop *L : LI.getLoopsInPreorder())
    Done.Count += extendAtStart(*L, MayChange);
  SmallVector<CastInst *, 16> Indices;
  for (Instruction &I : instructions(F))
    if (CastInst *Index = asExtension(&I))
      Indices.push_back(Index);
  for (CastInst *Index : Indices)
    Done.Count += IndexScaler(*Index, LI).run(MayChange);
  return Done;
}
