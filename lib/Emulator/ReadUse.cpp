// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ReadUse.h"
#include "llvm/ADT/PointerIntPair.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace sluice::emulator;
using namespace llvm;

static constexpr StringLiteral StructCopy = "sluice.struct.copy";

void sluice::emulator::markStructCopy(Instruction &Load) {
  Load.setMetadata(StructCopy, MDNode::get(Load.getContext(), {}));
}

namespace {

enum class Flow {
  Ends,   ///< The value may be dropped here.
  Counts, ///< It matters.
  Copies, ///< It is stored.
  Passes, ///< The user's value depends on it.
  Moves,  ///< The user's value is it, or holds it.
};

} // namespace

static Flow flowInto(const Use &U, const BasicBlock &From,
                     const PostDominatorTree &PDT, const LoopInfo &Loops) {
  auto *I = cast<Instruction>(U.getUser());
  if (auto *Phi = dyn_cast<PHINode>(I)) {
    // Taken for certain only if all ways from the load lead along its edge. The
    // next iteration may be none.
    const BasicBlock *Edge = Phi->getIncomingBlock(U);
    const Loop *L = Loops.getLoopFor(Phi->getParent());
    bool NextIteration =
        L && L->getHeader() == Phi->getParent() && L->contains(Edge);
    return !NextIteration && PDT.dominates(Edge, &From) &&
                   PDT.dominates(Phi->getParent(), &From)
               ? Flow::Moves
               : Flow::Ends;
  }
  if (!PDT.dominates(I->getParent(), &From))
    return Flow::Ends;
  if (auto *Store = dyn_cast<StoreInst>(I))
    return Store->getValueOperand() == U.get() ? Flow::Copies : Flow::Counts;
  if (isa<LoadInst, AtomicRMWInst, AtomicCmpXchgInst>(I) || I->isTerminator())
    return isa<ReturnInst>(I) ? Flow::Ends : Flow::Counts;
  if (isa<SelectInst>(I))
    return U.getOperandNo() == 0 ? Flow::Passes : Flow::Ends;
  if (I->getOpcode() == Instruction::And || I->getOpcode() == Instruction::Or)
    return isa<Constant>(I->getOperand(1 - U.getOperandNo())) ? Flow::Passes
                                                              : Flow::Ends;
  if (isa<ExtractElementInst, InsertElementInst, ExtractValueInst,
          InsertValueInst, ShuffleVectorInst, BitCastInst, FreezeInst>(I))
    return Flow::Moves;
  if (auto *Call = dyn_cast<CallBase>(I)) {
    auto *Intrinsic = dyn_cast<IntrinsicInst>(Call);
    return Intrinsic && Intrinsic->doesNotAccessMemory() &&
                   !Intrinsic->isConvergent()
               ? Flow::Passes
               : Flow::Ends;
  }
  return Flow::Passes;
}

ReadUse sluice::emulator::useOfRead(const Instruction &Load,
                                    const PostDominatorTree &PDT,
                                    const LoopInfo &Loops) {
  // With 1: the value as it was loaded; with 0: something made of it.
  using Item = PointerIntPair<const Instruction *, 1, bool>;
  SmallVector<Item, 16> Work = {Item(&Load, true)};
  SmallPtrSet<void *, 16> Seen;
  bool IsCopied = false;
  while (!Work.empty()) {
    Item At = Work.pop_back_val();
    if (!Seen.insert(At.getOpaqueValue()).second)
      continue;
    for (const Use &U : At.getPointer()->uses()) {
      auto *User = cast<Instruction>(U.getUser());
      switch (flowInto(U, *Load.getParent(), PDT, Loops)) {
      case Flow::Ends:
        break;
      case Flow::Counts:
        return ReadUse::Certain;
      case Flow::Copies:
        if (!At.getInt())
          return ReadUse::Certain;
        IsCopied = true;
        break;
      case Flow::Passes:
        Work.push_back(Item(User, false));
        break;
      case Flow::Moves:
        Work.push_back(Item(User, At.getInt()));
        break;
      }
    }
  }
  if (!IsCopied)
    return ReadUse::Perhaps;
  return Load.getMetadata(StructCopy) ? ReadUse::CopiedStruct : ReadUse::Copied;
}
