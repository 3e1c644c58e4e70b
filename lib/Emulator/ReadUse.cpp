// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Forward along the uses. A read matters for certain if a use that counts
// post-dominates it, or if no way to the function's end misses all such uses.

#include "ReadUse.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/PointerIntPair.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace sluice::emulator;
using namespace llvm;

static constexpr StringLiteral StructCopy = "sluice.struct.copy";
/// The module's name of the access group of the software L1's loads of lines.
static constexpr StringLiteral LineLoad = "sluice.line";
/// And that of loads before the condition of what needs them (GuardedStores).
static constexpr StringLiteral LoadInVain = "sluice.vain";

void sluice::emulator::markStructCopy(Instruction &Load) {
  Load.setMetadata(StructCopy, MDNode::get(Load.getContext(), {}));
}

/// Is \p Load of the access group that the module calls \p Name?
static bool isOfGroup(const Instruction &Load, StringRef Name) {
  const MDNode *Group = Load.getMetadata(LLVMContext::MD_access_group);
  if (!Group || !isa<LoadInst>(Load))
    return false;
  const NamedMDNode *Named = Load.getModule()->getNamedMetadata(Name);
  return Named && is_contained(Named->operands(), Group);
}

bool sluice::emulator::fetchesLine(const Instruction &Load) {
  return isOfGroup(Load, LineLoad);
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

/// The next iteration may be none.
static bool isNextIteration(const PHINode &Phi, const BasicBlock *Edge,
                            const LoopInfo &Loops) {
  const Loop *L = Loops.getLoopFor(Phi.getParent());
  return L && L->getHeader() == Phi.getParent() && L->contains(Edge);
}

/// Of a use that runs whenever its block does, and is no phi's.
static Flow flowInto(const Use &U) {
  auto *I = cast<Instruction>(U.getUser());
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

static Flow flowInto(const Use &U, const BasicBlock &From,
                     const PostDominatorTree &PDT, const LoopInfo &Loops) {
  auto *I = cast<Instruction>(U.getUser());
  if (auto *Phi = dyn_cast<PHINode>(I)) {
    // Taken for certain only if all ways from the load lead along its edge.
    const BasicBlock *Edge = Phi->getIncomingBlock(U);
    return !isNextIteration(*Phi, Edge, Loops) && PDT.dominates(Edge, &From) &&
                   PDT.dominates(Phi->getParent(), &From)
               ? Flow::Moves
               : Flow::Ends;
  }
  return PDT.dominates(I->getParent(), &From) ? flowInto(U) : Flow::Ends;
}

namespace {

/// Does a value count on each way from where it is, though on no two in the
/// same block? A loop that has two versions adds to it in both.
class CountsOnAllWays {
public:
  explicit CountsOnAllWays(const LoopInfo &Loops) : Loops(Loops) {}
  /// \p From: where \p V is known. \p IsLoaded: as it was loaded.
  bool operator()(const Instruction &V, const BasicBlock &From, bool IsLoaded);

private:
  using Edge = std::pair<const BasicBlock *, const BasicBlock *>;

  const LoopInfo &Loops;
  SmallPtrSet<const PHINode *, 8> Seen;
};

} // namespace

/// Can a thread return that has been in \p From, but in none of \p Blocks, and
/// not gone along one of \p Edges?
template <class Blocks, class Edges>
static bool endsWithout(const BasicBlock &From, const Blocks &Counting,
                        const Edges &Taken) {
  SmallVector<const BasicBlock *, 16> Work = {&From};
  SmallPtrSet<const BasicBlock *, 16> Reached;
  while (!Work.empty()) {
    const BasicBlock *Block = Work.pop_back_val();
    if (Counting.contains(Block) || !Reached.insert(Block).second)
      continue;
    if (isa<ReturnInst>(Block->getTerminator()))
      return true;
    for (const BasicBlock *Next : successors(Block))
      if (!Taken.contains({Block, Next}))
        Work.push_back(Next);
  }
  return false;
}

bool CountsOnAllWays::operator()(const Instruction &V, const BasicBlock &From,
                                 bool IsLoaded) {
  SmallPtrSet<const BasicBlock *, 8> Counting;
  DenseSet<Edge> Taken;
  SmallVector<std::pair<const Instruction *, bool>, 16> Work = {{&V, IsLoaded}};
  SmallPtrSet<const Instruction *, 16> Done;
  while (!Work.empty()) {
    auto [At, IsCopy] = Work.pop_back_val();
    for (const Use &U : At->uses()) {
      auto *User = cast<Instruction>(U.getUser());
      if (auto *Phi = dyn_cast<PHINode>(User)) {
        const BasicBlock *Incoming = Phi->getIncomingBlock(U);
        if (!isNextIteration(*Phi, Incoming, Loops) &&
            Seen.insert(Phi).second && (*this)(*Phi, *Phi->getParent(), IsCopy))
          Taken.insert({Incoming, Phi->getParent()});
        continue;
      }
      Flow Into = flowInto(U);
      if (Into == Flow::Counts || (Into == Flow::Copies && !IsCopy))
        Counting.insert(User->getParent());
      else if ((Into == Flow::Passes || Into == Flow::Moves) &&
               Done.insert(User).second)
        Work.push_back({User, IsCopy && Into == Flow::Moves});
    }
  }
  return !endsWithout(From, Counting, Taken);
}

ReadUse sluice::emulator::useOfRead(const Instruction &Load,
                                    const PostDominatorTree &PDT,
                                    const LoopInfo &Loops) {
  if (fetchesLine(Load) || isOfGroup(Load, LoadInVain))
    return ReadUse::Line;
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
    return CountsOnAllWays(Loops)(Load, *Load.getParent(), /*IsLoaded=*/true)
               ? ReadUse::Certain
               : ReadUse::Perhaps;
  return Load.getMetadata(StructCopy) ? ReadUse::CopiedStruct : ReadUse::Copied;
}
