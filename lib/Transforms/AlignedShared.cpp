// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared arrays, of which neighbours are read or written at once:
//
//   extern __shared__ double rows[];
//   ... rows[16 * x + 2 * k] ... rows[16 * x + 2 * k + 1] ...
//
// It may begin wherever an element may, as far as LLVM knows, so each element
// is an instruction. Aligned to 16 bytes it has pairs that one instruction
// reads. nvcc aligns every array of unknown length so. Arrays of known length
// are aligned only where no padding between them can follow: the kernel's
// memory does not grow.

#include "FewerInstructions.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/bit.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/Support/KnownBits.h"
#include "llvm/Support/NVPTXAddrSpace.h"
#include <optional>
#include <tuple>

using namespace llvm;
using namespace sluice;

/// What one instruction moves at most.
static constexpr Align Widest = Align::Constant<16>();

namespace {

/// A part of an address: a number that is known when the kernel runs, made
/// longer, and times what one step has of bytes.
struct Step {
  const Value *Number;
  unsigned Extension = 0; ///< The cast's opcode; 0: none.
  uint64_t Scale;

  bool operator==(const Step &B) const {
    return Number == B.Number && Extension == B.Extension && Scale == B.Scale;
  }
};

/// A load or a store of a shared array.
struct SharedAccess {
  Instruction *I;
  SmallVector<Step, 4> Steps; ///< From the array's first byte,
  uint64_t Offset = 0;        ///< and a known distance.
  uint64_t Bytes;
  Align Known = Widest; ///< Of its address, where the array begins so.
};

} // namespace

static bool isShared(const GlobalVariable &G) {
  return G.getAddressSpace() == NVPTXAS::ADDRESS_SPACE_SHARED;
}

/// Of a length that the launch says?
static bool isDynamic(const GlobalVariable &G, const DataLayout &Layout) {
  return G.isDeclaration() && G.hasExternalLinkage() &&
         Layout.getTypeAllocSize(G.getValueType()).isZero();
}

/// The arrays that may begin at other places than they do.
static SmallVector<GlobalVariable *, 4> movableArrays(Module &M) {
  const DataLayout &Layout = M.getDataLayout();
  SmallVector<GlobalVariable *, 4> Dynamic, Static;
  bool NoPadding = true;
  for (GlobalVariable &G : M.globals()) {
    if (!isShared(G) || G.use_empty())
      continue;
    const TypeSize Size = Layout.getTypeAllocSize(G.getValueType());
    const bool IsLess = G.getAlign().valueOrOne() < Widest;
    if (isDynamic(G, Layout)) {
      if (IsLess)
        Dynamic.push_back(&G);
      continue;
    }
    NoPadding &= Size.getFixedValue() % Widest.value() == 0;
    if (IsLess && G.canIncreaseAlignment())
      Static.push_back(&G);
  }
  if (NoPadding)
    Dynamic.append(Static);
  return Dynamic;
}

/// Adds \p Index times \p Scale to the address of \p A.
static void addStep(SharedAccess &A, const Value *Index, uint64_t Scale,
                    const DataLayout &Layout) {
  const unsigned Zeros =
      countr_zero(Scale) +
      computeKnownBits(Index, Layout).countMinTrailingZeros();
  A.Known = std::min(A.Known, Align(1ULL << std::min(Zeros, Log2(Widest))));
  Step S{Index, 0, Scale};
  if (isa<ZExtInst, SExtInst>(Index)) {
    S.Extension = cast<CastInst>(Index)->getOpcode();
    S.Number = cast<CastInst>(Index)->getOperand(0);
  }
  // What is added before it is made longer, if that is the same as behind.
  const auto *Sum = dyn_cast<BinaryOperator>(S.Number);
  const auto *More = Sum ? dyn_cast<ConstantInt>(Sum->getOperand(1)) : nullptr;
  const bool IsOr = Sum && isa<PossiblyDisjointInst>(Sum) &&
                    cast<PossiblyDisjointInst>(Sum)->isDisjoint();
  const bool IsAdd = Sum && Sum->getOpcode() == Instruction::Add &&
                     (!S.Extension || (S.Extension == Instruction::ZExt
                                           ? Sum->hasNoUnsignedWrap()
                                           : Sum->hasNoSignedWrap()));
  if (More && More->getBitWidth() <= 64 && !More->isNegative() &&
      (IsOr || IsAdd)) {
    S.Number = Sum->getOperand(0);
    A.Offset += More->getZExtValue() * Scale;
  }
  A.Steps.push_back(S);
}

/// What \p I reads or writes of \p Array; none: nothing that can be joined.
static std::optional<SharedAccess> accessOf(Instruction &I,
                                            const GlobalVariable *Array,
                                            const DataLayout &Layout) {
  const auto *Load = dyn_cast<LoadInst>(&I);
  const auto *Store = dyn_cast<StoreInst>(&I);
  if (!(Load && Load->isSimple()) && !(Store && Store->isSimple()))
    return std::nullopt;
  SharedAccess A;
  A.I = &I;
  A.Bytes = Layout.getTypeStoreSize(getLoadStoreType(&I));
  const Value *Pointer = getLoadStorePointerOperand(&I);
  while (Pointer != Array) {
    if (const auto *Cast = dyn_cast<AddrSpaceCastOperator>(Pointer)) {
      Pointer = Cast->getPointerOperand();
      continue;
    }
    const auto *GEP = dyn_cast<GEPOperator>(Pointer);
    if (!GEP)
      return std::nullopt;
    const unsigned Bits = Layout.getIndexTypeSizeInBits(GEP->getType());
    SmallMapVector<Value *, APInt, 4> Steps;
    APInt Constant(Bits, 0);
    if (!GEP->collectOffset(Layout, Bits, Steps, Constant))
      return std::nullopt;
    A.Known = commonAlignment(A.Known, Constant.getZExtValue());
    A.Offset += Constant.getSExtValue();
    for (const auto &[Index, Scale] : Steps)
      addStep(A, Index, Scale.getZExtValue(), Layout);
    Pointer = GEP->getPointerOperand();
  }
  llvm::sort(A.Steps, [](const Step &X, const Step &Y) {
    return std::tie(X.Number, X.Scale) < std::tie(Y.Number, Y.Scale);
  });
  return A;
}

/// Would \p A join a neighbour behind it, and does it not without?
static bool gains(const SharedAccess &A, ArrayRef<SharedAccess> All) {
  return has_single_bit(A.Bytes) && A.Known.value() >= 2 * A.Bytes &&
         getLoadStoreAlignment(A.I).value() < 2 * A.Bytes &&
         any_of(All, [&](const SharedAccess &B) {
           return B.Offset == A.Offset + A.Bytes && B.Bytes == A.Bytes &&
                  B.Steps == A.Steps && B.I->getOpcode() == A.I->getOpcode() &&
                  B.I->getParent() == A.I->getParent();
         });
}

SmallVector<Instruction *, 4>
sluice::alignSharedArrays(Module &M, ChangeTest MayChange, bool IsWrong) {
  SmallVector<Instruction *, 4> Done;
  SmallVector<GlobalVariable *, 4> Arrays = movableArrays(M);
  if (Arrays.empty())
    return Done;
  DenseMap<const Value *, SmallVector<SharedAccess, 8>> Accesses;
  for (Function &F : M)
    for (Instruction &I : instructions(F))
      if (const Value *Pointer = getLoadStorePointerOperand(&I)) {
        const Value *Object = getUnderlyingObject(Pointer);
        if (!is_contained(Arrays, Object))
          continue;
        if (auto Access =
                accessOf(I, cast<GlobalVariable>(Object), M.getDataLayout()))
          Accesses[Object].push_back(*Access);
      }
  for (GlobalVariable *Array : Arrays) {
    SmallVectorImpl<SharedAccess> &All = Accesses[Array];
    const auto *First =
        find_if(All, [&](const SharedAccess &A) { return gains(A, All); });
    if (First == All.end() ||
        !all_of(All, [&](const SharedAccess &A) { return MayChange(*A.I); }))
      continue;
    Array->setAlignment(Widest);
    for (const SharedAccess &A : All) {
      const Align To = IsWrong ? Widest : A.Known;
      if (To > getLoadStoreAlignment(A.I))
        setLoadStoreAlignment(A.I, To);
    }
    Done.push_back(First->I);
  }
  return Done;
}
