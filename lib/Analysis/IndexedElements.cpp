// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An address is base + scale * extended(index) + offset. Indices that differ
// stay different when they are made longer, by one at least, and so do
// multiples of them in 64 bits. So accesses of one base, scale and extension
// that lie within `scale` bytes overlap in no two iterations. An index of 64
// bits is the same if it is not too large.

#include "sluice/Analysis/IndexedElements.h"
#include "GlobalPointer.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Operator.h"

using namespace llvm;
using namespace sluice;

/// More take longer to ask about than a few loads are worth.
static constexpr size_t MostPairs = 3;

/// The array of which \p Access is of the element \p Index; none: it is of
/// several elements, or of another one.
static std::optional<IndexedArray>
indexedArray(const Instruction &Access, const Loop &L, const PHINode &Index) {
  const DataLayout &Layout = Access.getDataLayout();
  Value *Pointer = const_cast<Value *>(getLoadStorePointerOperand(&Access));
  const unsigned Bits = Layout.getIndexTypeSizeInBits(Pointer->getType());
  if (Bits != 64)
    return std::nullopt;
  APInt Offset(Bits, 0);
  SmallMapVector<Value *, APInt, 4> Steps;
  while (!L.isLoopInvariant(Pointer)) {
    auto *GEP = dyn_cast<GEPOperator>(Pointer);
    if (!GEP || !GEP->collectOffset(Layout, Bits, Steps, Offset))
      return std::nullopt;
    Pointer = GEP->getPointerOperand();
  }
  if (Steps.size() != 1)
    return std::nullopt;
  const auto &[Number, Scale] = Steps.front();
  const bool IsLong = Index.getType()->isIntegerTy(64);
  const auto *Longer = dyn_cast<CastInst>(Number);
  if (IsLong ? Number != &Index || Scale.ugt(MostScale)
             : !Longer || !isa<SExtInst, ZExtInst>(Longer) ||
                   Longer->getOperand(0) != &Index)
    return std::nullopt;
  const TypeSize Size = Layout.getTypeStoreSize(getLoadStoreType(&Access));
  // Of 2^31 bytes and more multiples could meet again.
  if (Size.isScalable() || !Scale.isSignedIntN(31) || Scale.isNegative() ||
      Offset.isNegative() || (Offset + Size.getFixedValue()).ugt(Scale))
    return std::nullopt;
  return IndexedArray{Pointer, Scale.getZExtValue(),
                      !IsLong && isa<ZExtInst>(Longer)};
}

/// Are objects that \p A and \p B point into different ones for certain?
static bool areApart(const Value *A, const Value *B) {
  const Value *From = getUnderlyingObject(A), *To = getUnderlyingObject(B);
  auto IsOwn = [](const Value *Object, const Value *Other) {
    const auto *Given = dyn_cast<Argument>(Object);
    return Given && Given->hasNoAliasAttr() &&
           (isa<Argument>(Other) || isIdentifiedObject(Other));
  };
  return From != To && (IsOwn(From, To) || IsOwn(To, From));
}

std::optional<SmallVector<ArrayPair, 4>>
sluice::ownElements(const Loop &L, const PHINode &Index) {
  if (L.getNumBlocks() != 1)
    return std::nullopt;
  SmallVector<const Instruction *, 8> Loads;
  SmallVector<std::pair<const StoreInst *, IndexedArray>, 4> Stores;
  for (const Instruction &I : *L.getHeader()) {
    const auto *Store = dyn_cast<StoreInst>(&I);
    if (Store && Store->isSimple()) {
      auto Array = indexedArray(I, L, Index);
      if (!Array || !globalPointer(I))
        return std::nullopt;
      Stores.emplace_back(Store, *Array);
    } else if (const auto *Load = dyn_cast<LoadInst>(&I);
               Load && Load->isSimple()) {
      if (!globalPointer(I))
        return std::nullopt;
      Loads.push_back(Load);
    } else if (I.mayReadOrWriteMemory()) {
      return std::nullopt;
    }
  }
  if (Stores.empty())
    return std::nullopt;
  SmallVector<ArrayPair, 4> Pairs;
  for (const Instruction *Load : Loads) {
    const auto Read = indexedArray(*Load, L, Index);
    for (const auto &[Store, Written] : Stores) {
      if ((Read && *Read == Written) ||
          areApart(getLoadStorePointerOperand(Load),
                   Store->getPointerOperand()))
        continue;
      if (!Read)
        return std::nullopt;
      const ArrayPair Pair{*Read, Written};
      if (none_of(Pairs, [&](const ArrayPair &P) {
            return P.Read == Pair.Read && P.Written == Pair.Written;
          }))
        Pairs.push_back(Pair);
    }
  }
  if (Pairs.size() > MostPairs)
    return std::nullopt;
  return Pairs;
}
