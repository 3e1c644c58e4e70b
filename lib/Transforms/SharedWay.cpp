// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How far the threads of several blocks can go side by side as one:
//
//   i = block * 256 + threadIdx.x;
//   if (i < n && flags[i])        // all flags are loaded together
//     ...                         // one block after the other
//
// They go together while they take one way. If only indices decide which, the
// blocks are asked, and begin anew by themselves if they do not agree
// (BlocksSideBySide.cpp). What is loaded often differs: there they part.

#include "BlockWork.h"
#include "BlocksSideBySide.h"
#include "sluice/Target/MergedBlocks.h"
#include "sluice/Transforms/LoopRounding.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include <utility>

using namespace llvm;
using namespace sluice;

static bool isBlockIndex(const Instruction &I) {
  const auto *Read = dyn_cast<IntrinsicInst>(&I);
  return Read &&
         Read->getIntrinsicID() == Intrinsic::nvvm_read_ptx_sreg_ctaid_x;
}

/// Is \p Product the same in all blocks, and fused with a sum that is not, or
/// that is \p Apart?
bool BlockDependence::isEachs(const Instruction &Product,
                              const BasicBlockSet &Apart) const {
  auto IsEachs = [&](const Value *V) {
    const auto *Sum = cast<Instruction>(V);
    return isSum(*Sum) &&
           (Varying.contains(Sum) || Apart.contains(Sum->getParent()));
  };
  return isFusedProduct(Product) && !Varying.contains(&Product) &&
         (any_of(Product.users(), IsEachs) ||
          any_of(distantSumsOf(Product), IsEachs));
}

BlockDependence::BlockDependence(const Function &F, const BasicBlockSet &Apart,
                                 const Instruction *Index) {
  for (bool Changed = true; std::exchange(Changed, false);)
    for (const Instruction &I : instructions(F)) {
      auto In = [&](const SmallPtrSetImpl<const Value *> &Set) {
        return any_of(I.operands(),
                      [&](const Value *V) { return Set.contains(V); });
      };
      // Of one place all blocks have their own.
      const bool IsShared = any_of(I.operands(), isSharedConstant);
      // It counts how often it is done.
      const bool IsCounted =
          I.isVolatile() || (I.isAtomic() && !isa<FenceInst>(I));
      if (isEachs(I, Apart))
        Changed |= Own.insert(&I).second;
      if ((Index ? &I == Index : isBlockIndex(I)) || In(Varying) || IsShared ||
          IsCounted || Own.contains(&I))
        Changed |= Varying.insert(&I).second;
      if (Varying.contains(&I) && (I.mayReadFromMemory() || In(Loaded)))
        Changed |= Loaded.insert(&I).second;
    }
}

/// Is \p I seen by others, if it runs twice?
static bool isSeen(const Instruction &I) {
  const auto *Call = dyn_cast<CallBase>(&I);
  const auto *Asm =
      Call ? dyn_cast<InlineAsm>(Call->getCalledOperand()) : nullptr;
  if (Asm)
    return !Call->onlyReadsMemory() &&
           !StringRef(Asm->getAsmString()).starts_with("ld.global.");
  return I.mayWriteToMemory() && !isa<AssumeInst>(I) &&
         !(isa<IntrinsicInst>(I) &&
           cast<IntrinsicInst>(I).isAssumeLikeIntrinsic());
}

/// Is the memory of \p Structure, of which each thread has its own, only read?
static bool isOnlyRead(const Argument &Structure) {
  SmallVector<const Value *, 8> Work = {&Structure};
  SmallPtrSet<const Value *, 8> Seen;
  while (!Work.empty()) {
    const Value *Pointer = Work.pop_back_val();
    if (!Seen.insert(Pointer).second)
      continue;
    for (const Use &Of : Pointer->uses()) {
      const auto *By = cast<Instruction>(Of.getUser());
      if (isa<GetElementPtrInst, CastInst, PHINode, SelectInst>(By))
        Work.push_back(By);
      else if (const auto *Copy = dyn_cast<MemTransferInst>(By);
               Copy ? &Of != &Copy->getRawSourceUse() : !isa<LoadInst>(By))
        return false;
    }
  }
  return true;
}

const Value *sluice::conditionOf(const Instruction &Terminator) {
  const auto *Branch = dyn_cast<BranchInst>(&Terminator);
  return Branch && Branch->isConditional() ? Branch->getCondition() : nullptr;
}

/// What is reached from \p Work, which is used up, not by \p Parting.
static BasicBlockSet reached(SmallVectorImpl<const BasicBlock *> &&Work,
                             const Instruction *Parting = nullptr) {
  BasicBlockSet Seen;
  while (!Work.empty()) {
    const BasicBlock *BB = Work.pop_back_val();
    if (Seen.insert(BB).second && BB->getTerminator() != Parting)
      append_range(Work, successors(BB));
  }
  return Seen;
}

BasicBlockSet sluice::reachedTogether(const BasicBlock &Begin,
                                      const Instruction *Parting) {
  return reached(SmallVector<const BasicBlock *, 16>{&Begin}, Parting);
}

BasicBlockSet sluice::reachedApart(const Instruction *Parting) {
  SmallVector<const BasicBlock *, 16> Work;
  if (Parting)
    append_range(Work, successors(Parting));
  return reached(std::move(Work));
}

BasicBlockSet sluice::blocksBehindWrites(const Function &F) {
  SmallVector<const BasicBlock *, 16> Work;
  for (const BasicBlock &BB : F)
    if (any_of(BB, isSeen))
      Work.push_back(&BB);
  return reached(std::move(Work));
}

/// Can \p V be computed where the kernel begins? Of integers only: others may
/// be rounded in another way there.
static bool isKnownEarly(const Value &V, unsigned Depth = 0) {
  static constexpr unsigned Deepest = 8;
  const auto *I = dyn_cast<Instruction>(&V);
  if (!I) // each block has its own shared arrays
    return V.getType()->isIntegerTy() && !isSharedConstant(&V);
  if (Depth == Deepest || !I->getType()->isIntegerTy() || isa<PHINode>(I) ||
      I->mayReadOrWriteMemory() || !isSafeToSpeculativelyExecute(I))
    return false;
  const auto *Call = dyn_cast<IntrinsicInst>(I);
  if (isa<CallBase>(I) && !Call)
    return false;
  return Call ? Call->arg_empty() : all_of(I->operands(), [&](const Value *Of) {
    return isKnownEarly(*Of, Depth + 1);
  });
}

/// Can \p V, of \p BB, be computed before that block?
static bool isMovable(const Value *V, const BasicBlock &BB) {
  const auto *I = dyn_cast<Instruction>(V);
  if (!I || I->getParent() != &BB)
    return true;
  return !isa<PHINode>(I) && !I->mayReadOrWriteMemory() &&
         isSafeToSpeculativelyExecute(I) &&
         all_of(I->operands(),
                [&](const Value *Of) { return isMovable(Of, BB); });
}

/// Is \p Product, which a sum and something else use, behind a condition that
/// code generation may take it out of, away from the sum? It does so if little
/// is left there (SpeculativeExecution), which of several blocks is more.
static bool mayBeMovedBeforeSum(const Instruction &Product) {
  const BasicBlock &BB = *Product.getParent();
  const BasicBlock *Before = BB.getSinglePredecessor();
  return isFusedProduct(Product) && !Product.hasOneUse() && Before &&
         conditionOf(*Before->getTerminator()) && isMovable(&Product, BB) &&
         any_of(Product.users(),
                [](const User *Of) { return isSum(*cast<Instruction>(Of)); });
}

bool sluice::isInCycle(const BasicBlock &BB) {
  return any_of(successors(&BB), [&](const BasicBlock *Next) {
    return isPotentiallyReachable(Next, &BB);
  });
}

bool sluice::mayWait(const Instruction &I) {
  const auto *Call = dyn_cast<CallBase>(&I);
  return (I.isAtomic() || I.isVolatile() ||
          (Call && Call->isInlineAsm() && Call->mayHaveSideEffects())) &&
         isInCycle(*I.getParent());
}

bool sluice::mayWait(const Function &F) {
  return any_of(instructions(F),
                [](const Instruction &I) { return mayWait(I); });
}

/// Why blocks that each have \p I cannot be done by one thread, side by side or
/// one after the other.
StringRef SharedWay::whyNotAt(const Instruction &I) const {
  if (isa<AllocaInst>(I))
    return "it has local arrays";
  if (mayWait(I))
    return "it may wait for another block in a loop";
  // In another one, where values are used by several blocks.
  if (isa<FPMathOperator>(I) && (I.hasAllowReassoc() || I.hasAllowReciprocal()))
    return "its results may be computed in any order";
  // Used once it is fused. Else that hangs on how its factors are used, too.
  if (Depends.isOwnProduct(&I) &&
      (!I.hasOneUse() ||
       !(I.getType()->isFloatTy() || I.getType()->isDoubleTy())))
    return "a product of a sum is the same for all blocks";
  if (mayBeMovedBeforeSum(I) && Together.contains(I.getParent()))
    return "whether a product is fused hangs on how long its block is";
  const auto *Call = dyn_cast<CallBase>(&I);
  const auto *Asm =
      Call ? dyn_cast<InlineAsm>(Call->getCalledOperand()) : nullptr;
  if (Asm && StringRef(Asm->getAsmString()).contains(".reg") &&
      !StringRef(Asm->getAsmString()).ltrim().starts_with("{"))
    return "its assembly has names that may be there only once";
  // A product before it would have one sum here, and one behind the parting.
  if (isSum(I) && Together.contains(I.getParent()) &&
      Apart.contains(I.getParent()))
    return "its ways meet again before a sum";
  if (I.isTerminator() && !isa<BranchInst, SwitchInst, ReturnInst>(I))
    return "it ends in another way than by returning";
  return "";
}

/// Why the blocks cannot go on together behind \p End.
StringRef SharedWay::whyNotTogether(const Instruction &End) const {
  if (isa<SwitchInst>(End))
    return "it has a switch";
  const Value *Condition = conditionOf(End);
  if (!Condition || !Depends.varies(Condition))
    return "";
  if (Depends.isLoaded(Condition))
    return "what is loaded decides where blocks go on";
  if (Behind.contains(End.getParent()) && !isKnownEarly(*Condition))
    return "blocks part behind what is written";
  if (WorkTogether && !isKnownEarly(*Condition))
    return "blocks part whose threads work together";
  const Loop *L = LI.getLoopFor(End.getParent());
  if (L && L->isLoopExiting(End.getParent()))
    return "loops go round as often as the block's index says";
  return "";
}

SharedWay::SharedWay(Function &F, const LoopInfo &LI)
    : LI(LI), WorkTogether(worksTogether(F)), Behind(blocksBehindWrites(F)),
      Depends(F) {
  for (const BasicBlock *BB : ReversePostOrderTraversal<const Function *>(&F)) {
    Reason = whyNotTogether(*BB->getTerminator());
    if (!Reason.empty()) {
      Parting = BB->getTerminator();
      break;
    }
  }
  Together = reachedTogether(F.getEntryBlock(), Parting);
  Apart = reachedApart(Parting);
  // In a loop the blocks would meet again.
  if (Parting && (WorkTogether || Apart.contains(Parting->getParent())))
    return;
  Depends = BlockDependence(F, Apart);
  Reason = "";
  if (any_of(F.args(), [](const Argument &A) {
        return A.hasByValAttr() && !isOnlyRead(A);
      }))
    Reason = "it writes to its parameters";
  if (Reason.empty() && WorkTogether)
    Reason = whyNotWaitingAtEnd(F);
  if (Reason.empty() && any_of(sharedArraysOf(F), [](const auto *Array) {
        return Array->isDeclaration() &&
               Array->getAlign().valueOrOne() > SharedAlign;
      }))
    Reason = "its dynamic shared memory is aligned to more than 16 bytes";
  for (const Instruction &I : instructions(F)) {
    if (Reason.empty())
      Reason = whyNotAt(I);
    if (Reason.empty() && I.isTerminator() && &I != Parting &&
        Together.contains(I.getParent()))
      Reason = whyNotTogether(I);
  }
}
