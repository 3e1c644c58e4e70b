// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   i = block * 256 + threadIdx.x;
//   if (i < n)
//     out[i] = f(in[i]);
//
// becomes, for two blocks by one,
//
//   i = first * 256 + threadIdx.x;
//   k = (first + 1) * 256 + threadIdx.x;
//   if (first + 1 < blocks && i < n && k < n) {
//     x = in[i];
//     y = in[k];
//     out[i] = f(x);
//     out[k] = f(y);
//   } else
//     for (block = first; block < min(first + 2, blocks); ++block)
//       as before
//
// CUDA says nothing of the order of blocks, so they may run in step, too. What
// does not depend on the block is there once, but for products that are fused
// with what does. Where the blocks part before anything was written, each
// begins anew by itself. Whether they part later is asked in the beginning.

#include "BlocksSideBySide.h"
#include "sluice/Transforms/LoopRounding.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/ValueMapper.h"
#include <utility>

using namespace llvm;
using namespace sluice;

static bool isBlockIndex(const Instruction &I) {
  const auto *Read = dyn_cast<IntrinsicInst>(&I);
  return Read &&
         Read->getIntrinsicID() == Intrinsic::nvvm_read_ptx_sreg_ctaid_x;
}

/// Is \p Product the same in all blocks, and fused with a sum that is not?
bool BlockDependence::isEachs(const Instruction &Product) const {
  auto IsEachs = [&](const Value *V) {
    return Varying.contains(V) && isSum(*cast<Instruction>(V));
  };
  return isFusedProduct(Product) && !Varying.contains(&Product) &&
         (any_of(Product.users(), IsEachs) ||
          any_of(distantSumsOf(Product), IsEachs));
}

BlockDependence::BlockDependence(const Function &F, const Instruction *Index) {
  for (bool Changed = true; std::exchange(Changed, false);)
    for (const Instruction &I : instructions(F)) {
      auto In = [&](const SmallPtrSetImpl<const Value *> &Set) {
        return any_of(I.operands(),
                      [&](const Value *V) { return Set.contains(V); });
      };
      if (isEachs(I))
        Changed |= Own.insert(&I).second;
      if ((Index ? &I == Index : isBlockIndex(I)) || In(Varying) ||
          Own.contains(&I))
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

static const Value *conditionOf(const Instruction &Terminator) {
  const auto *Branch = dyn_cast<BranchInst>(&Terminator);
  return Branch && Branch->isConditional() ? Branch->getCondition() : nullptr;
}

/// Where something may have been written before.
static SmallPtrSet<const BasicBlock *, 16>
blocksBehindWrites(const Function &F) {
  SmallPtrSet<const BasicBlock *, 16> Behind;
  SmallVector<const BasicBlock *, 16> Work;
  for (const BasicBlock &BB : F)
    if (any_of(BB, isSeen))
      Work.push_back(&BB);
  while (!Work.empty()) {
    const BasicBlock *BB = Work.pop_back_val();
    if (Behind.insert(BB).second)
      append_range(Work, successors(BB));
  }
  return Behind;
}

/// Can \p V be computed where the kernel begins? Of integers only: others may
/// be rounded in another way there.
static bool isKnownEarly(const Value &V, unsigned Depth = 0) {
  static constexpr unsigned Deepest = 8;
  const auto *I = dyn_cast<Instruction>(&V);
  if (!I)
    return V.getType()->isIntegerTy();
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

StringRef sluice::whyNotSideBySide(const Function &F,
                                   const BlockDependence &Depends,
                                   const LoopInfo &LI) {
  const auto Behind = blocksBehindWrites(F);
  if (any_of(F.args(), [](const Argument &A) {
        return A.hasByValAttr() && !isOnlyRead(A);
      }))
    return "it writes to its parameters";
  for (const Instruction &I : instructions(F)) {
    if (isa<AllocaInst>(I))
      return "it has local arrays";
    if (I.isVolatile() || I.isAtomic())
      return "it has atomics or volatile accesses";
    const auto *Call = dyn_cast<CallBase>(&I);
    if (Call && Call->isInlineAsm() && Call->mayHaveSideEffects() &&
        LI.getLoopFor(I.getParent()))
      return "it may wait for another block in a loop";
    // In another one, where values are used by several blocks.
    if (isa<FPMathOperator>(I) &&
        (I.hasAllowReassoc() || I.hasAllowReciprocal()))
      return "its results may be computed in any order";
    if (Depends.isOwnProduct(&I) && !I.getType()->isFloatTy() &&
        !I.getType()->isDoubleTy())
      return "a product of a sum is the same for all blocks";
    if (!I.isTerminator())
      continue;
    const Value *Condition = conditionOf(I);
    if (!Condition) {
      if (!isa<BranchInst, ReturnInst>(I))
        return "it has a switch";
      continue;
    }
    if (!Depends.varies(Condition))
      continue;
    if (Depends.isLoaded(Condition))
      return "what is loaded decides where blocks go on";
    if (Behind.contains(I.getParent()) && !isKnownEarly(*Condition))
      return "blocks part behind what is written";
    const Loop *L = LI.getLoopFor(I.getParent());
    if (L && L->isLoopExiting(I.getParent()))
      return "loops go round as often as the block's index says";
  }
  return "";
}

namespace {

class SideBySide {
public:
  SideBySide(BasicBlock &Begin, Instruction &First, Value &Blocks,
             unsigned Together, bool IsWrong)
      : F(*Begin.getParent()), Begin(Begin), First(First), Blocks(Blocks),
        Depends(F, &First), Behind(blocksBehindWrites(F)), Maps(Together),
        IsWrong(IsWrong) {}
  void run();

private:
  void copyBlocks();
  void copyBlock(BasicBlock &From, BasicBlock &To);
  void copy(Instruction &I, size_t At, BasicBlock &To);
  void copyAll(Instruction &I, BasicBlock &To);
  void copyEnd(Instruction &I, BasicBlock &To);
  void fillPhis(BasicBlock &From);
  bool isAskedEarly(const Instruction &End) const;
  Value *early(Value &V, ValueToValueMapTy &Map, IRBuilder<> &B);
  Value *agreeEarly(IRBuilder<> &B);
  void loopAround();

  Function &F;
  BasicBlock &Begin;
  Instruction &First;
  Value &Blocks;
  const BlockDependence Depends;
  const SmallPtrSet<const BasicBlock *, 16> Behind;
  /// Of each block, what is in place of what.
  std::vector<ValueToValueMapTy> Maps;
  const bool IsWrong;
  DenseMap<const BasicBlock *, BasicBlock *> New;
  /// Where an edge of the first block to the second comes from.
  DenseMap<std::pair<const BasicBlock *, const BasicBlock *>, BasicBlock *>
      Origin;
  BasicBlock *Anew = nullptr; ///< Where each block begins by itself.
};

} // namespace

/// \p V, of which LLVM knows nothing, nor that it is the same for each \p At.
/// (The assembler does.)
static Value *hide(IRBuilder<> &B, Value &V, size_t At) {
  Type *Ty = V.getType();
  const bool IsInt = Ty->isIntegerTy();
  const std::string Text = std::string("mov.") +
                           (IsInt             ? "b32"
                            : Ty->isFloatTy() ? "f32"
                                              : "f64") +
                           " $0, $1; // of block " + std::to_string(At);
  auto *Move =
      InlineAsm::get(FunctionType::get(Ty, {Ty}, /*isVarArg=*/false), Text,
                     IsInt             ? "=r,r"
                     : Ty->isFloatTy() ? "=f,f"
                                       : "=d,d",
                     /*hasSideEffects=*/false);
  CallInst *Hidden = B.CreateCall(Move, {&V});
  Hidden->setDoesNotAccessMemory();
  return Hidden;
}

void SideBySide::copy(Instruction &I, size_t At, BasicBlock &To) {
  auto *Phi = dyn_cast<PHINode>(&I);
  Instruction *Copy =
      Phi ? PHINode::Create(I.getType(), Phi->getNumIncomingValues())
          : I.clone();
  Copy->setName(I.getName());
  Copy->insertInto(&To, To.end());
  const size_t From = IsWrong && isa<LoadInst>(I) ? 0 : At;
  RemapInstruction(Copy, Maps[From],
                   RF_NoModuleLevelChanges | RF_IgnoreMissingLocals);
  if (IRBuilder<> B(Copy); Depends.isOwnProduct(&I))
    Copy->setOperand(0, hide(B, *Copy->getOperand(0), At));
  Maps[At][&I] = Copy;
}

void SideBySide::copyAll(Instruction &I, BasicBlock &To) {
  const bool Varies = Depends.varies(&I);
  for (size_t At = 0; At < Maps.size(); ++At)
    if (At == 0 || Varies)
      copy(I, At, To);
    else
      Maps[At][&I] = &*Maps[0][&I];
}

/// One block's stores stay together, so that LLVM may make words of them.
void SideBySide::copyBlock(BasicBlock &From, BasicBlock &To) {
  SmallVector<Instruction *, 8> Stores;
  auto Write = [&] {
    for (size_t At = 0; At < Maps.size(); ++At)
      for (Instruction *Store : Stores)
        if (At == 0 || Depends.varies(Store))
          copy(*Store, At, To);
    Stores.clear();
  };
  for (Instruction &I : From) {
    if (isa<StoreInst>(I)) {
      Stores.push_back(&I);
      continue;
    }
    // Assembly that loads need not say so.
    const auto *Call = dyn_cast<CallBase>(&I);
    if (I.mayReadOrWriteMemory() || I.isTerminator() ||
        (Call && Call->isInlineAsm()))
      Write();
    if (I.isTerminator())
      copyEnd(I, To);
    else
      copyAll(I, To);
  }
}

void SideBySide::copyEnd(Instruction &I, BasicBlock &To) {
  IRBuilder<> B(&To);
  B.SetCurrentDebugLocation(I.getDebugLoc());
  auto *Branch = dyn_cast<BranchInst>(&I);
  const Value *Condition = conditionOf(I);
  if (!Condition || !Depends.varies(Condition) || isAskedEarly(I) ||
      Branch->getSuccessor(0) == Branch->getSuccessor(1)) {
    Instruction *Copy = I.clone();
    B.Insert(Copy);
    RemapInstruction(Copy, Maps[0],
                     RF_NoModuleLevelChanges | RF_IgnoreMissingLocals);
    for (unsigned At = 0; At < Copy->getNumSuccessors(); ++At) {
      Copy->setSuccessor(At, New.lookup(I.getSuccessor(At)));
      Origin[{I.getParent(), I.getSuccessor(At)}] = &To;
    }
    return;
  }
  SmallVector<Value *, 4> Holds;
  for (ValueToValueMapTy &Map : Maps)
    Holds.push_back(Map[Condition]);
  BasicBlock *Yes = Branch->getSuccessor(0), *No = Branch->getSuccessor(1);
  BasicBlock *Ask = BasicBlock::Create(F.getContext(), "", &F);
  B.CreateCondBr(B.CreateAnd(Holds), New.lookup(Yes), Ask);
  Origin[{I.getParent(), Yes}] = &To;
  IRBuilder<> AtAsk(Ask);
  AtAsk.CreateCondBr(AtAsk.CreateOr(Holds), Anew, New.lookup(No));
  Origin[{I.getParent(), No}] = Ask;
}

/// Do all blocks agree on \p End, as was asked where the kernel begins?
bool SideBySide::isAskedEarly(const Instruction &End) const {
  const Value *Condition = conditionOf(End);
  return Condition && Depends.varies(Condition) &&
         Behind.contains(End.getParent());
}

/// \p V of the block of \p Map, computed by \p B.
Value *SideBySide::early(Value &V, ValueToValueMapTy &Map, IRBuilder<> &B) {
  auto *I = dyn_cast<Instruction>(&V);
  if (!I)
    return &V;
  if (const auto Known = Map.find(I); Known != Map.end())
    return Known->second;
  Instruction *Copy = I->clone();
  for (Use &Operand : Copy->operands())
    if (isa<Instruction>(Operand))
      Operand = early(*Operand, Map, B);
  Map[I] = B.Insert(Copy);
  return Copy;
}

/// Do all blocks go one way behind what is written?
Value *SideBySide::agreeEarly(IRBuilder<> &B) {
  std::vector<ValueToValueMapTy> Early(Maps.size());
  for (auto [Map, Of] : zip(Early, Maps))
    Map[&First] = Of[&First];
  Value *Agree = B.getTrue();
  for (BasicBlock *BB : depth_first(&Begin)) {
    if (!isAskedEarly(*BB->getTerminator()))
      continue;
    Value &Condition = *cast<BranchInst>(BB->getTerminator())->getCondition();
    Value *OfFirst = early(Condition, Early[0], B);
    for (ValueToValueMapTy &Map : drop_begin(Early)) {
      Value *Differ = B.CreateXor(OfFirst, early(Condition, Map, B));
      Agree = B.CreateAnd(Agree, B.CreateNot(B.CreateFreeze(Differ)));
    }
  }
  return Agree;
}

void SideBySide::fillPhis(BasicBlock &From) {
  for (PHINode &P : From.phis())
    for (size_t At = 0; At < Maps.size(); ++At) {
      auto *Copy = cast<PHINode>(Maps[At][&P]);
      if (At > 0 && Copy == Maps[0][&P])
        break;
      for (auto [V, BB] : zip(P.incoming_values(), P.blocks())) {
        BasicBlock *Edge = Origin.lookup({BB, &From});
        if (!Edge) // nothing comes from there
          continue;
        const auto Mapped = Maps[At].find(V);
        Copy->addIncoming(Mapped == Maps[At].end() ? V.get() : &*Mapped->second,
                          Edge);
      }
    }
}

void SideBySide::copyBlocks() {
  ReversePostOrderTraversal<BasicBlock *> Order(&Begin);
  for (BasicBlock *BB : Order)
    New[BB] = BasicBlock::Create(F.getContext(), BB->getName(), &F);
  for (BasicBlock *BB : Order)
    copyBlock(*BB, *New.lookup(BB));
  for (BasicBlock *BB : Order)
    fillPhis(*BB);
}

/// The code as it was, for one block after the other.
void SideBySide::loopAround() {
  LLVMContext &C = F.getContext();
  BasicBlock *Latch = BasicBlock::Create(C, "", &F),
             *Header = BasicBlock::Create(C, "", &F, &Begin),
             *Done = BasicBlock::Create(C, "", &F);
  SmallVector<BasicBlock *, 16> Plain(depth_first(&Begin));
  IRBuilder<> B(Header);
  PHINode *Block = B.CreatePHI(First.getType(), 2);
  B.CreateBr(&Begin);
  for (BasicBlock *BB : Plain) {
    for (Instruction &I : *BB)
      I.replaceUsesOfWith(&First, Block);
    if (isa<ReturnInst>(BB->getTerminator()))
      ReplaceInstWithInst(BB->getTerminator(), BranchInst::Create(Latch));
  }
  B.SetInsertPoint(Anew);
  Value *End = B.CreateBinaryIntrinsic(
      Intrinsic::umin, B.CreateAdd(&First, B.getInt32(unsigned(Maps.size()))),
      &Blocks);
  B.CreateBr(Header);
  B.SetInsertPoint(Latch);
  Value *Next = B.CreateAdd(Block, B.getInt32(1));
  B.CreateCondBr(B.CreateICmpULT(Next, End), Header, Done);
  Block->addIncoming(&First, Anew);
  Block->addIncoming(Next, Latch);
  ReturnInst::Create(C, Done);
}

void SideBySide::run() {
  LLVMContext &C = F.getContext();
  Anew = BasicBlock::Create(C, "", &F);
  BasicBlock *Fewer = BasicBlock::Create(C, "", &F),
             *Empty = BasicBlock::Create(C, "", &F);
  IRBuilder<> B(First.getParent());
  // That it is even, say, is not so of the program's: what is known of it would
  // make values constants, and fuse sums with other products.
  Value *Hidden = hide(B, First, 0);
  for (auto [At, Map] : enumerate(Maps))
    Map[&First] = B.CreateAdd(Hidden, B.getInt32(unsigned(At)));
  Value *Last = B.CreateAdd(&First, B.getInt32(unsigned(Maps.size() - 1)));
  Value *Agree = agreeEarly(B);
  copyBlocks();
  B.CreateCondBr(B.CreateAnd(B.CreateICmpULT(Last, &Blocks), Agree),
                 New.lookup(&Begin), Fewer);
  B.SetInsertPoint(Fewer);
  B.CreateCondBr(B.CreateICmpULT(&First, &Blocks), Anew, Empty);
  ReturnInst::Create(C, Empty);
  loopAround();
}

void sluice::placeSideBySide(BasicBlock &Begin, Instruction &First,
                             Value &Blocks, unsigned Together, bool IsWrong) {
  SideBySide(Begin, First, Blocks, Together, IsWrong).run();
}
