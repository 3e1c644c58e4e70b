// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Deliberate faults, one of each transform's own kind, to show that tests
/// notice them: `test-wrong-rewrite=`, which is not in the help.

#ifndef SLUICE_PLAN_WRONGREWRITE_H
#define SLUICE_PLAN_WRONGREWRITE_H

#include <cstdint>

namespace sluice {

enum class WrongRewrite : uint8_t {
  None,
  SkipTurn,        ///< A throttled region's last turn is left out.
  UnseenWait,      ///< Turns and limits of blocks whoever waits for whom.
  UnprovenNC,      ///< `nc` where the kernel may write.
  UntestedOverlap, ///< Sums in registers whatever overlaps.
  Unfused,         ///< A promoted loop is not fused as it was in memory.
  Reordered,       ///< A promoted sum keeps its fast-math flags.
  StaleChunk,      ///< Staged rows are copied once.
  ShortRow,       ///< Their last 16 bytes are left out where they begin within.
  AbsentLane,     ///< Whole warps are taken to copy, whoever is there.
  TornRow,        ///< Written rows begin and end with whole blocks of 16 bytes.
  UntestedRow,    ///< Rows are staged whatever overlaps them.
  EarlyRead,      ///< What is copied is not waited for.
  WideMisaligned, ///< Rows are taken to begin at multiples of 16 bytes.
  StaleLine,      ///< Lines are kept over fences and barriers.
  AliasedLine,    ///< Lines are kept whatever is written by other pointers.
  LostLine,       ///< What a line has is not written where its loop ends.
  UnrolledProduct, ///< Loops are unrolled whatever is fused then.
  NarrowScope,     ///< atomicCAS holds for the block only.
  ShortCopy,       ///< The last part of a copied struct is left out.
  SummedArray,     ///< Arrays are in registers whatever is fused then.
  SkewedArray,     ///< Constant arrays are read a word behind what is asked.
  PassedAlias,     ///< Loads go before stores of the same place.
  OneMoreStride,   ///< Iterations are taken together that are not there.
  SwappedBodies,   ///< Loops of a condition's two sides are exchanged.
  LateAlias,       ///< Shared loads go back over stores of the same place.
  OthersSlot,      ///< A value is spilled to the slot of the next thread.
  EveryExchange,   ///< C++ compare-exchanges lose their order too.
  AllApproximate,  ///< Warps of any index compute approximately.
  LostVersion,     ///< Warps that are to do so do nothing.
  AnyBlock,        ///< Barriers are of a warp in blocks of any size.
  UsedExchange,    ///< What a lock held is zero for who gives it back.
  LostFactor,      ///< Signs that sums are multiplied by are all 1.
  CarriedLane,     ///< Lanes of a word carry into the next.
  OtherWay,        ///< A branch goes the other way.
  PassedStore,     ///< A load goes up past what is written.
  SwappedChoice,   ///< What a condition chooses is exchanged.
  OtherConstant,   ///< What a call with constants gives is one more.
  OtherCall,       ///< Calls of a function are one whatever its operands.
  RoundedAnew,     ///< Inlined sums are fused as they come to stand.
  OtherOffset,     ///< Addresses differ by the same the other way round.
  LateEnd,         ///< A loop that counts up has one iteration more.
  LostCondition,   ///< Of two conditions only the first is asked.
  OtherByte,       ///< Of two words that are compared another byte is.
  SwappedHalves,   ///< Of two halves in a word each is the other.
  ReadStore,       ///< Stores are left out that are read before the next.
  LostCase,        ///< Of cases that go one way only the first does.
  NextConstant,    ///< Of constants in an array the next one is read.
  MixedPair,       ///< Two neighbours are accessed in each other's place.
  OtherQuotient,   ///< A quotient by what a loop keeps is one more.
  OtherStart,      ///< Each iteration takes what a peeled loop begins with.
  OtherBase,       ///< Of places from one base the last is the first.
  WrongNext,       ///< What a next iteration loads is the last one's.
  OtherArm,        ///< A choice that is a branch computes for the other arm.
  AnyPlace,        ///< Loads go before stores of any other place.
  OtherCopy,       ///< The last word that is copied is the first.
  OtherPiece,      ///< Of a loaded number another byte is read.
  UnevenPlace,     ///< Places of an array are aligned as its beginning is.
  OtherWord,       ///< Of an array in registers a neighbour is read.
  OtherStruct,     ///< Of a struct chosen the last field is the other's.
  LostOffset,      ///< What is added to a result taken again is not.
  OneBlock,        ///< All of the blocks that are merged are the first.
  OtherBlock,  ///< Of two blocks side by side one loads what is the other's.
  StoreAnyway, ///< What a condition keeps from memory is stored.
  LostFirst,   ///< The first iteration that is peeled off is left out.
  LostSign,    ///< Of each function one addition subtracts.
};

} // namespace sluice

#endif
