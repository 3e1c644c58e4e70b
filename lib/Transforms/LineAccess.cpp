// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The paper's accessThroughCache() and flush(), inline:
//
//   ld.global.b8 %r1, [%rd1];     and.b64  %rd2, %rd1, -16;
//                                 setp.ne.b64 %p1, %rd2, %tag;
//                            -->  @%p1 bra $miss;
//                               $hit:
//                                 ld.shared.b8 %r1, [%line + ...];
//                                 ...
//                               $miss:
//                                 ld.global.v4.b32 {...}, [%rd2];
//                                 st.shared.b32 ... // 4 of them
//                                 mov.b64 %tag, %rd2;
//                                 bra $hit;
//
// Where the bytes are: word w of the line of thread t, in an array of a block's
// T threads, is number w * T + t. T is a multiple of 32, so all of a thread's
// words are in one bank, and those of a warp's lanes in 32 different ones:
// whatever the lanes read, no two meet.
//
// A store that finds no line goes to memory: fetching would read a block of
// which the program reads nothing. Of a structure that is only written a line
// is never read, so it is not fetched but taken empty; what was written is
// known by the bits of its bytes.

#include "LineAccess.h"
#include "AccessGroups.h"
#include "sluice/Analysis/AccessAnalysis.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/NVPTXAddrSpace.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;
using namespace sluice;

static constexpr unsigned WordBytes = 4;
static constexpr unsigned AllBytes = (1U << ThreadLineBytes) - 1;
/// Of loads that fetch lines: not all bytes are the program's.
static constexpr char FetchMark[] = "sluice.line";

Value *sluice::addressOf(IRBuilder<> &B, Value *Pointer) {
  if (Pointer->getType()->getPointerAddressSpace() !=
      NVPTXAS::ADDRESS_SPACE_GENERIC)
    Pointer = B.CreateAddrSpaceCast(Pointer, B.getPtrTy());
  return B.CreatePtrToInt(Pointer, B.getInt64Ty());
}

Value *sluice::lineOf(IRBuilder<> &B, Value *Address) {
  return B.CreateAnd(Address, ~uint64_t(ThreadLineBytes - 1));
}

/// Lines are of global memory only.
static Value *globalPointerTo(IRBuilder<> &B, Value *Address) {
  return B.CreateIntToPtr(Address, B.getPtrTy(NVPTXAS::ADDRESS_SPACE_GLOBAL));
}

LineKeeper::LineKeeper(const LineLoop &Of, unsigned Threads,
                       ArrayRef<KeptLine> Kept, WrongRewrite Wrong,
                       Instruction *Allocas)
    : Threads(Threads), Wrong(Wrong) {
  IRBuilder<> B(Allocas);
  auto Make = [&](Type *Ty, const Twine &Name) {
    State.push_back(B.CreateAlloca(Ty, nullptr, Name));
    return State.back();
  };
  for (auto [Structure, OfIt] : zip_equal(Of.Structures, Kept)) {
    Line L{&Structure, OfIt};
    L.Tag = Make(B.getInt64Ty(), "sluice.tag");
    if (Structure.IsWritten)
      L.Dirty = Make(B.getInt32Ty(), "sluice.dirty");
    Lines.push_back(L);
  }
}

void LineKeeper::begin(Instruction *At) {
  IRBuilder<> B(At);
  for (const Line &L : Lines) {
    B.CreateStore(B.getInt64(0), L.Tag);
    if (L.Dirty)
      B.CreateStore(B.getInt32(0), L.Dirty);
  }
}

/// Byte \p Offset, i32, of the line, in shared memory.
Value *LineKeeper::word(IRBuilder<> &B, const Line &Of, Value *Offset) {
  Value *Row =
      B.CreateMul(B.CreateLShr(Offset, 2), B.getInt32(WordBytes * Threads));
  Value *Byte = B.CreateAdd(Row, B.CreateAnd(Offset, WordBytes - 1));
  return B.CreateGEP(B.getInt8Ty(), Of.Kept.Place,
                     B.CreateZExt(Byte, B.getInt64Ty()));
}

/// All 16 bytes.
Value *LineKeeper::words(IRBuilder<> &B, const Line &Of) {
  Value *All = PoisonValue::get(
      FixedVectorType::get(B.getInt32Ty(), ThreadLineBytes / WordBytes));
  for (unsigned W = 0; W < ThreadLineBytes / WordBytes; ++W)
    All = B.CreateInsertElement(
        All,
        B.CreateAlignedLoad(B.getInt32Ty(),
                            word(B, Of, B.getInt32(W * WordBytes)),
                            Align(WordBytes)),
        W);
  return All;
}

Value *LineKeeper::holds(IRBuilder<> &B, const Line &Of, Value *Block) {
  return B.CreateICmpEQ(B.CreateLoad(B.getInt64Ty(), Of.Tag), Block);
}

/// What of the line memory does not have, piece by piece: another thread may
/// write the bytes between.
void LineKeeper::writePieces(Instruction *At, const Line &Of, Value *Dirty) {
  IRBuilder<> B(At);
  const unsigned Piece = Of.Structure->Piece;
  auto [Body, Index] = SplitBlockAndInsertSimpleForLoop(
      B.getInt32(ThreadLineBytes / Piece), At->getIterator());
  B.SetInsertPoint(Body);
  Value *Offset = B.CreateMul(Index, B.getInt32(Piece));
  Value *IsDirty = B.CreateTrunc(B.CreateLShr(Dirty, Offset), B.getInt1Ty());
  B.SetInsertPoint(SplitBlockAndInsertIfThen(IsDirty, Body->getIterator(),
                                             /*Unreachable=*/false));
  Value *To = B.CreateAdd(B.CreateLoad(B.getInt64Ty(), Of.Tag),
                          B.CreateZExt(Offset, B.getInt64Ty()));
  B.CreateAlignedStore(B.CreateAlignedLoad(B.getIntNTy(8 * Piece),
                                           word(B, Of, Offset), Align(Piece)),
                       globalPointerTo(B, To), Align(Piece));
}

void LineKeeper::writeBack(Instruction *At, const Line &Of) {
  if (!Of.Dirty)
    return;
  IRBuilder<> B(At);
  Value *Dirty = B.CreateLoad(B.getInt32Ty(), Of.Dirty);
  Instruction *Then =
      SplitBlockAndInsertIfThen(B.CreateICmpNE(Dirty, B.getInt32(0)),
                                At->getIterator(), /*Unreachable=*/false);
  B.SetInsertPoint(Then);
  Value *IsWhole = B.CreateICmpEQ(Dirty, B.getInt32(AllBytes));
  Instruction *Whole = nullptr, *Parts = nullptr;
  SplitBlockAndInsertIfThenElse(IsWhole, Then->getIterator(), &Whole, &Parts);
  B.SetInsertPoint(Whole);
  Value *Tag = B.CreateLoad(B.getInt64Ty(), Of.Tag);
  B.CreateAlignedStore(words(B, Of), globalPointerTo(B, Tag),
                       Align(ThreadLineBytes));
  writePieces(Parts, Of, Dirty);
  B.SetInsertPoint(Then);
  B.CreateStore(B.getInt32(0), Of.Dirty);
}

void LineKeeper::drop(Instruction *At, const Line &Of) {
  writeBack(At, Of);
  IRBuilder<> B(At);
  B.CreateStore(B.getInt64(0), Of.Tag);
}

void LineKeeper::flush(Instruction *At) {
  for (const Line &L : Lines)
    drop(At, L);
}

void LineKeeper::dropIfHolds(Instruction *At, const Line &Of, Value *Block) {
  if (Wrong == WrongRewrite::AliasedLine)
    return;
  IRBuilder<> B(At);
  drop(SplitBlockAndInsertIfThen(holds(B, Of, Block), At->getIterator(),
                                 /*Unreachable=*/false),
       Of);
}

/// A plain access past the lines. It may lie in two.
void LineKeeper::lookUp(const LinePoint &Point) {
  IRBuilder<> B(Point.I);
  const uint64_t Bytes = bytesTouched(*Point.I);
  Value *First = addressOf(B, getLoadStorePointerOperand(Point.I));
  Value *Last = B.CreateAdd(First, B.getInt64(Bytes - 1));
  const bool IsInOne =
      isPowerOf2_64(Bytes) && getLoadStoreAlignment(Point.I).value() >= Bytes;
  for (unsigned Other : Point.Others) {
    dropIfHolds(Point.I, Lines[Other], lineOf(B, First));
    B.SetInsertPoint(Point.I);
    if (IsInOne)
      continue;
    // Nothing is larger than a line: it lies in two at most.
    dropIfHolds(Point.I, Lines[Other], lineOf(B, Last));
    B.SetInsertPoint(Point.I);
  }
}

/// As the paper before an atomic operation; and other threads may take it as a
/// sign that what was written before is there.
void LineKeeper::reduce(const LinePoint &Point) {
  for (const Line &L : Lines)
    writeBack(Point.I, L);
  IRBuilder<> B(Point.I);
  Value *Pointer = cast<AtomicRMWInst>(Point.I)->getPointerOperand();
  for (unsigned Other : Point.Others) {
    dropIfHolds(Point.I, Lines[Other], lineOf(B, addressOf(B, Pointer)));
    B.SetInsertPoint(Point.I);
  }
}

void LineKeeper::rewrite(const LinePoint &Point) {
  switch (Point.Kind) {
  case LinePoint::Access:
    return access(Point);
  case LinePoint::LookUp:
    return lookUp(Point);
  case LinePoint::Reduction:
    return Wrong == WrongRewrite::StaleLine ? void() : reduce(Point);
  case LinePoint::Flush:
    return Wrong == WrongRewrite::StaleLine ? void() : flush(Point.I);
  }
}

/// May the structure's line be taken for \p Block? Null: always.
Value *LineKeeper::mayHold(IRBuilder<> &B, const Line &Of, Value *Block) {
  Value *May = Of.Kept.IsKept;
  if (Of.Structure->IsGlobal)
    return May;
  Value *IsGlobal =
      B.CreateIntrinsic(Intrinsic::nvvm_isspacep_global, ArrayRef<Type *>(),
                        {B.CreateIntToPtr(Block, B.getPtrTy())});
  return May ? B.CreateAnd(May, IsGlobal) : IsGlobal;
}

/// Gives up what the line holds for \p Block.
void LineKeeper::take(Instruction *At, const Line &Of, Value *Block,
                      bool Fetches) {
  writeBack(At, Of);
  IRBuilder<> B(At);
  B.CreateStore(Block, Of.Tag);
  if (!Fetches)
    return;
  auto *Words =
      FixedVectorType::get(B.getInt32Ty(), ThreadLineBytes / WordBytes);
  LoadInst *Fetched = B.CreateAlignedLoad(Words, globalPointerTo(B, Block),
                                          Align(ThreadLineBytes));
  Fetched->setMetadata(LLVMContext::MD_access_group,
                       accessGroup(*Fetched->getModule(), FetchMark));
  for (unsigned W = 0; W < ThreadLineBytes / WordBytes; ++W)
    B.CreateAlignedStore(B.CreateExtractElement(Fetched, W),
                         word(B, Of, B.getInt32(W * WordBytes)),
                         Align(WordBytes));
}

static Value *offsetIn(IRBuilder<> &B, Value *Address) {
  return B.CreateAnd(B.CreateTrunc(Address, B.getInt32Ty()),
                     ThreadLineBytes - 1);
}

Value *LineKeeper::read(IRBuilder<> &B, const Line &Of, Value *Address,
                        Type *Ty) {
  const DataLayout &DL = B.GetInsertBlock()->getDataLayout();
  const uint64_t Bytes = DL.getTypeStoreSize(Ty);
  Value *Offset = offsetIn(B, Address);
  if (Bytes <= WordBytes)
    return B.CreateAlignedLoad(Ty, word(B, Of, Offset), Align(Bytes));
  Value *Both = PoisonValue::get(FixedVectorType::get(B.getInt32Ty(), 2));
  for (unsigned W = 0; W < 2; ++W) {
    Value *At = B.CreateAdd(Offset, B.getInt32(W * WordBytes));
    Both = B.CreateInsertElement(
        Both,
        B.CreateAlignedLoad(B.getInt32Ty(), word(B, Of, At), Align(WordBytes)),
        W);
  }
  if (Ty->isPointerTy())
    return B.CreateIntToPtr(B.CreateBitCast(Both, B.getInt64Ty()), Ty);
  return B.CreateBitCast(Both, Ty);
}

void LineKeeper::write(IRBuilder<> &B, const Line &Of, Value *Address,
                       Value *V) {
  const DataLayout &DL = B.GetInsertBlock()->getDataLayout();
  const unsigned Bytes = unsigned(DL.getTypeStoreSize(V->getType()));
  Value *Offset = offsetIn(B, Address);
  Value *Bits = B.CreateShl(B.getInt32((1U << Bytes) - 1), Offset);
  B.CreateStore(B.CreateOr(B.CreateLoad(B.getInt32Ty(), Of.Dirty), Bits),
                Of.Dirty);
  if (Bytes <= WordBytes) {
    B.CreateAlignedStore(V, word(B, Of, Offset), Align(Bytes));
    return;
  }
  if (V->getType()->isPointerTy())
    V = B.CreatePtrToInt(V, B.getInt64Ty());
  Value *Both = B.CreateBitCast(V, FixedVectorType::get(B.getInt32Ty(), 2));
  for (unsigned W = 0; W < 2; ++W) {
    Value *At = B.CreateAdd(Offset, B.getInt32(W * WordBytes));
    B.CreateAlignedStore(B.CreateExtractElement(Both, W), word(B, Of, At),
                         Align(WordBytes));
  }
}

/// Head:  the line holds it?     Miss:  may it? take it, else Past
/// Hit:   by the line            Past:  as it was               Tail:  what
/// follows
void LineKeeper::access(const LinePoint &Point) {
  const Line &Of = Lines[Point.Structure];
  Instruction *I = Point.I;
  IRBuilder<> B(I);
  Value *Address = addressOf(B, getLoadStorePointerOperand(I));
  Value *Block = lineOf(B, Address);
  for (unsigned Other : Point.Others)
    dropIfHolds(I, Lines[Other], Block);

  BasicBlock *Head = I->getParent();
  BasicBlock *Tail = SplitBlock(Head, I);
  LLVMContext &Context = Head->getContext();
  auto NewBlock = [&](const char *Name) {
    return BasicBlock::Create(Context, Name, Head->getParent(), Tail);
  };
  BasicBlock *Hit = NewBlock("sluice.hit"), *Miss = NewBlock("sluice.miss");
  B.SetInsertPoint(Head->getTerminator());
  Instruction *ToEither = BranchInst::Create(Hit, Miss, holds(B, Of, Block));
  ToEither->setMetadata(LLVMContext::MD_prof,
                        MDBuilder(Context).createLikelyBranchWeights());
  ReplaceInstWithInst(Head->getTerminator(), ToEither);

  auto *Load = dyn_cast<LoadInst>(I);
  B.SetInsertPoint(Hit);
  Value *V = nullptr;
  if (Load)
    V = read(B, Of, Address, Load->getType());
  else
    write(B, Of, Address, cast<StoreInst>(I)->getValueOperand());
  B.CreateBr(Tail);

  B.SetInsertPoint(Miss);
  const bool IsTaken = Load || !Of.Structure->IsRead;
  Value *May = IsTaken ? mayHold(B, Of, Block) : B.getFalse();
  BasicBlock *Past = May ? NewBlock("sluice.past") : nullptr;
  BasicBlock *Take = IsTaken ? NewBlock("sluice.take") : nullptr;
  if (Take) {
    if (Past)
      B.CreateCondBr(May, Take, Past);
    else
      B.CreateBr(Take);
    B.SetInsertPoint(Take);
    take(B.CreateBr(Hit), Of, Block, /*Fetches=*/Load != nullptr);
  } else {
    B.CreateBr(Past);
  }
  if (Past) {
    B.SetInsertPoint(Past);
    I->moveBefore(B.CreateBr(Tail)->getIterator());
  }
  if (Load) {
    B.SetInsertPoint(Tail, Tail->begin());
    PHINode *Either = B.CreatePHI(Load->getType(), 2);
    Load->replaceAllUsesWith(Either);
    Either->addIncoming(V, Hit);
    if (Past)
      Either->addIncoming(Load, Past);
  }
  if (!Past)
    I->eraseFromParent();
}
