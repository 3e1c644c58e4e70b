// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "sluice/Target/StepLimit.h"
#include "sluice/Target/CriticalPoints.h"
#include <algorithm>

using namespace llvm;
using namespace sluice;

/// With fewer ptxas does not work.
static constexpr unsigned LeastRegisters = 24;

unsigned sluice::mostForAnyBlock(const GPUModel &GPU, unsigned Registers) {
  unsigned Threads = MostThreadsPerBlock;
  while (Threads > GPU.WarpSize &&
         mostRegisters(GPU, Threads, /*Blocks=*/1) < Registers)
    Threads -= GPU.WarpSize;
  return mostRegisters(GPU, Threads, /*Blocks=*/1);
}

unsigned sluice::lastOfStep(const GPUModel &GPU, ArrayRef<LaunchShape> Launches,
                            const AssembledKernel &Code) {
  unsigned Most = mostForAnyBlock(GPU, Code.Registers);
  for (const LaunchShape &Launch : Launches) {
    const unsigned Blocks =
        blocksPerSM(GPU, Launch.block(Code), std::nullopt, /*SMs=*/1);
    if (Blocks == 0)
      return Code.Registers;
    Most = std::min(Most, mostRegisters(GPU, Launch.Threads, Blocks));
  }
  return std::max(Most, Code.Registers);
}

unsigned sluice::limitForMoreBlocks(const GPUModel &GPU, unsigned SMs,
                                    const LaunchShape &Launch,
                                    const AssembledKernel &Code) {
  const unsigned Now =
      blocksPerSM(GPU, Launch.block(Code), Launch.GridBlocks, SMs);
  if (Now == 0)
    return 0;
  AssembledKernel Less = Code;
  Less.Registers = mostRegisters(GPU, Launch.Threads, Now + 1);
  const bool HasMore =
      Less.Registers >= LeastRegisters && Less.Registers < Code.Registers &&
      blocksPerSM(GPU, Launch.block(Less), Launch.GridBlocks, SMs) > Now;
  return HasMore ? Less.Registers : 0;
}
