// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A thread's own array that is only copied, as a whole or by parts:
//
//   float next[4];
//   if (more) *(float4 *)next = *(const float4 *)&a[i];
//   ...
//   if (more) *(float4 *)&tile[t] = *(float4 *)next;
//
// LLVM keeps an array in registers where its elements are read or written. It
// does not take copies of more than 8 bytes apart, as a type of the array
// itself is no value. So the array stays in local memory; the assembler finds
// some of them again. Copied word by word it is in registers, and what is
// copied is read and written at once where the other side is aligned for it.

#include "../CopyParts.h"
#include "FewerInstructions.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Scalar/SROA.h"

using namespace llvm;
using namespace sluice;

/// Of an array, and of what one piece of a copy has.
static constexpr uint64_t MostBytes = 128, WordBytes = 4;

using Copies = SmallSetVector<MemTransferInst *, 4>;

/// All that is done with \p Array, if that is copies of words to and from
/// places of it that are known.
static bool isOnlyCopied(AllocaInst &Array, Copies &Found) {
  const DataLayout &Layout = Array.getDataLayout();
  SmallVector<std::pair<Value *, uint64_t>, 4> Work = {{&Array, 0}};
  while (!Work.empty()) {
    const auto [Pointer, Offset] = Work.pop_back_val();
    for (User *U : Pointer->users()) {
      if (auto *Place = dyn_cast<GetElementPtrInst>(U)) {
        APInt Step(Layout.getIndexTypeSizeInBits(Place->getType()), 0);
        if (!Place->accumulateConstantOffset(Layout, Step) || Step.isNegative())
          return false;
        Work.push_back({Place, Offset + Step.getZExtValue()});
        continue;
      }
      auto *I = cast<Instruction>(U);
      if (I->isLifetimeStartOrEnd() || I->isDroppable())
        continue;
      auto *Copy = dyn_cast<MemTransferInst>(I);
      auto *Length = Copy ? dyn_cast<ConstantInt>(Copy->getLength()) : nullptr;
      if (!Length || Copy->isVolatile() || Offset % WordBytes != 0 ||
          Length->getZExtValue() % WordBytes != 0 ||
          Length->getZExtValue() > MostBytes)
        return false;
      Found.insert(Copy);
    }
  }
  return !Found.empty();
}

/// A word after the other, all read before the first is written.
static void copyWords(MemTransferInst &Copy, bool IsWrong) {
  const uint64_t Bytes = cast<ConstantInt>(Copy.getLength())->getZExtValue();
  const CopyParts Parts = evenParts(Bytes, WordBytes, Copy.getContext());
  IRBuilder<> B(&Copy);
  auto Words = readParts(B, Copy.getRawSource(),
                         Copy.getSourceAlign().valueOrOne(), Parts);
  if (IsWrong)
    Words.back() = Words.front();
  writeParts(B, Copy.getRawDest(), Copy.getDestAlign().valueOrOne(), Parts,
             Words);
  Copy.eraseFromParent();
}

Rewritten sluice::keepCopiedArrays(Function &F, ChangeTest MayChange,
                                   FunctionAnalysisManager &FAM, bool IsWrong) {
  Rewritten Done;
  Copies All;
  for (Instruction &I : F.getEntryBlock()) {
    auto *Array = dyn_cast<AllocaInst>(&I);
    const auto Size =
        Array ? Array->getAllocationSize(F.getDataLayout()) : std::nullopt;
    Copies Found;
    if (!Size || !Array->isStaticAlloca() || Size->isScalable() ||
        Size->getFixedValue() > MostBytes || !isOnlyCopied(*Array, Found) ||
        !all_of(Found, [&](Instruction *Copy) { return MayChange(*Copy); }))
      continue;
    if (!Done.Count++)
      Done.At = Found.front()->getDebugLoc();
    All.insert_range(Found);
  }
  for (MemTransferInst *Copy : All)
    copyWords(*Copy, IsWrong);
  if (Done.Count) {
    SROAPass(SROAOptions::PreserveCFG).run(F, FAM);
    FAM.invalidate(F, PreservedAnalyses::none());
  }
  return Done;
}
