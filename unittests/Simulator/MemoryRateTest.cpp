// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The simulator against what benchmarks/micro/loaded.cu measured on an H100
// (benchmarks/results/2026-11-h100-micro/loaded.csv): warps that load or store
// a line a request, some at a time, while all 132 SMs do the same.

#include "TracesByHand.h"
#include "sluice/Simulator/Simulator.h"
#include "gtest/gtest.h"

using namespace sluice;
using namespace sluice::byhand;

namespace {

enum Work { Loads, Copy, Stores };

struct Point {
  Work What;
  bool FromMemory;
  unsigned Warps, InFlight;
  double CyclesPerStep; ///< Measured.
};

void PrintTo(const Point &P, std::ostream *OS) {
  *OS << (P.What == Loads  ? "loads"
          : P.What == Copy ? "copy"
                           : "stores")
      << (P.FromMemory ? " memory " : " L2 ") << P.Warps << " warps, "
      << P.InFlight << " at a time";
}

double simulated(const Point &P) {
  constexpr unsigned Steps = 100;
  CodeSites Sites;
  Sites.Accesses = {site(1), site(2, AccessSite::Store)};
  LaunchTrace L = launchOf({}, Sites);
  L.Block = {P.Warps * 32, 1, 1};
  // In the L2, what each SM walks over many times.
  const unsigned Lines = P.FromMemory ? ~0u : 8 * 1024 * 1024 / 128 / 132;
  const unsigned Passes = P.FromMemory ? 1 : 8;
  for (unsigned W = 0; W < P.Warps; ++W) {
    WarpWriter Warp;
    unsigned At = W;
    for (unsigned S = 0; S < Steps * Passes; ++S) {
      unsigned First = At;
      if (P.What != Stores) {
        for (unsigned I = 0; I < P.InFlight; ++I)
          Warp.line(0, 4096 + (At + I * P.Warps) % Lines);
        Warp.issue(8);
        for (unsigned I = P.InFlight; I; --I)
          Warp.wait(I);
      }
      if (P.What != Loads)
        for (unsigned I = 0; I < P.InFlight; ++I)
          Warp.line(1, (1 << 24) + (First + I * P.Warps) % Lines);
      Warp.issue(8);
      At += P.InFlight * P.Warps;
    }
    L.Blocks.front().Warps.push_back(Warp.end());
  }
  SimulationOptions O;
  O.GPU = llvm::cantFail(findGPUModel("sm_90"));
  O.Memory = memoryModel(*O.GPU);
  O.L1Bytes = 0; // a line is never met again before it is gone
  O.ActiveSMs = 132;
  return double(simulate(L, O).Cycles) / (Steps * Passes);
}

class MemoryRate : public testing::TestWithParam<Point> {};

TEST_P(MemoryRate, IsNearTheMeasured) {
  const double Got = simulated(GetParam());
  EXPECT_GT(Got, 0.8 * GetParam().CyclesPerStep);
  EXPECT_LT(Got, 1.21 * GetParam().CyclesPerStep);
}

INSTANTIATE_TEST_SUITE_P(
    Loaded, MemoryRate,
    testing::Values(
        Point{Loads, true, 4, 1, 750}, Point{Loads, true, 16, 1, 753},
        Point{Loads, true, 64, 1, 910}, Point{Loads, true, 4, 2, 821},
        Point{Loads, true, 32, 2, 997}, Point{Loads, true, 64, 2, 1512},
        Point{Loads, true, 4, 4, 919}, Point{Loads, true, 16, 4, 1068},
        Point{Loads, true, 64, 4, 2803}, Point{Loads, true, 4, 8, 1052},
        Point{Loads, true, 16, 8, 1608}, Point{Loads, true, 64, 8, 5746},
        Point{Copy, true, 4, 1, 804}, Point{Copy, true, 64, 1, 1754},
        Point{Copy, true, 16, 4, 1972}, Point{Copy, true, 64, 2, 3131},
        Point{Stores, true, 4, 4, 172}, Point{Stores, true, 64, 2, 1430},
        Point{Loads, false, 4, 1, 331}, Point{Loads, false, 64, 1, 351},
        Point{Loads, false, 64, 2, 555}, Point{Loads, false, 4, 8, 431},
        Point{Loads, false, 64, 8, 1942}, Point{Copy, false, 64, 1, 674},
        Point{Copy, false, 64, 4, 2338}, Point{Stores, false, 64, 2, 1057}));

} // namespace
