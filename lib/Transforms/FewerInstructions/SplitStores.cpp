// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A struct of three floats that is copied into one that is aligned to 16:
//
//   struct alignas(16) Ray { Vec3 origin, direction; float from, to; };
//
//   store i64 %xy, ptr %ray, align 16         store i32 %x, ptr %ray, align 16
//   store i32 %z, ptr %ray + 8          =>    store i32 %y, ptr %ray + 4
//   store float %dx, ptr %ray + 12            ...
//
// LLVM makes 8 and 4 bytes of a copy of 12. Its vectoriser joins stores of one
// size, so these 16 bytes are two stores; nvcc has one. So is a double, or a
// pointer, beside two members of 4 bytes.

#include "FewerInstructions.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;
using namespace sluice;

static constexpr unsigned HalfBytes = 4, WordBytes = 8;
static const Align WholeAlign(16);

namespace {

/// Stores with nothing between them that reads or writes memory, by the object
/// and the byte in it where they begin.
using Run = MapVector<std::pair<Value *, int64_t>, StoreInst *>;

} // namespace

static uint64_t bytesOf(const StoreInst &S) {
  const TypeSize Size =
      S.getDataLayout().getTypeStoreSize(S.getValueOperand()->getType());
  return Size.isScalable() ? 0 : Size.getFixedValue();
}

/// The store in \p Stores that \p S comes to, and where in its object.
static std::pair<Value *, int64_t> placeOf(const StoreInst &S) {
  APInt Offset(S.getDataLayout().getIndexTypeSizeInBits(
                   S.getPointerOperand()->getType()),
               0);
  const Value *Base = S.getPointerOperand()->stripAndAccumulateConstantOffsets(
      S.getDataLayout(), Offset, /*AllowNonInbounds=*/true);
  return {const_cast<Value *>(Base), Offset.getSExtValue()};
}

/// Are the other 8 of the 16 bytes from \p Begin, which are aligned, two
/// halves?
static bool areHalves(const Run &Stores, Value *Base, int64_t Begin,
                      bool AreFirst) {
  const int64_t Other = Begin + (AreFirst ? 0 : WordBytes);
  const StoreInst *First = Stores.lookup({Base, Other}),
                  *Second = Stores.lookup({Base, Other + HalfBytes}),
                  *Whole = Stores.lookup({Base, Begin});
  return First && Second && Whole && Whole->getAlign() >= WholeAlign &&
         bytesOf(*First) == HalfBytes && bytesOf(*Second) == HalfBytes &&
         !First->getValueOperand()->getType()->isVectorTy() &&
         !Second->getValueOperand()->getType()->isVectorTy();
}

static void split(StoreInst &S, bool IsWrong) {
  IRBuilder<> B(&S);
  Type *Half = B.getInt32Ty();
  Value *Word = B.CreateBitOrPointerCast(S.getValueOperand(),
                                         B.getIntNTy(WordBytes * 8)),
        *Place = S.getPointerOperand();
  Value *Low = B.CreateTrunc(Word, Half),
        *High = B.CreateTrunc(B.CreateLShr(Word, HalfBytes * 8), Half);
  if (IsWrong)
    std::swap(Low, High);
  B.CreateAlignedStore(Low, Place, S.getAlign());
  B.CreateAlignedStore(High,
                       B.CreateInBoundsPtrAdd(Place, B.getInt64(HalfBytes)),
                       commonAlignment(S.getAlign(), HalfBytes));
  S.eraseFromParent();
}

static void splitIn(const Run &Stores, ChangeTest MayChange, bool IsWrong,
                    Rewritten &Done) {
  SmallVector<StoreInst *, 4> Words;
  for (const auto &[At, S] : Stores) {
    auto [Base, Offset] = At;
    const Type *T = S->getValueOperand()->getType();
    if ((T->isIntegerTy() || T->isDoubleTy() || T->isPointerTy()) &&
        bytesOf(*S) == WordBytes && MayChange(*S) &&
        (areHalves(Stores, Base, Offset, /*AreFirst=*/false) ||
         areHalves(Stores, Base, Offset - WordBytes, /*AreFirst=*/true)))
      Words.push_back(S);
  }
  for (StoreInst *S : Words) {
    if (!Done.Count++)
      Done.At = S->getDebugLoc();
    split(*S, IsWrong);
  }
}

Rewritten sluice::splitStores(Function &F, ChangeTest MayChange, bool IsWrong) {
  Rewritten Done;
  for (BasicBlock &BB : F) {
    SmallVector<Run, 4> Runs(1);
    for (Instruction &I : BB) {
      auto *S = dyn_cast<StoreInst>(&I);
      if (S && S->isSimple() && !S->hasMetadata(LLVMContext::MD_nontemporal)) {
        // What is written twice is left to LLVM.
        if (!Runs.back().try_emplace(placeOf(*S), S).second)
          Runs.emplace_back();
      } else if (I.mayReadOrWriteMemory()) {
        Runs.emplace_back();
      }
    }
    for (const Run &Stores : Runs)
      splitIn(Stores, MayChange, IsWrong, Done);
  }
  return Done;
}
