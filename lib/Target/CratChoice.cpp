// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "sluice/Target/CratChoice.h"
#include "sluice/Target/MemoryModel.h"
#include "sluice/Target/SharedSpills.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <tuple>

using namespace llvm;
using namespace sluice;

DesignPoint sluice::designPoint(unsigned Registers, unsigned Blocks,
                                const AssembledKernel &Code,
                                const AssembledKernel *Shared) {
  const uint64_t All = Code.spilledBytes();
  const uint64_t Local = Shared ? std::min(All, Shared->spilledBytes()) : All;
  return {Registers, Blocks, Local / 4, (All - Local) / 4};
}

/// 1 at no block, and less with each more (section 6).
static double tlpGain(const GPUModel &GPU, unsigned Threads, unsigned Blocks) {
  const double All = double(Blocks) * Threads;
  return 1 - All / (All + GPU.MaxThreads);
}

double sluice::tpsc(const GPUModel &GPU, unsigned Threads,
                    const DesignPoint &Point) {
  const MemoryModel Memory = memoryModel(GPU);
  const double SpillCost = double(Point.LocalSpills) * Memory.L1HitCycles +
                           double(Point.SharedSpills) * Memory.SharedCycles +
                           double(Point.OtherSpills);
  return tlpGain(GPU, Threads, Point.Blocks) * SpillCost;
}

const DesignPoint *sluice::chooseByTPSC(const GPUModel &GPU, unsigned Threads,
                                        ArrayRef<DesignPoint> Points,
                                        unsigned OptTLP) {
  const DesignPoint *Best = nullptr, *Fewest = nullptr;
  auto KeyOf = [&](const DesignPoint &P) {
    return std::make_tuple(tpsc(GPU, Threads, P),
                           tlpGain(GPU, Threads, P.Blocks), -int(P.Registers));
  };
  for (const DesignPoint &P : Points) {
    if (!Fewest || P.Blocks < Fewest->Blocks)
      Fewest = &P;
    if (P.Blocks <= OptTLP && (!Best || KeyOf(P) < KeyOf(*Best)))
      Best = &P;
  }
  return Best ? Best : Fewest;
}

/// More blocks gain less than this.
static constexpr double EnoughTime = 1.02;
/// Of the blocks that there are without a limit, how many the model must say
/// are of use: what it does not know of memory is hidden by warps. Where it
/// says that half of fdtd3d's are enough, with half it takes 1.5 times as long.
static constexpr double LeastBlocks = 0.75;

const AssembledKernel *sluice::sharedAt(const GPUModel &GPU, unsigned SMs,
                                        const LaunchShape &Shape,
                                        const LimitedCode &Limited) {
  return Limited.Shared &&
                 whyNotShared(GPU, SMs, Shape, Limited.Code, *Limited.Shared)
                     .empty()
             ? &*Limited.Shared
             : nullptr;
}

CratDecision sluice::decideByCrat(const GPUModel &GPU, unsigned SMs,
                                  const LaunchShape &Shape,
                                  const RegisterCandidates &Found,
                                  ArrayRef<WarpInstruction> Program) {
  CratDecision Result;
  const unsigned Own =
      blocksPerSM(GPU, Shape.block(Found.Chosen), Shape.GridBlocks, SMs);
  const auto Critical = criticalPoints(GPU, Shape.block(Found.Chosen),
                                       Found.Range, Shape.GridBlocks, SMs);
  unsigned Most = Own;
  for (const CriticalPoint &P : Critical)
    Most = std::max(Most, P.BlocksPerSM);
  if (Program.empty() || Most == 0)
    return Result;
  const unsigned Warps = unsigned(divideCeil(Shape.Threads, GPU.WarpSize));
  auto CyclesOf = [&](unsigned Blocks) {
    return cyclesPerBlock(Program, GPU, Warps, Blocks);
  };
  Result.GreedyTLP = blocksInvolved(Program, GPU, Warps, Most);
  const double Least = CyclesOf(Most);
  Result.TimedTLP = Most;
  while (Result.TimedTLP > 1 &&
         CyclesOf(Result.TimedTLP - 1) <= Least * EnoughTime)
    --Result.TimedTLP;
  if (Result.TimedTLP < LeastBlocks * Own)
    return Result;
  std::vector<DesignPoint> Points;
  for (const CriticalPoint &P : Critical)
    if (const LimitedCode *Code = Found.at(P.Registers);
        Code && P.BlocksPerSM >= LeastBlocks * Own)
      Points.push_back(designPoint(P.Registers, P.BlocksPerSM, Code->Code,
                                   sharedAt(GPU, SMs, Shape, *Code)));
  if (const DesignPoint *Choice =
          chooseByTPSC(GPU, Shape.Threads, Points, Result.TimedTLP))
    Result.Point = CriticalPoint{Choice->Registers, Choice->Blocks};
  return Result;
}
