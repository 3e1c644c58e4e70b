// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Neighbours in global memory that stand beside each other in a wider word, if
// the array is aligned:
//
//   a[8 * i] = x;                    if (a % 16 == 0) {
//   a[8 * i + 1] = y;                  *(double2 *)&a[8 * i] = {x, y};
//   a[8 * i + 2] = z;                  *(double2 *)&a[8 * i + 2] = {z, w};
//   a[8 * i + 3] = w;            =>  } else {
//                                      a[8 * i] = x;
//                                      ...
//                                    }
//
// Between the elements of two threads is the rest of the word at least, so that
// each narrow access touches as many lines as the wide one. What a kernel is
// passed is aligned nearly always, but nobody says so, and LLVM leaves the
// accesses as they are. The test is the same for all threads.
// Which accesses come together, and where, says Neighbours.cpp.

#include "Neighbours.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace sluice;

namespace {

/// The accesses of one place, in words and one by one.
class TwoWays {
public:
  TwoWays(const Neighbours &Of, bool IsWrong)
      : Of(Of), IsWrong(IsWrong), B(&Of.place()) {}
  void make();

private:
  Value *areAligned();
  Value *address(const Instruction &Part);
  void load(const NeighbourWord &W);
  void store(const NeighbourWord &W);
  template <typename T> T *likeParts(T *Wide, const NeighbourWord &W);

  const Neighbours &Of;
  const bool IsWrong;
  IRBuilder<> B;
  MapVector<Instruction *, Value *> Loaded;
};

} // namespace

/// Where the kernel begins: in a loop it stays the same.
Value *TwoWays::areAligned() {
  IRBuilder<> Begin(
      &*B.GetInsertBlock()->getParent()->getEntryBlock().getFirstInsertionPt());
  SmallSetVector<Argument *, 8> Arrays;
  unsigned Wide = 0;
  for (const NeighbourWord &W : Of.Words) {
    Arrays.insert(W.Array);
    Wide = std::max(Wide, W.bytes());
  }
  Value *Bits = Begin.getInt64(0);
  for (Argument *Array : Arrays)
    Bits =
        Begin.CreateOr(Bits, Begin.CreatePtrToInt(Array, Begin.getInt64Ty()));
  return Begin.CreateIsNull(Begin.CreateAnd(Bits, Wide - 1));
}

/// With the constant part beside the access, which has room for it.
Value *TwoWays::address(const Instruction &Part) {
  APInt Offset;
  Value *Root = rootOf(Part, Offset);
  return B.CreatePtrAdd(Root, B.getInt(Offset));
}

/// Also what is said of each.
template <typename T> T *TwoWays::likeParts(T *Wide, const NeighbourWord &W) {
  Wide->copyMetadata(*W.Parts.front());
  MDNode *Accessed = Wide->getMetadata(LLVMContext::MD_tbaa);
  for (const Instruction *Part : W.Parts)
    Accessed = MDNode::getMostGenericTBAA(
        Accessed, Part->getMetadata(LLVMContext::MD_tbaa));
  Wide->setMetadata(LLVMContext::MD_tbaa, Accessed);
  return Wide;
}

static FixedVectorType *typeOf(const NeighbourWord &W) {
  return FixedVectorType::get(getLoadStoreType(W.Parts.front()),
                              unsigned(W.Parts.size()));
}

/// The fault: where the first two are is exchanged.
static uint64_t numberIn(size_t Number, bool IsWrong) {
  return IsWrong && Number < 2 ? 1 - Number : Number;
}

void TwoWays::load(const NeighbourWord &W) {
  auto *Wide =
      likeParts(B.CreateAlignedLoad(typeOf(W), address(*W.Parts.front()),
                                    Align(W.bytes())),
                W);
  for (const auto &[Number, Part] : enumerate(W.Parts))
    Loaded[Part] = B.CreateExtractElement(Wide, numberIn(Number, IsWrong));
}

void TwoWays::store(const NeighbourWord &W) {
  Value *Wide = PoisonValue::get(typeOf(W));
  for (const auto &[Number, Part] : enumerate(W.Parts))
    Wide = B.CreateInsertElement(Wide, cast<StoreInst>(Part)->getValueOperand(),
                                 numberIn(Number, IsWrong));
  likeParts(
      B.CreateAlignedStore(Wide, address(*W.Parts.front()), Align(W.bytes())),
      W);
}

void TwoWays::make() {
  Instruction *Then = nullptr, *Else = nullptr, *Place = &Of.place();
  SplitBlockAndInsertIfThenElse(
      areAligned(), Place->getIterator(), &Then, &Else,
      MDBuilder(B.getContext()).createLikelyBranchWeights());
  for (const NeighbourWord &W : Of.Words) {
    B.SetInsertPoint(Then);
    B.SetCurrentDebugLocation(W.Parts.front()->getDebugLoc());
    if (Of.areLoads())
      load(W);
    else
      store(W);
  }
  BasicBlock *Rest = Else->getSuccessor(0);
  SmallVector<WeakTrackingVH, 16> Old;
  for (Instruction *I : Of.All) {
    if (!Of.Moved.contains(I))
      continue;
    B.SetInsertPoint(Else);
    B.SetCurrentDebugLocation(I->getDebugLoc());
    Old.push_back(pointerOf(*I));
    I->setOperand(isa<LoadInst>(I) ? LoadInst::getPointerOperandIndex()
                                   : StoreInst::getPointerOperandIndex(),
                  address(*I));
    I->moveBefore(Else->getIterator());
    if (!Of.areLoads())
      continue;
    PHINode *Either =
        PHINode::Create(I->getType(), 2, "", Rest->getFirstNonPHIIt());
    Either->setDebugLoc(I->getDebugLoc());
    I->replaceAllUsesWith(Either);
    Either->addIncoming(Loaded[I], Then->getParent());
    Either->addIncoming(I, Else->getParent());
    for (auto [First, Again] : Of.Again)
      if (First == I) {
        Again->replaceAllUsesWith(Either);
        Again->eraseFromParent();
      }
  }
  RecursivelyDeleteTriviallyDeadInstructionsPermissive(Old);
}

Rewritten sluice::accessWords(Function &F, ChangeTest MayChange,
                              FunctionAnalysisManager &FAM, bool IsWrong) {
  Rewritten Done;
  for (const Neighbours &Of : findNeighbours(F, MayChange, FAM)) {
    if (!Done.Count++)
      Done.At = Of.place().getDebugLoc();
    TwoWays(Of, IsWrong).make();
  }
  return Done;
}
