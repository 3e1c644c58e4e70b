// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A larger L1 is not always faster: what thrashes may be faster with less, and
// then only a prediction tells. Without one a carveout is chosen only where it
// makes fit what does not fit.

#include "sluice/Plan/Carveout.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <algorithm>

using namespace sluice;
using llvm::formatv;

CarveoutDecision sluice::planCarveout(const ResourceLedger &Ledger,
                                      llvm::ArrayRef<ThrashingLoop> Loops,
                                      const ThrottleThresholds &Thresholds) {
  CarveoutDecision D;
  if (Loops.empty())
    return D;
  const GPUModel &GPU = Ledger.gpu();
  unsigned Blocks = 0;
  uint64_t L1Bytes = 0;
  for (const ThrashingLoop &L : Loops) {
    Blocks = std::max(Blocks, L.BlocksPerSM);
    L1Bytes = std::max(L1Bytes, L.L1Bytes);
  }
  auto Steps = Ledger.carveoutsFor(Blocks, L1Bytes);
  if (Steps.empty() || Steps.front().L1Bytes <= L1Bytes)
    return D;
  const CarveoutStep &Smallest = Steps.front();
  if (!llvm::all_of(Loops, [&](const ThrashingLoop &L) {
        return double(L.bytesOf(L.BlocksPerSM, GPU)) <=
               Thresholds.MinOverflow * double(Smallest.L1Bytes);
      }))
    return D;
  D.Percent = Smallest.Percent;
  const ThrashingLoop &Worst = largestFootprint(Loops);
  D.Why = formatv("footprint {0} B ({1} blocks of {2} lines) of the loop at "
                  "{3} is beyond the L1 of {4} B that the driver leaves; all "
                  "blocks need {5} KiB of shared memory, which leaves {6} B",
                  Worst.bytesOf(Worst.BlocksPerSM, GPU), Worst.BlocksPerSM,
                  Worst.LinesPerBlock, Worst.Id.str(), Worst.L1Bytes,
                  Smallest.KiB, Smallest.L1Bytes);
  return D;
}

CarveoutDecision sluice::predictedCarveout(
    const ResourceLedger &Ledger, llvm::ArrayRef<CarveoutPrediction> Predicted,
    unsigned Blocks, const ThrottleThresholds &Thresholds) {
  CarveoutDecision D;
  if (Predicted.empty())
    return D;
  const CarveoutPrediction &Drivers = Predicted.front(), *Best = &Drivers;
  std::string Times;
  for (const CarveoutPrediction &C : Predicted) {
    // Of about equal times that of the larger L1.
    if (double(C.Nanoseconds) * Thresholds.PredictedTie <
        double(Best->Nanoseconds))
      Best = &C;
    Times += C.Percent ? formatv(", {0} % {1:F3} ms", *C.Percent,
                                 double(C.Nanoseconds) / 1e6)
                             .str()
                       : formatv("the driver's {0:F3} ms",
                                 double(C.Nanoseconds) / 1e6)
                             .str();
  }
  // One step of the sizes alone that is fast between slow ones is the model's
  // noise: correlation's at 36 % is predicted to gain 1.14 and loses 4 % on an
  // H100 (benchmarks/results/2026-11-h100-carveouts).
  auto IsSlower = [&](const CarveoutPrediction *C) {
    return C > Predicted.begin() && C < Predicted.end() &&
           C->Nanoseconds > Drivers.Nanoseconds;
  };
  if (double(Best->Nanoseconds) * Thresholds.MinPredictedGain >=
          double(Drivers.Nanoseconds) ||
      IsSlower(Best - 1) || IsSlower(Best + 1))
    return D;
  std::string WhyNot;
  Ledger.sharedBytes(WhyNot);
  if (auto Kept = Ledger.blocksIn(*Best->Percent); Kept && *Kept < Blocks)
    WhyNot = formatv("an SM would keep {0} of its {1} blocks", *Kept, Blocks);
  if (!WhyNot.empty()) {
    D.Why = formatv("a carveout of {0} % is predicted to be faster ({1}), but "
                    "{2}",
                    *Best->Percent, Times, WhyNot);
    return D;
  }
  D.Percent = Best->Percent;
  D.Nanoseconds = Best->Nanoseconds;
  D.Why = formatv("predicted from the profile: {0}", Times);
  return D;
}
