// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Who copies: at each chunk the lanes that are there, as the active mask says,
// so nothing is assumed of who else runs the loop. A whole warp with whole
// chunks copies row after row, 16 bytes a lane, so that lines are fetched and
// written whole; else each lane copies its own row. A lane's slot is written
// and read only by itself or by lanes that meet it at bar.warp.sync.
//
// What is copied: the blocks of 16 bytes that hold a byte which the program
// reads in this chunk, and the bytes that it writes, no others.

#include "ChunkCopies.h"
#include "sluice/Plan/StagingPlanner.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/Support/NVPTXAddrSpace.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;
using namespace sluice;

bool ChunkCopier::reads() const {
  return any_of(Slot.Parts, [](const Part &P) { return P.IsRead; });
}

bool ChunkCopier::writes() const {
  return any_of(Slot.Parts, [](const Part &P) { return P.IsWritten; });
}

Value *ChunkCopier::call(IRBuilder<> &B, Intrinsic::ID Id,
                         ArrayRef<Value *> Args) {
  return B.CreateIntrinsic(Id, ArrayRef<Type *>(), Args);
}

int64_t ChunkCopier::stepOf(const Part &P) const {
  return Streams.Facts.Streams[P.Members.front().Stream].Step;
}

/// \p Offset: i32.
Value *ChunkCopier::inSlot(IRBuilder<> &B, Value *Base, Value *Offset) {
  return B.CreateGEP(B.getInt8Ty(), Base, B.CreateZExt(Offset, B.getInt64Ty()));
}

/// By a load and a store of so many bytes, aligned to as many.
static void copyAtOnce(IRBuilder<> &B, Value *To, Value *From, unsigned Bytes) {
  Type *Ty =
      Bytes > 8
          ? static_cast<Type *>(FixedVectorType::get(B.getInt32Ty(), Bytes / 4))
          : B.getIntNTy(8 * Bytes);
  B.CreateAlignedStore(B.CreateAlignedLoad(Ty, From, Align(Bytes)), To,
                       Align(Bytes));
}

/// \p Bytes, i32, of a block: one by one where it is not whole, as an
/// allocation may end there. \p B then stands elsewhere.
static void copyPart(IRBuilder<> &B, Value *To, Value *From, Value *Bytes) {
  Instruction *Whole = nullptr, *Part = nullptr;
  SplitBlockAndInsertIfThenElse(B.CreateICmpEQ(Bytes, B.getInt32(CopyUnit)),
                                B.GetInsertPoint(), &Whole, &Part);
  B.SetInsertPoint(Whole);
  copyAtOnce(B, To, From, CopyUnit);
  auto [Body, Index] =
      SplitBlockAndInsertSimpleForLoop(Bytes, Part->getIterator());
  B.SetInsertPoint(Body);
  Value *Offset = B.CreateZExt(Index, B.getInt64Ty());
  copyAtOnce(B, B.CreatePtrAdd(To, Offset), B.CreatePtrAdd(From, Offset), 1);
}

/// \p Bytes of the block, i32; null: all. \p B may then stand elsewhere.
void ChunkCopier::fetch(IRBuilder<> &B, Unit U, Value *Bytes) {
  Value *Global =
      B.CreateIntToPtr(U.Address, B.getPtrTy(NVPTXAS::ADDRESS_SPACE_GLOBAL));
  if (!Slot.HasAsyncCopies)
    return Bytes ? copyPart(B, U.InSlot, Global, Bytes)
                 : copyAtOnce(B, U.InSlot, Global, CopyUnit);
  if (Bytes)
    call(B,
         Slot.ThroughL1 ? Intrinsic::nvvm_cp_async_ca_shared_global_16_s
                        : Intrinsic::nvvm_cp_async_cg_shared_global_16_s,
         {U.InSlot, Global, Bytes});
  else
    call(B,
         Slot.ThroughL1 ? Intrinsic::nvvm_cp_async_ca_shared_global_16
                        : Intrinsic::nvvm_cp_async_cg_shared_global_16,
         {U.InSlot, Global});
}

void ChunkCopier::writeBack(IRBuilder<> &B, Unit U, unsigned Bytes) {
  copyAtOnce(
      B, B.CreateIntToPtr(U.Address, B.getPtrTy(NVPTXAS::ADDRESS_SPACE_GLOBAL)),
      U.InSlot, Bytes);
}

/// Where the chunk's bytes of a row end, from the block in which they begin.
Value *ChunkCopier::endOf(IRBuilder<> &B, unsigned Number) {
  const Part &P = Slot.Parts[Number];
  const StreamFacts &Facts = Streams.Facts.Streams[P.Members.front().Stream];
  Value *Moves = B.CreateMul(B.CreateSub(Chunk.Iterations, B.getInt32(1)),
                             B.getInt32(unsigned(Facts.Step)));
  return B.CreateAdd(B.CreateAdd(Chunk.Misaligned[Number], Moves),
                     B.getInt32(unsigned(Facts.Span)));
}

Value *ChunkCopier::unitsOf(IRBuilder<> &B, Value *End) {
  return B.CreateLShr(B.CreateAdd(End, B.getInt32(CopyUnit - 1)),
                      Log2_32(CopyUnit));
}

/// Calls \p Copy for each block that the lane copies of a whole warp's rows:
/// neighbouring lanes have neighbouring blocks.
void ChunkCopier::forUnitsTogether(IRBuilder<> &B, unsigned Number,
                                   function_ref<void(Unit)> Copy) {
  const Part &P = Slot.Parts[Number];
  const unsigned Units = P.UsedBytes / CopyUnit; // of a row
  Type *I32 = B.getInt32Ty(), *I64 = B.getInt64Ty();
  Value *All = B.getInt32(~0U), *Clamp = B.getInt32(StagedLanes - 1);
  Value *Low = B.CreateTrunc(Chunk.From[Number], I32);
  Value *High = B.CreateTrunc(B.CreateLShr(Chunk.From[Number], 32), I32);
  for (unsigned K = 0; K < Units; ++K) {
    Value *Mine = B.CreateAdd(Slots.Lane, B.getInt32(K * StagedLanes));
    Value *Row = B.CreateUDiv(Mine, B.getInt32(Units));
    Value *Within =
        B.CreateMul(B.CreateSub(Mine, B.CreateMul(Row, B.getInt32(Units))),
                    B.getInt32(CopyUnit));
    auto OfRow = [&](Value *V) {
      return B.CreateZExt(
          call(B, Intrinsic::nvvm_shfl_sync_idx_i32, {All, V, Row, Clamp}),
          I64);
    };
    Value *Address = B.CreateOr(OfRow(Low), B.CreateShl(OfRow(High), 32));
    Value *Offset = B.CreateAdd(B.CreateMul(Row, B.getInt32(Slot.Bytes)),
                                B.CreateAdd(Within, B.getInt32(P.Offset)));
    Copy({inSlot(B, Slots.OfWarp, Offset),
          B.CreateAdd(Address, B.CreateZExt(Within, I64))});
  }
}

void ChunkCopier::fetchTogether(Instruction *At, unsigned Number) {
  const Part &P = Slot.Parts[Number];
  const unsigned Whole = alignDown(P.UsedBytes, CopyUnit);
  IRBuilder<> B(At);
  if (Whole)
    forUnitsTogether(B, Number, [&](Unit U) { fetch(B, U); });
  // A row that begins in a block of 16 bytes may end in one more.
  if (Wrong != WrongRewrite::ShortRow && !(P.IsAligned && Whole == P.UsedBytes))
    fetchOwn(At, Number, Whole);
}

/// The block at \p Offset, i32, from that in which the lane's chunk begins.
ChunkCopier::Unit ChunkCopier::unitOfLane(IRBuilder<> &B, unsigned Number,
                                          Value *Offset) {
  return {
      inSlot(B, Slots.OfLane,
             B.CreateAdd(Offset, B.getInt32(Slot.Parts[Number].Offset))),
      B.CreateAdd(Chunk.From[Number], B.CreateZExt(Offset, B.getInt64Ty()))};
}

/// From byte \p First, a multiple of 16, as far as it is read: an allocation
/// may end there.
void ChunkCopier::fetchOwn(Instruction *At, unsigned Number, unsigned First) {
  IRBuilder<> B(At);
  Value *End = endOf(B, Number);
  if (Wrong == WrongRewrite::ShortRow)
    End = B.CreateSub(End, Chunk.Misaligned[Number]);
  if (First) { // there may be no more
    At = SplitBlockAndInsertIfThen(B.CreateICmpUGT(End, B.getInt32(First)),
                                   At->getIterator(), /*Unreachable=*/false);
    B.SetInsertPoint(At);
  }
  auto [Body, Index] = SplitBlockAndInsertSimpleForLoop(
      unitsOf(B, B.CreateSub(End, B.getInt32(First))), At->getIterator());
  B.SetInsertPoint(Body);
  Value *Offset =
      B.CreateAdd(B.CreateMul(Index, B.getInt32(CopyUnit)), B.getInt32(First));
  fetch(B, unitOfLane(B, Number, Offset),
        B.CreateBinaryIntrinsic(Intrinsic::umin, B.CreateSub(End, Offset),
                                B.getInt32(CopyUnit)));
}

/// The blocks that are written whole, and of the others what is written.
void ChunkCopier::writeBackOwn(Instruction *At, unsigned Number) {
  const Part &P = Slot.Parts[Number];
  const StreamFacts &Facts = Streams.Facts.Streams[P.Members.front().Stream];
  IRBuilder<> B(At);
  Value *End = endOf(B, Number);
  auto [Body, Index] =
      SplitBlockAndInsertSimpleForLoop(unitsOf(B, End), At->getIterator());
  B.SetInsertPoint(Body);
  Value *First = B.CreateMul(Index, B.getInt32(CopyUnit));
  Value *Behind = B.CreateAdd(First, B.getInt32(CopyUnit));
  // Both where a row begins and how it moves are multiples of this.
  const uint64_t Piece =
      MinAlign(MinAlign(uint64_t(Facts.Step), Facts.Alignment), CopyUnit);
  if (Piece == CopyUnit || Wrong == WrongRewrite::TornRow) {
    writeBack(B, unitOfLane(B, Number, First), CopyUnit);
    return;
  }
  Value *IsWhole = B.CreateAnd(B.CreateICmpUGE(First, Chunk.Misaligned[Number]),
                               B.CreateICmpULE(Behind, End));
  Instruction *Whole = nullptr, *Rest = nullptr;
  SplitBlockAndInsertIfThenElse(IsWhole, Body->getIterator(), &Whole, &Rest);
  B.SetInsertPoint(Whole);
  writeBack(B, unitOfLane(B, Number, First), CopyUnit);
  B.SetInsertPoint(Rest);
  Value *Low =
      B.CreateBinaryIntrinsic(Intrinsic::umax, First, Chunk.Misaligned[Number]);
  Value *High = B.CreateBinaryIntrinsic(Intrinsic::umin, Behind, End);
  Value *Pieces = B.CreateLShr(B.CreateSub(High, Low), Log2_64(Piece));
  auto [Inner, PieceNumber] =
      SplitBlockAndInsertSimpleForLoop(Pieces, Rest->getIterator());
  B.SetInsertPoint(Inner);
  writeBack(
      B,
      unitOfLane(B, Number,
                 B.CreateAdd(Low, B.CreateMul(PieceNumber,
                                              B.getInt32(unsigned(Piece))))),
      unsigned(Piece));
}

/// Have all lanes of the warp whole chunks here; to write them, of whole
/// blocks?
Value *ChunkCopier::canCopyTogether(IRBuilder<> &B, bool Writes) {
  Value *IsWhole =
      B.CreateICmpEQ(Chunk.Iterations, B.getInt32(Slot.Iterations));
  for (auto [P, Misaligned] : zip_equal(Slot.Parts, Chunk.Misaligned))
    if (Writes && P.IsWritten) {
      IsWhole = B.CreateAnd(IsWhole, B.CreateICmpEQ(Misaligned, B.getInt32(0)));
      if (P.UsedBytes % CopyUnit)
        IsWhole = B.getFalse();
    }
  return B.CreateAnd(
      call(B, Intrinsic::nvvm_vote_all_sync, {Chunk.Mask, IsWhole}),
      B.CreateICmpEQ(Chunk.Mask, B.getInt32(~0U)));
}

void ChunkCopier::fill(Instruction *At, const SlotValues &OfSlots,
                       ChunkValues &OfChunk) {
  IRBuilder<> B(At);
  OfChunk.Mask = Wrong == WrongRewrite::AbsentLane
                     ? B.getInt32(~0U)
                     : call(B, Intrinsic::nvvm_activemask);
  Slots = OfSlots;
  Chunk = OfChunk;
  // Nobody reads the chunk before any more.
  call(B, Intrinsic::nvvm_bar_warp_sync, {Chunk.Mask});
  if (!reads())
    return;
  Instruction *Then = nullptr, *Else = nullptr;
  SplitBlockAndInsertIfThenElse(canCopyTogether(B, /*Writes=*/false),
                                At->getIterator(), &Then, &Else);
  for (auto [Number, P] : enumerate(Slot.Parts))
    if (P.IsRead) {
      fetchTogether(Then, unsigned(Number));
      fetchOwn(Else, unsigned(Number), /*First=*/0);
    }
  B.SetInsertPoint(At);
  if (Slot.HasAsyncCopies && Wrong != WrongRewrite::EarlyRead)
    call(B, Intrinsic::nvvm_cp_async_wait_all);
  call(B, Intrinsic::nvvm_bar_warp_sync, {Chunk.Mask});
}

void ChunkCopier::drain(Instruction *At, const SlotValues &OfSlots,
                        const ChunkValues &OfChunk) {
  Slots = OfSlots;
  Chunk = OfChunk;
  IRBuilder<> B(At);
  call(B, Intrinsic::nvvm_bar_warp_sync, {Chunk.Mask});
  Instruction *Then = nullptr, *Else = nullptr;
  SplitBlockAndInsertIfThenElse(canCopyTogether(B, /*Writes=*/true),
                                At->getIterator(), &Then, &Else);
  for (auto [Number, P] : enumerate(Slot.Parts))
    if (P.IsWritten) {
      B.SetInsertPoint(Then);
      if (P.UsedBytes % CopyUnit == 0)
        forUnitsTogether(B, unsigned(Number),
                         [&](Unit U) { writeBack(B, U, CopyUnit); });
      writeBackOwn(Else, unsigned(Number));
    }
  B.SetInsertPoint(At);
  call(B, Intrinsic::nvvm_bar_warp_sync, {Chunk.Mask});
}
