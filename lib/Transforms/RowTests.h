// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// What is computed before a loop whose rows are staged: where they begin, how
/// often it runs, and whether its rows may be staged this time.

#ifndef SLUICE_LIB_TRANSFORMS_ROWTESTS_H
#define SLUICE_LIB_TRANSFORMS_ROWTESTS_H

#include "sluice/Transforms/StreamStaging.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

namespace sluice {

/// How often \p Loop runs, i64, computed before \p At. 2 to the 64th becomes 0.
llvm::Value *expandTrips(llvm::SCEVExpander &Expander, const LoopStreams &Loop,
                         llvm::Instruction *At);
/// \p May, and \p S's index does not wrap around; before \p At.
llvm::Value *andNoWrap(llvm::SCEVExpander &Expander, llvm::Value *May,
                       const Stream &S, llvm::Instruction *At);

class RowTests {
public:
  /// Computes before \p At, in the loop's preheader.
  RowTests(const LoopStreams &Streams, const StagingSlot &Slot,
           llvm::ScalarEvolution &SE, llvm::Instruction *At);
  /// Addresses, i64, by part of the slot.
  llvm::ArrayRef<llvm::Value *> starts() const { return Starts; }
  /// How often the loop runs, i64.
  llvm::Value *trips() const { return Trips; }
  /// Iterations that the first chunk has less than others, so that these begin
  /// where a line does, i64; null: all begin alike.
  llvm::Value *missing() const { return Missing; }
  /// Are there enough iterations, do indices not wrap around, and, if
  /// \p TestsOverlap, is what is staged apart from what else the loop touches?
  /// Most of the lanes that are there have to agree: else warps would run both
  /// versions of the loop.
  llvm::Value *mayStage(bool TestsOverlap);

private:
  struct Range {
    llvm::Value *Begin, *End; ///< i64.
  };
  llvm::Value *expand(const llvm::SCEV *S);
  Range rangeOf(llvm::Value *Begin, int64_t Step, uint64_t Bytes);
  Range rangeOf(llvm::Instruction *I);
  llvm::SmallVector<llvm::Value *, 4>
  testApart(llvm::SmallSetVector<unsigned, 4> &Tested);

  const LoopStreams &Streams;
  const StagingSlot &Slot;
  llvm::ScalarEvolution &SE;
  llvm::Instruction *At;
  llvm::SCEVExpander Expander;
  llvm::SmallVector<llvm::Value *, 4> Starts;
  llvm::Value *Trips = nullptr, *Missing = nullptr;
};

} // namespace sluice

#endif
