// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Choices between three values and more, in a loop, as where two sorted lists
// are merged:
//
//   if (a == b) ++i, ++j;        e = a == b;  l = a < b;
//   else if (a < b) ++i;     =>  i = e ? i + 1 : l ? i + 1 : i;
//   else ++j;                    j = e ? j + 1 : l ? j : j + 1;
//
// LLVM makes selections of two ways that meet, and the assembler predicates
// some; of three it makes branches. The lanes of a warp go different ways most
// often, and then the warp goes all of them, one after the other, and waits for
// its lanes at the end. This pass computes what stands on the ways in all
// lanes, where it is little.
//
// One way may do more, as where what the lists share is loaded (`sum += w[a]`).
// It stays a block, which the assembler predicates if it is short, and the
// others become one way past it.
//
// What is computed in vain has no effect: it accesses no memory, and what it
// gives is not chosen. But instructions come into one block here that were in
// several, and LLVM's code generator fuses products with sums of their block.
// So nothing changes where a sum could meet a product in this way.

#include "FewerInstructions.h"
#include "sluice/Analysis/ThreadUniformity.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace sluice;

/// Of 32 bits, on all ways together. What a branch costs: it, what notes where
/// lanes meet again, and the waiting there.
static constexpr unsigned MostWork = 8;
/// Two are LLVM's.
static constexpr unsigned FewestWays = 3;
static constexpr unsigned MostWays = 4;
/// Instructions of a way that stays a block.
static constexpr unsigned MostOfLonger = 16;

namespace {

/// Ways from one block to another that do nothing but compute.
struct Choice {
  BasicBlock *From = nullptr, *To = nullptr;
  SmallVector<BasicBlock *, 6> Between; ///< In an order of execution.
  BasicBlock *Longer = nullptr;         ///< The way that stays a block.
  unsigned Ways = 0, Work = 0;
};

} // namespace

/// Registers that \p I gives, or none: it may not be computed in vain, or is
/// not cheap.
static std::optional<unsigned> workOf(const Instruction &I) {
  if (I.isDebugOrPseudoInst())
    return 0;
  switch (I.getOpcode()) {
  case Instruction::Add:
  case Instruction::Sub:
  case Instruction::And:
  case Instruction::Or:
  case Instruction::Xor:
  case Instruction::Shl:
  case Instruction::LShr:
  case Instruction::AShr:
  case Instruction::ICmp:
  case Instruction::FCmp:
  case Instruction::Select:
  case Instruction::ZExt:
  case Instruction::SExt:
  case Instruction::Trunc:
  case Instruction::FAdd:
  case Instruction::FSub:
    break;
  default:
    return std::nullopt;
  }
  const Type *T = I.getOperand(0)->getType();
  if (T->isFloatTy())
    return 1;
  if (!T->isIntegerTy() || T->getIntegerBitWidth() > 64 ||
      !isSafeToSpeculativelyExecute(&I))
    return std::nullopt;
  return T->getIntegerBitWidth() > 32 ? 2 : 1;
}

/// Adds \p BB and what follows it up to where all ways meet.
static bool follow(BasicBlock *BB, Choice &C) {
  if (BB->getSinglePredecessor() == nullptr) {
    if (C.To && C.To != BB)
      return false;
    C.To = BB;
    return ++C.Ways <= MostWays;
  }
  auto *Branch = dyn_cast<BranchInst>(BB->getTerminator());
  if (!Branch || isa<PHINode>(BB->front()))
    return false;
  C.Between.push_back(BB);
  for (const Instruction &I : *BB) {
    if (&I == Branch)
      break;
    const auto Work = workOf(I);
    if (!Work || (C.Work += *Work) > MostWork)
      return false;
  }
  return all_of(successors(BB),
                [&](BasicBlock *Next) { return follow(Next, C); });
}

static bool isProduct(const Value *V) {
  Value *Negated;
  if (match(V, m_FNeg(m_Value(Negated))))
    V = Negated;
  const auto *I = dyn_cast<Instruction>(V);
  return I && I->getOpcode() == Instruction::FMul;
}

/// May a sum of \p BB meet a product once the block is joined with others?
static bool mayMeetProduct(const BasicBlock &BB) {
  return any_of(BB, [&](const Instruction &I) {
    return (I.getOpcode() == Instruction::FAdd ||
            I.getOpcode() == Instruction::FSub) &&
           any_of(I.operands(), [&](const Use &U) {
             return isProduct(U) && (cast<Instruction>(U)->getParent() != &BB ||
                                     isa<UnaryOperator>(U));
           });
  });
}

/// The choice from \p From; if \p Longer, its successor, stays a block.
static std::optional<Choice> choiceFrom(BasicBlock &From, const Loop &L,
                                        BasicBlock *Longer) {
  Choice C;
  C.From = &From;
  C.Longer = Longer;
  if (Longer) {
    C.To = Longer->getSingleSuccessor();
    C.Ways = 1;
    if (!C.To || !Longer->getSinglePredecessor() ||
        isa<PHINode>(Longer->front()) ||
        Longer->sizeWithoutDebug() > MostOfLonger ||
        all_of(*Longer, [](const Instruction &I) {
          return I.isTerminator() || isSafeToSpeculativelyExecute(&I);
        }))
      return std::nullopt;
  }
  for (BasicBlock *Next : successors(&From))
    if (Next != Longer && !follow(Next, C))
      return std::nullopt;
  // Lanes that go straight on would compute what they skip now.
  if (is_contained(successors(&From), C.To))
    return std::nullopt;
  if (C.Ways < FewestWays || !C.To || C.To == &From || !L.contains(C.To) ||
      C.To == L.getHeader() || !isa<PHINode>(C.To->front()) ||
      !C.To->hasNPredecessors(C.Ways))
    return std::nullopt;
  // All that may be one block then, with what follows it.
  if (any_of(C.Between, [](BasicBlock *BB) { return mayMeetProduct(*BB); }))
    return std::nullopt;
  for (BasicBlock *BB = C.To; BB;) {
    if (mayMeetProduct(*BB))
      return std::nullopt;
    BasicBlock *Next = BB->getSingleSuccessor();
    BB = Next && Next->getSinglePredecessor() ? Next : nullptr;
  }
  return C;
}

static std::optional<Choice> choiceFrom(BasicBlock &From, const LoopInfo &LI) {
  auto *Branch = dyn_cast<BranchInst>(From.getTerminator());
  const Loop *L = LI.getLoopFor(&From);
  if (!Branch || !Branch->isConditional() || !L || !L->isInnermost() ||
      Branch->getSuccessor(0) == Branch->getSuccessor(1))
    return std::nullopt;
  for (BasicBlock *Longer : {(BasicBlock *)nullptr, Branch->getSuccessor(0),
                             Branch->getSuccessor(1)})
    if (auto C = choiceFrom(From, *L, Longer))
      return C;
  return std::nullopt;
}

/// What \p Phi is for the ways that lead from \p Here: a selection.
static Value *valueBehind(BasicBlock *Here, PHINode &Phi, IRBuilder<> &IR,
                          bool IsWrong) {
  auto Along = [&](BasicBlock *Next) {
    return Next == Phi.getParent() ? Phi.getIncomingValueForBlock(Here)
                                   : valueBehind(Next, Phi, IR, IsWrong);
  };
  auto *Branch = cast<BranchInst>(Here->getTerminator());
  if (!Branch->isConditional())
    return Along(Branch->getSuccessor(0));
  Value *True = Along(Branch->getSuccessor(0));
  Value *False = Along(Branch->getSuccessor(1));
  if (IsWrong)
    std::swap(True, False);
  return True == False ? True
                       : IR.CreateSelect(Branch->getCondition(), True, False);
}

static void rewrite(const Choice &C, bool IsWrong) {
  auto *Branch = cast<BranchInst>(C.From->getTerminator());
  IRBuilder<> IR(Branch);
  for (BasicBlock *BB : C.Between)
    for (Instruction &I : make_early_inc_range(*BB))
      if (!I.isTerminator())
        I.moveBefore(Branch->getIterator());
  BasicBlock *Start = C.From;
  if (C.Longer)
    Start = Branch->getSuccessor(Branch->getSuccessor(0) == C.Longer);
  for (PHINode &Phi : make_early_inc_range(C.To->phis())) {
    Value *Chosen = valueBehind(Start, Phi, IR, IsWrong);
    if (!C.Longer) {
      Phi.replaceAllUsesWith(Chosen);
      Phi.eraseFromParent();
      continue;
    }
    Phi.removeIncomingValueIf(
        [&](unsigned At) { return Phi.getIncomingBlock(At) != C.Longer; },
        /*DeletePHIIfEmpty=*/false);
    Phi.addIncoming(Chosen, C.From);
  }
  if (C.Longer) {
    Branch->setSuccessor(Branch->getSuccessor(0) == C.Longer, C.To);
    // Of other ways.
    Branch->setMetadata(LLVMContext::MD_prof, nullptr);
  } else {
    IR.CreateBr(C.To);
    Branch->eraseFromParent();
  }
  for (BasicBlock *BB : C.Between)
    BB->dropAllReferences();
  for (BasicBlock *BB : C.Between)
    BB->eraseFromParent();
}

Rewritten sluice::chooseWithoutBranches(Function &F, ChangeTest MayChange,
                                        bool IsWrong) {
  Rewritten Done;
  const DominatorTree DT(F);
  const LoopInfo LI(DT);
  SmallVector<Choice, 4> Found;
  for (BasicBlock &BB : F)
    if (auto C = choiceFrom(BB, LI); C && MayChange(*BB.getTerminator()))
      Found.push_back(std::move(*C));
  if (Found.empty())
    return Done;
  const ThreadUniformity Threads(F);
  erase_if(Found, [&](const Choice &C) {
    return Threads.isUniform(
        cast<BranchInst>(C.From->getTerminator())->getCondition());
  });
  // Of one that is between another's ways nothing is left.
  SmallPtrSet<BasicBlock *, 8> Gone;
  for (const Choice &C : Found)
    Gone.insert(C.Between.begin(), C.Between.end());
  for (const Choice &C : Found) {
    if (Gone.contains(C.From))
      continue;
    if (!Done.Count++)
      Done.At = C.From->getTerminator()->getDebugLoc();
    rewrite(C, IsWrong);
  }
  return Done;
}
