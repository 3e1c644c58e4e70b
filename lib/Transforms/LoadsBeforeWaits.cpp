// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads that wait for no other go before those that do:
//
//   node = current[block]           node = current[block]
//   key = keys[node * size + me] => asked = query[block]
//   asked = query[block]            key = keys[node * size + me]
//   if (key > asked) ...            if (key > asked) ...
//
// A thread goes on past a load until something needs what it loads. The
// address of another load does, and what stands behind that is not even asked
// for till then. So two answers of memory come one after the other that could
// come together. The assembler changes the order of loads where it sees a gain,
// and often sees none here.

#include "LoadOrder.h"
#include "ValueRegisters.h"
#include "sluice/Analysis/InlinePTX.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace sluice;

/// What is moved in a stretch holds no more registers till it is used.
static constexpr uint64_t MostRegisters = 8;
/// Loads that one moves past. Where there are many the assembler finds enough
/// to ask for while it waits, and registers are scarce.
static constexpr unsigned MostPassed = 4;
/// What computes an address, in instructions.
static constexpr size_t MostChain = 16;

namespace {

/// The loads of a stretch of a block that nothing divides which no load may
/// pass.
class Stretch {
public:
  Stretch(LoadTest MayMove, bool IsWrong)
      : MayMove(MayMove), IsWrong(IsWrong) {}
  /// Moves \p I up if that is to be. True: it is moved.
  bool visit(Instruction &I);

private:
  void end();
  bool divides(const Instruction &I) const;
  bool moveUp(LoadInst &Load);
  const Instruction *addressOf(LoadInst &Load,
                               SmallVectorImpl<Instruction *> &Chain) const;

  const LoadTest MayMove;
  const bool IsWrong;                         ///< WrongRewrite::PassedAlias
  SmallPtrSet<const Instruction *, 32> Since; ///< All of the stretch.
  /// What others are moved behind: the load that one of the stretch waits for
  /// first, or the last of those that were moved behind it.
  Instruction *Behind = nullptr;
  unsigned Passed = 0; ///< Loads since the one that is waited for.
  uint64_t Registers = 0;
};

} // namespace

bool Stretch::divides(const Instruction &I) const {
  const auto *Intrinsic = dyn_cast<IntrinsicInst>(&I);
  const auto *Call = dyn_cast<CallBase>(&I);
  if ((Intrinsic && Intrinsic->isAssumeLikeIntrinsic()) ||
      (Call && isPureAssembly(*Call)))
    return false;
  if (const auto *Store = dyn_cast<StoreInst>(&I); Store && IsWrong)
    return !Store->isSimple();
  if (const auto *Load = dyn_cast<LoadInst>(&I))
    return !Load->isSimple();
  return I.mayHaveSideEffects() || I.mayReadFromMemory() ||
         !isGuaranteedToTransferExecutionToSuccessor(&I);
}

void Stretch::end() {
  Since.clear();
  Behind = nullptr;
  Passed = 0;
  Registers = 0;
}

/// The last load of the stretch that \p Load's address hangs on, if there is
/// one; else what of the stretch computes it, in order.
const Instruction *
Stretch::addressOf(LoadInst &Load,
                   SmallVectorImpl<Instruction *> &Chain) const {
  SmallPtrSet<const Instruction *, 16> Seen;
  const Instruction *Last = nullptr;
  auto Add = [&](Value *V) {
    auto *I = dyn_cast<Instruction>(V);
    if (!I || !Since.contains(I) || !Seen.insert(I).second)
      return;
    if (!isa<LoadInst>(I))
      Chain.push_back(I);
    else if (!Last || Last->comesBefore(I))
      Last = I;
  };
  Add(Load.getPointerOperand());
  for (size_t Next = 0; Next < Chain.size() && Next < MostChain; ++Next)
    if (!isa<PHINode>(Chain[Next]))
      for (Value *Operand : Chain[Next]->operands())
        Add(Operand);
  llvm::sort(Chain, [](const Instruction *X, const Instruction *Y) {
    return X->comesBefore(Y);
  });
  return Last;
}

bool Stretch::moveUp(LoadInst &Load) {
  SmallVector<Instruction *, 8> Chain;
  const Instruction *Needed = addressOf(Load, Chain);
  if (Chain.size() > MostChain)
    return false;
  if (Needed) {
    if (!Behind && isFar(cast<LoadInst>(Needed)->getPointerOperand()))
      Behind = const_cast<Instruction *>(Needed);
    return false;
  }
  if (!Behind || Passed > MostPassed || !MayMove(Load))
    return false;
  const uint64_t More = registersOf(Load, Load.getDataLayout());
  if (Registers + More > MostRegisters)
    return false;
  erase_if(Chain, [&](const Instruction *I) { return I->comesBefore(Behind); });
  if (any_of(Chain, [](const Instruction *I) { return isa<CallBase>(I); }))
    return false;
  Registers += More;
  Chain.push_back(&Load);
  for (Instruction *I : Chain) {
    I->moveAfter(Behind);
    Behind = I;
  }
  return true;
}

bool Stretch::visit(Instruction &I) {
  if (divides(I)) {
    end();
    return false;
  }
  auto *Load = dyn_cast<LoadInst>(&I);
  const bool IsFar = Load && isFar(Load->getPointerOperand());
  const bool IsMoved = IsFar && moveUp(*Load);
  if (IsFar && Behind && !IsMoved)
    ++Passed;
  Since.insert(&I);
  return IsMoved;
}

LoadInst *sluice::loadBeforeWaits(Function &F, LoadTest MayMove, bool IsWrong,
                                  unsigned &Count) {
  LoadInst *First = nullptr;
  for (BasicBlock &BB : F) {
    Stretch S(MayMove, IsWrong);
    for (Instruction &I : make_early_inc_range(BB))
      if (S.visit(I)) {
        ++Count;
        if (!First)
          First = cast<LoadInst>(&I);
      }
  }
  return First;
}
