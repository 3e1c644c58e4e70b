// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "sluice/Target/StepLimit.h"
#include "sluice/Target/CriticalPoints.h"
#include <algorithm>

using namespace llvm;
using namespace sluice;

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
