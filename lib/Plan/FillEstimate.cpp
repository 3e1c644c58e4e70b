// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sluice/Plan/FillEstimate.h"
#include <algorithm>
#include <cmath>
#include <cstdlib>

using namespace sluice;

/// Warps of an SM that must run at a time to hide a load's latency.
static constexpr double EnoughWarps = 8;
/// Of a turn: the barrier, and the warps that wait for the last one.
static constexpr double CostOfATurn = 0.03;

/// L1 of an SM under the plan, bytes.
static uint64_t l1Bytes(const KernelPlan &Kernel, const LaunchPlan &Launch,
                        const GPUModel &GPU) {
  if (!Kernel.CarveoutPercent)
    return Launch.L1Bytes ? Launch.L1Bytes : GPU.l1Bytes(0);
  // The driver takes the smallest size that is no less than what is asked for.
  for (unsigned KiB : GPU.CarveoutKiB)
    if (100 * KiB / GPU.CarveoutKiB.back() >= *Kernel.CarveoutPercent)
      return GPU.l1Bytes(KiB);
  return GPU.l1Bytes(GPU.CarveoutKiB.back());
}

static double warpsOf(const LaunchPlan &Launch, const GPUModel &GPU) {
  double Threads = 1;
  for (std::optional<uint64_t> Size : Launch.Block.Sizes)
    Threads *= static_cast<double>(Size.value_or(1));
  double Warps = std::ceil(Threads / GPU.WarpSize);
  return Launch.BlocksPerSM ? Warps * Launch.BlocksPerSM : GPU.MaxWarps;
}

double sluice::estimateFills(const KernelPlan &Kernel, const GPUModel &GPU) {
  double Sum = 1; // what is not in these loops
  LaunchPlan Launch =
      Kernel.Launches.empty() ? LaunchPlan() : Kernel.Launches.front();
  auto L1 = static_cast<double>(l1Bytes(Kernel, Launch, GPU));
  double Warps = warpsOf(Launch, GPU);
  for (const LoopPlan &Loop : Kernel.Loops) {
    double N = std::max(1u, Loop.WarpGroups);
    double Overflow = static_cast<double>(Loop.FootprintBytes) / N / L1;
    double Lost = std::clamp(Overflow - 1, 0.0, 1.0);
    double Fills = 0;
    for (const AccessPlan &A : Loop.Accesses) {
      char *End = nullptr;
      double Stride = std::strtod(A.IterationStride.c_str(), &End);
      bool Known = End != A.IterationStride.c_str() && *End == 0;
      double New =
          Known ? std::min(1.0, std::abs(Stride) / GPU.SectorBytes) : 1;
      Fills += A.SectorsPerWarp * (New + Lost * (1 - New));
    }
    double Idle = std::max(1.0, EnoughWarps / (Warps / N));
    Sum += Fills * Idle * (1 + CostOfATurn * (N - 1));
  }
  return Sum;
}
