// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Copies of cp.async that are under way. The source is read at once; the bytes
/// come into shared memory when the thread waits for the copy's group, or when
/// somebody has waited for the mbarrier that was told of it. Until then nobody
/// may touch them, so what is read without a wait is never the right value by
/// chance.

#ifndef SLUICE_LIB_EMULATOR_ASYNCCOPIES_H
#define SLUICE_LIB_EMULATOR_ASYNCCOPIES_H

#include "Program.h"
#include "llvm/ADT/BitVector.h"

namespace sluice::emulator {

/// One cp.async of a warp.
struct AsyncCopy {
  static constexpr unsigned MostBytes = 16;
  uint32_t Lanes = 0; ///< Those whose bytes are still under way.
  unsigned Bytes = 0; ///< Of each lane.
  const CodePlace *Place = nullptr;
  uint32_t Group[WarpLanes]; ///< How many the thread had committed before.
  uint64_t To[WarpLanes];    ///< Offset in shared memory.
  char Data[WarpLanes][MostBytes];
  /// Lanes that have told an mbarrier, and of them those whose phase is over.
  uint32_t Tied = 0, Over = 0;
  uint64_t Barrier[WarpLanes]; ///< Its offset in shared memory.
};

/// Those of a block.
struct AsyncCopies {
  std::vector<std::vector<AsyncCopy>> OfWarp;
  std::vector<uint32_t> Committed; ///< Groups of each thread.
  llvm::BitVector UnderWay;        ///< For each 4 bytes of shared memory.

  AsyncCopies(size_t Warps, uint64_t SharedBytes)
      : OfWarp(Warps), Committed(Warps * WarpLanes),
        UnderWay(unsigned((SharedBytes + 3) / 4)) {}
};

bool anyUnderWay(const BlockState &B);

/// What a report says of a copy to some of these bytes of shared memory; empty:
/// none is under way.
std::string copyUnderWay(const Context &C, uint64_t Offset, unsigned Bytes);

/// The write of a cp.async by \p Lanes, to be done later. \p PC: a
/// GuardedAccess.
void startCopies(Context *C, const Instruction *PC, const char *R,
                 uint32_t Lanes, char *const *Host);

/// cp.async.mbarrier.arrive: \p Lane's copies belong to the phase of the
/// mbarrier at \p Barrier.
void tieCopies(Context *C, unsigned Lane, uint64_t Barrier);
/// That phase is over.
void endPhaseOfCopies(Context *C, uint64_t Barrier);
/// Somebody has waited at it.
void landTiedCopies(Context *C, uint64_t Barrier);

} // namespace sluice::emulator

#endif
