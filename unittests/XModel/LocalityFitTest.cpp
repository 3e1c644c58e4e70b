// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "sluice/XModel/LocalityFit.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace sluice;

TEST(LocalityFit, FindsWhatPointsWereMadeWith) {
  for (Locality Made :
       {Locality{3, 512}, Locality{1.3, 64}, Locality{9, 8192}}) {
    std::vector<HitPoint> Points;
    for (double Share = 128; Share < 300000; Share *= 2)
      Points.push_back(
          {Share, 1 - std::pow(Share / Made.Beta + 1, 1 - Made.Alpha), 1});
    const LocalityFit Fit = fitLocality(Points);
    EXPECT_LT(Fit.Error, 0.002);
    EXPECT_NEAR(Fit.Reuse.Alpha / Made.Alpha, 1, 0.1);
    EXPECT_NEAR(Fit.Reuse.Beta / Made.Beta, 1, 0.15);
  }
}

TEST(LocalityFit, OfNothingReusesNothing) {
  EXPECT_EQ(fitLocality({}).Reuse.Alpha, 1);
  const LocalityFit Fit = fitLocality({{1024, 0, 1}, {65536, 0, 1}});
  XModel M;
  M.CacheBytes = 65536;
  M.Reuse = Fit.Reuse;
  EXPECT_LT(M.hitRate(1), 0.01);
}

TEST(LocalityFit, WeightsCount) {
  // Two points that no curve has both: it falls with the share.
  const LocalityFit Fit = fitLocality({{1024, 0.8, 1}, {4096, 0.2, 1000}});
  XModel M;
  M.CacheBytes = 4096;
  M.Reuse = Fit.Reuse;
  EXPECT_NEAR(M.hitRate(1), 0.2, 0.02);
}

TEST(HitPoints, ShareDistancesAmongThreads) {
  ReuseHistogram Reuse;
  Reuse.Count[10] = 60; // behind 512 to 1023 lines
  Reuse.Count[14] = 20; // behind 8192 to 16383
  Reuse.Never = 20;
  // 64 warps and 128 KiB: all share 2 KiB each, one has 128.
  const auto Points = hitPoints(Reuse, 64, 128 * 1024, 128);
  ASSERT_FALSE(Points.empty());
  for (const HitPoint &P : Points) {
    EXPECT_GE(P.BytesPerThread, 1024);
    EXPECT_LE(P.BytesPerThread, 256 * 1024);
    // 1024 lines are 2048 bytes of each of 64 warps.
    const double Want = P.BytesPerThread < 2048    ? 0
                        : P.BytesPerThread < 32768 ? 0.6
                                                   : 0.8;
    EXPECT_DOUBLE_EQ(P.HitRate, Want) << P.BytesPerThread;
  }
  EXPECT_TRUE(hitPoints(ReuseHistogram(), 64, 1024, 128).empty());
}
