// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A thread's own array of small elements, which is set or read in one piece:
//
//   char count[16];
//   for (int i = 0; i < 16; i++) count[i] = 0;
//   ... ++count[x] ...
//
// It may begin at any byte, as its elements may. So LLVM sets it to zero byte
// by byte, and its vectoriser of loads and stores leaves it alone. Nobody else
// says where it begins: aligned to 16 bytes, it is set by two instructions, and
// read by one. A place that is aligned better than it needs to be is right for
// all that is done with it, also by whom its address was given to.

#include "AccessSide.h"
#include "FewerInstructions.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/bit.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"

using namespace llvm;
using namespace sluice;

/// What one instruction moves at most.
static constexpr uint64_t Widest = 16;
/// A thread's stack is a multiple of this.
static constexpr uint64_t StackUnit = 8;
static constexpr Align Word = Align::Constant<4>();

namespace {

/// What begins at a place of an array that is known when it is compiled.
struct KnownAccess : AccessSide {
  uint64_t Offset, Bytes; ///< From the array's first byte.
};

} // namespace

/// What \p Use of a pointer to \p Offset accesses there; none: nothing, or it
/// is unknown how much.
static std::optional<KnownAccess> accessOf(const Use &Use, uint64_t Offset,
                                           const DataLayout &Layout) {
  auto *I = cast<Instruction>(Use.getUser());
  if (const auto *Mem = dyn_cast<MemIntrinsic>(I)) {
    const auto *Length = dyn_cast<ConstantInt>(Mem->getLength());
    if (!Length || Mem->isVolatile())
      return std::nullopt;
    return KnownAccess{
        {I, Use.getOperandNo() == 1}, Offset, Length->getZExtValue()};
  }
  const auto *Store = dyn_cast<StoreInst>(I);
  if (const auto *Load = dyn_cast<LoadInst>(I); Load && Load->isSimple())
    return KnownAccess{{I}, Offset, Layout.getTypeStoreSize(Load->getType())};
  if (Store && Store->isSimple() &&
      Use.getOperandNo() == StoreInst::getPointerOperandIndex())
    return KnownAccess{
        {I},
        Offset,
        Layout.getTypeStoreSize(Store->getValueOperand()->getType())};
  return std::nullopt;
}

/// All that is accessed at places of \p Array that are known.
static SmallVector<KnownAccess, 8> accessesOf(AllocaInst &Array,
                                              const DataLayout &Layout) {
  SmallVector<KnownAccess, 8> Found;
  SmallVector<std::pair<Value *, uint64_t>, 8> Work = {{&Array, 0}};
  while (!Work.empty()) {
    const auto [Pointer, Offset] = Work.pop_back_val();
    for (const Use &U : Pointer->uses()) {
      if (auto Access = accessOf(U, Offset, Layout)) {
        Found.push_back(*Access);
      } else if (auto *GEP = dyn_cast<GEPOperator>(U.getUser())) {
        APInt Step(Layout.getIndexTypeSizeInBits(GEP->getType()), 0);
        if (GEP->accumulateConstantOffset(Layout, Step) && Step.isNonNegative())
          Work.push_back({GEP, Offset + Step.getZExtValue()});
      } else if (isa<AddrSpaceCastInst>(U.getUser())) {
        Work.push_back({U.getUser(), Offset});
      }
    }
  }
  return Found;
}

/// Would \p A be fewer instructions, or join a neighbour, at \p Aligned?
static bool gains(const KnownAccess &A, ArrayRef<KnownAccess> All,
                  Align Aligned) {
  const Align Then = commonAlignment(Aligned, A.Offset);
  if (Then <= A.alignment())
    return false;
  if (isa<MemIntrinsic>(A.I))
    return A.Bytes > A.alignment().value();
  return Then.value() >= 2 * A.Bytes && any_of(All, [&](const KnownAccess &B) {
           return B.Offset == A.Offset + A.Bytes && B.Bytes == A.Bytes &&
                  B.I->getOpcode() == A.I->getOpcode() &&
                  B.I->getParent() == A.I->getParent();
         });
}

/// How far an array of \p Bytes can be aligned without a larger stack.
static Align alignmentFor(uint64_t Bytes) {
  uint64_t Aligned = std::min(Widest, bit_floor(Bytes));
  while (alignTo(Bytes, Aligned) > alignTo(Bytes, StackUnit))
    Aligned /= 2;
  return Align(Aligned);
}

Rewritten sluice::alignArrays(Function &F, ChangeTest MayChange, bool IsWrong) {
  Rewritten Done;
  const DataLayout &Layout = F.getDataLayout();
  for (Instruction &I : F.getEntryBlock()) {
    auto *Array = dyn_cast<AllocaInst>(&I);
    const auto Size = Array ? Array->getAllocationSize(Layout) : std::nullopt;
    if (!Size || Size->isScalable() || Size->isZero())
      continue;
    // The assembler finds registers for arrays of words, also where it takes
    // comparisons to choose one, if all accesses are of a word.
    if (Array->getAlign() >= Word)
      continue;
    const Align Aligned = alignmentFor(Size->getFixedValue());
    SmallVector<KnownAccess, 8> Accesses = accessesOf(*Array, Layout);
    const auto *First = find_if(Accesses, [&](const KnownAccess &A) {
      return gains(A, Accesses, Aligned);
    });
    if (Aligned <= Array->getAlign() || First == Accesses.end() ||
        !all_of(Accesses,
                [&](const KnownAccess &A) { return MayChange(*A.I); }))
      continue;
    if (!Done.Count++)
      Done.At = First->I->getDebugLoc();
    Array->setAlignment(Aligned);
    for (KnownAccess &A : Accesses)
      A.align(IsWrong ? Aligned : commonAlignment(Aligned, A.Offset));
  }
  return Done;
}
