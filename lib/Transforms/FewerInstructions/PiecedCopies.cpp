// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements of a thread's own array that are copied several at once:
//
//   half sum[8][8];
//   ... sum[i][j] = __hfma(a, b, sum[i][j]) ...
//   *(float2 *)&c[at] = *(float2 *)&sum[i][4 * j];
//
// LLVM makes a number of 64 bits of such a copy (InstCombine), and then four
// elements one register of 64 bits when the loops are unrolled (SROA): each
// multiply-add takes its element out of it and puts it back. Copied element by
// element, each is a register, and code generation makes one store of them.

#include "sluice/Transforms/PiecedCopies.h"
#include "../CopyParts.h"
#include "FewerInstructions.h"
#include "sluice/Analysis/LocalArrays.h"
#include "sluice/Transforms/PlanMetadata.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace sluice;

/// Of elements that several of are in a register of 32 bits.
static constexpr uint64_t MostElementBytes = 2, MostCopiedBytes = 8;
/// More would not each have a register.
static constexpr uint64_t MostElements = 128;

namespace {
struct WordCopy {
  LoadInst *From;
  StoreInst *To;
};
} // namespace

/// The store that all of \p Load goes to, if it does nothing else.
static StoreInst *copyOf(LoadInst &Load) {
  if (!Load.isSimple() || !Load.hasOneUse())
    return nullptr;
  auto *To = dyn_cast<StoreInst>(Load.user_back());
  return To && To->isSimple() && To->getValueOperand() == &Load &&
                 To->getParent() == Load.getParent()
             ? To
             : nullptr;
}

/// Of an array the copies of several elements at once, and what an element has:
/// 0 bytes if they are not whole numbers of elements.
static uint64_t findCopies(ArrayRef<Instruction *> Accesses,
                           SmallVectorImpl<WordCopy> &Copies) {
  uint64_t Element = MostElementBytes + 1;
  auto AddCopy = [&](LoadInst *From, StoreInst *To) {
    if (none_of(Copies, [&](const WordCopy &C) { return C.From == From; }))
      Copies.push_back({From, To});
  };
  for (Instruction *I : Accesses) {
    if (isa<MemIntrinsic>(I))
      continue;
    Type *Ty = getLoadStoreType(I);
    if (!Ty->isIntegerTy() || Ty->getIntegerBitWidth() % 8 != 0)
      return 0; // a floating-point number may be fused with another one then
    const uint64_t Bytes = Ty->getIntegerBitWidth() / 8;
    if (Bytes <= MostElementBytes) {
      Element = std::min(Element, Bytes);
      continue;
    }
    auto *Store = dyn_cast<StoreInst>(I);
    auto *From = Store ? dyn_cast<LoadInst>(Store->getValueOperand())
                       : cast<LoadInst>(I);
    StoreInst *To = From ? copyOf(*From) : nullptr;
    if (!To || Bytes > MostCopiedBytes || !isPowerOf2_64(Bytes))
      return 0;
    AddCopy(From, To);
  }
  return Element <= MostElementBytes ? Element : 0;
}

/// All are read where the whole was, before the first is written.
static void copyPieces(const WordCopy &Copy, uint64_t Element, bool IsWrong) {
  const uint64_t Bytes = Copy.From->getType()->getIntegerBitWidth() / 8;
  const CopyParts Parts = evenParts(Bytes, Element, Copy.From->getContext());
  IRBuilder<> B(Copy.From);
  auto Pieces = readParts(B, Copy.From->getPointerOperand(),
                          Copy.From->getAlign(), Parts);
  if (IsWrong)
    Pieces.back() = Pieces.front();
  B.SetInsertPoint(Copy.To);
  writeParts(B, Copy.To->getPointerOperand(), Copy.To->getAlign(), Parts,
             Pieces);
  Copy.To->eraseFromParent();
  Copy.From->eraseFromParent();
}

static bool hasSmallArrays(const Function &F) {
  return any_of(F.getEntryBlock(), [](const Instruction &I) {
    const auto *Array = dyn_cast<AllocaInst>(&I);
    Type *Element = Array ? Array->getAllocatedType() : nullptr;
    while (Element && Element->isArrayTy())
      Element = Element->getArrayElementType();
    return Element && Element != Array->getAllocatedType() &&
           Array->getDataLayout().getTypeAllocSize(Element) <= MostElementBytes;
  });
}

/// Of one array, the first that has some. Returns whether there is one.
static bool splitCopies(Function &F, const AttachedPlan &Attached,
                        FunctionAnalysisManager &FAM) {
  // Where an index is not known the array stays in memory, and a copy is best
  // as one.
  for (const LocalArray &Known :
       findLocalArrays(F, FAM.getResult<LoopAnalysis>(F),
                       FAM.getResult<ScalarEvolutionAnalysis>(F))) {
    SmallVector<WordCopy, 8> Copies;
    const uint64_t Element = findCopies(Known.Accesses, Copies);
    if (Copies.empty() || !Element || Known.Bytes > MostElements * Element ||
        any_of(Copies, [&](const WordCopy &Copy) {
          return isSwitchedOff(*Copy.From, Attached);
        }))
      continue;
    for (const WordCopy &Copy : Copies)
      copyPieces(Copy, Element, Attached.Opts.Wrong == WrongRewrite::OtherCopy);
    return true;
  }
  return false;
}

PreservedAnalyses PiecedCopiesPass::run(Function &F,
                                        FunctionAnalysisManager &FAM) {
  if (!hasSmallArrays(F))
    return PreservedAnalyses::all();
  const auto Attached =
      attachedPlanOrWarning(*F.getParent(), "no copies are split");
  if (!Attached || !Attached->Opts.FewerInstructions ||
      !mayRewrite(F, &*Attached))
    return PreservedAnalyses::all();
  bool IsChanged = false;
  // Copies between two such arrays are accesses of both, so all are looked at
  // again.
  while (splitCopies(F, *Attached, FAM))
    IsChanged = true;
  if (!IsChanged)
    return PreservedAnalyses::all();
  PreservedAnalyses Kept;
  Kept.preserveSet<CFGAnalyses>();
  return Kept;
}
