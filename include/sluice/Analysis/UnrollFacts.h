// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// What repeating a loop's body brings and costs: numbers, no IR.

#ifndef SLUICE_ANALYSIS_UNROLLFACTS_H
#define SLUICE_ANALYSIS_UNROLLFACTS_H

#include <cstdint>
#include <optional>
#include <string>

namespace sluice {

struct UnrollFacts {
  /// Why loads of several iterations cannot go together; empty: they can.
  std::string Refusal;
  /// Loads of global memory in an iteration that wait for nothing which the
  /// iteration before loads.
  unsigned Loads = 0;
  /// Of those that the lanes of a warp do not share; all, where they share all.
  unsigned Bytes = 0;
  bool IsShared = false;   ///< They share all.
  unsigned TileLoads = 0;  ///< Loads of arrays in shared memory.
  unsigned LocalLoads = 0; ///< Loads of a thread's arrays.
  /// It writes arrays in shared memory, which no load of global memory reads.
  bool WritesTile = false;
  /// Loads of words of constant memory that it goes over by an odd number of
  /// words each time, at the same place for all lanes.
  unsigned OddWords = 0;
  /// Loads of constant memory whose place is constant in each copy of a loop
  /// that is unrolled whole, with those around it.
  unsigned Constants = 0;
  unsigned Size = 0; ///< Of an iteration, as LLVM counts it.
  unsigned Own = 1;  ///< Iterations that clang takes together by itself.
  std::optional<uint64_t> Trip; ///< Iterations, when constant.
  /// How many it has was loaded from memory: what a row of a sparse matrix has.
  bool IsOfLoadedLength = false;
  /// What it is moved on by is known when it runs, as blockDim.x is: clang
  /// takes one at a time.
  bool HasRunTimeStep = false;
  /// And it writes global memory, elements of its own index (ownElements).
  bool WritesOwn = false;
  /// It writes global memory that no other iteration reads or writes, as LLVM
  /// sees by itself (writesApart).
  bool WritesApart = false;
  /// It has few iterations, of which clang takes one at a time.
  bool IsShort = false;
};

} // namespace sluice

#endif
