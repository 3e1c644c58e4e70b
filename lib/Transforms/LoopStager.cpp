// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chunks of rows in shared memory (S-L1, brought to chips with cp.async).
// Before and after, in PTX:
//
//   $loop:                         $chunk:
//     ld.global.b32 %r1, [%rd1];     activemask.b32 %m;
//     ...                            cp.async.cg.shared.global [%r3], ...;
//                                    ... // 8 for each row's 128 bytes
//                                    cp.async.wait_all;
//                                    bar.warp.sync %m;
//                                  $loop:
//                                    ld.shared.b32 %r1, [%r2];
//
// Rows that are written go the other way: the loop writes the slot, and behind
// each chunk the lanes write whole lines of one row after the other. Nothing in
// the loop orders memory, and nothing else in it may touch what is kept (by
// proof, or by a test of addresses before it), so reading early and writing
// late change nothing. Who copies what: ChunkCopies.cpp.
//
// Where: there are slots for some warps of a block. A group of lanes takes
// those of its warp's number, modulo, by a lock, and gives them back at the
// loop's end. Who holds slots waits for nobody in the loop, so all get them in
// the end.

#include "LoopStager.h"
#include "RowTests.h"
#include "SharedArrays.h"
#include "sluice/Plan/StagingPlanner.h"
#include "sluice/Transforms/StreamWidening.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/NVPTXAddrSpace.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;
using namespace sluice;

/// Instructions that a copy of the loop may have once it is unrolled: as often
/// as needed, and beyond.
static constexpr unsigned MostUnrolled = 1024, ManyUnrolled = 512;

LoopStager::LoopStager(Function &F, LoopStreams &Streams,
                       const StagingSlot &Slot, unsigned Warps, Buffers &Own,
                       WrongRewrite Wrong, FunctionAnalysisManager &FAM)
    : F(F), M(*F.getParent()), Streams(Streams), Slot(Slot), Warps(Warps),
      Wrong(Wrong), L(*Streams.L), LI(FAM.getResult<LoopAnalysis>(F)),
      DT(FAM.getResult<DominatorTreeAnalysis>(F)),
      SE(FAM.getResult<ScalarEvolutionAnalysis>(F)),
      I32(Type::getInt32Ty(F.getContext())),
      I64(Type::getInt64Ty(F.getContext())), Own(Own),
      Copier(Streams, Slot, Wrong) {}

void LoopStager::makeBuffers() {
  auto *Bytes = ArrayType::get(Type::getInt8Ty(F.getContext()),
                               uint64_t(Warps) * StagedLanes * Slot.Bytes);
  Own.Slots =
      makeSharedArray(M, Bytes, Align(128), "__sluice_staged." + F.getName());
  Own.SlotBytes = Slot.Bytes;
  Own.Locks = makeSharedArray(M, ArrayType::get(I32, Warps), Align(4),
                              "__sluice_staging_locks." + F.getName());
}

/// At the kernel's start, where all threads of the block are.
void LoopStager::clearLocks() {
  Instruction *At = &*F.getEntryBlock().getFirstNonPHIOrDbgOrAlloca();
  IRBuilder<> B(At);
  Value *Thread = linearThread(B);
  Value *HasLock = B.CreateICmpULT(Thread, B.getInt32(Warps));
  Instruction *Then =
      SplitBlockAndInsertIfThen(HasLock, At, /*Unreachable=*/false);
  B.SetInsertPoint(Then);
  B.CreateStore(B.getInt32(0),
                B.CreateGEP(I32, Own.Locks, B.CreateZExt(Thread, I64)));
  B.SetInsertPoint(At);
  call(B, Intrinsic::nvvm_barrier_cta_sync_aligned_all, {B.getInt32(0)});
}

/// Leaves the loop as it was for when not \p MayStage.
void LoopStager::keepOldLoop(Value *MayStage) {
  BasicBlock *Check = L.getLoopPreheader();
  Preheader = SplitEdge(Check, L.getHeader(), &DT, &LI);
  ValueToValueMapTy Clones;
  SmallVector<BasicBlock *, 8> Blocks;
  cloneLoopWithPreheader(Exit, Check, &L, Clones, ".unstaged", &LI, &DT,
                         Blocks);
  remapInstructionsInBlocks(Blocks, Clones);
  for (PHINode &P : Exit->phis()) {
    Value *V = P.getIncomingValueForBlock(Latch);
    if (Value *Clone = Clones.lookup(V))
      V = Clone;
    P.addIncoming(V, cast<BasicBlock>(&*Clones[Latch]));
  }
  auto *OldPreheader = cast<BasicBlock>(&*Clones[Preheader]);
  ReplaceInstWithInst(Check->getTerminator(),
                      BranchInst::Create(Preheader, OldPreheader, MayStage));
}

/// Takes the slots of the warp's number.
void LoopStager::acquire() {
  IRBuilder<> B(Preheader->getTerminator());
  Slots.Lane = call(B, Intrinsic::nvvm_read_ptx_sreg_laneid);
  Value *Mine =
      B.CreateURem(B.CreateLShr(linearThread(B), 5), B.getInt32(Warps));
  Lock = B.CreateGEP(I32, Own.Locks, B.CreateZExt(Mine, I64));
  auto At = [&](Value *Base, Value *Times, unsigned Bytes) {
    return B.CreateGEP(
        B.getInt8Ty(), Base,
        B.CreateZExt(B.CreateMul(Times, B.getInt32(Bytes)), I64));
  };
  Slots.OfWarp = At(Own.Slots, Mine, StagedLanes * Slot.Bytes);
  Slots.OfLane = At(Slots.OfWarp, Slots.Lane, Slot.Bytes);
  Value *Group = call(B, Intrinsic::nvvm_activemask);
  Value *First =
      B.CreateIntrinsic(Intrinsic::cttz, {I32}, {Group, B.getTrue()});
  Value *Members = B.CreateIntrinsic(Intrinsic::ctpop, {I32}, {Group});
  // Spin:  if (cmpxchg(lock, 0, members) fails) { nanosleep; goto Spin }
  Instruction *Then =
      SplitBlockAndInsertIfThen(B.CreateICmpEQ(Slots.Lane, First),
                                Preheader->getTerminator()->getIterator(),
                                /*Unreachable=*/false);
  BasicBlock *Before = Then->getParent();
  BasicBlock *Spin = SplitBlock(Before, Then);
  BasicBlock *Got = SplitBlock(Spin, Spin->getTerminator());
  BasicBlock *Wait = BasicBlock::Create(F.getContext(), "sluice.wait", &F, Got);
  B.SetInsertPoint(Spin->getTerminator());
  Value *Exchanged = B.CreateAtomicCmpXchg(
      Lock, B.getInt32(0), Members, Align(4), AtomicOrdering::Monotonic,
      AtomicOrdering::Monotonic,
      F.getContext().getOrInsertSyncScopeID("block"));
  Value *Success = B.CreateExtractValue(Exchanged, 1);
  ReplaceInstWithInst(Spin->getTerminator(),
                      BranchInst::Create(Got, Wait, Success));
  B.SetInsertPoint(Wait);
  call(B, Intrinsic::nvvm_nanosleep, {B.getInt32(200)});
  B.CreateBr(Spin);
  // SplitBlockAndInsertIfThen left the preheader's end in another block.
  Preheader = Got->getSingleSuccessor();
  B.SetInsertPoint(Preheader->getTerminator());
  call(B, Intrinsic::nvvm_bar_warp_sync, {Group});
  call(B, Intrinsic::nvvm_membar_cta);
}

void LoopStager::release(Instruction *At) {
  IRBuilder<> B(At);
  call(B, Intrinsic::nvvm_membar_cta);
  B.CreateAtomicRMW(AtomicRMWInst::Sub, Lock, B.getInt32(1), Align(4),
                    AtomicOrdering::Monotonic,
                    F.getContext().getOrInsertSyncScopeID("block"));
}

/// What a chunk is that begins with iteration \p Begin, i64; copies it before
/// \p At. \returns its iterations, i64.
Value *LoopStager::beginChunk(Value *Begin, Instruction *At) {
  IRBuilder<> B(At);
  Value *Left = B.CreateSub(Trips, Begin);
  Value *Most = B.getInt64(Slot.Iterations);
  if (Missing) {
    Value *IsFirst = B.CreateICmpEQ(Begin, B.getInt64(0));
    Most = B.CreateSub(Most, B.CreateSelect(IsFirst, Missing, B.getInt64(0)));
  }
  Value *Iterations = B.CreateBinaryIntrinsic(Intrinsic::umin, Left, Most);
  Chunk.Iterations = B.CreateTrunc(Iterations, I32, "sluice.iterations");
  for (auto [P, Start] : zip_equal(Slot.Parts, Starts)) {
    Value *Address = Start;
    if (Wrong != WrongRewrite::StaleChunk)
      Address =
          B.CreateAdd(Start, B.CreateMul(Begin, B.getInt64(factsOf(P).Step)));
    Value *Misaligned = B.getInt32(0);
    if (!P.IsAligned) {
      Misaligned =
          B.CreateAnd(B.CreateTrunc(Address, I32), B.getInt32(CopyUnit - 1));
      Address = B.CreateAnd(Address, B.getInt64(~uint64_t(CopyUnit - 1)));
    }
    Chunk.Misaligned.push_back(Misaligned);
    Chunk.From.push_back(Address);
  }
  Copier.fill(At, Slots, Chunk);
  return Iterations;
}

/// Has the loop end where its chunk does, with \p Next.
void LoopStager::endLoopWithChunk(BasicBlock *Next) {
  BasicBlock *Header = L.getHeader();
  IRBuilder<> B(&Header->front());
  Number = B.CreatePHI(I32, 2, "sluice.number");
  Instruction *Branch = Latch->getTerminator();
  B.SetInsertPoint(Branch);
  Value *Following = B.CreateNUWAdd(Number, B.getInt32(1));
  for (BasicBlock *P : predecessors(Header))
    Number->addIncoming(P == Latch ? Following : B.getInt32(0), P);
  auto *Again = BranchInst::Create(
      Header, Next, B.CreateICmpULT(Following, Chunk.Iterations));
  Again->copyMetadata(*Branch);
  ReplaceInstWithInst(Branch, Again);
}

/// Puts a loop over chunks around the loop: before it OfChunk, from where a
/// chunk begins; behind it Next, then OfChunk again or Done.
void LoopStager::chopLoop() {
  BasicBlock *Header = L.getHeader();
  BasicBlock *OfChunk = SplitBlock(Preheader, Preheader->getTerminator());
  BasicBlock *Next =
      BasicBlock::Create(F.getContext(), "sluice.next", &F, Exit);
  BasicBlock *Done =
      BasicBlock::Create(F.getContext(), "sluice.done", &F, Exit);

  IRBuilder<> B(&OfChunk->front());
  PHINode *Begin = B.CreatePHI(I64, 2, "sluice.begin");
  Begin->addIncoming(B.getInt64(0), Preheader);
  SmallVector<std::pair<PHINode *, Value *>, 4> Carried;
  for (PHINode &P : Header->phis()) {
    B.SetInsertPoint(&*OfChunk->getFirstNonPHIIt());
    PHINode *Outer = B.CreatePHI(P.getType(), 2, P.getName() + ".chunk");
    Outer->addIncoming(P.getIncomingValueForBlock(OfChunk), Preheader);
    Carried.push_back({Outer, P.getIncomingValueForBlock(Latch)});
    P.setIncomingValueForBlock(OfChunk, Outer);
  }
  Value *Iterations = beginChunk(Begin, OfChunk->getTerminator());
  endLoopWithChunk(Next);

  ValueToValueMapTy Copies;
  if (unsigned Unroll = unrollCount())
    addWholeVersion(Next, Unroll, Copies);
  // A value of the loop, behind it.
  auto Behind = [&](Value *V) -> Value * {
    Value *Copy = Copies.lookup(V);
    if (!Copy)
      return V;
    B.SetInsertPoint(Next, Next->begin());
    PHINode *Either = B.CreatePHI(V->getType(), 2);
    Either->addIncoming(V, Latch);
    Either->addIncoming(Copy, cast<BasicBlock>(Copies.lookup(Latch)));
    return Either;
  };
  for (auto &[Outer, Value] : Carried)
    Value = Behind(Value);
  for (PHINode &P : Exit->phis()) {
    P.setIncomingValueForBlock(Latch,
                               Behind(P.getIncomingValueForBlock(Latch)));
    P.replaceIncomingBlockWith(Latch, Done);
  }

  B.SetInsertPoint(Next);
  Value *NextBegin = B.CreateAdd(Begin, Iterations);
  auto *Over = B.CreateCondBr(B.CreateICmpULT(NextBegin, Trips), OfChunk, Done);
  if (Copier.writes())
    Copier.drain(Over, Slots, Chunk);
  Begin->addIncoming(NextBegin, Over->getParent());
  for (auto [Outer, Value] : Carried)
    Outer->addIncoming(Value, Over->getParent());
  B.SetInsertPoint(Done);
  release(B.CreateBr(Exit));

  if (!Copies.empty()) {
    SmallVector<Value *, 4> Aligned(Slot.Parts.size(), B.getInt32(0));
    useSlots(Copies.lookup(Number), Aligned, &Copies);
  }
  useSlots(Number, Chunk.Misaligned, nullptr);
}

/// How often a copy of the loop for whole chunks is to be unrolled; 0: it is
/// not worth its size. One access of 16 bytes then serves several iterations,
/// and other loads of several iterations are under way together.
unsigned LoopStager::unrollCount() const {
  unsigned Instructions = 0;
  for (const BasicBlock *BB : L.blocks())
    Instructions += unsigned(BB->size());
  const unsigned Least = Slot.ServedByUnit;
  if (Least == 1 || Instructions * Least > MostUnrolled ||
      !whyNotRepeated(L).empty())
    return 0;
  const unsigned Most = bit_floor(std::max(1U, ManyUnrolled / Instructions));
  return std::clamp(Most, Least, std::max(Least, Slot.Iterations));
}

/// A copy of the loop for whole chunks in which all rows begin at 16 bytes: its
/// iterations are as many as the slot's, so that it is unrolled and accesses of
/// neighbouring bytes become one.
void LoopStager::addWholeVersion(BasicBlock *Next, unsigned Unroll,
                                 ValueToValueMapTy &Copies) {
  BasicBlock *Filled =
      Number->getIncomingBlock(Number->getIncomingBlock(0) == Latch);
  SmallVector<BasicBlock *, 8> Blocks;
  for (BasicBlock *BB : L.blocks()) {
    BasicBlock *Copy = CloneBasicBlock(BB, Copies, ".whole", &F);
    Copy->moveBefore(Next);
    Copies[BB] = Copy;
    Blocks.push_back(Copy);
  }
  remapInstructionsInBlocks(Blocks, Copies);

  IRBuilder<> B(Filled->getTerminator());
  Value *IsWhole =
      B.CreateICmpEQ(Chunk.Iterations, B.getInt32(Slot.Iterations));
  for (Value *Misaligned : Chunk.Misaligned)
    IsWhole = B.CreateAnd(IsWhole, B.CreateICmpEQ(Misaligned, B.getInt32(0)));
  ReplaceInstWithInst(
      Filled->getTerminator(),
      BranchInst::Create(cast<BasicBlock>(Copies.lookup(L.getHeader())),
                         L.getHeader(), IsWhole));

  Instruction *Again = cast<BasicBlock>(Copies.lookup(Latch))->getTerminator();
  cast<ICmpInst>(cast<BranchInst>(Again)->getCondition())
      ->setOperand(1, B.getInt32(Slot.Iterations));
  MDNode *Old = Again->getMetadata(LLVMContext::MD_loop);
  if (Old && findOptionMDForLoopID(Old, "llvm.loop.unroll.count"))
    return;
  LLVMContext &Context = F.getContext();
  MDNode *Count =
      MDNode::get(Context, {MDString::get(Context, "llvm.loop.unroll.count"),
                            ConstantAsMetadata::get(B.getInt32(Unroll))});
  Again->setMetadata(LLVMContext::MD_loop,
                     makePostTransformationMetadata(Context, Old, {}, {Count}));
}

/// With \p Copies in the copy of the loop.
void LoopStager::useSlots(Value *Number, ArrayRef<Value *> AllMisaligned,
                          ValueToValueMapTy *Copies) {
  for (auto [P, Misaligned] : zip_equal(Slot.Parts, AllMisaligned))
    for (StagingSlot::Part::Member Of : P.Members) {
      const StreamFacts &Facts = Streams.Facts.Streams[Of.Stream];
      for (auto [Access, Original] :
           zip_equal(Facts.Accesses, Streams.Streams[Of.Stream].Accesses)) {
        Instruction *I = Original;
        if (Copies)
          I = cast<Instruction>(Copies->lookup(I));
        IRBuilder<> B(I);
        Value *Moved = B.CreateMul(Number, B.getInt32(unsigned(Facts.Step)), "",
                                   /*HasNUW=*/true, /*HasNSW=*/true);
        Value *Offset = B.CreateNUWAdd(
            B.CreateNUWAdd(Moved, Misaligned),
            B.getInt32(unsigned(P.Offset + Of.Offset + Access.Offset)));
        Value *Pointer =
            B.CreateGEP(B.getInt8Ty(), Slots.OfLane, B.CreateZExt(Offset, I64));
        const Align Known = std::min(getLoadStoreAlignment(I), Align(CopyUnit));
        if (auto *Old = dyn_cast<LoadInst>(I))
          Old->replaceAllUsesWith(B.CreateAlignedLoad(Old->getType(), Pointer,
                                                      Known, Old->getName()));
        else
          B.CreateAlignedStore(cast<StoreInst>(I)->getValueOperand(), Pointer,
                               Known);
        I->eraseFromParent();
      }
    }
}

void LoopStager::run() {
  Exit = L.getUniqueExitBlock();
  Latch = L.getLoopLatch();
  Instruction *At = L.getLoopPreheader()->getTerminator();
  RowTests Tests(Streams, Slot, SE, At);
  Starts.assign(Tests.starts().begin(), Tests.starts().end());
  Trips = Tests.trips();
  Missing = Tests.missing();
  Value *MayStage = Tests.mayStage(Wrong != WrongRewrite::UntestedRow);
  const bool IsFirst = !Own.Slots;
  if (IsFirst)
    makeBuffers();
  keepOldLoop(MayStage);
  acquire();
  chopLoop();
  if (IsFirst)
    clearLocks();
}
