// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Down the dominator tree: a block has the equalities of the block above it,
// and that of the edge if it is entered by one alone.

#include "LaneGuards.h"
#include "llvm/ADT/DepthFirstIterator.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"

using namespace sluice;
using namespace llvm;
using namespace llvm::PatternMatch;

/// What is kept for a block, the outer ones. Few loops stand under more.
constexpr unsigned MaxGuards = 4;

/// Adds to \p Found the comparisons that make \p Condition \p Holds, and are
/// equalities then, of what differs between threads.
template <typename EqualitiesT>
static void findEqualities(Value *Condition, bool Holds,
                           const ThreadUniformity &Threads,
                           EqualitiesT &Found) {
  SmallVector<Value *, 4> Work = {Condition};
  // A condition is not a chain of thousands that all hold.
  for (unsigned Seen = 0; !Work.empty() && Seen < 16; ++Seen) {
    Value *V = Work.pop_back_val(), *A, *B;
    if (Holds ? match(V, m_LogicalAnd(m_Value(A), m_Value(B)))
              : match(V, m_LogicalOr(m_Value(A), m_Value(B)))) {
      Work.append({A, B});
      continue;
    }
    auto *Compare = dyn_cast<ICmpInst>(V);
    if (Compare && Found.size() < MaxGuards && !Threads.isUniform(Compare) &&
        Compare->getOperand(0)->getType()->isIntegerTy() &&
        Compare->getPredicate() ==
            (Holds ? CmpInst::ICMP_EQ : CmpInst::ICMP_NE))
      Found.push_back(Compare);
  }
}

LaneGuards::OfBlocks LaneGuards::dominating(Function &F,
                                            const ThreadUniformity &Threads) {
  DominatorTree DT(F);
  OfBlocks Found;
  for (const DomTreeNode *Node : depth_first(DT.getRootNode())) {
    if (!Node->getIDom())
      continue;
    const BasicBlock *Block = Node->getBlock();
    const BasicBlock *Above = Node->getIDom()->getBlock();
    Equalities OfBlock = Found.lookup(Above);
    const auto *Branch = dyn_cast<BranchInst>(Above->getTerminator());
    if (Branch && Branch->isConditional() &&
        Block->getSinglePredecessor() == Above &&
        Branch->getSuccessor(0) != Branch->getSuccessor(1))
      findEqualities(Branch->getCondition(), Branch->getSuccessor(0) == Block,
                     Threads, OfBlock);
    if (!OfBlock.empty())
      Found[Block] = std::move(OfBlock);
  }
  return Found;
}

/// Can it be told for which threads \p Form is 0?
static bool isOfThreads(const AddressForm &Form) {
  return Form.any([](Variable V) { return V.Kind == Variable::Tid; }) &&
         !Form.any([](Variable V) {
           return V.Kind == Variable::Varying || V.Kind == Variable::Loaded;
         });
}

LaneGuards::LaneGuards(Function &F, const LoopInfo &LI,
                       const ThreadUniformity &Threads, Forms Build) {
  const OfBlocks Found = dominating(F, Threads);
  for (const BasicBlock &Block : F) { // in an order that is always the same
    if (!LI.getLoopFor(&Block))
      continue;
    for (ICmpInst *Compare : Found.lookup(&Block)) {
      const Loop *Scope = LI.getLoopFor(Compare->getParent());
      AddressForm Difference = Build(Compare->getOperand(0), Scope) -
                               Build(Compare->getOperand(1), Scope);
      if (isOfThreads(Difference))
        Guards[&Block].push_back(std::move(Difference));
    }
  }
}

ArrayRef<AddressForm> LaneGuards::of(const BasicBlock *Block) const {
  auto Found = Guards.find(Block);
  if (Found == Guards.end())
    return {};
  return Found->second;
}
