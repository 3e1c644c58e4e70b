// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A call whose result depends on its operands alone, and that all ways make:
//
//   for (; n > 1; n = odd ? n - 1 : n / 2)      // r = pow(0.5, 23.0);
//     if (odd) a = f(pow(0.5, 23.0), a);   =>   for (...)
//     else     b = f(pow(0.5, 23.0), b);          if (odd) a = f(r, a); ...
//
// Each iteration makes it, but LLVM moves only what stands on all ways out of
// a loop (LICM), and joins only what begins both ways of a branch
// (SimplifyCFG). Its pass for the rest (GVNHoist) is off, and would move
// products too, which then are fused with other sums and round other bits.
//
// In compilers' words the call is very busy, or anticipated, where every way
// from there makes it. There it can be made once. It is never made where it
// was not made before, and never more often.

#include "FewerInstructions.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;
using namespace sluice;

/// Calls with the same result.
using EqualCalls = SmallVector<CallInst *, 4>;

namespace {

/// Where equal calls are made once.
struct Place {
  BasicBlock *Block; ///< At its end.
  unsigned Depth;    ///< How many loops are around it.
  EqualCalls Calls;  ///< What is made there, and those that then need not be.
};

/// The calls of one function.
class BusyCalls {
public:
  explicit BusyCalls(Function &F) : F(F), DT(F), LI(DT) {}

  bool hasLoopsWithTwoEntries() const {
    const ReversePostOrderTraversal<const Function *> Order(&F);
    return containsIrreducibleCFG<const BasicBlock *>(Order, LI);
  }
  std::optional<Place> placeFor(ArrayRef<CallInst *> Equal);

private:
  DenseSet<BasicBlock *> notBusy(ArrayRef<CallInst *> Equal) const;
  void makeRoomBefore(ArrayRef<CallInst *> Equal,
                      DenseSet<BasicBlock *> &NotBusy);
  bool hasOperands(const BasicBlock &Block, const CallInst &Call) const;
  bool isOftener(const BasicBlock &Block, const CallInst &Than) const;

  Function &F;
  DominatorTree DT;
  LoopInfo LI;
};

} // namespace

/// Does the result depend on the operands alone, and is nothing else done?
/// Intrinsics are cheap, or what they are to do is not known here.
static bool isPure(const CallInst &Call) {
  return Call.getCalledFunction() && !isa<IntrinsicInst>(Call) &&
         !Call.getType()->isVoidTy() && Call.doesNotAccessMemory() &&
         Call.doesNotThrow() && Call.willReturn() && !Call.isConvergent() &&
         !Call.hasOperandBundles() && !Call.isMustTailCall();
}

/// \p IsWrong: whatever the operands are.
static bool areEqual(const CallInst &A, const CallInst &B, bool IsWrong) {
  return A.isIdenticalTo(&B) ||
         (IsWrong && A.getCalledFunction() == B.getCalledFunction());
}

/// The blocks from whose beginning some way makes none of \p Equal.
DenseSet<BasicBlock *> BusyCalls::notBusy(ArrayRef<CallInst *> Equal) const {
  DenseSet<const BasicBlock *> Making;
  for (const CallInst *Call : Equal)
    Making.insert(Call->getParent());
  DenseSet<BasicBlock *> Result;
  SmallVector<BasicBlock *, 16> Work;
  for (BasicBlock &Block : F)
    if (succ_empty(&Block) && !isa<UnreachableInst>(Block.getTerminator()))
      Work.push_back(&Block);
  while (!Work.empty()) {
    BasicBlock *Block = Work.pop_back_val();
    if (!Making.contains(Block) && Result.insert(Block).second)
      append_range(Work, predecessors(Block));
  }
  return Result;
}

/// Loops that are all busy have a block of their own before them then.
void BusyCalls::makeRoomBefore(ArrayRef<CallInst *> Equal,
                               DenseSet<BasicBlock *> &NotBusy) {
  for (const CallInst *Call : Equal)
    for (Loop *L = LI.getLoopFor(Call->getParent());
         L && L->isLoopInvariant(Call->getCalledOperand()) &&
         L->hasLoopInvariantOperands(Call);
         L = L->getParentLoop())
      if (!L->getLoopPreheader() && !NotBusy.contains(L->getHeader()))
        InsertPreheaderForLoop(L, &DT, &LI, nullptr, /*PreserveLCSSA=*/false);
}

bool BusyCalls::hasOperands(const BasicBlock &Block,
                            const CallInst &Call) const {
  return all_of(Call.args(), [&](const Use &Operand) {
    const auto *I = dyn_cast<Instruction>(Operand);
    return !I || DT.dominates(I, Block.getTerminator());
  });
}

/// Is \p Block in a loop that \p Than is not in?
bool BusyCalls::isOftener(const BasicBlock &Block, const CallInst &Than) const {
  const Loop *L = LI.getLoopFor(&Block);
  return L && !L->contains(Than.getParent());
}

/// Where one of \p Equal is best made for as many of them as possible: outside
/// of the most loops, then for the most calls, then as late as possible.
std::optional<Place> BusyCalls::placeFor(ArrayRef<CallInst *> Equal) {
  DenseSet<BasicBlock *> NotBusy = notBusy(Equal);
  makeRoomBefore(Equal, NotBusy);
  for (const CallInst *Call : Equal) {
    const unsigned Before = LI.getLoopDepth(Call->getParent());
    std::optional<Place> Best;
    const DomTreeNode *Node = DT.getNode(Call->getParent());
    while (Node && (Node = Node->getIDom())) {
      BasicBlock *Block = Node->getBlock();
      if (!hasOperands(*Block, *Call))
        break;
      if (isOftener(*Block, *Call) ||
          any_of(successors(Block),
                 [&](BasicBlock *Next) { return NotBusy.contains(Next); }))
        continue;
      Place P = {Block, LI.getLoopDepth(Block), {}};
      copy_if(Equal, std::back_inserter(P.Calls), [&](const CallInst *Other) {
        return DT.dominates(Block->getTerminator(), Other) &&
               !isOftener(*Block, *Other);
      });
      if (!Best || std::make_pair(P.Depth, Best->Calls.size()) <
                       std::make_pair(Best->Depth, P.Calls.size()))
        Best = std::move(P);
    }
    if (Best && (Best->Depth < Before || Best->Calls.size() > 1)) {
      std::swap(Best->Calls.front(), *find(Best->Calls, Call));
      return Best;
    }
  }
  return std::nullopt;
}

static void makeOnce(const Place &P) {
  CallInst *Once = P.Calls.front();
  Once->moveBefore(P.Block->getTerminator()->getIterator());
  for (CallInst *Call : drop_begin(P.Calls)) {
    Once->applyMergedLocation(Once->getDebugLoc(), Call->getDebugLoc());
    Call->replaceAllUsesWith(Once);
    Call->eraseFromParent();
  }
}

/// Makes one group of equal calls once, and counts them in \p Done. False:
/// there is none.
static bool makeSomeOnce(Function &F, ChangeTest MayChange, bool IsWrong,
                         Rewritten &Done) {
  SmallVector<EqualCalls, 4> Groups;
  for (Instruction &I : instructions(F)) {
    auto *Call = dyn_cast<CallInst>(&I);
    if (!Call || !isPure(*Call) || !MayChange(*Call))
      continue;
    auto *Same = find_if(Groups, [&](const EqualCalls &Group) {
      return areEqual(*Group.front(), *Call, IsWrong);
    });
    if (Same == Groups.end())
      Groups.push_back({Call});
    else
      Same->push_back(Call);
  }
  if (Groups.empty())
    return false;
  BusyCalls Calls(F);
  if (Calls.hasLoopsWithTwoEntries())
    return false;
  for (const EqualCalls &Group : Groups)
    if (const auto P = Calls.placeFor(Group)) {
      if (!Done.Count)
        Done.At = P->Calls.front()->getDebugLoc();
      Done.Count += P->Calls.size();
      makeOnce(*P);
      return true;
    }
  return false;
}

Rewritten sluice::makeBusyCallsOnce(Function &F, ChangeTest MayChange,
                                    bool IsWrong) {
  Rewritten Done;
  while (makeSomeOnce(F, MayChange, IsWrong, Done)) {
  }
  return Done;
}
