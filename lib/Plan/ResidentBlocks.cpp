// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// M is for the whole kernel, also for its loops that do not thrash, so it is
// chosen where turns of warps, which are for one loop, cannot be taken, and
// where that loop is the whole kernel: then M costs no barriers.

#include "sluice/Plan/ResidentBlocks.h"
#include "sluice/Target/LastWave.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <algorithm>

using namespace sluice;
using llvm::formatv;

std::string sluice::blocksRefusal(const KernelFacts &Kernel) {
  if (Kernel.Off || llvm::any_of(Kernel.Loops, [](const LoopFacts &L) {
        return L.Region.SwitchedOff;
      }))
    return "it is switched off in the source";
  // Warps that wait for others may wait for those of a block that would not
  // become resident.
  for (const RegionHazard &Hazard : Kernel.Hazards)
    if (Hazard.WholeKernel) {
      std::string Why = "it " + Hazard.What;
      if (Hazard.Place.isKnown())
        Why += " at " + Hazard.Place.str();
      return Why;
    }
  if (!Kernel.FixedResidency.empty())
    return "it " + Kernel.FixedResidency;
  return "";
}

/// Largest M below \p Most for which \p Fits(M, claim).
template <typename Predicate>
static BlocksDecision largestBlocks(const ResourceLedger &Ledger, unsigned Most,
                                    Predicate Fits) {
  BlocksDecision D;
  for (unsigned M = Most - 1; M > 0; --M)
    if (auto Claim = Ledger.claimFor(M); Claim && Fits(M, *Claim)) {
      D.Blocks = M;
      D.Claim = *Claim;
      return D;
    }
  return D;
}

const ThrashingLoop &
sluice::largestFootprint(llvm::ArrayRef<ThrashingLoop> Loops) {
  return *llvm::max_element(Loops, [](const ThrashingLoop &A,
                                      const ThrashingLoop &B) {
    return A.LinesPerBlock * A.BlocksPerSM < B.LinesPerBlock * B.BlocksPerSM;
  });
}

static unsigned leastBlocks(llvm::ArrayRef<ThrashingLoop> Loops) {
  unsigned Least = Loops.front().BlocksPerSM;
  for (const ThrashingLoop &Loop : Loops)
    Least = std::min(Least, Loop.BlocksPerSM);
  return std::max(Least, 1u);
}

static std::string describeFit(const ThrashingLoop &Loop,
                               const BlocksDecision &D,
                               const ResourceLedger &Ledger) {
  const GPUModel &GPU = Ledger.gpu();
  return formatv("footprint {0} B ({1} blocks of {2} lines) of the loop at {3} "
                 "is beyond the L1; with M={4} it is {5} B and the L1 {6} B",
                 Loop.bytesOf(Loop.BlocksPerSM, GPU), Loop.BlocksPerSM,
                 Loop.LinesPerBlock, Loop.Id.str(), *D.Blocks,
                 Loop.bytesOf(*D.Blocks, GPU), Ledger.l1With(D.Claim.L1Bytes));
}

BlocksDecision sluice::planBlocksForTurns(
    const ResourceLedger &Ledger, llvm::ArrayRef<ThrashingLoop> Launches,
    const ThrottleOptions &Options, const ThrottleThresholds &Thresholds) {
  const GPUModel &GPU = Ledger.gpu();
  if (!Ledger.sharedBytes() || Launches.empty())
    return {};
  auto Suits = [&](const ThrashingLoop &L, unsigned M, uint64_t L1Bytes) {
    return L.bytesOf(M, GPU) <= L1Bytes &&
           M * L.WarpsPerBlock >= Thresholds.MinRunningWarpsOfBlocks &&
           blocksOfBusiestSM(L.GridBlocks, Options.SMs, M) <=
               blocksOfBusiestSM(L.GridBlocks, Options.SMs, L.BlocksPerSM);
  };
  BlocksDecision D = largestBlocks(
      Ledger, leastBlocks(Launches), [&](unsigned M, const BlockClaim &Claim) {
        return llvm::all_of(Launches, [&](const ThrashingLoop &L) {
          return Suits(L, M, Ledger.l1With(Claim.L1Bytes));
        });
      });
  if (D.Blocks)
    D.Why = describeFit(largestFootprint(Launches), D, Ledger);
  return D;
}

BlocksDecision sluice::planResidentBlocks(
    const ResourceLedger &Ledger, llvm::ArrayRef<ThrashingLoop> Loops,
    const ThrottleOptions &Options, const ThrottleThresholds &Thresholds) {
  BlocksDecision D;
  if (Loops.empty())
    return D;
  const ThrashingLoop &Worst = largestFootprint(Loops);
  if (!Ledger.sharedBytes(D.Why))
    return D;

  const GPUModel &GPU = Ledger.gpu();
  auto Fits = [&](unsigned M, const BlockClaim &Claim) {
    return llvm::all_of(Loops, [&](const ThrashingLoop &L) {
      // At this edge turns do not pay either: four blocks of 1.03 and 1.07
      // times the L1 are as fast as three or faster
      // (results/2026-11-h100-blocks).
      return double(L.bytesOf(M, GPU)) <=
             Thresholds.MinOverflow * double(Ledger.l1With(Claim.L1Bytes));
    });
  };
  D = largestBlocks(Ledger, leastBlocks(Loops), Fits);
  // Of six blocks an SM five at a time leave one for a round of its own: three
  // are faster (results/2026-11-h100-carveouts).
  for (BlocksDecision Even = D; Even.Blocks;) {
    D = Even;
    Even = largestBlocks(
        Ledger, *D.Blocks, [&](unsigned M, const BlockClaim &Claim) {
          return Fits(M, Claim) &&
                 llvm::all_of(Loops, [&](const ThrashingLoop &L) {
                   return M * L.WarpsPerBlock >=
                              Thresholds.MinRunningWarpsOfBlocks &&
                          blocksOfBusiestSM(L.GridBlocks, Options.SMs, M) <
                              blocksOfBusiestSM(L.GridBlocks, Options.SMs,
                                                *D.Blocks);
                 });
        });
  }
  if (!D.Blocks) {
    D.Why =
        formatv("the loop at {0} has a footprint of {1} B ({2} blocks of "
                "{3} lines), and {4}",
                Worst.Id.str(), Worst.bytesOf(Worst.BlocksPerSM, GPU),
                Worst.BlocksPerSM, Worst.LinesPerBlock,
                Worst.BlocksPerSM > 1 ? "fewer blocks do not make it fit the L1"
                                      : "one block is all there is on an SM");
    return D;
  }
  for (const ThrashingLoop &Loop : Loops) {
    unsigned Running = *D.Blocks * Loop.WarpsPerBlock;
    if (Running >= Thresholds.MinRunningWarps)
      continue;
    D.Why =
        formatv("the loop at {0} would fit the L1 with M={1}, but {2} warps "
                "on an SM are too few to hide latency",
                Loop.Id.str(), *D.Blocks, Running);
    D.Blocks.reset();
    return D;
  }
  D.Why = describeFit(Worst, D, Ledger);
  return D;
}

/// "M=all 1.000 ms, M=4 1.200 ms": of those that are fewer than there are.
static std::string describeTimes(llvm::ArrayRef<BlocksPrediction> Simulated) {
  std::string Times;
  for (const BlocksPrediction &B : llvm::reverse(Simulated))
    if (changesAnything(B, Simulated))
      Times += formatv(
          "{0}M={1} {2:F3} ms", Times.empty() ? "" : ", ",
          B.Blocks == BlocksPrediction::All ? "all" : std::to_string(B.Blocks),
          double(B.Nanoseconds) / 1e6);
  return Times;
}

/// Of times that are so near the fewest blocks are enough: as the static model
/// of registers=crat has it (lib/Target/CratChoice.cpp).
static constexpr double EnoughTime = 1.02;

std::optional<EnoughBlocks>
sluice::enoughBlocks(llvm::ArrayRef<BlocksPrediction> Simulated) {
  static_assert(MostEnoughBlocks == BlocksPrediction::All);
  if (Simulated.empty())
    return std::nullopt;
  uint64_t Least = Simulated.back().Nanoseconds;
  for (const BlocksPrediction &B : Simulated)
    Least = std::min(Least, B.Nanoseconds);
  // All of them count as fewer ones do, and are last.
  const BlocksPrediction &Enough =
      *llvm::find_if(Simulated, [&](const BlocksPrediction &B) {
        return changesAnything(B, Simulated) &&
               double(B.Nanoseconds) <= EnoughTime * double(Least);
      });
  return EnoughBlocks{Enough.Blocks, "predicted from the profile: " +
                                         describeTimes(Simulated)};
}

BlocksDecision
sluice::predictedResidentBlocks(const ResourceLedger &Ledger,
                                uint64_t TurnsNanoseconds,
                                const ThrottleThresholds &Thresholds) {
  const KernelFacts &Kernel = Ledger.kernel();
  BlocksDecision D;
  if (Kernel.FewerBlocks.empty())
    return D;
  const BlocksPrediction &All = Kernel.FewerBlocks.back(), *Best = &All;
  for (const BlocksPrediction &B : llvm::reverse(Kernel.FewerBlocks))
    // Of about equal times that of the most blocks.
    if (double(B.Nanoseconds) * Thresholds.PredictedTie <
        double(Best->Nanoseconds))
      Best = &B;
  const std::string Times = describeTimes(Kernel.FewerBlocks);
  auto IsFaster = [&](uint64_t Than, double Gain) {
    return double(Best->Nanoseconds) * Gain < double(Than);
  };
  if (!IsFaster(All.Nanoseconds, Thresholds.MinPredictedGain) ||
      (TurnsNanoseconds != 0 &&
       !IsFaster(TurnsNanoseconds, 1 / Thresholds.MaxBlocksOverTurns)))
    return D;
  std::string Of =
      TurnsNanoseconds == 0
          ? std::string()
          : formatv("; with turns {0:F3} ms", double(TurnsNanoseconds) / 1e6)
                .str();
  D = forceResidentBlocks(Ledger, Best->Blocks);
  D.Nanoseconds = Best->Nanoseconds;
  if (D.Blocks)
    D.Why = formatv("predicted from the profile: {0}{1}", Times, Of);
  else
    D.Why = formatv("M={0} is predicted to be faster ({1}{2}), but {3}",
                    Best->Blocks, Times, Of, D.Why);
  return D;
}

BlocksDecision sluice::forceResidentBlocks(const ResourceLedger &Ledger,
                                           unsigned Blocks) {
  BlocksDecision D;
  std::optional<uint64_t> OwnBytes = Ledger.sharedBytes(D.Why);
  if (!OwnBytes)
    return D;
  auto Claim = Ledger.claimFor(Blocks);
  if (!Claim) {
    D.Why = formatv("no carveout of {0} keeps {1} blocks with {2} B of shared "
                    "memory on an SM",
                    Ledger.gpu().Name, Blocks, *OwnBytes);
    return D;
  }
  D.Blocks = Blocks;
  D.Claim = *Claim;
  D.Why = formatv("M={0} was asked for", Blocks);
  return D;
}
