// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// What is known of the streams of a kernel's loops: plain structs, no IR.
///
/// A stream is the loads, or the stores, of a loop whose addresses move by the
/// same constant step in each iteration and lie at constant distances from one
/// another: `A[i * n + j]` in a loop over j, a text that is read byte by byte,
/// the fields of a struct. What a thread's own stream will read next is known,
/// so that whole lines of it can be kept in registers or in shared memory.

#ifndef SLUICE_ANALYSIS_STREAMFACTS_H
#define SLUICE_ANALYSIS_STREAMFACTS_H

#include "sluice/Analysis/AddressForm.h"
#include "sluice/Analysis/SourcePlace.h"

namespace sluice {

/// Which iterations of its loop run an access.
enum class StreamRuns : uint8_t {
  Always,  ///< Each one.
  ButLast, ///< Each one but for the last, in which the loop may end before it.
  Sometimes,
};

/// What is known, where a loop begins, of the number of its iterations.
enum class StreamTrip : uint8_t {
  Exact,
  AtMost, ///< The data may end it earlier.
  Unknown,
};

/// How far apart neighbouring lanes of a warp, by tid.x, begin.
enum class LaneSpread : uint8_t {
  Uniform,   ///< Not at all.
  Coalesced, ///< Less than a sector.
  Wide,      ///< A sector or more.
  Symbolic,  ///< By a form that is the same for all lanes, known at run time.
  Loaded,    ///< Each begins where something says that was read from memory.
  Unknown,
};

/// Do neighbouring lanes have rows of their own, as far as is known?
constexpr bool areApart(LaneSpread Spread) {
  return Spread == LaneSpread::Wide || Spread == LaneSpread::Symbolic ||
         Spread == LaneSpread::Loaded;
}

struct StreamAccess {
  /// Its number in KernelFacts::Loops[Loop].Accesses, which has the rest.
  unsigned Access = 0;
  CodeId Id;
  int64_t Offset = 0; ///< In bytes, from where the stream begins.
  unsigned Bytes = 0;
  StreamRuns Runs = StreamRuns::Always;
};

/// Another access in the loop that may touch the stream's memory: of a stream
/// that is read all that writes, of one that is written all that reads too.
struct StreamConflict {
  CodeId Id;
  bool Writes = false;
  /// A range of addresses is known, where the loop begins, that it stays in: as
  /// far as the number of iterations is.
  bool IsTestable = false;
  /// It moves along with the stream, this many bytes from where that begins.
  std::optional<int64_t> Offset;
};

struct StreamFacts {
  bool IsStore = false;
  int64_t Step = 0;   ///< Bytes by iteration; not 0.
  uint64_t Span = 0;  ///< Bytes from the first to the last in one iteration.
  uint64_t Bytes = 0; ///< Distinct ones among them that are touched.
  std::vector<StreamAccess> Accesses; ///< By rising offset, the first at 0.
  /// Of where it begins, in bytes: proven; at most a line's.
  uint64_t Alignment = 1;
  /// The same if the pointer that it lies behind were a line's: of rows
  /// `A + i * 2048` with a pointer of which nothing is known.
  uint64_t AlignmentBehindBase = 1;
  LaneSpread Spread = LaneSpread::Unknown;
  AddressForm Distance; ///< Of Coalesced, Wide and Symbolic.
  /// The loop around moves it by so much in an iteration.
  std::optional<int64_t> ParentStep;
  /// It begins at the same place in each iteration of the loop around.
  bool IsSameInParent = false;
  bool IsGlobal = false;   ///< For certain; else a generic pointer's.
  bool IsReadOnly = false; ///< Nobody writes it while the kernel runs.
  /// It moves by its step only while the index in it does not wrap around, and
  /// that has to be tested.
  bool NeedsWrapTest = false;
  std::vector<StreamConflict> Conflicts; ///< In the order of the code.
};

/// What in a loop keeps a thread from using, behind it, what it has read before
/// it, or from writing later.
struct StreamHazard {
  enum KindTy : uint8_t {
    Volatile,
    Atomic,
    Barrier,     ///< Of the block, or of more.
    WarpBarrier, ///< __syncwarp.
    Fence,
    Assembly,
    Call, ///< That may write, order memory or not return.
  };
  KindTy Kind;
  CodeId Id;
  /// "a block barrier".
  std::string str() const;
};

/// A global access of a loop that is in no stream.
struct UnstreamedAccess {
  unsigned Access = 0; ///< As StreamAccess::Access.
  CodeId Id;
  std::string Why; ///< "its address does not move in the loop".
};

struct StreamLoopFacts {
  unsigned Loop = 0; ///< In KernelFacts::Loops.
  bool IsInnermost = false;
  StreamTrip Trip = StreamTrip::Unknown;
  std::vector<StreamHazard> Hazards; ///< In it or in inner loops.
  std::vector<StreamFacts> Streams;  ///< By the first access in the code.
  std::vector<UnstreamedAccess> Others;
};

} // namespace sluice

#endif
