// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A loop whose threads keep lines, as the paper slices it (3.2):
//
//   loop            -->  count in a copy of the loop, up to 300 accesses;
//                        if (lines would be hit, and the thread has lines)
//                          go on in the loop, with lines; flush at each exit
//                        else
//                          go on in another copy, which is as it was
//
// A thread goes over at the header of the loop, or of one in it, that has most
// of the accesses. So that any copy can take over from any other, all values
// that are used in other blocks go to local variables first, which all copies
// share; then they become registers again.
//
// Where lanes must stay together (barriers, shuffles), nothing is counted, and
// the copy is chosen by the number of the thread in its block: whole warps have
// lines, or have none.

#include "LineCacher.h"
#include "SharedArrays.h"
#include "sluice/Transforms/ContractMultiplyAdd.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"

using namespace llvm;
using namespace sluice;

LineCacher::LineCacher(Function &F, const LineLoop &Lines,
                       const LineBuffer &Buffer,
                       std::optional<unsigned> MostThreads, unsigned Counted,
                       WrongRewrite Wrong, const LoopInfo &LI)
    : F(F), Lines(Lines), Buffer(Buffer),
      HasAll(MostThreads.value_or(1024) <= Buffer.Threads), Counted(Counted),
      Wrong(Wrong), Preheader(Lines.L->getLoopPreheader()),
      Header(Lines.L->getHeader()), Busiest(busiestHeader(LI)),
      Blocks(Lines.L->block_begin(), Lines.L->block_end()) {
  Lines.L->getUniqueExitBlocks(Exits);
}

BasicBlock *LineCacher::busiestHeader(const LoopInfo &LI) const {
  MapVector<BasicBlock *, unsigned> Accesses;
  for (const LinePoint &P : Lines.Points)
    if (P.Kind == LinePoint::Access)
      ++Accesses[LI.getLoopFor(P.I->getParent())->getHeader()];
  return max_element(
             Accesses,
             [](const auto &A, const auto &B) { return A.second < B.second; })
      ->first;
}

/// All that is used in other blocks than its own to local variables.
void LineCacher::demote(Instruction *At) {
  SmallVector<PHINode *, 16> Phis;
  for (BasicBlock *BB : concat<BasicBlock *>(Blocks, Exits))
    for (PHINode &P : BB->phis())
      Phis.push_back(&P);
  auto Add = [&](AllocaInst *A) {
    if (A)
      Demoted.push_back(A);
  };
  for (PHINode *P : Phis)
    Add(DemotePHIToStack(P, At->getIterator()));
  SmallVector<Instruction *, 32> Used;
  for (BasicBlock *BB : Blocks)
    for (Instruction &I : *BB)
      if (I.isUsedOutsideOfBlock(BB))
        Used.push_back(&I);
  for (Instruction *I : Used)
    Add(DemoteRegToStack(*I, /*VolatileLoads=*/false, At->getIterator()));
}

void LineCacher::clone(Copy &To, StringRef Suffix) {
  for (BasicBlock *BB : Blocks) {
    BasicBlock *New = CloneBasicBlock(BB, To.Map, Suffix, &F);
    New->moveBefore(Header);
    To.Map[BB] = New;
    To.Blocks.push_back(New);
  }
  remapInstructionsInBlocks(To.Blocks, To.Map);
}

/// Null: each thread does.
Value *LineCacher::hasLines(IRBuilder<> &B) {
  return HasAll ? nullptr : B.CreateICmpULT(Thread, B.getInt32(Buffer.Threads));
}

/// Word 0 of the thread's first line.
Value *LineCacher::place(IRBuilder<> &B) {
  return B.CreateGEP(B.getInt32Ty(), Buffer.Bytes,
                     B.CreateZExt(Thread, B.getInt64Ty()));
}

/// Rewrites the loop itself.
void LineCacher::keepLines(LineKeeper &Keeper) {
  for (BasicBlock *Exit : Exits) {
    BasicBlock *Flush =
        BasicBlock::Create(F.getContext(), "sluice.flush", &F, Exit);
    for (BasicBlock *BB : Blocks)
      BB->getTerminator()->replaceSuccessorWith(Exit, Flush);
    Instruction *End = BranchInst::Create(Exit, Flush);
    if (Wrong != WrongRewrite::LostLine)
      Keeper.flush(End);
  }
  for (const LinePoint &P : Lines.Points)
    Keeper.rewrite(P);
}

/// Long bodies are not to become longer.
static void keepRolled(ArrayRef<BasicBlock *> Blocks) {
  for (BasicBlock *BB : Blocks) {
    Instruction *Branch = BB->getTerminator();
    MDNode *Old = Branch->getMetadata(LLVMContext::MD_loop);
    if (!Old)
      continue;
    LLVMContext &Context = BB->getContext();
    MDNode *Not = MDNode::get(
        Context, {MDString::get(Context, "llvm.loop.unroll.disable")});
    Branch->setMetadata(LLVMContext::MD_loop,
                        makePostTransformationMetadata(
                            Context, Old, {"llvm.loop.unroll."}, {Not}));
  }
}

void LineCacher::runUnmonitored() {
  Instruction *End = Preheader->getTerminator();
  IRBuilder<> B(End);
  SmallVector<KeptLine, MostStructures> Kept;
  Value *First = place(B);
  for (unsigned S = 0; S < Lines.Structures.size(); ++S)
    Kept.push_back({B.CreateGEP(
        B.getInt8Ty(), First,
        B.getInt64(uint64_t(S) * ThreadLineBytes * Buffer.Threads))});
  LineKeeper Keeper(Lines, Buffer.Threads, Kept, Wrong, Allocas);
  append_range(Demoted, Keeper.state());
  Keeper.begin(End);
  keepRolled(Blocks);
  if (Value *Has = hasLines(B)) {
    Copy Plain;
    clone(Plain, ".unlined");
    ReplaceInstWithInst(End, BranchInst::Create(Header, Plain.of(Header), Has));
  }
  keepLines(Keeper);
}

void LineCacher::runMonitored() {
  Copy Plain, Counting;
  clone(Plain, ".unlined");
  keepRolled(Blocks);
  clone(Counting, ".counting");
  LineMonitor Monitor(Lines, Counted, Allocas);
  append_range(Demoted, Monitor.state());
  for (const LinePoint &P : Lines.Points)
    if (P.Kind == LinePoint::Access)
      Monitor.count(cast<Instruction>(Counting.Map.lookup(P.I)), P.Structure);

  Instruction *End = Preheader->getTerminator();
  IRBuilder<> B(End);
  Monitor.begin(End, hasLines(B));
  ReplaceInstWithInst(End, BranchInst::Create(Counting.of(Header)));

  BasicBlock *At = Counting.of(Busiest);
  BasicBlock *GoOn = SplitBlock(At, At->getFirstInsertionPt());
  BasicBlock *Choice =
      BasicBlock::Create(F.getContext(), "sluice.choice", &F, GoOn);
  B.SetInsertPoint(At->getTerminator());
  ReplaceInstWithInst(At->getTerminator(),
                      BranchInst::Create(Choice, GoOn, Monitor.isOver(B)));
  B.SetInsertPoint(Choice);
  SmallVector<KeptLine, MostStructures> Kept =
      Monitor.choose(B, place(B), Buffer.LinesPerThread, Buffer.Threads);
  Value *Any = B.getFalse();
  for (const KeptLine &K : Kept)
    Any = B.CreateOr(Any, K.IsKept);
  LineKeeper Keeper(Lines, Buffer.Threads, Kept, Wrong, Allocas);
  append_range(Demoted, Keeper.state());
  Keeper.begin(B.CreateCondBr(Any, Busiest, Plain.of(Busiest)));
  keepLines(Keeper);
}

void LineCacher::run() {
  // Accesses become several blocks, and what is in different ones is not fused
  // later.
  for (BasicBlock *BB : Blocks)
    contractMultiplyAdd(*BB, ContractionMode::Flagged);
  Allocas = &*F.getEntryBlock().getFirstNonPHIOrDbgOrAlloca();
  if (Allocas->getParent() == Preheader &&
      Allocas == Preheader->getTerminator()) {
    // New code goes before it, and so between the variables.
    Preheader = SplitBlock(Preheader, Allocas);
    Allocas = F.getEntryBlock().getTerminator();
  }
  demote(Allocas);
  IRBuilder<> B(Preheader->getTerminator());
  Thread = linearThread(B);
  if (Counted)
    runMonitored();
  else
    runUnmonitored();
  removeUnreachableBlocks(F);
  DominatorTree DT(F);
  PromoteMemToReg(Demoted, DT);
}
