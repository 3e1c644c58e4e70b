// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "sluice/Target/StepLimit.h"
#include "sluice/Target/CriticalPoints.h"
#include "sluice/Target/LoadWaits.h"
#include "sluice/Target/MemoryModel.h"
#include "sluice/Target/WarpProgram.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <limits>

using namespace llvm;
using namespace sluice;

/// With fewer ptxas does not work.
static constexpr unsigned LeastRegisters = 24;
/// Fewer hold no more loads.
static constexpr unsigned FewestMore = 8;
/// Of less there are no two loads that one could be made of.
static constexpr uint64_t FewestWaitCycles = 1200;
static constexpr double BytesOfLoad = 4;
/// Of what a warp waits over the warps on an SM. Nobody knows how often they
/// wait.
static constexpr double LeastGain = 1.25;
/// And of what it waits alone, where the L1 has more to do than it can.
static constexpr double LeastGainAlone = 1.25;
/// A busy L1 answers later than an idle one (as MemoryModel.cpp has of memory).
static constexpr double BusyLatency = 3;

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

unsigned sluice::limitForLoads(const GPUModel &GPU,
                               const AssembledKernel &Code) {
  const unsigned Limit = mostRegisters(GPU, MostThreadsPerBlock, /*Blocks=*/1);
  return Code.Registers + FewestMore <= Limit &&
                 Code.WaitCycles >= FewestWaitCycles
             ? Limit
             : 0;
}

unsigned sluice::limitForSharedLoads(const GPUModel &GPU, unsigned SMs,
                                     const LaunchShape &Launch,
                                     const AssembledKernel &Code) {
  AssembledKernel Most = Code;
  Most.Registers = limitForLoads(GPU, Code);
  if (!Most.Registers)
    return 0;
  const unsigned Limit = limitForMoreBlocks(GPU, SMs, Launch, Most);
  return Limit >= Code.Registers + FewestMore ? Limit : 0;
}

/// That are on an SM at a time.
static double warpsOf(const GPUModel &GPU, unsigned SMs,
                      const LaunchShape &Launch, const AssembledKernel &Code) {
  return blocksPerSM(GPU, Launch.block(Code), Launch.GridBlocks, SMs) *
         double(divideCeil(Launch.Threads, GPU.WarpSize));
}

/// Cycles of an SM for each warp: they wait together, and issue one by one.
static double timeOfWarp(const GPUModel &GPU, unsigned SMs,
                         const LaunchShape &Launch,
                         const AssembledKernel &Code) {
  const double Warps = warpsOf(GPU, SMs, Launch, Code);
  if (Warps == 0)
    return 0;
  return std::max(double(Code.WaitCycles) / Warps,
                  double(Code.WaitInstructions) / Schedulers);
}

/// Is more on its way than memory delivers in the time that it takes to answer?
static bool isEnoughOnItsWay(const GPUModel &GPU, unsigned SMs,
                             const LaunchShape &Launch,
                             const AssembledKernel &Code) {
  if (!Launch.GridBlocks || !Code.WaitCycles)
    return false;
  const unsigned Blocks =
      blocksPerSM(GPU, Launch.block(Code), Launch.GridBlocks, SMs);
  const double ByOneThread = double(Code.WaitLoads) *
                             memoryModel(GPU).DRAMCycles /
                             double(Code.WaitCycles);
  return double(Blocks) * Launch.Threads * ByOneThread * BytesOfLoad >=
         bytesThatKeepBusy(GPU);
}

double sluice::gainOfLoads(const GPUModel &GPU, unsigned SMs,
                           ArrayRef<LaunchShape> Launches, bool AreShared,
                           const AssembledKernel &Now,
                           const AssembledKernel &Then) {
  static constexpr LaunchShape Any[] = {{128}, {256}, {512}, {1024}};
  double Least = std::numeric_limits<double>::infinity();
  for (const LaunchShape &Launch : Launches.empty() ? Any : Launches) {
    const double Before = timeOfWarp(GPU, SMs, Launch, Now),
                 After = timeOfWarp(GPU, SMs, Launch, Then);
    if (Before == 0 || After == 0)
      return 0;
    Least =
        std::min(Least, !AreShared && isEnoughOnItsWay(GPU, SMs, Launch, Now)
                            ? 1
                            : Before / After);
  }
  return Least;
}

/// Are more loads on their way than the L1 answers in the time that it takes
/// for one, if it has what they load? Then it takes one after the other, and
/// more warps do not make it faster.
static bool keepsL1Busy(const GPUModel &GPU, unsigned SMs,
                        const LaunchShape &Launch,
                        const AssembledKernel &Code) {
  const MemoryModel Memory = memoryModel(GPU);
  const double Rounds = double(Code.WaitCycles) / LoadWaitCycles,
               Loads = warpsOf(GPU, SMs, Launch, Code) *
                       double(Code.WaitLoads) / Rounds;
  return Loads >= BusyLatency * Memory.L1HitCycles / Memory.RequestCycles;
}

bool sluice::isWorthFewerWarps(const GPUModel &GPU, unsigned SMs,
                               ArrayRef<LaunchShape> Launches, bool AreShared,
                               const AssembledKernel &Now,
                               const AssembledKernel &Then) {
  const double Gain = gainOfLoads(GPU, SMs, Launches, AreShared, Now, Then);
  if (Gain >= LeastGain)
    return true;
  return AreShared && Gain > 1 && !Launches.empty() &&
         double(Now.WaitCycles) >= LeastGainAlone * double(Then.WaitCycles) &&
         all_of(Launches, [&](const LaunchShape &Launch) {
           return keepsL1Busy(GPU, SMs, Launch, Then);
         });
}
