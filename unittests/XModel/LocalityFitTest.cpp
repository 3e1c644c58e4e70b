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

namespace {

/// 64 warps, each with a share of so many bytes of cache, by the curve.
double hitsAt(const std::vector<HitPoint> &Curve, double Share) {
  XModel M;
  M.HitCurve = Curve;
  M.CacheBytes = Share;
  return M.hitRate(1);
}

/// Nearly all comes again behind 2048 to 4095 lines: 4 to 8 KiB of each warp.
ReuseHistogram cliff() {
  ReuseHistogram Reuse;
  Reuse.Count[1] = 10;
  Reuse.Count[12] = 80;
  Reuse.Never = 10;
  return Reuse;
}

} // namespace

TEST(HitCurve, HasTheCliffThatEquation33HasNot) {
  const auto Curve = hitCurve(cliff(), 64, 128, {4096, 0.12, 1});
  EXPECT_NEAR(hitsAt(Curve, 4096), 0.12, 0.001); // as it is known
  EXPECT_NEAR(hitsAt(Curve, 8192), 0.9, 0.02);   // with half of the warps
  EXPECT_NEAR(hitsAt(Curve, 1e6), 0.9, 1e-9);    // first touches never hit
  EXPECT_NEAR(hitsAt(Curve, 256), 0.1, 1e-9);
  EXPECT_EQ(hitsAt(Curve, 0.1), 0);
  for (double Share = 1; Share < 1e6; Share *= 1.3)
    EXPECT_LE(hitsAt(Curve, Share), hitsAt(Curve, 1.3 * Share));
  // The fit of alpha and beta to the same is far off somewhere.
  EXPECT_GT(fitLocality(hitPoints(cliff(), 64, 64 * 4096, 128)).Error, 0.05);
}

TEST(HitCurve, IsScaledToWhatIsKnown) {
  // The real cache is worth half of one of LRU lines.
  const auto Curve = hitCurve(cliff(), 64, 128, {8192, 0.5, 1});
  EXPECT_NEAR(hitsAt(Curve, 8192), 0.5, 0.001);
  // More than all lines: sectors on their way count too.
  const auto More = hitCurve(cliff(), 64, 128, {8192, 0.95, 1});
  EXPECT_NEAR(hitsAt(More, 8192), 0.95, 0.001);
}

TEST(HitCurve, OfNothingIsEmpty) {
  EXPECT_TRUE(hitCurve(ReuseHistogram(), 64, 128, {8192, 0.5, 1}).empty());
  EXPECT_TRUE(hitCurve(cliff(), 64, 128, {8192, 0, 1}).empty());
  ReuseHistogram Stream;
  Stream.Never = 100;
  EXPECT_TRUE(hitCurve(Stream, 64, 128, {8192, 0.5, 1}).empty());
}
