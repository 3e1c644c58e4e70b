// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// The observer that makes a LaunchTrace of each launch: of the blocks that one
/// SM would get.

#ifndef SLUICE_LIB_EMULATOR_TRACERECORDER_H
#define SLUICE_LIB_EMULATOR_TRACERECORDER_H

#include "sluice/Emulator/Observer.h"
#include "sluice/Target/GPUModel.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include <functional>
#include <memory>

namespace sluice::emulator {

struct RecorderOptions {
  unsigned SMs = 1; ///< Over which a grid's blocks are spread in turn.
  /// No further block of a launch is traced when the trace has so many words.
  uint64_t MostWords = uint64_t(64) << 20;
  /// Kernels whose demangled names hold this, and do not hold that; empty: all,
  /// none.
  std::string Kernel, NotKernel;
  /// Of each kernel, every so many-th launch is traced; of others it is only
  /// told that they were.
  unsigned EachLaunch = 1;
  unsigned Waves = 0; ///< Trace so many waves of resident blocks; 0: all.
  const GPUModel *GPU = nullptr; ///< Tells how many are resident.
  bool OnlySample = false;       ///< Blocks that are not looked at do not run.
};

/// Gets the trace of a launch that has ended; one without blocks if it was not
/// traced.
using TraceConsumer = std::function<void(LaunchTrace &&)>;

std::unique_ptr<Observer> makeTraceRecorder(const RecorderOptions &Options,
                                            TraceConsumer Consumer);

} // namespace sluice::emulator

#endif
