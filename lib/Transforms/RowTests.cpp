// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ranges of addresses are those of the whole loop: how often it runs is known.
// One thread's ranges are enough. What another thread writes meanwhile it may
// see or not, as nothing in the loop orders memory.

#include "RowTests.h"
#include "sluice/Analysis/AccessAnalysis.h"
#include "sluice/Plan/StagingPlanner.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/NVPTXAddrSpace.h"

using namespace llvm;
using namespace sluice;

Value *sluice::expandTrips(SCEVExpander &Expander, const LoopStreams &Loop,
                           Instruction *At) {
  Value *Taken = Expander.expandCodeFor(Loop.Taken, Loop.Taken->getType(), At);
  IRBuilder<> B(At);
  return B.CreateAdd(B.CreateZExtOrTrunc(Taken, B.getInt64Ty()), B.getInt64(1));
}

Value *sluice::andNoWrap(SCEVExpander &Expander, Value *May, const Stream &S,
                         Instruction *At) {
  for (const SCEVPredicate *NoWrap : S.NoWrap) {
    Value *Wraps = Expander.expandCodeForPredicate(NoWrap, At);
    IRBuilder<> B(At);
    May = B.CreateAnd(May, B.CreateNot(Wraps));
  }
  return May;
}

RowTests::RowTests(const LoopStreams &Streams, const StagingSlot &Slot,
                   ScalarEvolution &SE, Instruction *At)
    : Streams(Streams), Slot(Slot), SE(SE), At(At), Expander(SE, "sluice") {
  for (const StagingSlot::Part &P : Slot.Parts)
    Starts.push_back(expand(Streams.Streams[P.Members.front().Stream].Start));
  Trips = expandTrips(Expander, Streams, At);
  if (!Slot.Aligner)
    return;
  IRBuilder<> B(At);
  const unsigned Row = Slot.Parts[*Slot.Aligner].Members.front().Stream;
  const uint64_t Step = uint64_t(Streams.Facts.Streams[Row].Step);
  Value *InLine = B.CreateAnd(Starts[*Slot.Aligner],
                              B.getInt64(Slot.Iterations * Step - 1));
  Missing = B.CreateLShr(InLine, Log2_64(Step));
}

/// The address \p S, before \p At, as i64.
Value *RowTests::expand(const SCEV *S) {
  Value *Address = Expander.expandCodeFor(S, S->getType(), At);
  IRBuilder<> B(At);
  if (!Address->getType()->isPointerTy())
    return Address;
  if (Address->getType()->getPointerAddressSpace() !=
      NVPTXAS::ADDRESS_SPACE_GLOBAL)
    Address = B.CreateAddrSpaceCast(Address,
                                    B.getPtrTy(NVPTXAS::ADDRESS_SPACE_GLOBAL));
  return B.CreatePtrToInt(Address, B.getInt64Ty());
}

/// The addresses from where to where (exclusive) the loop touches \p Bytes at
/// \p Begin, which it moves by \p Step.
RowTests::Range RowTests::rangeOf(Value *Begin, int64_t Step, uint64_t Bytes) {
  IRBuilder<> B(At);
  Value *Last = B.CreateAdd(
      Begin, B.CreateMul(B.CreateSub(Trips, B.getInt64(1)), B.getInt64(Step)));
  if (Step < 0)
    std::swap(Begin, Last);
  return {Begin, B.CreateAdd(Last, B.getInt64(Bytes))};
}

RowTests::Range RowTests::rangeOf(Instruction *I) {
  const SCEV *Address = nullptr;
  int64_t Step = 0, Offset = 0;
  if (auto Place = findAccess(Streams, *I)) {
    const StreamFacts &Facts = Streams.Facts.Streams[Place->first];
    Address = Streams.Streams[Place->first].Start;
    Step = Facts.Step;
    Offset = Facts.Accesses[Place->second].Offset;
  } else {
    Address = scevOfAddress(*I, SE);
    if (const auto *Moving = dyn_cast<SCEVAddRecExpr>(Address);
        Moving && Moving->getLoop() == Streams.L) {
      Step = cast<SCEVConstant>(Moving->getStepRecurrence(SE))
                 ->getAPInt()
                 .getSExtValue();
      Address = Moving->getStart();
    }
  }
  Value *Begin = expand(Address);
  IRBuilder<> B(At);
  return rangeOf(B.CreateAdd(Begin, B.getInt64(Offset)), Step,
                 bytesTouched(*I));
}

/// Tests of rows against what else the loop touches and may be the same;
/// \p Tested gets the streams that they are about.
SmallVector<Value *, 4>
RowTests::testApart(SmallSetVector<unsigned, 4> &Tested) {
  auto PartOf = [&](unsigned Stream) {
    const auto Found = find_if(Slot.Parts, [&](const StagingSlot::Part &P) {
      return any_of(P.Members, [&](StagingSlot::Part::Member Of) {
        return Of.Stream == Stream;
      });
    });
    return size_t(Found - Slot.Parts.begin());
  };
  auto RowRange = [&](size_t Number) {
    const unsigned Row = Slot.Parts[Number].Members.front().Stream;
    const StreamFacts &Facts = Streams.Facts.Streams[Row];
    return rangeOf(Starts[Number], Facts.Step, Facts.Span);
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
    Range First = RowRange(Row), Second = IsRow ? RowRange(Other) : rangeOf(I);
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

Value *RowTests::mayStage(bool TestsOverlap) {
  IRBuilder<> B(At);
  // The first chunk does not count if it is shorter.
  Value *Least = B.getInt64(Slot.LeastTrips);
  if (Missing) {
    Value *IsWhole = B.CreateICmpEQ(Missing, B.getInt64(0));
    Value *OfFirst = B.CreateSub(B.getInt64(Slot.Iterations), Missing);
    Least = B.CreateAdd(Least, B.CreateSelect(IsWhole, B.getInt64(0), OfFirst));
  }
  Value *May = B.CreateICmpUGE(Trips, Least);
  SmallSetVector<unsigned, 4> Moving;
  for (const StagingSlot::Part &P : Slot.Parts)
    for (StagingSlot::Part::Member Of : P.Members)
      Moving.insert(Of.Stream);
  if (TestsOverlap)
    for (Value *IsApart : testApart(Moving))
      May = B.CreateAnd(May, IsApart);
  for (unsigned S : Moving)
    May = andNoWrap(Expander, May, Streams.Streams[S], At);
  auto Call = [&](Intrinsic::ID Id, ArrayRef<Value *> Args) {
    return B.CreateIntrinsic(Id, ArrayRef<Type *>(), Args);
  };
  auto Count = [&](Value *Lanes) {
    return B.CreateIntrinsic(Intrinsic::ctpop, {B.getInt32Ty()}, {Lanes});
  };
  Value *There = Call(Intrinsic::nvvm_activemask, {});
  Value *Agreed = Call(Intrinsic::nvvm_vote_ballot_sync, {There, May});
  Value *IsMost = B.CreateICmpUGE(B.CreateShl(Count(Agreed), 1), Count(There));
  return B.CreateAnd(May, IsMost);
}
