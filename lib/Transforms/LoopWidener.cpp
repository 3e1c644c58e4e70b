// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows in registers, 16 bytes at a time. Before and after, of floats:
//
//   do {                          p = iterations up to a multiple of 16 bytes
//     s += A[i * m + j];          if (n >= p + 4) {
//   } while (++j < n);              while (j < p)
//                                     s += A[i * m + j++];
//                         -->       do {
//                                     float4 a = *(float4 *)&A[i * m + j];
//                                     s += a.x; s += a.y; s += a.z; s += a.w;
//                                     j += 4;
//                                   } while (n - j >= 4);
//                                   if (j == n) goto done;
//                                 }
//                                 do { s += A[i * m + j]; } while (++j < n);
//                               done:
//
// The old loop runs what is left, and all where no iteration is the first of a
// block in each row, or rows have no block. So only whole blocks are read that
// the old loop would read too. Where it leaves bytes between its iterations, as
// of a struct's one member, the new loop leaves it the last one: nobody says
// that there are such bytes behind that.
//
// In between the new loop has an inner one, whose iterations are the old ones
// and take their element of the vector by number. LLVM unrolls it. The vector
// is loaded where the block begins, not where it is first used: loads in
// several basic blocks, as of a loop with an `if`, are not merged later.

#include "LoopWidener.h"
#include "RowTests.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"
#include "llvm/Transforms/Utils/UnrollLoop.h"
#include <numeric>

using namespace llvm;
using namespace sluice;

LoopWidener::LoopWidener(Function &F, LoopStreams &Streams,
                         const Widenable &Can, WrongRewrite Wrong,
                         FunctionAnalysisManager &FAM)
    : F(F), Streams(Streams), Can(Can), Wrong(Wrong), FAM(FAM), L(*Streams.L),
      LI(FAM.getResult<LoopAnalysis>(F)),
      DT(FAM.getResult<DominatorTreeAnalysis>(F)),
      SE(FAM.getResult<ScalarEvolutionAnalysis>(F)),
      I32(Type::getInt32Ty(F.getContext())),
      I64(Type::getInt64Ty(F.getContext())) {}

/// The accesses' own type, or integers where they have several or one that
/// vectors cannot have.
Type *LoopWidener::elementOf(const Stream &S) const {
  Type *Ty = getLoadStoreType(S.Accesses.front());
  const bool IsOne =
      Ty->isSingleValueType() && !Ty->isVectorTy() && !Ty->isPointerTy() &&
      all_of(S.Accesses,
             [&](const Instruction *I) { return getLoadStoreType(I) == Ty; });
  return IsOne ? Ty
               : IntegerType::get(F.getContext(),
                                  unsigned(F.getDataLayout()
                                               .getTypeSizeInBits(Ty)
                                               .getFixedValue()));
}

FixedVectorType *LoopWidener::blockType(const Row &R) const {
  return FixedVectorType::get(R.Type->getElementType(),
                              WideBytes / factsOf(R).Accesses.front().Bytes);
}

/// Does each row begin with a block of 16 bytes, as is known?
bool LoopWidener::areAllAligned() const {
  return all_of(Can.Streams, [&](unsigned S) {
    return Streams.Facts.Streams[S].Alignment >= WideBytes;
  });
}

/// Asks, where the number of iterations is known, whether they are enough for
/// the new loop. What else that needs is computed behind: of a graph with a few
/// edges to a node it would be most of what a thread does.
void LoopWidener::askLength(Instruction *At) {
  for (unsigned S : Can.Streams) {
    const StreamFacts &Facts = Streams.Facts.Streams[S];
    if (Facts.Bytes < uint64_t(Facts.Step))
      Following = 1;
  }
  // The number is the same wherever a row begins: lanes with rows of one length
  // should go one way.
  const unsigned Least =
      (areAllAligned() ? Can.Iterations : 2 * Can.Iterations - 1) + Following;
  IRBuilder<> B(At);
  IsLong = B.CreateICmpUGE(Trips, B.getInt64(Least));
  if (isa<Constant>(IsLong))
    return;
  Asked = At->getParent();
  SplitBlock(Asked, At, &DT, &LI);
}

/// Computes before the loop what the new one needs, and whether it may run.
Value *LoopWidener::expand() {
  Instruction *At = L.getLoopPreheader()->getTerminator();
  SCEVExpander Expander(SE, "sluice");
  Trips = expandTrips(Expander, Streams, At);
  askLength(At);
  for (unsigned S : Can.Streams) {
    const Stream &Of = Streams.Streams[S];
    const StreamFacts &Facts = Streams.Facts.Streams[S];
    Type *Pointer = getLoadStorePointerOperand(Of.Accesses.front())->getType();
    const unsigned Elements =
        unsigned(Can.Iterations * Facts.Step / Facts.Accesses.front().Bytes);
    Value *Start = Expander.expandCodeFor(Of.Start, Of.Start->getType(), At);
    Rows.push_back(
        {S, IRBuilder<>(At).CreatePointerBitCastOrAddrSpaceCast(Start, Pointer),
         FixedVectorType::get(elementOf(Of), Elements)});
  }
  IRBuilder<> B(At);
  Value *MayWiden = findFirst(B);
  if (!Asked)
    MayWiden = B.CreateAnd(MayWiden, IsLong);
  for (const Row &R : Rows)
    MayWiden = andNoWrap(Expander, MayWiden, Streams.Streams[R.Number], At);
  return MayWiden;
}

/// Of the row with the most iterations to a block, the first that begins with
/// one; a condition that it does so in all rows.
Value *LoopWidener::findFirst(IRBuilder<> &B) {
  First = B.getInt64(0);
  if (areAllAligned())
    return B.getTrue();
  Value *Mask = B.getInt64(WideBytes - 1);
  SmallVector<Value *, 4> Starts;
  for (Row &R : Rows) {
    Starts.push_back(B.CreatePtrToInt(R.Start, I64));
    if (Wrong == WrongRewrite::WideMisaligned)
      R.Start = B.CreatePtrAdd(R.Start,
                               B.CreateNeg(B.CreateAnd(Starts.back(), Mask)));
  }
  if (Wrong == WrongRewrite::WideMisaligned)
    return B.getTrue();
  auto UnitOf = [&](const Row &R) {
    return std::gcd(unsigned(factsOf(R).Step), WideBytes);
  };
  auto [Start, Leader] =
      *llvm::min_element(zip(Starts, Rows), [&](const auto &X, const auto &Y) {
        return UnitOf(std::get<1>(X)) < UnitOf(std::get<1>(Y));
      });
  // Start + First * Step is 0, modulo 16: divided by what Step and 16 have in
  // common, Step is odd, and each odd number is its own inverse modulo 2, 4 and
  // 8, but not modulo 16, where its cube is.
  const unsigned Unit = UnitOf(Leader), Blocks = WideBytes / Unit;
  const unsigned Odd = unsigned(factsOf(Leader).Step) / Unit;
  const unsigned Inverse = Odd * Odd * Odd % Blocks;
  Value *Units = B.CreateLShr(B.CreateAnd(Start, Mask), Log2_32(Unit));
  if (Blocks > 1)
    First = B.CreateAnd(B.CreateMul(B.CreateNeg(Units), B.getInt64(Inverse)),
                        B.getInt64(Blocks - 1));
  Value *Low = nullptr; // bits of where all rows are then
  for (auto [Start, R] : zip(Starts, Rows)) {
    Value *Then = B.CreateAdd(
        Start, B.CreateMul(First, B.getInt64(uint64_t(factsOf(R).Step))));
    Low = Low ? B.CreateOr(Low, Then) : Then;
  }
  return B.CreateIsNull(B.CreateAnd(Low, Mask));
}

/// What stands for \p V in a clone of the loop.
static Value *cloneOf(Value *V, const ValueToValueMapTy &Clones) {
  Value *Clone = Clones.lookup(V);
  return Clone ? Clone : V;
}

/// Makes the new loop beside the old one, for when \p MayWiden.
void LoopWidener::makeVersions(Value *MayWiden) {
  BasicBlock *OldLatch = L.getLoopLatch();
  Check = L.getLoopPreheader();
  Exit = L.getUniqueExitBlock();
  OldPreheader = SplitEdge(Check, L.getHeader(), &DT, &LI);
  SmallVector<BasicBlock *, 8> Blocks;
  cloneLoopWithPreheader(Exit, Check, &L, Clones, ".wide", &LI, &DT, Blocks);
  remapInstructionsInBlocks(Blocks, Clones);
  Preheader = cast<BasicBlock>(&*Clones[OldPreheader]);
  Header = cast<BasicBlock>(&*Clones[L.getHeader()]);
  Latch = cast<BasicBlock>(&*Clones[OldLatch]);
  BasicBlock *Enter = isa<Constant>(First) ? Preheader : peel();
  ReplaceInstWithInst(Check->getTerminator(),
                      BranchInst::Create(Enter, OldPreheader, MayWiden));
  if (!Asked)
    return;
  ReplaceInstWithInst(Asked->getTerminator(),
                      BranchInst::Create(Check, OldPreheader, IsLong));
  for (BasicBlock *Both : {OldPreheader, Exit})
    if (DT.getNode(Both)->getIDom()->getBlock() == Check)
      DT.changeImmediateDominator(Both, Asked);
}

/// Makes a third loop, of the iterations before the first, in front of the new
/// one. Returns where that begins.
BasicBlock *LoopWidener::peel() {
  ValueToValueMapTy Peeled;
  SmallVector<BasicBlock *, 8> Blocks;
  cloneLoopWithPreheader(Preheader, Check, &L, Peeled, ".peel", &LI, &DT,
                         Blocks);
  remapInstructionsInBlocks(Blocks, Peeled);
  auto *Before = cast<BasicBlock>(&*Peeled[OldPreheader]);
  auto *PeeledLatch = cast<BasicBlock>(&*Peeled[L.getLoopLatch()]);
  PeeledHeader = cast<BasicBlock>(&*Peeled[L.getHeader()]);
  BasicBlock *Enter =
      BasicBlock::Create(F.getContext(), "sluice.wide.enter", &F, Before);
  IRBuilder<> B(Enter);
  B.CreateCondBr(B.CreateIsNull(First), Preheader, Before);

  for (auto [New, Old] : zip_equal(Header->phis(), L.getHeader()->phis())) {
    B.SetInsertPoint(&*Preheader->getFirstNonPHIIt());
    PHINode *P = B.CreatePHI(Old.getType(), 2, Old.getName() + ".first");
    P->addIncoming(New.getIncomingValueForBlock(Preheader), Enter);
    P->addIncoming(
        cloneOf(Old.getIncomingValueForBlock(L.getLoopLatch()), Peeled),
        PeeledLatch);
    New.setIncomingValueForBlock(Preheader, P);
  }
  B.SetInsertPoint(&PeeledHeader->front());
  PHINode *Count = B.CreatePHI(I64, 2, "sluice.peeled");
  Instruction *Branch = PeeledLatch->getTerminator();
  B.SetInsertPoint(Branch);
  Value *NextCount = B.CreateNUWAdd(Count, B.getInt64(1));
  Count->addIncoming(B.getInt64(0), Before);
  Count->addIncoming(NextCount, PeeledLatch);
  ReplaceInstWithInst(Branch,
                      BranchInst::Create(PeeledHeader, Preheader,
                                         B.CreateICmpULT(NextCount, First)));
  return Enter;
}

/// Puts a loop over blocks around the new loop, and the old one behind it.
void LoopWidener::chopLoop() {
  LLVMContext &Context = F.getContext();
  Block = SplitBlock(Preheader, Preheader->getTerminator());
  Next = BasicBlock::Create(Context, "sluice.wide.next", &F, Exit);
  BasicBlock *Done = BasicBlock::Create(Context, "sluice.wide.done", &F, Exit);

  IRBuilder<> B(&Block->front());
  PHINode *BeginPhi = B.CreatePHI(I64, 2, "sluice.begin");
  Begin = BeginPhi;
  for (PHINode &P : Header->phis()) {
    B.SetInsertPoint(&*Block->getFirstNonPHIIt());
    PHINode *Outer = B.CreatePHI(P.getType(), 2, P.getName() + ".block");
    Outer->addIncoming(P.getIncomingValueForBlock(Block), Preheader);
    Outer->addIncoming(P.getIncomingValueForBlock(Latch), Next);
    P.setIncomingValueForBlock(Block, Outer);
  }
  // What is left goes on with what the new loop has come to.
  for (PHINode &P : L.getHeader()->phis()) {
    B.SetInsertPoint(&*OldPreheader->getFirstNonPHIIt());
    PHINode *Rest = B.CreatePHI(P.getType(), 2, P.getName() + ".rest");
    for (BasicBlock *Before : {Check, Asked})
      if (Before)
        Rest->addIncoming(P.getIncomingValueForBlock(OldPreheader), Before);
    Rest->addIncoming(
        cloneOf(P.getIncomingValueForBlock(L.getLoopLatch()), Clones), Done);
    P.setIncomingValueForBlock(OldPreheader, Rest);
  }
  for (PHINode &P : Exit->phis())
    P.addIncoming(cloneOf(P.getIncomingValueForBlock(L.getLoopLatch()), Clones),
                  Done);

  B.SetInsertPoint(&Header->front());
  PHINode *Count = B.CreatePHI(I32, 2, "sluice.number");
  Number = Count;
  Instruction *Branch = Latch->getTerminator();
  B.SetInsertPoint(Branch);
  Value *NextCount = B.CreateNUWAdd(Count, B.getInt32(1));
  Count->addIncoming(B.getInt32(0), Block);
  Count->addIncoming(NextCount, Latch);
  ReplaceInstWithInst(
      Branch, BranchInst::Create(
                  Header, Next,
                  B.CreateICmpULT(NextCount, B.getInt32(Can.Iterations))));

  B.SetInsertPoint(Next);
  Value *NextBegin = B.CreateNUWAdd(Begin, B.getInt64(Can.Iterations));
  Value *Left = B.CreateSub(Trips, NextBegin);
  BeginPhi->addIncoming(First, Preheader);
  BeginPhi->addIncoming(NextBegin, Next);
  B.CreateCondBr(B.CreateICmpUGE(Left, B.getInt64(Can.Iterations + Following)),
                 Block, Done);
  B.SetInsertPoint(Done);
  B.CreateCondBr(B.CreateIsNull(Left), Exit, OldPreheader);
}

Value *LoopWidener::blockAddress(IRBuilder<> &B, const Row &R, unsigned Block) {
  Value *Moved = B.CreateMul(Begin, B.getInt64(uint64_t(factsOf(R).Step)));
  return B.CreatePtrAdd(B.CreatePtrAdd(R.Start, Moved),
                        B.getInt64(Block * WideBytes));
}

/// Of \p Access in this iteration of the inner loop.
Value *LoopWidener::elementNumber(IRBuilder<> &B, const Row &R,
                                  const StreamAccess &Access) {
  const unsigned Bytes = Access.Bytes;
  Value *Before =
      B.CreateMul(Number, B.getInt32(unsigned(factsOf(R).Step) / Bytes));
  return B.CreateAdd(Before, B.getInt32(unsigned(Access.Offset) / Bytes));
}

void LoopWidener::widenLoads(const Row &R) {
  const Stream &S = Streams.Streams[R.Number];
  IRBuilder<> B(Block->getTerminator());
  B.SetCurrentDebugLocation(S.Accesses.front()->getDebugLoc());
  FixedVectorType *Ty = blockType(R);
  const unsigned Blocks = R.Type->getNumElements() / Ty->getNumElements();
  SmallVector<Value *, 8> Parts;
  for (unsigned N = 0; N < Blocks; ++N)
    Parts.push_back(B.CreateAlignedLoad(Ty, blockAddress(B, R, N),
                                        Align(WideBytes), "sluice.wide"));
  Value *All = concatenateVectors(B, Parts);
  for (auto [Access, I] : zip(factsOf(R).Accesses, S.Accesses)) {
    auto *Old = cast<LoadInst>(&*Clones[I]);
    B.SetInsertPoint(Old);
    Value *New = B.CreateBitOrPointerCast(
        B.CreateExtractElement(All, elementNumber(B, R, Access)),
        Old->getType());
    New->takeName(Old);
    Old->replaceAllUsesWith(New);
    Old->eraseFromParent();
  }
}

void LoopWidener::widenStores(const Row &R) {
  const Stream &S = Streams.Streams[R.Number];
  IRBuilder<> B(&Header->front());
  PHINode *Before = B.CreatePHI(R.Type, 2, "sluice.wide");
  Before->addIncoming(PoisonValue::get(R.Type), Block);
  // Each runs in each iteration, so one stands behind the other.
  SmallVector<std::pair<StreamAccess, Instruction *>, 4> InOrder;
  for (auto [Access, I] : zip(factsOf(R).Accesses, S.Accesses))
    InOrder.emplace_back(Access, I);
  llvm::sort(InOrder, [&](const auto &X, const auto &Y) {
    return X.second != Y.second && DT.dominates(X.second, Y.second);
  });
  Value *All = Before;
  for (auto &[Access, I] : InOrder) {
    auto *Old = cast<StoreInst>(&*Clones[I]);
    B.SetInsertPoint(Old);
    All = B.CreateInsertElement(
        All,
        B.CreateBitOrPointerCast(Old->getValueOperand(),
                                 R.Type->getElementType()),
        elementNumber(B, R, Access));
    Old->eraseFromParent();
  }
  Before->addIncoming(All, Latch);
  B.SetInsertPoint(Next->getTerminator());
  B.SetCurrentDebugLocation(S.Accesses.front()->getDebugLoc());
  const unsigned Elements = blockType(R)->getNumElements();
  for (unsigned First = 0; First < R.Type->getNumElements(); First += Elements)
    B.CreateAlignedStore(
        B.CreateShuffleVector(All, createSequentialMask(First, Elements, 0)),
        blockAddress(B, R, First / Elements), Align(WideBytes));
}

/// Unrolls the inner loop, whose numbers of elements are then constants.
void LoopWidener::unroll() {
  FAM.invalidate(F, PreservedAnalyses::none());
  auto &NewLI = FAM.getResult<LoopAnalysis>(F);
  auto &NewDT = FAM.getResult<DominatorTreeAnalysis>(F);
  auto &NewSE = FAM.getResult<ScalarEvolutionAnalysis>(F);
  auto &AC = FAM.getResult<AssumptionAnalysis>(F);
  // It has no block's iterations.
  if (PeeledHeader)
    addStringMetadataToLoop(NewLI.getLoopFor(PeeledHeader),
                            "llvm.loop.unroll.disable", 1);
  Loop *Inner = NewLI.getLoopFor(Header);
  formLCSSA(*Inner, NewDT, &NewLI, &NewSE);
  UnrollLoopOptions Options{};
  Options.Count = Can.Iterations;
  Options.Force = true;
  UnrollLoop(Inner, Options, &NewLI, &NewSE, &NewDT, &AC,
             &FAM.getResult<TargetIRAnalysis>(F), /*ORE=*/nullptr,
             /*PreserveLCSSA=*/true);
}

void LoopWidener::run() {
  makeVersions(expand());
  chopLoop();
  for (const Row &R : Rows)
    if (factsOf(R).IsStore)
      widenStores(R);
    else
      widenLoads(R);
  unroll();
}
