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
#include "sluice/Analysis/AccessAnalysis.h"
#include "sluice/Plan/StagingPlanner.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
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
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;
using namespace sluice;

LoopStager::LoopStager(Function &F, LoopStreams &Streams,
                       const StagingSlot &Slot, unsigned Warps,
                       WrongRewrite Wrong, FunctionAnalysisManager &FAM)
    : F(F), M(*F.getParent()), Streams(Streams), Slot(Slot), Warps(Warps),
      Wrong(Wrong), L(*Streams.L), LI(FAM.getResult<LoopAnalysis>(F)),
      DT(FAM.getResult<DominatorTreeAnalysis>(F)),
      SE(FAM.getResult<ScalarEvolutionAnalysis>(F)),
      I32(Type::getInt32Ty(F.getContext())),
      I64(Type::getInt64Ty(F.getContext())), Copier(Streams, Slot, Wrong) {}

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

/// Puts a loop over chunks around the loop.
void LoopStager::chopLoop() {
  BasicBlock *Header = L.getHeader();
  BasicBlock *OfChunk = SplitBlock(Preheader, Preheader->getTerminator());
  BasicBlock *Next =
      BasicBlock::Create(F.getContext(), "sluice.next", &F, Exit);
  BasicBlock *Done =
      BasicBlock::Create(F.getContext(), "sluice.done", &F, Exit);

  IRBuilder<> B(&OfChunk->front());
  PHINode *Begin = B.CreatePHI(I64, 2, "sluice.begin");
  SmallVector<std::pair<PHINode *, Value *>, 4> Carried;
  for (PHINode &P : Header->phis()) {
    B.SetInsertPoint(&*OfChunk->getFirstNonPHIIt());
    PHINode *Outer = B.CreatePHI(P.getType(), 2, P.getName() + ".chunk");
    Outer->addIncoming(P.getIncomingValueForBlock(OfChunk), Preheader);
    Carried.push_back({Outer, P.getIncomingValueForBlock(Latch)});
    P.setIncomingValueForBlock(OfChunk, Outer);
  }
  Begin->addIncoming(B.getInt64(0), Preheader);

  B.SetInsertPoint(OfChunk->getTerminator());
  Value *Left = B.CreateSub(Trips, Begin);
  Chunk.Iterations =
      B.CreateTrunc(B.CreateBinaryIntrinsic(Intrinsic::umin, Left,
                                            B.getInt64(Slot.Iterations)),
                    I32, "sluice.iterations");
  for (auto [P, Start] : zip_equal(Slot.Parts, Starts)) {
    Value *Address =
        Wrong == WrongRewrite::StaleChunk
            ? Start
            : B.CreateAdd(Start,
                          B.CreateMul(Begin, B.getInt64(factsOf(P).Step)));
    Value *Low = B.CreateTrunc(Address, I32);
    Chunk.Misaligned.push_back(
        P.IsAligned ? B.getInt32(0)
                    : B.CreateAnd(Low, B.getInt32(CopyUnit - 1)));
    Chunk.From.push_back(
        P.IsAligned
            ? Address
            : B.CreateAnd(Address, B.getInt64(~uint64_t(CopyUnit - 1))));
  }
  Copier.fill(OfChunk->getTerminator(), Slots, Chunk);
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
  auto *Again = BranchInst::Create(
      Header, Next, B.CreateICmpULT(Following, Chunk.Iterations));
  Again->copyMetadata(*Branch);
  ReplaceInstWithInst(Branch, Again);

  B.SetInsertPoint(Next);
  Value *NextBegin = B.CreateAdd(Begin, B.getInt64(Slot.Iterations));
  auto *Over = B.CreateCondBr(B.CreateICmpULT(NextBegin, Trips), OfChunk, Done);
  if (Copier.writes())
    Copier.drain(Over, Slots, Chunk);
  Next = Over->getParent();
  Begin->addIncoming(NextBegin, Next);
  for (auto [Outer, Value] : Carried)
    Outer->addIncoming(Value, Next);
  B.SetInsertPoint(Done);
  release(B.CreateBr(Exit));
  for (PHINode &P : Exit->phis())
    P.replaceIncomingBlockWith(Latch, Done);
}

void LoopStager::useSlots() {
  for (auto [P, Misaligned] : zip_equal(Slot.Parts, Chunk.Misaligned))
    for (StagingSlot::Part::Member Of : P.Members) {
      const StreamFacts &Facts = Streams.Facts.Streams[Of.Stream];
      for (auto [Access, I] :
           zip_equal(Facts.Accesses, Streams.Streams[Of.Stream].Accesses)) {
        IRBuilder<> B(I);
        Value *Offset = B.CreateAdd(
            B.CreateAdd(B.CreateMul(Number, B.getInt32(unsigned(Facts.Step))),
                        Misaligned),
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

/// The address \p S, before \p At, as i64.
Value *LoopStager::expand(SCEVExpander &Expander, const SCEV *S,
                          Instruction *At) {
  Value *Address = Expander.expandCodeFor(S, S->getType(), At);
  IRBuilder<> B(At);
  if (!Address->getType()->isPointerTy())
    return Address;
  if (Address->getType()->getPointerAddressSpace() !=
      NVPTXAS::ADDRESS_SPACE_GLOBAL)
    Address = B.CreateAddrSpaceCast(Address,
                                    B.getPtrTy(NVPTXAS::ADDRESS_SPACE_GLOBAL));
  return B.CreatePtrToInt(Address, I64);
}

/// The addresses from where to where (exclusive) the loop touches \p Bytes at
/// \p Begin, which it moves by \p Step.
LoopStager::Range LoopStager::rangeOf(IRBuilder<> &B, Value *Begin,
                                      int64_t Step, uint64_t Bytes) {
  Value *Last = B.CreateAdd(
      Begin, B.CreateMul(B.CreateSub(Trips, B.getInt64(1)), B.getInt64(Step)));
  if (Step < 0)
    std::swap(Begin, Last);
  return {Begin, B.CreateAdd(Last, B.getInt64(Bytes))};
}

LoopStager::Range LoopStager::rangeOf(SCEVExpander &Expander, Instruction *I,
                                      Instruction *At) {
  const SCEV *Address = nullptr;
  int64_t Step = 0, Offset = 0;
  if (auto Place = findAccess(Streams, *I)) {
    const StreamFacts &Facts = Streams.Facts.Streams[Place->first];
    Address = Streams.Streams[Place->first].Start;
    Step = Facts.Step;
    Offset = Facts.Accesses[Place->second].Offset;
  } else {
    Address = SE.getSCEV(getLoadStorePointerOperand(I));
    if (const auto *Moving = dyn_cast<SCEVAddRecExpr>(Address);
        Moving && Moving->getLoop() == &L) {
      Step = cast<SCEVConstant>(Moving->getStepRecurrence(SE))
                 ->getAPInt()
                 .getSExtValue();
      Address = Moving->getStart();
    }
  }
  Value *Begin = expand(Expander, Address, At);
  IRBuilder<> B(At);
  return rangeOf(B, B.CreateAdd(Begin, B.getInt64(Offset)), Step,
                 bytesTouched(*I));
}

/// Tests of rows against what else the loop touches and may be the same;
/// \p Tested gets the streams that they are about.
SmallVector<Value *, 4>
LoopStager::testApart(SCEVExpander &Expander, Instruction *At,
                      SmallSetVector<unsigned, 4> &Tested) {
  auto PartOf = [&](unsigned Stream) {
    const auto Found = find_if(Slot.Parts, [&](const StagingSlot::Part &P) {
      return any_of(P.Members, [&](StagingSlot::Part::Member Of) {
        return Of.Stream == Stream;
      });
    });
    return size_t(Found - Slot.Parts.begin());
  };
  auto RowRange = [&](size_t Number) {
    IRBuilder<> B(At);
    const StreamFacts &Facts = factsOf(Slot.Parts[Number]);
    return rangeOf(B, Starts[Number], Facts.Step, Facts.Span);
  };
  SmallVector<Value *, 4> Tests;
  SmallDenseSet<std::pair<size_t, const void *>> Done;
  auto Test = [&](size_t Row, Instruction *I) {
    size_t Other = Slot.Parts.size();
    if (auto Place = findAccess(Streams, *I)) {
      Other = PartOf(Place->first);
      Tested.insert(Place->first);
    }
    const bool IsRow = Other < Slot.Parts.size();
    const size_t Lower = std::min(Row, Other);
    const void *Upper = I;
    if (IsRow)
      Upper = &Slot.Parts[std::max(Row, Other)];
    if (Other == Row || !Done.insert({Lower, Upper}).second)
      return; // its own, or tested already
    Range First = RowRange(Row),
          Second = IsRow ? RowRange(Other) : rangeOf(Expander, I, At);
    IRBuilder<> B(At);
    Tests.push_back(B.CreateOr(B.CreateICmpULE(First.End, Second.Begin),
                               B.CreateICmpULE(Second.End, First.Begin)));
  };
  for (auto [Row, P] : enumerate(Slot.Parts))
    for (StagingSlot::Part::Member Of : P.Members)
      for (Instruction *I : Streams.Streams[Of.Stream].Conflicts)
        Test(Row, I);
  return Tests;
}

/// What has to be true for the staged loop, computed before \p At.
Value *LoopStager::mayStage(SCEVExpander &Expander, Instruction *At) {
  IRBuilder<> B(At);
  Value *May = B.CreateICmpUGE(
      Trips, B.getInt64(uint64_t(LeastChunks) * Slot.Iterations));
  auto And = [&](Value *Also) {
    B.SetInsertPoint(At);
    May = B.CreateAnd(May, Also);
  };
  SmallSetVector<unsigned, 4> Moving;
  for (const StagingSlot::Part &P : Slot.Parts)
    for (StagingSlot::Part::Member Of : P.Members)
      Moving.insert(Of.Stream);
  if (Wrong != WrongRewrite::UntestedRow)
    for (Value *IsApart : testApart(Expander, At, Moving))
      And(IsApart);
  for (unsigned S : Moving)
    for (const SCEVPredicate *NoWrap : Streams.Streams[S].NoWrap)
      And(B.CreateNot(Expander.expandCodeForPredicate(NoWrap, At)));
  return May;
}

void LoopStager::run() {
  Exit = L.getUniqueExitBlock();
  Latch = L.getLoopLatch();
  Instruction *At = L.getLoopPreheader()->getTerminator();
  SCEVExpander Expander(SE, "sluice");
  Value *Taken =
      Expander.expandCodeFor(Streams.Taken, Streams.Taken->getType(), At);
  for (const StagingSlot::Part &P : Slot.Parts)
    Starts.push_back(expand(Expander, rowOf(P).Start, At));
  IRBuilder<> B(At);
  // 2 to the 64th becomes 0, and is not staged.
  Trips = B.CreateAdd(B.CreateZExtOrTrunc(Taken, I64), B.getInt64(1));
  Value *MayStage = mayStage(Expander, At);
  makeBuffers();
  keepOldLoop(MayStage);
  acquire();
  chopLoop();
  useSlots();
  clearLocks();
}
