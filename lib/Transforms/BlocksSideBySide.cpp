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
// with what does. Where indices say that the blocks part, and nothing has been
// written, each begins anew by itself. Whether they part later is asked in the
// beginning. Where what is loaded decides, each goes on by itself, one after
// the other (SharedWay.cpp):
//
//   if (flags[i])                         f = flags[i];
//     g(i);                               h = flags[k];
//                                         if (f)
//                                           g(i);
//                                         if (h)
//                                           g(k);

#include "BlocksSideBySide.h"
#include "BlockWork.h"
#include "sluice/Transforms/LoopRounding.h"
#include "llvm/ADT/DepthFirstIterator.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/ReplaceConstant.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/ValueMapper.h"
#include <utility>

using namespace llvm;
using namespace sluice;

namespace {

class SideBySide {
public:
  SideBySide(BasicBlock &Begin, Instruction &First, Value &Blocks,
             unsigned Together, const Instruction *Parting, bool IsWrong)
      : F(*Begin.getParent()), Begin(Begin), First(First), Blocks(Blocks),
        Parting(Parting), Shared(reachedTogether(Begin, Parting)),
        Apart(reachedApart(Parting)), Depends(F, Apart, &First),
        Behind(blocksBehindWrites(F)), Maps(Together), IsWrong(IsWrong),
        WorkTogether(worksTogether(F)), Arrays(sharedArraysOf(F)) {}
  void run();

private:
  void copyBlocks();
  void copyBlock(BasicBlock &From, BasicBlock &To);
  void copy(Instruction &I, size_t At, BasicBlock &To);
  void copyAll(Instruction &I, BasicBlock &To);
  void copyEnd(Instruction &I, BasicBlock &To);
  void keepLoads(BasicBlock &From, BasicBlock &To);
  BasicBlock *goOn(size_t At, BasicBlock &From);
  void keepEdges(PHINode &Phi, BasicBlock &From) const;
  void hideProducts(ValueToValueMapTy &Copies, size_t At);
  void fillPhis(BasicBlock &From);
  bool isAskedEarly(const Instruction &End) const;
  Value *early(Value &V, ValueToValueMapTy &Map, IRBuilder<> &B);
  Value *agreeEarly(IRBuilder<> &B);
  void loopAround();
  void placeShared(IRBuilder<> &B);

  Function &F;
  BasicBlock &Begin;
  Instruction &First;
  Value &Blocks;
  const Instruction *const Parting;
  const BasicBlockSet Shared, Apart;
  const BlockDependence Depends;
  const BasicBlockSet Behind;
  /// Of each block, what is in place of what.
  std::vector<ValueToValueMapTy> Maps;
  const bool IsWrong;
  const bool WorkTogether;
  const SmallVector<GlobalVariable *, 4> Arrays; ///< In shared memory.
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

/// Keeps \p Load, which otherwise may go to where it is used, behind where the
/// blocks part: they would be loaded one after the other. No code is made of
/// it.
static void keepBefore(IRBuilder<> &B, Value &Load) {
  Value *V = &Load;
  if (V->getType()->isHalfTy() || V->getType()->isBFloatTy())
    V = B.CreateBitCast(V, B.getInt16Ty());
  if (V->getType()->isIntegerTy(8))
    V = B.CreateZExt(V, B.getInt16Ty());
  Type *Ty = V->getType();
  const char *Kind = Ty->isIntegerTy(16)                        ? "h"
                     : Ty->isIntegerTy(32)                      ? "r"
                     : Ty->isIntegerTy(64) || Ty->isPointerTy() ? "l"
                     : Ty->isFloatTy()                          ? "f"
                     : Ty->isDoubleTy()                         ? "d"
                                                                : nullptr;
  if (!Kind)
    return;
  CallInst *Use = B.CreateCall(
      InlineAsm::get(FunctionType::get(B.getVoidTy(), {Ty}, /*isVarArg=*/false),
                     "", Kind, /*hasSideEffects=*/true),
      {V});
  Use->setOnlyAccessesInaccessibleMemory();
  Use->setDoesNotThrow();
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

/// One block's stores stay together, so that LLVM may make words of them, and
/// in their order: also those that are the same for all.
void SideBySide::copyBlock(BasicBlock &From, BasicBlock &To) {
  SmallVector<Instruction *, 8> Stores;
  auto Write = [&] {
    for (size_t At = 0; At < Maps.size(); ++At)
      for (Instruction *Store : Stores)
        copy(*Store, At, To);
    Stores.clear();
  };
  for (Instruction &I : From) {
    if (isa<StoreInst>(I)) {
      Stores.push_back(&I);
      continue;
    }
    if (I.isTerminator() && Parting)
      keepLoads(From, To);
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

void SideBySide::keepLoads(BasicBlock &From, BasicBlock &To) {
  IRBuilder<> B(&To);
  for (Instruction &I : From)
    for (size_t At = 0; At < Maps.size() && isa<LoadInst>(I); ++At)
      if (At == 0 || Depends.varies(&I))
        keepBefore(B, *Maps[At][&I]);
}

void SideBySide::copyEnd(Instruction &I, BasicBlock &To) {
  if (&I == Parting) {
    BasicBlock *From = &To;
    for (size_t At = 0; At < Maps.size(); ++At)
      From = goOn(At, *From);
    ReturnInst::Create(F.getContext(), From);
    return;
  }
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

/// The products that are the same in all blocks, of those of \p Copies.
void SideBySide::hideProducts(ValueToValueMapTy &Copies, size_t At) {
  for (const BasicBlock *BB : Apart)
    for (const Instruction &I : *BB)
      if (Depends.isOwnProduct(&I)) {
        auto *Product = cast<Instruction>(&*Copies[&I]);
        IRBuilder<> B(Product);
        Product->setOperand(0, hide(B, *Product->getOperand(0), At));
      }
}

/// Of \p Phi behind the parting, the edges that are there: from \p From, in
/// place of the parting, and from behind it.
void SideBySide::keepEdges(PHINode &Phi, BasicBlock &From) const {
  for (unsigned Edge = Phi.getNumIncomingValues(); Edge-- > 0;) {
    const BasicBlock *Old = Phi.getIncomingBlock(Edge);
    if (Old == Parting->getParent())
      Phi.setIncomingBlock(Edge, &From);
    else if (!Apart.contains(Old))
      Phi.removeIncomingValue(Edge, /*DeletePHIIfEmpty=*/false);
  }
}

/// Block number \p At goes on by itself from \p From, with a copy of all that
/// follows where the blocks part. Returns where it is at its end.
BasicBlock *SideBySide::goOn(size_t At, BasicBlock &From) {
  BasicBlock *const End = BasicBlock::Create(F.getContext(), "", &F);
  ValueToValueMapTy Copies;
  SmallVector<Instruction *, 64> New;
  for (BasicBlock *BB : depth_first(&Begin))
    if (Apart.contains(BB)) {
      BasicBlock *Copy = CloneBasicBlock(BB, Copies, "", &F);
      Copies[BB] = Copy;
      append_range(New, make_pointer_range(*Copy));
    }
  New.push_back(Parting->clone());
  New.back()->insertInto(&From, From.end());
  for (Instruction *I : New) {
    if (auto *Phi = dyn_cast<PHINode>(I))
      keepEdges(*Phi, From);
    for (ValueToValueMapTy *Map : {&Copies, &Maps[IsWrong ? 0 : At]})
      RemapInstruction(I, *Map,
                       RF_NoModuleLevelChanges | RF_IgnoreMissingLocals);
    if (isa<ReturnInst>(I))
      ReplaceInstWithInst(I, BranchInst::Create(End));
  }
  hideProducts(Copies, At);
  return End;
}

/// Do all blocks agree on \p End, as was asked where the kernel begins?
bool SideBySide::isAskedEarly(const Instruction &End) const {
  const Value *Condition = conditionOf(End);
  return &End != Parting && Condition && Depends.varies(Condition) &&
         (WorkTogether || Behind.contains(End.getParent()));
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
    if (!Shared.contains(BB) || !isAskedEarly(*BB->getTerminator()))
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
  SmallVector<BasicBlock *, 16> Order;
  for (BasicBlock *BB : ReversePostOrderTraversal<BasicBlock *>(&Begin))
    if (Shared.contains(BB))
      Order.push_back(BB);
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
    for (Instruction &I : *BB) {
      I.replaceUsesOfWith(&First, Block);
      for (GlobalVariable *Array : Arrays)
        I.replaceUsesOfWith(Array, Maps[0][Array]);
    }
    if (isa<ReturnInst>(BB->getTerminator()))
      ReplaceInstWithInst(BB->getTerminator(), BranchInst::Create(Latch));
  }
  B.SetInsertPoint(Anew);
  Value *End = B.CreateBinaryIntrinsic(
      Intrinsic::umin, B.CreateAdd(&First, B.getInt32(unsigned(Maps.size()))),
      &Blocks);
  B.CreateBr(Header);
  B.SetInsertPoint(Latch);
  // What they share is used again.
  if (WorkTogether)
    B.CreateIntrinsic(Intrinsic::nvvm_barrier_cta_sync_all, {B.getInt32(0)});
  Value *Next = B.CreateAdd(Block, B.getInt32(1));
  B.CreateCondBr(B.CreateICmpULT(Next, End), Header, Done);
  Block->addIncoming(&First, Anew);
  Block->addIncoming(Next, Latch);
  ReturnInst::Create(C, Done);
}

/// Each block has its own of all shared arrays, one behind the other, and an
/// equal share of what the launch asked for.
void SideBySide::placeShared(IRBuilder<> &B) {
  for (GlobalVariable *Array : Arrays) {
    if (Array->isDeclaration()) {
      Value *Each =
          B.CreateUDiv(B.CreateIntrinsic(
                           Intrinsic::nvvm_read_ptx_sreg_dynamic_smem_size, {}),
                       B.getInt32(unsigned(Maps.size())));
      for (auto [At, Map] : enumerate(Maps))
        Map[Array] =
            B.CreatePtrAdd(Array, B.CreateMul(Each, B.getInt32(unsigned(At))));
      continue;
    }
    const Align Begin = Array->getAlign().valueOrOne();
    const uint64_t Each = alignTo(
        F.getDataLayout().getTypeAllocSize(Array->getValueType()), Begin);
    Type *Byte = Type::getInt8Ty(F.getContext());
    auto *Ty = ArrayType::get(Byte, Each * Maps.size());
    auto *All = new GlobalVariable(
        *F.getParent(), Ty, /*isConstant=*/false, GlobalValue::InternalLinkage,
        UndefValue::get(Ty), Array->getName() + ".of_blocks", nullptr,
        GlobalValue::NotThreadLocal, Array->getAddressSpace());
    All->setAlignment(Begin);
    for (auto [At, Map] : enumerate(Maps))
      Map[Array] = ConstantExpr::getInBoundsGetElementPtr(
          Byte, All,
          ConstantInt::get(Type::getInt64Ty(F.getContext()), At * Each));
  }
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
  // Nor does LLVM find that two blocks compute the same product, which would
  // then be fused with other sums.
  const bool HasProducts = any_of(instructions(F), isFusedProduct);
  for (auto [At, Map] : enumerate(Maps)) {
    Value *Block = B.CreateAdd(Hidden, B.getInt32(unsigned(At)));
    Map[&First] = HasProducts && At > 0 ? hide(B, *Block, At) : Block;
  }
  Value *Last = B.CreateAdd(&First, B.getInt32(unsigned(Maps.size() - 1)));
  Value *Early = agreeEarly(B);
  Value *Agree = B.CreateAnd(B.CreateICmpULT(Last, &Blocks), Early);
  // All threads of a block go one way.
  if (WorkTogether && !isa<Constant>(Early))
    Agree = B.CreateIntrinsic(Intrinsic::nvvm_barrier_cta_red_and_aligned_all,
                              {B.getInt32(0), Agree});
  placeShared(B);
  copyBlocks();
  B.CreateCondBr(Agree, New.lookup(&Begin), Fewer);
  B.SetInsertPoint(Fewer);
  B.CreateCondBr(B.CreateICmpULT(&First, &Blocks), Anew, Empty);
  ReturnInst::Create(C, Empty);
  loopAround();
}

void sluice::placeSideBySide(BasicBlock &Begin, Instruction &First,
                             Value &Blocks, unsigned Together,
                             const Instruction *Parting, bool IsWrong) {
  Function &F = *Begin.getParent();
  const auto Arrays = sharedArraysOf(F);
  convertUsersOfConstantsToInstructions(
      SmallVector<Constant *, 4>(Arrays.begin(), Arrays.end()), &F);
  SideBySide(Begin, First, Blocks, Together, Parting, IsWrong).run();
}
