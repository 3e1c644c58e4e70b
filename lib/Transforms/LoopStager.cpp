// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chunks of rows in shared memory (S-L1, brought to chips with cp.async).
// Before and after, in PTX:
//
//   $loop:                           $chunk:
//     ld.global.b32 %r1, [%rd1];       activemask.b32 %m;
//     ...                              cp.async.cg.shared.global [..], [..],
//     16;
//                                      ... // 8 for each row's 128 bytes
//                                      cp.async.wait_all;
//                                      bar.warp.sync %m;
//                                    $loop:
//                                      ld.shared.b32 %r1, [%r2];
//
// Who copies: at each chunk the lanes that are there, as the active mask says,
// so nothing is assumed of who else runs the loop. A whole warp with whole
// chunks copies row after row, 16 bytes a lane, so that lines are fetched
// whole; else each lane copies its own row. A lane's slot is written only by
// itself or by lanes that have met it at bar.warp.sync.
//
// What is copied: the blocks of 16 bytes that hold a byte which the program
// reads in this chunk, no others. Nothing in the loop may write or order
// memory, so reading early changes nothing.
//
// Where: there are slots for some warps of a block. A group of lanes takes
// those of its warp's number, modulo, by a lock, and gives them back at the
// loop's end. Who holds slots waits for nobody in the loop, so all get them in
// the end.

#include "LoopStager.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/NVPTXAddrSpace.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;
using namespace sluice;

LoopStager::LoopStager(Function &F, LoopStreams &Streams,
                       ArrayRef<unsigned> Numbers, const StagingSlot &Slot,
                       unsigned Warps, WrongRewrite Wrong,
                       FunctionAnalysisManager &FAM)
    : F(F), M(*F.getParent()), Streams(Streams), Numbers(Numbers), Slot(Slot),
      Warps(Warps), Wrong(Wrong), L(*Streams.L),
      LI(FAM.getResult<LoopAnalysis>(F)),
      DT(FAM.getResult<DominatorTreeAnalysis>(F)),
      SE(FAM.getResult<ScalarEvolutionAnalysis>(F)),
      I32(Type::getInt32Ty(F.getContext())),
      I64(Type::getInt64Ty(F.getContext())) {}

static GlobalVariable *sharedArray(Module &M, Type *Ty, const Twine &Name) {
  auto *G = new GlobalVariable(
      M, Ty, /*isConstant=*/false, GlobalValue::InternalLinkage,
      PoisonValue::get(Ty), Name, /*InsertBefore=*/nullptr,
      GlobalValue::NotThreadLocal, NVPTXAS::ADDRESS_SPACE_SHARED);
  return G;
}

void LoopStager::makeBuffers() {
  auto *Bytes = ArrayType::get(Type::getInt8Ty(F.getContext()),
                               uint64_t(Warps) * StagedLanes * Slot.Bytes);
  Own.Slots = sharedArray(M, Bytes, "__sluice_staged." + F.getName());
  Own.Slots->setAlignment(Align(128));
  Own.Locks = sharedArray(M, ArrayType::get(I32, Warps),
                          "__sluice_staging_locks." + F.getName());
  Own.Locks->setAlignment(Align(4));
}

/// The thread's number in its block.
static Value *linearThread(IRBuilder<> &B) {
  auto Read = [&](Intrinsic::ID Id) {
    return B.CreateIntrinsic(Id, ArrayRef<Type *>(), ArrayRef<Value *>());
  };
  Value *X = Read(Intrinsic::nvvm_read_ptx_sreg_tid_x);
  Value *Y = Read(Intrinsic::nvvm_read_ptx_sreg_tid_y);
  Value *Z = Read(Intrinsic::nvvm_read_ptx_sreg_tid_z);
  Value *NX = Read(Intrinsic::nvvm_read_ptx_sreg_ntid_x);
  Value *NY = Read(Intrinsic::nvvm_read_ptx_sreg_ntid_y);
  return B.CreateAdd(B.CreateMul(B.CreateAdd(B.CreateMul(Z, NY), Y), NX), X);
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
  Lane = call(B, Intrinsic::nvvm_read_ptx_sreg_laneid);
  Value *Mine =
      B.CreateURem(B.CreateLShr(linearThread(B), 5), B.getInt32(Warps));
  Lock = B.CreateGEP(I32, Own.Locks, B.CreateZExt(Mine, I64));
  OfWarp = B.CreateGEP(
      B.getInt8Ty(), Own.Slots,
      B.CreateZExt(B.CreateMul(Mine, B.getInt32(StagedLanes * Slot.Bytes)),
                   I64));
  OfLane =
      B.CreateGEP(B.getInt8Ty(), OfWarp,
                  B.CreateZExt(B.CreateMul(Lane, B.getInt32(Slot.Bytes)), I64));
  Value *Group = call(B, Intrinsic::nvvm_activemask);
  Value *First =
      B.CreateIntrinsic(Intrinsic::cttz, {I32}, {Group, B.getTrue()});
  Value *Members = B.CreateIntrinsic(Intrinsic::ctpop, {I32}, {Group});
  // Spin:  if (cmpxchg(lock, 0, members) fails) { nanosleep; goto Spin }
  Instruction *Then = SplitBlockAndInsertIfThen(
      B.CreateICmpEQ(Lane, First), Preheader->getTerminator()->getIterator(),
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

void LoopStager::copy(IRBuilder<> &B, Value *To, Value *Address) {
  Value *Global =
      B.CreateIntToPtr(Address, B.getPtrTy(NVPTXAS::ADDRESS_SPACE_GLOBAL));
  call(B, Intrinsic::nvvm_cp_async_cg_shared_global_16, {To, Global});
}

/// Whole chunks by a whole warp: a row's 16-byte blocks by neighbouring lanes.
void LoopStager::copyTogether(Instruction *At) {
  IRBuilder<> B(At);
  Value *All = B.getInt32(~0U), *Clamp = B.getInt32(StagedLanes - 1);
  for (auto [S, Part] : enumerate(Slot.Parts)) {
    const unsigned Units = Part.CopyBytes / CopyUnit; // of a row
    Value *Low = B.CreateTrunc(From[S], I32);
    Value *High = B.CreateTrunc(B.CreateLShr(From[S], 32), I32);
    for (unsigned K = 0; K < Units; ++K) {
      Value *Unit = B.CreateAdd(Lane, B.getInt32(K * StagedLanes));
      Value *Row = B.CreateUDiv(Unit, B.getInt32(Units));
      Value *Within =
          B.CreateMul(B.CreateSub(Unit, B.CreateMul(Row, B.getInt32(Units))),
                      B.getInt32(CopyUnit));
      auto OfRow = [&](Value *V) {
        return B.CreateZExt(
            call(B, Intrinsic::nvvm_shfl_sync_idx_i32, {All, V, Row, Clamp}),
            I64);
      };
      Value *Address = B.CreateOr(OfRow(Low), B.CreateShl(OfRow(High), 32));
      Address = B.CreateAdd(Address, B.CreateZExt(Within, I64));
      Value *To = B.CreateAdd(B.CreateMul(Row, B.getInt32(Slot.Bytes)),
                              B.CreateAdd(Within, B.getInt32(Part.Offset)));
      copy(B, B.CreateGEP(B.getInt8Ty(), OfWarp, B.CreateZExt(To, I64)),
           Address);
    }
    if (Part.IsAligned || Wrong == WrongRewrite::ShortRow)
      continue;
    // A row that begins in a block of 16 bytes may end in one more.
    Value *End = B.CreateAdd(Misaligned[S], B.getInt32(Part.ReadBytes));
    Instruction *Then = SplitBlockAndInsertIfThen(
        B.CreateICmpUGT(End, B.getInt32(Part.CopyBytes)), At->getIterator(),
        /*Unreachable=*/false);
    B.SetInsertPoint(Then);
    copy(B,
         B.CreateGEP(B.getInt8Ty(), OfLane,
                     B.getInt64(Part.Offset + Part.CopyBytes)),
         B.CreateAdd(From[S], B.getInt64(Part.CopyBytes)));
    B.SetInsertPoint(At);
  }
}

/// Each lane its own row, as far as it is read.
void LoopStager::copyOwn(Instruction *At) {
  for (auto [S, Part] : enumerate(Slot.Parts)) {
    const StreamFacts &Facts = Streams.Facts.Streams[Numbers[S]];
    IRBuilder<> B(At);
    Value *Moves = B.CreateMul(B.CreateSub(Iterations, B.getInt32(1)),
                               B.getInt32(unsigned(Facts.Step)));
    Value *End =
        B.CreateAdd(B.CreateAdd(Wrong == WrongRewrite::ShortRow ? B.getInt32(0)
                                                                : Misaligned[S],
                                Moves),
                    B.getInt32(unsigned(Facts.Span)));
    Value *Units = B.CreateLShr(B.CreateAdd(End, B.getInt32(CopyUnit - 1)),
                                Log2_32(CopyUnit));
    auto [Body, Unit] =
        SplitBlockAndInsertSimpleForLoop(Units, At->getIterator());
    B.SetInsertPoint(Body);
    Value *Offset = B.CreateZExt(B.CreateMul(Unit, B.getInt32(CopyUnit)), I64);
    copy(B,
         B.CreateGEP(B.getInt8Ty(), OfLane,
                     B.CreateAdd(Offset, B.getInt64(Part.Offset))),
         B.CreateAdd(From[S], Offset));
  }
}

/// The chunk's bytes into the slots. Splits the block at \p At.
void LoopStager::fill(Instruction *At) {
  IRBuilder<> B(At);
  Mask = Wrong == WrongRewrite::AbsentLane
             ? B.getInt32(~0U)
             : call(B, Intrinsic::nvvm_activemask);
  // Nobody reads the chunk before any more.
  call(B, Intrinsic::nvvm_bar_warp_sync, {Mask});
  Value *IsWhole = B.CreateICmpEQ(Iterations, B.getInt32(Slot.Iterations));
  Value *AllWhole = call(B, Intrinsic::nvvm_vote_all_sync, {Mask, IsWhole});
  Value *Together =
      B.CreateAnd(AllWhole, B.CreateICmpEQ(Mask, B.getInt32(~0U)));
  Instruction *Then = nullptr, *Else = nullptr;
  SplitBlockAndInsertIfThenElse(Together, At->getIterator(), &Then, &Else);
  copyTogether(Then);
  copyOwn(Else);
  B.SetInsertPoint(At);
  if (Wrong != WrongRewrite::EarlyRead)
    call(B, Intrinsic::nvvm_cp_async_wait_all);
  call(B, Intrinsic::nvvm_bar_warp_sync, {Mask});
}

/// Puts a loop over chunks around the loop.
void LoopStager::chopLoop() {
  BasicBlock *Header = L.getHeader();
  BasicBlock *Chunk = SplitBlock(Preheader, Preheader->getTerminator());
  BasicBlock *Next =
      BasicBlock::Create(F.getContext(), "sluice.next", &F, Exit);
  BasicBlock *Done =
      BasicBlock::Create(F.getContext(), "sluice.done", &F, Exit);

  IRBuilder<> B(&Chunk->front());
  PHINode *Begin = B.CreatePHI(I64, 2, "sluice.begin");
  for (PHINode &P : Header->phis()) {
    B.SetInsertPoint(&*Chunk->getFirstNonPHIIt());
    PHINode *Outer = B.CreatePHI(P.getType(), 2, P.getName() + ".chunk");
    Outer->addIncoming(P.getIncomingValueForBlock(Chunk), Preheader);
    Outer->addIncoming(P.getIncomingValueForBlock(Latch), Next);
    P.setIncomingValueForBlock(Chunk, Outer);
  }
  Begin->addIncoming(B.getInt64(0), Preheader);

  B.SetInsertPoint(Chunk->getTerminator());
  Value *Left = B.CreateSub(Trips, Begin);
  Iterations =
      B.CreateTrunc(B.CreateBinaryIntrinsic(Intrinsic::umin, Left,
                                            B.getInt64(Slot.Iterations)),
                    I32, "sluice.iterations");
  for (auto [S, Part] : enumerate(Slot.Parts)) {
    const int64_t Step = Streams.Facts.Streams[Numbers[S]].Step;
    Value *Address =
        Wrong == WrongRewrite::StaleChunk
            ? Starts[S]
            : B.CreateAdd(Starts[S], B.CreateMul(Begin, B.getInt64(Step)));
    Value *Low = B.CreateTrunc(Address, I32);
    Misaligned.push_back(Part.IsAligned
                             ? B.getInt32(0)
                             : B.CreateAnd(Low, B.getInt32(CopyUnit - 1)));
    From.push_back(
        Part.IsAligned
            ? Address
            : B.CreateAnd(Address, B.getInt64(~uint64_t(CopyUnit - 1))));
  }
  fill(Chunk->getTerminator());
  BasicBlock *Filled = nullptr;
  for (BasicBlock *P : predecessors(Header))
    if (P != Latch)
      Filled = P;

  B.SetInsertPoint(&Header->front());
  PHINode *Count = B.CreatePHI(I32, 2, "sluice.number");
  Number = Count;
  Instruction *Branch = Latch->getTerminator();
  B.SetInsertPoint(Branch);
  Value *Following = B.CreateNUWAdd(Count, B.getInt32(1));
  Count->addIncoming(B.getInt32(0), Filled);
  Count->addIncoming(Following, Latch);
  auto *Again =
      BranchInst::Create(Header, Next, B.CreateICmpULT(Following, Iterations));
  Again->copyMetadata(*Branch);
  ReplaceInstWithInst(Branch, Again);

  B.SetInsertPoint(Next);
  Value *NextBegin = B.CreateAdd(Begin, B.getInt64(Slot.Iterations));
  Begin->addIncoming(NextBegin, Next);
  B.CreateCondBr(B.CreateICmpULT(NextBegin, Trips), Chunk, Done);
  B.SetInsertPoint(Done);
  release(B.CreateBr(Exit));
  for (PHINode &P : Exit->phis())
    P.replaceIncomingBlockWith(Latch, Done);
}

void LoopStager::readFromSlots() {
  for (auto [S, Part] : enumerate(Slot.Parts)) {
    const StreamFacts &Facts = Streams.Facts.Streams[Numbers[S]];
    for (auto [Access, I] :
         zip(Facts.Accesses, Streams.Streams[Numbers[S]].Accesses)) {
      auto *Old = cast<LoadInst>(I);
      IRBuilder<> B(Old);
      Value *Offset = B.CreateAdd(
          B.CreateAdd(B.CreateMul(Number, B.getInt32(unsigned(Facts.Step))),
                      Misaligned[S]),
          B.getInt32(unsigned(Part.Offset + Access.Offset)));
      Value *Pointer =
          B.CreateGEP(B.getInt8Ty(), OfLane, B.CreateZExt(Offset, I64));
      LoadInst *New = B.CreateAlignedLoad(
          Old->getType(), Pointer, std::min(Old->getAlign(), Align(CopyUnit)),
          Old->getName());
      New->setDebugLoc(Old->getDebugLoc());
      Old->replaceAllUsesWith(New);
      Old->eraseFromParent();
    }
  }
}

void LoopStager::run() {
  Exit = L.getUniqueExitBlock();
  Latch = L.getLoopLatch();
  Instruction *At = L.getLoopPreheader()->getTerminator();
  SCEVExpander Expander(SE, "sluice");
  IRBuilder<> B(At);
  Value *Taken =
      Expander.expandCodeFor(Streams.Taken, Streams.Taken->getType(), At);
  for (unsigned S : Numbers) {
    const SCEV *Start = Streams.Streams[S].Start;
    Value *Address = Expander.expandCodeFor(Start, Start->getType(), At);
    B.SetInsertPoint(At);
    if (Address->getType()->isPointerTy()) {
      if (Address->getType()->getPointerAddressSpace() !=
          NVPTXAS::ADDRESS_SPACE_GLOBAL)
        Address = B.CreateAddrSpaceCast(
            Address, B.getPtrTy(NVPTXAS::ADDRESS_SPACE_GLOBAL));
      Address = B.CreatePtrToInt(Address, I64);
    }
    Starts.push_back(Address);
  }
  B.SetInsertPoint(At);
  // 2 to the 64th becomes 0, and is not staged.
  Trips = B.CreateAdd(B.CreateZExtOrTrunc(Taken, I64), B.getInt64(1));
  Value *MayStage = B.CreateICmpUGE(
      Trips, B.getInt64(uint64_t(LeastChunks) * Slot.Iterations));
  for (unsigned S : Numbers)
    for (const SCEVPredicate *NoWrap : Streams.Streams[S].NoWrap) {
      Value *Wraps = Expander.expandCodeForPredicate(NoWrap, At);
      B.SetInsertPoint(At);
      MayStage = B.CreateAnd(MayStage, B.CreateNot(Wraps));
    }
  makeBuffers();
  keepOldLoop(MayStage);
  acquire();
  chopLoop();
  readFromSlots();
  clearLocks();
}
