// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A sector counts as filled once for the iterations that use it while the
// footprint fits, and anew in each of them where it does not; turns, and too
// few warps to hide a load, are factors on that. The tuner orders plans by it,
// so only ratios count.

#include "sluice/Plan/FillEstimate.h"
#include "sluice/Plan/ResourceLedger.h"
#include <algorithm>
#include <cmath>
#include <cstdlib>

using namespace llvm;
using namespace sluice;

/// Warps of an SM that must run at a time to hide a load's latency.
static constexpr double EnoughWarps = 8;
/// Of a turn: the barrier, and the warps that wait for the last one.
static constexpr double CostOfATurn = 0.03;

double sluice::estimateFills(const KernelPlan &Kernel, const GPUModel &GPU) {
  double Sum = 1; // what is not in these loops
  LaunchPlan Launch =
      Kernel.Launches.empty() ? LaunchPlan() : Kernel.Launches.front();
  const HeldByPlan Held = heldByPlan(Kernel, Launch, GPU);
  const double L1 = double(Held.L1Bytes), Share = Held.ShareOfBlocks;
  for (const LoopPlan &Loop : Kernel.Loops) {
    double N = std::max(1u, Loop.WarpGroups);
    double Overflow = static_cast<double>(Loop.FootprintBytes) * Share / N / L1;
    double Lost = std::clamp(Overflow - 1, 0.0, 1.0);
    double Fills = 0;
    for (const AccessPlan &A : Loop.Accesses) {
      const MaybeStride Stride = A.IterationStride.value_or(std::nullopt);
      double New =
          Stride ? std::min(1.0, std::abs(double(*Stride)) / GPU.SectorBytes)
                 : 1;
      Fills += A.SectorsPerWarp * (New + Lost * (1 - New));
    }
    double Idle = std::max(1.0, EnoughWarps / (Held.Warps / N));
    Sum += Fills * Idle * (1 + CostOfATurn * (N - 1));
  }
  return Sum;
}
