// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// In which order the estimate puts the plans of a kernel.

#include "sluice/Plan/FillEstimate.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace llvm;
using namespace sluice;

namespace {

const GPUModel &h100() { return *cantFail(findGPUModel("sm_90")); }

/// 8 blocks of 256 threads on an SM; each thread walks along a row, 4 bytes a
/// step. \p Footprint in units of the L1's 224 KiB.
KernelPlan rows(double Footprint, unsigned N = 1) {
  AccessPlan A;
  A.SectorsPerWarp = 32;
  A.IterationStride = 4;
  LoopPlan Loop;
  Loop.WarpGroups = N;
  Loop.FootprintBytes = uint64_t(Footprint * (224 << 10));
  Loop.Accesses = {A};
  LaunchPlan Launch;
  Launch.Block = LaunchDim::known(256);
  Launch.BlocksPerSM = 8;
  Launch.L1Bytes = 224 << 10;
  KernelPlan K;
  K.Launches = {Launch};
  K.Loops = {Loop};
  return K;
}

double estimate(const KernelPlan &K) { return estimateFills(K, h100()); }

TEST(FillEstimate, TurnsPayWhereTheFootprintThenFits) {
  EXPECT_LT(estimate(rows(2, 2)), estimate(rows(2)) / 4);
  EXPECT_LT(estimate(rows(4, 4)), estimate(rows(4, 2)));
  EXPECT_LT(estimate(rows(4, 4)), estimate(rows(4)) / 4);
}

TEST(FillEstimate, TurnsCostWhereItFitsAlready) {
  EXPECT_GT(estimate(rows(0.5, 2)), estimate(rows(0.5)));
  EXPECT_GT(estimate(rows(0.5, 8)), estimate(rows(0.5, 2)));
}

TEST(FillEstimate, TurnsCostWhereItNeverFits) {
  EXPECT_GT(estimate(rows(64, 8)), estimate(rows(64)));
}

TEST(FillEstimate, MoreTurnsThanNeededCost) {
  EXPECT_GT(estimate(rows(2, 8)), estimate(rows(2, 2)));
}

TEST(FillEstimate, GrowsWithTheFootprintFromTheL1ToTwiceIt) {
  EXPECT_EQ(estimate(rows(0.1)), estimate(rows(1)));
  EXPECT_LT(estimate(rows(1)), estimate(rows(1.5)));
  EXPECT_LT(estimate(rows(1.5)), estimate(rows(2)));
  EXPECT_EQ(estimate(rows(2)), estimate(rows(9)));
}

TEST(FillEstimate, FewWarpsDoNotHideLatency) {
  KernelPlan Lonely = rows(0.5, 8);
  Lonely.Launches[0].BlocksPerSM = 1;
  EXPECT_GT(estimate(Lonely), 4 * estimate(rows(0.5, 8)));
}

// A stride of a sector or more has nothing to lose, nor has one of 0 that is
// not evicted.
TEST(FillEstimate, LoadsWithoutReuseAreNotThrottled) {
  for (MaybeStride Stride :
       {MaybeStride(32), MaybeStride(-128), MaybeStride(), MaybeStride(4096)}) {
    KernelPlan One = rows(2), Two = rows(2, 2);
    One.Loops[0].Accesses[0].IterationStride = Stride;
    Two.Loops[0].Accesses[0].IterationStride = Stride;
    EXPECT_LT(estimate(One), estimate(Two)) << Stride.value_or(0);
  }
}

TEST(FillEstimate, DirectionDoesNotMatter) {
  KernelPlan Back = rows(2);
  Back.Loops[0].Accesses[0].IterationStride = -4;
  EXPECT_EQ(estimate(Back), estimate(rows(2)));
}

TEST(FillEstimate, CarveoutTakesOfTheL1) {
  auto With = [](unsigned Percent) {
    KernelPlan K = rows(1);
    K.CarveoutPercent = Percent;
    return estimate(K);
  };
  EXPECT_EQ(With(0), With(14)) << "256 and 224 KiB hold 224";
  EXPECT_LT(With(14), With(28));
  EXPECT_LT(With(28), With(43));
  EXPECT_EQ(With(50), With(57)) << "the driver rounds up";
  EXPECT_EQ(With(99), With(100));
}

/// The blocks of rows(2) have twice the L1, so half of them fit.
TEST(FillEstimate, FewerBlocksPayWhereTheyThenFit) {
  auto With = [](unsigned Blocks) {
    KernelPlan K = rows(2);
    K.ResidentBlocks = Blocks;
    return estimate(K);
  };
  EXPECT_EQ(With(8), estimate(rows(2)));
  EXPECT_EQ(With(20), estimate(rows(2))) << "more than there are";
  EXPECT_LT(With(4), With(6));
  EXPECT_LT(With(4), estimate(rows(2)) / 4);
}

TEST(FillEstimate, LoopsAddUp) {
  KernelPlan Two = rows(2);
  Two.Loops.push_back(Two.Loops[0]);
  EXPECT_DOUBLE_EQ(estimate(Two) - 1, 2 * (estimate(rows(2)) - 1));
  KernelPlan None = rows(2);
  None.Loops.clear();
  EXPECT_EQ(estimate(None), 1);
}

// Nothing is known of the launch, or everything is odd: still a number above
// zero, as plans are ordered by ratios.
TEST(FillEstimate, AlwaysANumber) {
  KernelPlan Unknown = rows(2, 4), Odd = rows(2, 0);
  Unknown.Launches.clear();
  Odd.Launches[0].Block = {{std::nullopt, 1, 1}};
  Odd.Launches[0].BlocksPerSM = 0;
  Odd.Launches[0].L1Bytes = 0;
  for (KernelPlan K : {Unknown, Odd, rows(0)})
    for (const GPUModel &GPU : allGPUModels())
      for (unsigned Percent = 0; Percent <= 101; ++Percent) {
        K.CarveoutPercent.reset();
        if (Percent <= 100)
          K.CarveoutPercent = Percent;
        double Fills = estimateFills(K, GPU);
        EXPECT_TRUE(std::isfinite(Fills) && Fills >= 1)
            << GPU.Name.str() << " " << Percent;
      }
}

} // namespace
