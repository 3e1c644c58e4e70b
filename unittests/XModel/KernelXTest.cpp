// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "sluice/XModel/KernelX.h"
#include "sluice/Target/MemoryModel.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace sluice;

namespace {

const GPUModel &h100() { return **findGPUModel("sm_90"); }

CodeMix mix() {
  CodeMix Mix;
  Mix.Instructions = 100;
  Mix.Loads = 20;
  Mix.Waits = 10;
  Mix.Parallelism = 2;
  Mix.Lanes = 4;
  return Mix;
}

/// 8 of 1056 blocks of 256 threads on each of 132 SMs; half of the sectors hit.
KernelProfile profile() {
  KernelProfile K;
  K.Name = "k";
  K.Registers = 32;
  K.L1Bytes = 224 * 1024;
  K.SimulatedBlocks = 8;
  K.Blocks = 1056;
  K.Launches.push_back({LaunchDim::known(1056), LaunchDim::known(256), 0, 1});
  AccessProfile A;
  A.Kind = "load";
  A.Bytes = 4;
  A.Counts.Requests = 1000;
  A.Counts.Lines = 4000;
  A.Counts.Sectors = 8000;
  A.Counts.Bytes = A.Counts.UsefulBytes = 128000;
  A.Counts.Hits = 4000;
  A.Counts.DRAMSectors = 1000;
  A.Reuse.Count[8] = 2000;
  A.Reuse.Count[20] = 2000;
  K.Accesses.push_back(A);
  A.Kind = "store";
  K.Accesses.push_back(A);
  K.Time.Cycles = 20000;
  K.Time.IssueCycles = 5000;
  K.Time.TagCycles = 4000;
  K.Time.L2Cycles = 8000;
  K.Time.DRAMCycles = 6000;
  K.Time.Nanoseconds = 12000;
  return K;
}

KernelX kernelX(const KernelProfile &Of) {
  auto K = kernelXOf(Of, mix(), h100(), 132, 0);
  if (!K)
    ADD_FAILURE() << toString(K.takeError());
  return K ? *K : KernelX();
}

} // namespace

TEST(KernelX, TakesItsParametersFromAProfile) {
  const KernelX K = kernelX(profile());
  EXPECT_TRUE(K.IsProfiled);
  EXPECT_EQ(K.Model.Threads, 64); // 8 blocks of 8 warps
  EXPECT_EQ(K.Launch.LimitedBy, "warps, registers");
  // 4 x 5000 instructions for 8000 sectors that loads ask for: not the store's.
  EXPECT_DOUBLE_EQ(K.Model.Intensity, 20000 / 256000.0);
  // 1000 loads, two at a time.
  EXPECT_DOUBLE_EQ(K.Model.RequestBytes, 256000 / 500.0);
  EXPECT_DOUBLE_EQ(K.Model.Supply, 128000 / 8000.0); // the L2 is the busier
  EXPECT_DOUBLE_EQ(K.Model.CacheSupply, 256000 / 4000.0);
  EXPECT_DOUBLE_EQ(*K.SimulatedHitRate, 0.5);
  EXPECT_DOUBLE_EQ(K.UsefulShare, 0.5);
  EXPECT_DOUBLE_EQ(K.LinesPerRequest, 4);
  EXPECT_NEAR(K.Model.hitRate(64), 0.5, 0.01); // the curve goes through it
  XModel Fitted = K.Model;
  Fitted.HitCurve.clear();
  EXPECT_NEAR(Fitted.hitRate(64), 0.5, 0.03); // and alpha and beta nearly
}

// Latencies of L2 and DRAM by what misses find, and longer for many lines.
TEST(KernelX, MixesLatencies) {
  const MemoryModel Memory = memoryModel(h100());
  KernelProfile P = profile();
  P.Accesses[0].Counts.DRAMSectors = 0;
  const double L2 = kernelX(P).Model.MemoryCycles;
  P.Accesses[0].Counts.DRAMSectors = 4000;
  const double DRAM = kernelX(P).Model.MemoryCycles;
  EXPECT_GT(L2, Memory.L2HitCycles);
  EXPECT_GT(DRAM, Memory.DRAMCycles);
  EXPECT_LT(L2, DRAM);
  P.Accesses[0].Counts.Lines = 8000;
  EXPECT_GT(kernelX(P).Model.MemoryCycles, DRAM);
}

TEST(KernelX, PredictsTimes) {
  KernelX K = kernelX(profile());
  const double Operations = operations(K.Model, settled(K.Model));
  // The busiest SM has 8 blocks of 2500 instructions; a launch takes 2 us.
  const double Want = 8 * 2500 / Operations / 1.97 / 1e6 + 2e-3;
  EXPECT_NEAR(K.Milliseconds, Want, 0.001 * Want);
  EXPECT_DOUBLE_EQ(K.SimulatedMilliseconds, 0.012);
  EXPECT_GT(K.WithoutCacheMilliseconds, K.Milliseconds);
  // The L2 has half of the bytes, and needs 8000 cycles for them.
  EXPECT_NEAR(K.RooflineMilliseconds, 8000 / 1.97 / 1e6 + 2e-3, 1e-5);
  KernelProfile Twice = profile();
  Twice.Launches[0].Launches = 2;
  EXPECT_NEAR(kernelX(Twice).Milliseconds, 2 * K.Milliseconds, 1e-9);
  EXPECT_EQ(kernelX(Twice).launches(), 2u);
  EXPECT_GT(predictedMilliseconds(K, [](XModel &M) { M.Threads = 1; }),
            3 * K.Milliseconds);
}

TEST(KernelX, RefusesWhatHasNoLoads) {
  KernelProfile P = profile();
  P.Accesses.erase(P.Accesses.begin());
  auto K = kernelXOf(P, mix(), h100(), 132, 0);
  ASSERT_FALSE(bool(K));
  EXPECT_EQ(toString(K.takeError()), "the profile has no loads of 'k'");
}

TEST(KernelX, ConvertsToTheChip) {
  const KernelX K = kernelX(profile());
  EXPECT_NEAR(K.gigabytesPerSecond(1), 132 * 1.97, 0.01);
  EXPECT_NEAR(K.microseconds(1970), 1, 1e-4);
}

TEST(KernelX, OfCodeAlone) {
  const LaunchX Launch = {8, 8, 1056, 1, 224 * 1024, ""};
  // 32 lines of 32 sectors, of an iteration 512 KiB, 31 of 32 touched before.
  const LoopReads Rows = {32, 32, 512 * 1024, 31 / 32.0};
  const KernelX K = kernelXOf("k", mix(), h100(), 132, Launch, Rows);
  EXPECT_FALSE(K.IsProfiled);
  EXPECT_FALSE(K.SimulatedHitRate);
  EXPECT_DOUBLE_EQ(K.Model.RequestBytes, 2 * 1024);
  EXPECT_DOUBLE_EQ(K.Model.Intensity, 100 / (20 * 1024.0));
  // It thrashes with 64 warps and does not with 16.
  EXPECT_LT(K.Model.hitRate(64), 0.5);
  EXPECT_GT(K.Model.hitRate(16), 0.6);
  // A loop that reuses nothing has no use of a cache.
  const KernelX Stream =
      kernelXOf("k", mix(), h100(), 132, Launch, LoopReads{4, 1, 8192, 0});
  EXPECT_FALSE(Stream.Model.hasCache());
}
