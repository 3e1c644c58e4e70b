// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// How many lines each thread has, and of what.

#include "sluice/Plan/LinePlanner.h"
#include "sluice/Plan/Technique.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace sluice;

namespace {

/// A kernel of one loop with \p Count data structures.
struct Structures {
  KernelFacts Facts;
  KernelPlan Plan;
  SoftwareL1Settings Settings;

  explicit Structures(unsigned Threads = 256, unsigned Count = 1) {
    Facts.Name = Plan.Name = "k";
    Facts.UsesDynamicShared = false;
    Facts.Loops.emplace_back();
    for (unsigned S = 0; S < Count; ++S) {
      CacheableStructure C;
      C.Id.Place = {"k.cu", 5 + S, 9};
      Facts.Loops[0].Cacheable.push_back(C);
    }
    if (Threads)
      launch(Threads);
  }
  void launch(unsigned Threads, unsigned BlocksPerSM = 0) {
    LaunchConfig Launch;
    Launch.Grid = LaunchDim::known(1056);
    Launch.Block = LaunchDim::known(Threads);
    Launch.DynamicSharedBytes = 0;
    Facts.Launches.push_back(Launch);
    LaunchPlan Planned;
    Planned.Block = Launch.Block;
    Planned.BlocksPerSM = BlocksPerSM;
    Plan.Launches.push_back(Planned);
  }
  LoopPlan planned() {
    planLines(Facts, *cantFail(findGPUModel("sm_90")), Settings, Plan);
    return Plan.Loops.empty() ? LoopPlan() : Plan.Loops[0];
  }
};

TEST(LinePlanner, GivesEachThreadALineOfEachStructure) {
  LoopPlan L = Structures(256, 3).planned();
  EXPECT_EQ(L.Lines.size(), 3U);
  EXPECT_EQ(L.LinesPerThread, 3U);
  EXPECT_EQ(L.LineThreads, 256U);
  EXPECT_TRUE(L.LinesMonitored);
}

TEST(LinePlanner, GivesAsManyLinesAsTheMemoryHas) {
  // 48 KiB over 16 bytes and 1,024 threads.
  LoopPlan L = Structures(1024, 5).planned();
  EXPECT_EQ(L.LinesPerThread, 3U);
  EXPECT_EQ(L.Lines.size(), 5U); // one of them chooses
  Structures Own(1024, 5);
  Own.Facts.StaticSharedBytes = 20000;
  EXPECT_EQ(Own.planned().LinesPerThread, 1U);
  Structures Full(1024, 5);
  Full.Facts.StaticSharedBytes = 40000;
  L = Full.planned();
  EXPECT_TRUE(L.Lines.empty());
  EXPECT_EQ(L.LinesWhy, "its threads have no lines: the shared memory that is "
                        "left has no line for each thread");
}

TEST(LinePlanner, KeepsAsManyBlocksOnAnSM) {
  Structures Resident(0, 8);
  Resident.launch(256, 8); // 228 KiB over 8, and 1 KiB of the driver's
  EXPECT_EQ(Resident.planned().LinesPerThread, 6U);
}

TEST(LinePlanner, GivesLinesToWholeWarpsOfTheLargestBlock) {
  EXPECT_EQ(Structures(100).planned().LineThreads, 128U);
  EXPECT_EQ(Structures(0).planned().LineThreads, 1024U);
  Structures Bounded(0);
  Bounded.Facts.MaxThreadsPerBlock = 192;
  EXPECT_EQ(Bounded.planned().LineThreads, 192U);
}

TEST(LinePlanner, ChoosesByTheCodeWhereLanesStayTogether) {
  Structures Together(1024, 5);
  Together.Facts.Loops[0].KeepsLanesTogether = true;
  LoopPlan L = Together.planned();
  EXPECT_FALSE(L.LinesMonitored);
  EXPECT_EQ(L.Lines.size(), 3U);
}

TEST(LinePlanner, LeavesDynamicSharedMemoryAlone) {
  Structures Dynamic;
  Dynamic.Facts.UsesDynamicShared = true;
  EXPECT_EQ(Dynamic.planned().LinesWhy,
            "its threads have no lines: the kernel uses dynamic shared memory");
}

TEST(LinePlanner, LeavesAKernelAloneOfWhichAPartIsSwitchedOff) {
  Structures Off;
  Off.Facts.Loops[0].Region.SwitchedOff = true;
  const LoopPlan L = Off.planned();
  EXPECT_TRUE(L.Lines.empty());
  EXPECT_FALSE(L.LinesWhy.empty());
}

TEST(LinePlanner, IsAKnobOfTheTuner) {
  Structures S;
  S.planned();
  auto Knobs =
      softwareL1Technique().knobs(S.Plan, *cantFail(findGPUModel("sm_90")));
  ASSERT_EQ(Knobs.size(), 1U);
  EXPECT_EQ(StringRef(Knobs[0].Name).take_front(6), "lines ");
  Knobs[0].Set(S.Plan, 0);
  EXPECT_TRUE(S.Plan.Loops[0].Lines.empty());
  Knobs[0].Set(S.Plan, 1);
  EXPECT_EQ(S.Plan.Loops[0].Lines.size(), 1U);
}

} // namespace
