// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "sluice/Target/CratChoice.h"
#include "sluice/Target/MemoryModel.h"
#include "sluice/Target/SharedSpills.h"
#include "sluice/Target/StepLimit.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <set>
#include <tuple>

using namespace llvm;
using namespace sluice;

DesignPoint sluice::designPoint(const LimitedCode &Limited, unsigned Blocks) {
  const uint64_t All = Limited.Code.spilledBytes();
  const uint64_t Local =
      Limited.Shared ? std::min(All, Limited.Shared->spilledBytes()) : All;
  return {Limited.Limit, Blocks, Local / 4,
          Limited.SharedAccesses.value_or(unsigned((All - Local) / 4))};
}

/// 1 at no block, and less with each more (section 6).
static double tlpGain(const GPUModel &GPU, unsigned Threads, unsigned Blocks) {
  const double All = double(Blocks) * Threads;
  return 1 - All / (All + GPU.MaxThreads);
}

double sluice::wholeTpsc(const GPUModel &GPU, unsigned Threads, double OwnCost,
                         const DesignPoint &Point) {
  const MemoryModel Memory = memoryModel(GPU);
  const double SpillCost = double(Point.LocalSpills) * Memory.L1HitCycles +
                           double(Point.SharedSpills) * Memory.SharedCycles +
                           double(Point.OtherSpills);
  return tlpGain(GPU, Threads, Point.Blocks) * (OwnCost + SpillCost);
}

double sluice::tpsc(const GPUModel &GPU, unsigned Threads,
                    const DesignPoint &Point) {
  return wholeTpsc(GPU, Threads, /*OwnCost=*/0, Point);
}

double sluice::ownCost(ArrayRef<WarpInstruction> Program) {
  std::set<unsigned> Seen;
  double Cost = 0;
  for (const WarpInstruction &I : Program)
    if (Seen.insert(I.Line).second)
      Cost += I.ResultCycles;
  return Cost;
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
/// Blocks that are known to be enough need none of this.
static constexpr double LeastBlocks = 0.75;
/// What more blocks must promise before a thread spills.
static constexpr double LeastGain = 0.03;

LimitedCode sluice::atLaunch(const GPUModel &GPU, unsigned SMs,
                             const LaunchShape &Shape, LimitedCode Limited) {
  if (Limited.Shared &&
      !whyNotShared(GPU, SMs, Shape, Limited.Code, *Limited.Shared).empty())
    return {Limited.Limit, Limited.Code};
  return Limited;
}

double sluice::pointCycles(const GPUModel &GPU, unsigned Threads,
                           ArrayRef<WarpInstruction> Program,
                           const DesignPoint &Point) {
  return cyclesPerBlock(
      withSpills(Program, Point.LocalSpills + Point.SharedSpills), GPU,
      unsigned(divideCeil(Threads, GPU.WarpSize)), Point.Blocks);
}

bool sluice::leavesL1(const GPUModel &GPU, unsigned Threads, unsigned Blocks,
                      const LimitedCode &Limited) {
  const AssembledKernel &Code = Limited.Shared ? *Limited.Shared : Limited.Code;
  // Each value that is spilled is stored once, mostly.
  const uint64_t Local = uint64_t(Threads) * Code.SpillStoreBytes;
  return 2 * Blocks * (Code.StaticSharedBytes + Local) <
         GPU.UnifiedKiB * uint64_t(1024);
}

namespace {

/// A launch's choice.
class CratChooser {
public:
  CratChooser(const GPUModel &GPU, unsigned SMs, const LaunchShape &Shape,
              const RegisterCandidates &Found,
              ArrayRef<WarpInstruction> Program, std::optional<unsigned> Enough)
      : GPU(GPU), SMs(SMs), Shape(Shape), Found(Found), Program(Program),
        Own(blocksPerSM(GPU, Shape.block(Found.Chosen), Shape.GridBlocks, SMs)),
        Enough(Enough) {}
  CratDecision run(CratMeasure Measure);

private:
  double cyclesOf(unsigned Blocks) const {
    return cyclesPerBlock(Program, GPU,
                          unsigned(divideCeil(Shape.Threads, GPU.WarpSize)),
                          Blocks);
  }
  void findOptTLP(unsigned Most, CratDecision &Result) const;
  const DesignPoint *chooseForBlocks(ArrayRef<DesignPoint> Points,
                                     const DesignPoint &Tpscs,
                                     unsigned OptTLP) const;

  const GPUModel &GPU;
  const unsigned SMs;
  const LaunchShape &Shape;
  const RegisterCandidates &Found;
  const ArrayRef<WarpInstruction> Program;
  const unsigned Own;                   ///< Blocks without a limit.
  const std::optional<unsigned> Enough; ///< Of these.
};

} // namespace

void CratChooser::findOptTLP(unsigned Most, CratDecision &Result) const {
  const unsigned Warps = unsigned(divideCeil(Shape.Threads, GPU.WarpSize));
  Result.GreedyTLP = blocksInvolved(Program, GPU, Warps, Most);
  const double Least = cyclesOf(Most);
  Result.TimedTLP = Most;
  while (Result.TimedTLP > 1 &&
         cyclesOf(Result.TimedTLP - 1) <= Least * EnoughTime)
    --Result.TimedTLP;
  Result.OptTLP = Result.TimedTLP;
  if (Enough)
    Result.OptTLP = *Enough < Own ? *Enough : std::max(Own, Result.TimedTLP);
}

/// Null: none gains enough over \p Tpscs, which TPSC takes.
const DesignPoint *CratChooser::chooseForBlocks(ArrayRef<DesignPoint> Points,
                                                const DesignPoint &Tpscs,
                                                unsigned OptTLP) const {
  const double OwnCost = ownCost(Program);
  auto MeasureOf = [&](const DesignPoint &P) {
    return wholeTpsc(GPU, Shape.Threads, OwnCost, P);
  };
  double Least = MeasureOf(Tpscs) * (1 - LeastGain);
  const DesignPoint *Best = nullptr;
  for (const DesignPoint &P : Points)
    if (P.Blocks > Tpscs.Blocks && P.Blocks <= OptTLP && MeasureOf(P) < Least &&
        leavesL1(GPU, Shape.Threads, P.Blocks,
                 atLaunch(GPU, SMs, Shape, *Found.at(P.Registers)))) {
      Least = MeasureOf(P);
      Best = &P;
    }
  return Best;
}

CratDecision CratChooser::run(CratMeasure Measure) {
  CratDecision Result;
  const auto Critical = criticalPoints(GPU, Shape.block(Found.Chosen),
                                       Found.Range, Shape.GridBlocks, SMs);
  unsigned Most = Own;
  for (const CriticalPoint &P : Critical)
    Most = std::max(Most, P.BlocksPerSM);
  if (Program.empty() || Most == 0)
    return Result;
  findOptTLP(Most, Result);
  const double Least =
      LeastBlocks * (Enough ? std::min(Own, Result.OptTLP) : Own);
  if (Result.OptTLP < Least)
    return Result;
  const unsigned MostRegisters = mostForAnyBlock(GPU, Found.Chosen.Registers);
  std::vector<DesignPoint> Points;
  for (const CriticalPoint &P : Critical)
    if (const LimitedCode *Code = Found.at(P.Registers);
        Code && P.Registers <= MostRegisters && P.BlocksPerSM >= Least)
      Points.push_back(
          designPoint(atLaunch(GPU, SMs, Shape, *Code), P.BlocksPerSM));
  const DesignPoint *Choice =
      chooseByTPSC(GPU, Shape.Threads, Points, Result.OptTLP);
  if (!Choice)
    return Result;
  if (Measure == CratMeasure::WholeTpsc)
    if (const DesignPoint *More =
            chooseForBlocks(Points, *Choice, Result.OptTLP)) {
      Choice = More;
      Result.IsForBlocks = true;
    }
  Result.Point = CriticalPoint{Choice->Registers, Choice->Blocks};
  return Result;
}

CratDecision sluice::decideByCrat(const GPUModel &GPU, unsigned SMs,
                                  const LaunchShape &Shape,
                                  const RegisterCandidates &Found,
                                  ArrayRef<WarpInstruction> Program,
                                  CratMeasure Measure,
                                  std::optional<unsigned> Enough) {
  return CratChooser(GPU, SMs, Shape, Found, Program, Enough).run(Measure);
}
