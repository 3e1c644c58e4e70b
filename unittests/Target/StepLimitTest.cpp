// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "sluice/Target/StepLimit.h"
#include "sluice/Target/CriticalPoints.h"
#include "gtest/gtest.h"
#include <random>

using namespace llvm;
using namespace sluice;

namespace {

const GPUModel &gpu() { return *cantFail(findGPUModel("sm_90")); }

AssembledKernel taking(unsigned Registers, uint64_t Shared = 0) {
  AssembledKernel Code;
  Code.Registers = Registers;
  Code.StaticSharedBytes = Shared;
  return Code;
}

TEST(StepLimit, IsTheLastCountOfItsStep) {
  EXPECT_EQ(lastOfStep(gpu(), {{128}}, taking(42)), 48u); // lbm
  EXPECT_EQ(lastOfStep(gpu(), {{256}}, taking(33)), 40u);
  EXPECT_EQ(lastOfStep(gpu(), {{256}}, taking(40)), 40u);
  EXPECT_EQ(lastOfStep(gpu(), {{256}}, taking(50)), 64u);
}

TEST(StepLimit, OfAllLaunches) {
  // Four blocks of 256 stay with 64 registers, ten of 128 with 48.
  EXPECT_EQ(lastOfStep(gpu(), {{256}, {128}}, taking(42)), 48u);
  EXPECT_EQ(lastOfStep(gpu(), {}, taking(42)), 64u);
}

TEST(StepLimit, WhatSharedMemoryLeavesIsFreeToo) {
  // Two blocks of 100 KiB could have 128 each; but one of 1,024 threads, which
  // nobody told of, could not be launched with them.
  EXPECT_EQ(lastOfStep(gpu(), {{256, 100 << 10}}, taking(33)), 64u);
  EXPECT_EQ(lastOfStep(gpu(), {{256}}, taking(33, 40 << 10)), 48u);
}

TEST(StepLimit, AnyBlockThatCouldBeLaunchedStillCan) {
  EXPECT_EQ(mostForAnyBlock(gpu(), 16), 64u);
  EXPECT_EQ(mostForAnyBlock(gpu(), 64), 64u);
  EXPECT_EQ(mostForAnyBlock(gpu(), 65), 72u);
  // With 74 a block has 768 threads at most, and so with 80.
  EXPECT_EQ(lastOfStep(gpu(), {{64, 100 << 10}}, taking(74)), 80u);
  EXPECT_EQ(lastOfStep(gpu(), {{64, 100 << 10}}, taking(64)), 64u);
  EXPECT_EQ(lastOfStep(gpu(), {{64, 100 << 10}}, taking(255)), 255u);
}

TEST(StepLimit, NothingOfALaunchThatDoesNotFit) {
  EXPECT_EQ(lastOfStep(gpu(), {{1024}}, taking(70)), 70u);
  EXPECT_EQ(lastOfStep(gpu(), {{256}, {256, 300 << 10}}, taking(33)), 33u);
}

// Eq. 4.3 of both, and of blocks that nobody told of.
TEST(StepLimit, KeepsEveryBlock) {
  std::mt19937 Random(7);
  unsigned More = 0;
  for (unsigned Case = 0; Case < 20000; ++Case) {
    const GPUModel &GPU = allGPUModels()[Case % allGPUModels().size()];
    const AssembledKernel Code = taking(16 + Random() % 240, Random() % 20000);
    std::vector<LaunchShape> Launches;
    for (unsigned I = Random() % 3; I-- > 0;)
      Launches.push_back({1 + unsigned(Random() % 1024), Random() % 40000});
    const unsigned Last = lastOfStep(GPU, Launches, Code);
    ASSERT_GE(Last, Code.Registers);
    More += Last > Code.Registers;
    AssembledKernel Limited = Code;
    Limited.Registers = Last;
    for (const LaunchShape &Launch : Launches)
      ASSERT_EQ(blocksPerSM(GPU, Launch.block(Limited), {}, 1),
                blocksPerSM(GPU, Launch.block(Code), {}, 1))
          << GPU.Name.str() << ": " << Launch.Threads << " threads, "
          << Code.Registers << " to " << Last << " registers";
    for (unsigned Threads = 32; Threads <= MostThreadsPerBlock; Threads += 32) {
      const LaunchShape Any{Threads};
      ASSERT_EQ(blocksPerSM(GPU, Any.block(Limited), {}, 1) > 0,
                blocksPerSM(GPU, Any.block(Code), {}, 1) > 0)
          << GPU.Name.str() << ": " << Threads << " threads, " << Code.Registers
          << " to " << Last << " registers";
    }
  }
  EXPECT_GT(More, 5000u) << "most of them say nothing";
}

TEST(StepLimit, FewerForMoreBlocks) {
  EXPECT_EQ(limitForMoreBlocks(gpu(), 132, {256}, taking(34)), 32u);
  EXPECT_EQ(limitForMoreBlocks(gpu(), 132, {256}, taking(156)), 128u);
  EXPECT_EQ(limitForMoreBlocks(gpu(), 132, {256}, taking(126)), 80u);
  // All the warps that there can be; no block at all.
  EXPECT_EQ(limitForMoreBlocks(gpu(), 132, {256}, taking(32)), 0u);
  EXPECT_EQ(limitForMoreBlocks(gpu(), 132, {1024}, taking(255)), 0u);
}

TEST(StepLimit, NoBlocksThatAreNotThere) {
  EXPECT_EQ(limitForMoreBlocks(gpu(), 132, {256, 0, 132 * 6}, taking(34)), 0u);
  EXPECT_EQ(limitForMoreBlocks(gpu(), 132, {256, 0, 132 * 6 + 1}, taking(34)),
            32u);
  // Shared memory leaves six.
  EXPECT_EQ(limitForMoreBlocks(gpu(), 132, {256, 35 << 10}, taking(34)), 0u);
}

AssembledKernel waiting(unsigned Registers, uint64_t Cycles,
                        uint64_t Instructions = 75, uint64_t Loads = 32) {
  AssembledKernel Code = taking(Registers);
  Code.WaitCycles = Cycles;
  Code.WaitInstructions = Instructions;
  Code.WaitLoads = Loads;
  return Code;
}

TEST(LimitForLoads, IsOfAnyBlock) {
  EXPECT_EQ(limitForLoads(gpu(), waiting(32, 1900)), 64u);
  EXPECT_EQ(limitForLoads(gpu(), waiting(60, 1900)), 0u); // no room to gain
  EXPECT_EQ(limitForLoads(gpu(), waiting(100, 1900)), 0u);
  EXPECT_EQ(limitForLoads(gpu(), waiting(32, 700)), 0u); // waits once
  EXPECT_EQ(limitForLoads(gpu(), taking(32)), 0u);       // not known
}

// attention's third kernel, 256 threads: 64 warps, then 40.
TEST(GainOfLoads, IsOfWaitsAndWarps) {
  EXPECT_NEAR(gainOfLoads(gpu(), 132, {{256}}, false, waiting(32, 1900),
                          waiting(48, 800)),
              1900. / 800 * 40 / 64, 1e-6);
  // At a block of 1,024 threads half of the warps are left.
  EXPECT_NEAR(
      gainOfLoads(gpu(), 132, {}, false, waiting(32, 1900), waiting(48, 800)),
      1900. / 800 / 2, 1e-6);
}

TEST(GainOfLoads, IsNoneWhereAWarpIssuesAsLong) {
  EXPECT_EQ(gainOfLoads(gpu(), 132, {{256}}, false, waiting(32, 1900, 800),
                        waiting(48, 800, 800)),
            1);
}

TEST(GainOfLoads, IsNoneWhereMemoryHasNoMoreToGive) {
  const AssembledKernel Now = waiting(32, 1900), Then = waiting(48, 800);
  EXPECT_EQ(gainOfLoads(gpu(), 132, {{256, 0, 132 * 8}}, false, Now, Then), 1);
  // One block on an SM: no warp is lost.
  EXPECT_NEAR(gainOfLoads(gpu(), 132, {{256, 0, 16}}, false, Now, Then),
              1900. / 800, 1e-6);
}

TEST(GainOfLoads, WhereLanesLoadTheSameLittleIsOnItsWay) {
  EXPECT_NEAR(gainOfLoads(gpu(), 132, {{256, 0, 132 * 8}}, true,
                          waiting(32, 1900), waiting(48, 800)),
              1900. / 800 * 40 / 64, 1e-6);
}

TEST(GainOfLoads, IsUnknownWithoutCode) {
  EXPECT_EQ(gainOfLoads(gpu(), 132, {{256}}, false, taking(32), taking(48)), 0);
}

TEST(LimitForSharedLoads, LeavesABlockMore) {
  const AssembledKernel Now = waiting(32, 13252, 455, 200);
  EXPECT_EQ(limitForSharedLoads(gpu(), 132, {128}, Now), 56u); // 9 and not 8
  EXPECT_EQ(limitForSharedLoads(gpu(), 132, {256}, Now), 48u);
  // The next are 32.
  EXPECT_EQ(limitForSharedLoads(gpu(), 132, {1024}, Now), 0u);
  // Hardly more; waits once; the grid has no more blocks.
  EXPECT_EQ(limitForSharedLoads(gpu(), 132, {128}, waiting(52, 13252)), 0u);
  EXPECT_EQ(limitForSharedLoads(gpu(), 132, {128}, waiting(32, 700)), 0u);
  EXPECT_EQ(limitForSharedLoads(gpu(), 132, {128, 0, 132 * 8}, Now), 0u);
}

// estimate_pi's init_generators: 64 warps, then 36 with 56 registers and 32
// with 64.
TEST(FewerWarps, LoseNothingWhereTheL1IsBusy) {
  const LaunchShape Launch{128, 0, 132 * 16};
  const AssembledKernel Now = waiting(32, 13252, 455, 200),
                        Then = waiting(56, 7069, 455, 200);
  EXPECT_TRUE(isWorthFewerWarps(gpu(), 132, {Launch}, true, Now, Then));
  EXPECT_FALSE(isWorthFewerWarps(gpu(), 132, {Launch}, true, Now,
                                 waiting(64, 7155, 455, 200)));
  // Each lane loads its own; the launch is not known; the L1 has time.
  EXPECT_FALSE(isWorthFewerWarps(gpu(), 132, {Launch}, false, Now, Then));
  EXPECT_FALSE(isWorthFewerWarps(gpu(), 132, {}, true, Now, Then));
  EXPECT_FALSE(isWorthFewerWarps(gpu(), 132, {Launch}, true, Now,
                                 waiting(56, 7069, 455, 12)));
}

TEST(FewerWarps, AreWorthAGain) {
  const AssembledKernel Now = waiting(32, 1900);
  EXPECT_TRUE(
      isWorthFewerWarps(gpu(), 132, {{256}}, false, Now, waiting(48, 800)));
  EXPECT_FALSE(
      isWorthFewerWarps(gpu(), 132, {{256}}, false, Now, waiting(48, 1000)));
}

} // namespace
