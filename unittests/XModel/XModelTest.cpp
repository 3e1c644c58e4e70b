// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chapter 3 equation by equation, with its figures where it gives any, and
// graphs that are made to have one or three intersections.

#include "sluice/XModel/XModel.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace sluice;

namespace {

/// Without a cache, in round numbers: R L = 16 threads saturate the memory and
/// M / E = 8 the lanes, which then ask for 2 bytes a cycle.
XModel plain() {
  XModel M;
  M.Lanes = 8;
  M.Supply = 4;
  M.MemoryCycles = 4;
  M.Intensity = 4;
  M.Threads = 32;
  return M;
}

/// A cache of 1 KiB before a memory that is 100 times as slow, and that 200
/// threads saturate.
XModel cached() {
  XModel M = plain();
  M.Supply = 0.2;
  M.MemoryCycles = 1000;
  M.CacheCycles = 10;
  M.CacheBytes = 1024;
  M.Reuse = {5, 256};
  return M;
}

double slopeOfSupply(const XModel &M, double K) {
  return (M.supply(K + 1e-4) - M.supply(K - 1e-4)) / 2e-4;
}

} // namespace

//===- Section 3.2 --------------------------------------------------------===//

TEST(TransitModel, DemandIsARoofline) {
  const XModel M = plain();
  EXPECT_DOUBLE_EQ(M.demand(0), 0);
  EXPECT_DOUBLE_EQ(M.demand(4), 4 / 4.0); // g(x) / Z = min(x, M) / Z
  EXPECT_DOUBLE_EQ(M.demand(8), 2);
  EXPECT_DOUBLE_EQ(M.demand(20), 2);
  EXPECT_DOUBLE_EQ(csTransition(M).Threads, 8); // pi
  EXPECT_DOUBLE_EQ(csTransition(M).Bytes, 2);
}

TEST(TransitModel, SupplyIsARoofline) {
  const XModel M = plain();
  EXPECT_DOUBLE_EQ(M.supply(0), 0);
  EXPECT_DOUBLE_EQ(M.supply(1), 1 / 4.0); // the slope is 1 / L
  EXPECT_DOUBLE_EQ(M.supply(16), 4);
  EXPECT_DOUBLE_EQ(M.supply(30), 4);
  EXPECT_DOUBLE_EQ(msTransition(M).Threads, 16); // delta: R L threads
  EXPECT_DOUBLE_EQ(msTransition(M).Bytes, 4);
}

// Table 3.2: so many warps, each a line of 128 bytes, saturate so many GB/s.
TEST(TransitModel, SaturatesWhereTheTableSays) {
  struct Row {
    double Warps, GBs, SMs, GHz, Bytes;
  };
  for (const Row &R :
       {Row{48, 147, 15, 1.464, 128}, Row{64, 180, 15, .876, 128},
        Row{56, 82, 5, 1.137, 128}, Row{24, 152, 15, 1.464, 256},
        Row{28, 83, 5, 1.137, 256}}) {
    XModel M;
    M.Supply = R.GBs / R.SMs / R.GHz;
    M.RequestBytes = R.Bytes;
    M.MemoryCycles = R.Warps * R.Bytes / M.Supply;
    EXPECT_DOUBLE_EQ(msTransition(M).Threads, R.Warps);
    const double All = M.supply(R.Warps) * R.SMs * R.GHz;
    EXPECT_DOUBLE_EQ(All, R.GBs);
    EXPECT_DOUBLE_EQ(M.supply(R.Warps / 2) * R.SMs * R.GHz, R.GBs / 2);
    EXPECT_DOUBLE_EQ(M.supply(R.Warps + 8) * R.SMs * R.GHz, R.GBs);
    // Some hundred nanoseconds, as latencies of those GPUs are.
    EXPECT_GT(M.MemoryCycles / R.GHz, 400);
    EXPECT_LT(M.MemoryCycles / R.GHz, 900);
  }
}

TEST(TransitModel, BalancesSupplyAndDemand) {
  XModel M = plain();
  // Beyond the computation's 2 bytes a cycle there is 4 to be had: 8 wait in
  // the MS and all others are in the CS.
  auto At = intersections(M);
  ASSERT_EQ(At.size(), 1u);
  EXPECT_NEAR(At[0].K, 8, 1e-6);
  EXPECT_NEAR(At[0].X, 24, 1e-6);
  EXPECT_NEAR(At[0].Bytes, 2, 1e-6);
  EXPECT_TRUE(At[0].IsStable);
  EXPECT_EQ(boundAt(M, At[0]), XBound::Computation);
  EXPECT_NEAR(operations(M, At[0]), M.Lanes, 1e-6); // Z f(k0)

  M.Threads = 10; // k / 4 = (10 - k) / 4
  At = intersections(M);
  ASSERT_EQ(At.size(), 1u);
  EXPECT_NEAR(At[0].K, 5, 1e-6);
  EXPECT_EQ(boundAt(M, At[0]), XBound::Threads);

  M.Threads = 32;
  M.Intensity = 1; // the CS asks for 8 bytes a cycle
  At = intersections(M);
  ASSERT_EQ(At.size(), 1u);
  EXPECT_NEAR(At[0].Bytes, M.Supply, 1e-6);
  EXPECT_EQ(boundAt(M, At[0]), XBound::Memory);
}

TEST(TransitModel, HasThreePrinciples) {
  XModel M = plain();
  M.Threads = 10;
  const Intersection Before = settled(M);
  XModel More = M;
  More.Threads = 12;
  // 1 and 2: up with the same Z is more throughput of both.
  EXPECT_GT(settled(More).Bytes, Before.Bytes);
  EXPECT_GT(operations(More, settled(More)), operations(M, Before));
  // 3: a higher Z is more CS throughput where the CS is not saturated, though
  // the intersection goes down; where it is, nothing changes.
  XModel Denser = M;
  Denser.Intensity = 6;
  EXPECT_LT(settled(Denser).Bytes, Before.Bytes);
  EXPECT_GT(operations(Denser, settled(Denser)), operations(M, Before));
  XModel Full = plain(), FullDenser = plain();
  FullDenser.Intensity = 6;
  EXPECT_NEAR(operations(FullDenser, settled(FullDenser)),
              operations(Full, settled(Full)), 1e-6);
}

TEST(TransitModel, WithoutThreadsIsNowhere) {
  XModel M = plain();
  M.Threads = 0;
  EXPECT_TRUE(intersections(M).empty());
  EXPECT_EQ(settled(M).Bytes, 0);
}

//===- Section 3.3.1 ------------------------------------------------------===//

TEST(XModel, ILPSaturatesWithFewerThreads) {
  XModel M = plain();
  M.Parallelism = 2; // Figure 3.4-E: g's slope, not its height
  EXPECT_DOUBLE_EQ(csTransition(M).Threads, 4);
  EXPECT_DOUBLE_EQ(csTransition(M).Bytes, 2);
  EXPECT_DOUBLE_EQ(M.demand(1), 2 / 4.0);
  M.LaneCycles = 4; // a GPU's warps: 4 cycles from one to the next
  EXPECT_DOUBLE_EQ(csTransition(M).Threads, 16);
}

TEST(XModel, MachineBalanceIsWhereBothAreSaturated) {
  XModel M = plain();
  M.Intensity = machineIntensity(M); // M / R, the roofline's ridge
  EXPECT_DOUBLE_EQ(M.Intensity, 2);
  M.Threads = machineThreads(M); // pi and delta meet: Figure 3.5, left
  EXPECT_DOUBLE_EQ(M.Threads, 24);
  EXPECT_EQ(boundAt(M, settled(M)), XBound::Balance);
  EXPECT_NEAR(settled(M).Bytes, M.Supply, 1e-6);
  // Of a lesser Z the memory binds, of a greater one the computation.
  M.Threads = 100;
  M.Intensity = 1.5;
  EXPECT_EQ(boundAt(M, settled(M)), XBound::Memory);
  M.Intensity = 2.5;
  EXPECT_EQ(boundAt(M, settled(M)), XBound::Computation);
}

//===- Section 3.3.2 ------------------------------------------------------===//

TEST(CacheEffects, LatencyIsOfHitsAndMisses) { // Eq. 3.1
  const XModel M = cached();
  const double H = M.hitRate(8);
  EXPECT_DOUBLE_EQ(M.latency(8), H * 10 + (1 - H) * 1000);
}

TEST(CacheEffects, SupplyIsThreadsByLatency) { // Eq. 3.2
  const XModel M = cached();
  EXPECT_DOUBLE_EQ(M.supply(8), 8 / M.latency(8));
}

TEST(CacheEffects, HitRateFallsWithThreads) { // Eq. 3.3
  XModel M = cached();
  // S / k = 128, beta = 256, alpha = 5: 1 - 1.5^-4.
  EXPECT_DOUBLE_EQ(M.hitRate(8), 1 - std::pow(1.5, -4));
  EXPECT_GT(M.hitRate(4), M.hitRate(8));
  EXPECT_GT(M.hitRate(8), M.hitRate(32));
  // "the better locality, the larger alpha and smaller beta"
  XModel Better = M;
  Better.Reuse.Alpha = 6;
  EXPECT_GT(Better.hitRate(8), M.hitRate(8));
  Better = M;
  Better.Reuse.Beta = 128;
  EXPECT_GT(Better.hitRate(8), M.hitRate(8));
  M.Reuse.Alpha = 1; // nothing is reused
  EXPECT_EQ(M.hitRate(8), 0);
}

TEST(CacheEffects, MemoryLatencyGrowsBeyondDelta) { // Eq. 3.4
  XModel M = plain();
  EXPECT_DOUBLE_EQ(M.latency(8), 4);  // L
  EXPECT_DOUBLE_EQ(M.latency(32), 8); // k / R
}

TEST(CacheEffects, SupplyIsEquation35) {
  const XModel M = cached();
  for (double K : {1.0, 3.0, 10.0, 19.0, 21.0, 60.0}) {
    const double Eq35 =
        K / (M.CacheCycles +
             (std::max(M.MemoryCycles, K / M.Supply) - M.CacheCycles) *
                 std::pow(M.CacheBytes / (M.Reuse.Beta * K) + 1,
                          1 - M.Reuse.Alpha));
    EXPECT_NEAR(M.supply(K), Eq35, 1e-12) << K;
  }
}

TEST(CacheEffects, HasPeakValleyAndPlateau) { // Figure 3.7
  XModel M = cached();
  M.Reuse = {40, 4096};
  const auto Peak = cachePeak(M), Valley = cacheValley(M);
  ASSERT_TRUE(Peak && Valley);
  EXPECT_LT(Peak->Threads, Valley->Threads);
  EXPECT_GT(Peak->Bytes, 1.5 * Valley->Bytes);
  EXPECT_NEAR(slopeOfSupply(M, Peak->Threads), 0, 1e-3);
  EXPECT_LT(slopeOfSupply(M, (Peak->Threads + Valley->Threads) / 2), 0);
  // "Once the thread number reaches delta, f(k) remains stable": at R.
  EXPECT_NEAR(M.supply(1e6), M.Supply, 0.01 * M.Supply);
}

TEST(CacheEffects, InsensitiveCodeHasTheRoofline) { // Figure 3.8-A, curve 1
  XModel M = cached();
  M.Reuse.Alpha = 1;
  EXPECT_FALSE(cachePeak(M));
  for (double K : {1.0, 5.0, 15.0, 50.0})
    EXPECT_DOUBLE_EQ(M.supply(K), withoutCache(M).supply(K));
}

TEST(CacheEffects, ALargerCacheScalesThePeak) { // Figure 3.8-B
  XModel M = cached(), Larger = cached();
  Larger.CacheBytes *= 3; // 16 to 48 KiB
  EXPECT_GT(cachePeak(Larger)->Bytes, 1.5 * cachePeak(M)->Bytes);
  EXPECT_NEAR(cachePeak(Larger)->Threads / cachePeak(M)->Threads, 3, 0.1);
}

TEST(CacheEffects, AFasterCacheRaisesThePeak) { // Figure 3.8-C
  XModel M = cached(), Faster = cached();
  Faster.CacheCycles = 9;
  EXPECT_GT(cachePeak(Faster)->Bytes, cachePeak(M)->Bytes);
  EXPECT_GT(cacheValley(Faster)->Bytes, cacheValley(M)->Bytes);
  // The chapter says that the peak stays where it is; by Eq. 3.5 nearly.
  EXPECT_NEAR(cachePeak(Faster)->Threads / cachePeak(M)->Threads, 1, 0.1);
}

//===- Sections 3.3.3 and 3.3.4 -------------------------------------------===//

namespace {
/// Figure 3.9-B: demand falls through the peak, and the slope behind it twice.
XModel crossedThreeTimes() {
  XModel M;
  M.Supply = 6.7;
  M.MemoryCycles = 917;
  M.RequestBytes = 4096;
  M.CacheCycles = 150;
  M.CacheBytes = 16384;
  M.Reuse = {3, 8192};
  M.Threads = 48;
  M.LaneCycles = 18;
  M.Intensity = 0.05;
  return M;
}
} // namespace

TEST(Stability, OneIntersectionIsStable) { // Figure 3.9-A
  XModel M = crossedThreeTimes();
  M.Intensity = 0.02;
  auto At = intersections(M);
  ASSERT_EQ(At.size(), 1u);
  EXPECT_TRUE(At[0].IsStable);
}

TEST(Stability, OfThreeTheMiddleOneIsNot) { // Figure 3.9-B
  const XModel M = crossedThreeTimes();
  auto At = intersections(M);
  ASSERT_EQ(At.size(), 3u);
  EXPECT_TRUE(At[0].IsStable);
  EXPECT_FALSE(At[1].IsStable);
  EXPECT_TRUE(At[2].IsStable);
  EXPECT_GT(At[0].Bytes, At[2].Bytes); // sigma'' is the poor one
  for (const Intersection &I : At) {
    EXPECT_NEAR(M.supply(I.K), M.demand(I.X), 1e-6);
    EXPECT_DOUBLE_EQ(I.K + I.X, M.Threads);
    // Eq. 3.6 where f falls; where it rises, a crossing is always stable.
    const double F = slopeOfSupply(M, I.K);
    const double G = M.Parallelism / M.LaneCycles / M.Intensity;
    EXPECT_EQ(I.IsStable, F > 0 || G > std::abs(F)) << I.K;
  }
  EXPECT_EQ(boundAt(M, At[2]), XBound::Thrashing);
  EXPECT_DOUBLE_EQ(settled(M).K, At[0].K);
}

// "the maximum is M / Z - R, which is attained when there are infinite threads"
TEST(Stability, LosesAtMostWhatTheCacheGave) { // Figure 3.9-C
  XModel M = crossedThreeTimes();
  for (double Threads : {60.0, 1000.0}) {
    M.Threads = Threads;
    auto At = intersections(M);
    ASSERT_EQ(At.size(), 3u);
    EXPECT_NEAR(At[0].Bytes, M.Lanes / M.Intensity, 1e-6); // constant at pi
    EXPECT_LT(At[0].Bytes - At[2].Bytes, M.Lanes / M.Intensity - M.Supply);
  }
  M.Threads = 5000;
  const double Bytes = M.supply(M.Threads - csTransition(M).Threads);
  EXPECT_NEAR(Bytes, M.Supply, 0.01 * M.Supply);
}

// Figures 3.12 and 3.13: f(k) through points that were measured.
TEST(HitCurve, TakesThePlaceOfEquation33) {
  XModel M = cached();
  M.HitCurve = {{64, 0.2, 1}, {256, 0.8, 1}};
  EXPECT_DOUBLE_EQ(M.hitRate(1024 / 64.), 0.2);
  EXPECT_DOUBLE_EQ(M.hitRate(1024 / 128.), 0.5); // half of the way
  EXPECT_DOUBLE_EQ(M.hitRate(1), 0.8);
  EXPECT_DOUBLE_EQ(M.hitRate(1024 / 32.), 0);
  EXPECT_DOUBLE_EQ(M.supply(8), 8 / (0.5 * 10 + 0.5 * 1000));
  M.Reuse.Alpha = 1;
  EXPECT_TRUE(M.hasCache());
}

//===- Beyond the chapter -------------------------------------------------===//

TEST(Lookups, BoundWhatTheCacheSupplies) {
  XModel M = cached();
  M.Reuse = {20, 16}; // nearly all hits
  M.Threads = 16;
  M.Intensity = 0.5;
  const double Free = settled(M).Bytes;
  M.CacheSupply = Free / 2;
  EXPECT_NEAR(settled(M).Bytes, Free / 2, 1e-9);
  EXPECT_EQ(boundAt(M, settled(M)), XBound::Lookups);
}

// Section 3.6: "the throughput in the plateau of f(k) is larger than R".
TEST(Bypass, KeepsThePeakForSomeThreads) {
  const XModel All = crossedThreeTimes();
  XModel M = All;
  M.CachedThreads = cachePeak(All)->Threads;
  EXPECT_DOUBLE_EQ(M.supply(1), All.supply(1));
  EXPECT_GT(M.supply(40), All.supply(40));
  EXPECT_GT(M.supply(40), M.Supply);
  M.CachedThreads = 0; // all past it
  EXPECT_DOUBLE_EQ(M.supply(10), withoutCache(M).supply(10));
}
