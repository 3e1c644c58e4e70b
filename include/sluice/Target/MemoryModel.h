// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// How fast an SM's way to memory is: the L1's organisation, latencies and
/// rates. Sources are beside the numbers in lib/Target/MemoryModel.cpp; those
/// of sm_90 were measured (docs/internals/gpu-model.md, "Caches, measured").

#ifndef SLUICE_TARGET_MEMORYMODEL_H
#define SLUICE_TARGET_MEMORYMODEL_H

#include "sluice/Target/GPUModel.h"

namespace sluice {

/// Cycles are of the SM's clock. Rates of the chip are shared by its SMs.
struct MemoryModel {
  bool Measured = false; ///< By us; else from sm_90 and data sheets.
  double ClockGHz = 0;   ///< Under load.

  uint64_t L1ReservedBytes = 0; ///< Of the L1, which hold no lines.
  unsigned L1HitCycles = 0;     ///< From issue to use, one line.
  double TagLinesPerCycle = 0;  ///< Lines whose tags a slice compares.
  double RequestCycles = 0;     ///< The least that a warp's request takes.
  double L1BytesPerCycle = 0;   ///< To the register file.
  unsigned SharedCycles = 0;    ///< From issue to use of shared memory.
  /// Accesses that wait in an SM for the tag stage before warps stall.
  unsigned L1QueueCycles = 0;

  unsigned L2HitCycles = 0; ///< From issue to use, unloaded, the mean.
  /// How much of it differs from line to line: the mean of an exponential.
  unsigned L2SpreadCycles = 0;
  uint64_t L2Bytes = 0; ///< That data of one SM can use.
  /// Of these, what loads that ask to leave first have among themselves while
  /// it is full of others.
  uint64_t L2FirstBytes = 0;
  double L2BytesPerCyclePerSM = 0;
  double L2BytesPerCycle = 0; ///< Of the chip.
  double L2LinesPerCycle = 0; ///< Of the chip, however few of their sectors.
  /// Of the chip, stored from all SMs. Requests for lines go the same way, each
  /// for some cycles of its SM's.
  double L2StoreBytesPerCycle = 0;
  double L2RequestCycles = 0;
  /// Of the chip: written lines that the L2 keeps before memory gets them.
  uint64_t L2DirtyBytes = 0;

  /// What a sector that misses in the L2 brings there: itself and its
  /// neighbour.
  unsigned DRAMFetchBytes = 0;
  unsigned DRAMCycles = 0;       ///< From issue to use, unloaded, the mean.
  unsigned DRAMSpreadCycles = 0; ///< As of the L2.
  /// How many lines an SM's share of memory serves side by side, each slower:
  /// loads wait where two meet in one.
  unsigned DRAMQueues = 1;
  double DRAMBytesPerCycle = 0;     ///< Of the chip, reads of whole lines.
  double DRAMPartialLineFactor = 1; ///< How much longer a byte takes of less.
  double DRAMWriteFactor = 1;       ///< And of a write.

  unsigned LaunchNanoseconds = 0; ///< What a launch takes that does nothing.
  unsigned ArithmeticCycles = 0; ///< From one instruction to one that needs it.
  double IndependentInstructions = 0; ///< Of a warp, side by side, in the mean.
};

/// Of the architecture of \p GPU.
MemoryModel memoryModel(const GPUModel &GPU);

/// Bytes on their way for an SM with which more of them gain nothing: Little's
/// law, for a busy memory.
double bytesThatKeepBusy(const GPUModel &GPU);

} // namespace sluice

#endif
