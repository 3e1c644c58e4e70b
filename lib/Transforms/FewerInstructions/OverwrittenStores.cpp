// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   sums[me] += in[i];  sums[me] += in[i + 256];  ...
//   =>
//   t = sums[me] + in[i];  t += in[i + 256];  ...  sums[me] = t;
//
// LLVM computes the sums in a register, and keeps each store: `in` is generic
// for it, so its loads may be of shared memory. What a kernel is passed points
// to global memory only. No other thread may look at the element before a
// barrier, and code goes no further than that here. A product is stored as it
// is rounded, and could be fused with its sum if it were not.

#include "FewerInstructions.h"
#include "sluice/Analysis/AccessAnalysis.h"
#include "sluice/Analysis/InlinePTX.h"
#include "sluice/Analysis/SharedMemory.h"
#include "sluice/Transforms/LoopRounding.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Support/NVPTXAddrSpace.h"

using namespace llvm;
using namespace sluice;

namespace {

/// Backwards through a block: what a later store writes that nothing reads
/// before.
class WrittenLater {
public:
  explicit WrittenLater(const DataLayout &DL, bool IsWrong)
      : DL(DL), IsWrong(IsWrong) {}
  /// Is \p I a store of nothing else?
  bool overwrites(const Instruction &I);

private:
  struct Write {
    const GlobalVariable *Variable;
    uint64_t Bytes;
  };
  bool isWritten(const StoreInst &Store);
  void forgetReadBy(const LoadInst &Load);

  const DataLayout &DL;
  const bool IsWrong;
  MapVector<const Value *, Write> Writes; ///< By the pointer.
};

} // namespace

/// May two shared variables have elements in common? All that a launch gives
/// their size begin at one place.
static bool mayOverlap(const GlobalVariable &A, const GlobalVariable &B) {
  return &A == &B || (A.isDeclaration() && B.isDeclaration());
}

bool WrittenLater::isWritten(const StoreInst &Store) {
  const GlobalVariable *Variable = sharedVariable(Store.getPointerOperand());
  if (!Variable)
    return false;
  const TypeSize Bytes =
      DL.getTypeStoreSize(Store.getValueOperand()->getType());
  auto [At, IsNew] =
      Writes.try_emplace(Store.getPointerOperand(), Write{Variable, Bytes});
  if (!IsNew && At->second.Bytes >= Bytes)
    return true;
  At->second.Bytes = Bytes;
  return false;
}

void WrittenLater::forgetReadBy(const LoadInst &Load) {
  const Value *Pointer = Load.getPointerOperand();
  const unsigned Space = Load.getPointerAddressSpace();
  if (isKnownGlobal(Pointer) || Space == NVPTXAS::ADDRESS_SPACE_CONST ||
      Space == NVPTXAS::ADDRESS_SPACE_LOCAL || IsWrong)
    return;
  const GlobalVariable *Variable = sharedVariable(Pointer);
  Writes.remove_if([&](const auto &Entry) {
    return !Variable || mayOverlap(*Entry.second.Variable, *Variable);
  });
}

bool WrittenLater::overwrites(const Instruction &I) {
  if (const auto *Store = dyn_cast<StoreInst>(&I); Store && Store->isSimple())
    return isWritten(*Store);
  if (const auto *Load = dyn_cast<LoadInst>(&I); Load && Load->isSimple()) {
    forgetReadBy(*Load);
    return false;
  }
  const auto *Call = dyn_cast<CallBase>(&I);
  const auto *Intrinsic = dyn_cast<IntrinsicInst>(&I);
  if ((Call && isArithmeticPTX(*Call)) ||
      (Intrinsic && Intrinsic->isAssumeLikeIntrinsic()))
    return false;
  // Barriers and shuffles too, and what may end the thread.
  if (I.mayReadOrWriteMemory() || I.mayHaveSideEffects() ||
      (Call && Call->isConvergent()))
    Writes.clear();
  return false;
}

Rewritten sluice::dropOverwrittenStores(Function &F, ChangeTest MayChange,
                                        bool IsWrong) {
  Rewritten Done;
  for (BasicBlock &BB : F) {
    WrittenLater Later(F.getDataLayout(), IsWrong);
    for (Instruction &I : make_early_inc_range(reverse(BB)))
      if (Later.overwrites(I) && !mayBeProduct(I.getOperand(0)) &&
          MayChange(I)) {
        Done.At = I.getDebugLoc();
        ++Done.Count;
        I.eraseFromParent();
      }
  }
  return Done;
}
