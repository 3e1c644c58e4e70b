// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Which rows are staged, and with how many buffers.

#include "sluice/Plan/StagingPlanner.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace sluice;

namespace {

/// A kernel of one loop in which each thread of blocks of \p Threads reads
/// \p Rows rows of floats, 2048 bytes apart.
struct Rows {
  KernelFacts Facts;
  KernelPlan Plan;
  SoftwareL1Settings Settings;

  explicit Rows(unsigned Threads = 256, unsigned Count = 1) {
    Facts.Name = Plan.Name = "k";
    LaunchConfig Launch;
    Launch.Grid = LaunchDim::known(1056);
    Launch.Block = LaunchDim::known(Threads);
    Launch.DynamicSharedBytes = 0;
    Facts.UsesDynamicShared = false;
    Facts.Launches = {Launch};
    LaunchPlan Planned;
    Planned.Block = Launch.Block;
    Plan.Launches = {Planned};
    Facts.Loops.emplace_back();
    for (unsigned R = 0; R < Count; ++R) {
      StageableStream S;
      S.Id.Place = {"k.cu", 5 + R, 9};
      S.Step = 4;
      S.LaneDistance = 2048;
      Facts.Loops[0].Stageable.push_back(S);
      Facts.Loops[0].Widenable.push_back(S);
    }
  }
  StageableStream &row() { return Facts.Loops[0].Stageable[0]; }
  LoopPlan planned(const char *GPU = "sm_90") {
    planStaging(Facts, *cantFail(findGPUModel(GPU)), Settings, Plan);
    return Plan.Loops.empty() ? LoopPlan() : Plan.Loops[0];
  }
};

TEST(StagingPlanner, GivesEachWarpABufferWhereTheyFit) {
  LoopPlan L = Rows().planned();
  EXPECT_EQ(L.Staged.size(), 1U);
  EXPECT_EQ(L.ChunkBytes, 128U);
  EXPECT_EQ(L.StagedWarps, 8U);
}

TEST(StagingPlanner, SharesBuffersWhereTheyDoNot) {
  EXPECT_EQ(Rows(256, 2).planned().StagedWarps, 4U);
  EXPECT_EQ(Rows(1024, 1).planned().StagedWarps, 8U);
  EXPECT_EQ(Rows(96, 1).planned().StagedWarps, 3U);
  Rows Large;
  Large.Facts.StaticSharedBytes = 40 * 1024;
  EXPECT_EQ(Large.planned().StagedWarps, 1U);
}

TEST(StagingPlanner, CopiesThroughTheL1WhatWarpsShare) {
  // i * 2048, i of x: in blocks of 32 x 8 eight warps have the same rows.
  Rows R;
  R.row().Start = AddressForm::variable({Variable::Tid, 0});
  EXPECT_FALSE(R.planned().ThroughL1);
  R.Facts.Launches[0].Block = LaunchDim::known(32, 8);
  EXPECT_TRUE(R.planned().ThroughL1);
  R.row().Start = R.row().Start + AddressForm::variable({Variable::Tid, 1});
  EXPECT_FALSE(R.planned().ThroughL1);
  R.row().LaneDistance = 2048 + 4; // two rows in a line
  EXPECT_TRUE(R.planned().ThroughL1);
  R.row().LaneDistance.reset();
  EXPECT_TRUE(R.planned().ThroughL1);
}

TEST(StagingPlanner, LooksAtTheCodeWhereNoLaunchIsKnown) {
  Rows R;
  R.Facts.Launches.clear();
  R.row().Start = AddressForm::variable({Variable::Tid, 0});
  R.Facts.Loops[0].Accesses.emplace_back();
  AddressForm &Other = R.Facts.Loops[0].Accesses[0].Address;
  Other = AddressForm::variable({Variable::Tid, 0});
  EXPECT_FALSE(R.planned().ThroughL1);
  Other = AddressForm::variable({Variable::Tid, 1});
  EXPECT_TRUE(R.planned().ThroughL1);
}

TEST(StagingPlanner, TakesThePlaceOfTurns) {
  Rows Throttled;
  Throttled.Plan.Loops.emplace_back();
  Throttled.Plan.Loops[0].WarpGroups = 4;
  Throttled.Plan.Loops[0].Why = "thrashes";
  LoopPlan L = Throttled.planned();
  EXPECT_EQ(L.WarpGroups, 1U);
  EXPECT_EQ(L.Why, "its rows are staged in shared memory in place of N=4 "
                   "(thrashes)");
}

TEST(StagingPlanner, LeavesAloneWhatWouldNotPay) {
  auto WhyNot = [](auto Change) {
    Rows R;
    Change(R);
    LoopPlan L = R.planned();
    EXPECT_TRUE(L.Staged.empty());
    return L.StagedWhy;
  };
  const std::string Not = "rows of its threads are not staged: ";
  EXPECT_EQ(WhyNot([](Rows &R) { R.row().Step = 32; }),
            Not + "a thread uses too little of a line");
  EXPECT_EQ(WhyNot([](Rows &R) { R.row().LaneDistance = 64; }),
            Not + "neighbouring threads share lines");
  EXPECT_EQ(WhyNot([](Rows &R) {
              R.row().IsReadAgain = true;
              R.Plan.Launches[0].BlocksPerSM = 2;
              R.Facts.Loops[0].TripCount = 100;
            }),
            Not + "a loop around it finds the rows in the L1 again");
  EXPECT_EQ(WhyNot([](Rows &R) { R.Facts.Loops[0].TripCount = 63; }),
            Not + "its rows are too short");
  EXPECT_EQ(WhyNot([](Rows &R) { R.Facts.UsesDynamicShared = true; }),
            Not + "the kernel uses dynamic shared memory");
  EXPECT_EQ(WhyNot([](Rows &R) { R.Facts.StaticSharedBytes = 48 * 1024; }),
            Not + "their chunks are beyond the shared memory");
  EXPECT_EQ(WhyNot([](Rows &R) {
              R.Facts.Loops[0].StagingRefusal = "another load thrashes";
            }),
            Not + "another load thrashes");
}

TEST(StagingPlanner, LeavesBlocksAloneThatAreLessThanAWarp) {
  EXPECT_EQ(Rows(20).planned().StagedWhy,
            "rows of its threads are not staged: its blocks have fewer threads "
            "than a warp");
  EXPECT_FALSE(Rows(32).planned().Staged.empty());
  Rows Larger(20);
  Larger.Plan.Launches.push_back(Larger.Plan.Launches[0]);
  Larger.Plan.Launches[1].Block = LaunchDim::known(64);
  EXPECT_FALSE(Larger.planned().Staged.empty());
  Rows Asked(20);
  Asked.Settings.StageAll = true;
  EXPECT_FALSE(Asked.planned().Staged.empty());
}

TEST(StagingPlanner, LeavesRowsAloneThatALoopAroundMakesShorter) {
  Rows R;
  R.Facts.Loops[0].TripForm = AddressForm::constant(100) -
                              AddressForm::variable({Variable::Iterator, 1});
  const LoopPlan L = R.planned();
  EXPECT_EQ(L.StagedWhy, "rows of its threads are not staged: a loop around it "
                         "makes its rows shorter, or longer");
  EXPECT_TRUE(L.Widened.empty());
}

TEST(StagingPlanner, StagesWhatIsReadAgainWhereTheL1HoldsLess) {
  Rows Again;
  Again.row().IsReadAgain = true;
  Again.Plan.Launches[0].BlocksPerSM = 8;
  EXPECT_TRUE(Again.planned().StagedFrom > 0);
  const uint64_t From = Again.planned().StagedFrom;
  // 256 KiB of an H100 over 8 blocks of 256 threads: 128 bytes a thread.
  EXPECT_EQ(From, 32U);
  Again.Plan.Launches[0].BlocksPerSM = 1;
  EXPECT_EQ(Again.planned().StagedFrom, 8 * From);
  EXPECT_EQ(Rows().planned().StagedFrom, 0U);
}

TEST(StagingPlanner, IsForAllGPUsAndWantsNoOffMark) {
  EXPECT_FALSE(Rows().planned("sm_75").Staged.empty());
  EXPECT_FALSE(Rows().planned("sm_80").Staged.empty());
  Rows Off;
  Off.Facts.Off = true;
  EXPECT_TRUE(Off.planned().Staged.empty());
}

TEST(StagingPlanner, WidensWhatWouldGainAndCannotBeStaged) {
  auto IsWidened = [](auto Change) {
    Rows R(256, 2);
    Change(R);
    LoopPlan L = R.planned();
    EXPECT_TRUE(L.Staged.empty());
    EXPECT_EQ(L.Widened.empty(), L.WidenedWhy.empty());
    return L.Widened.size() == 2;
  };
  auto TooLarge = [](Rows &R) { R.Facts.StaticSharedBytes = 48 * 1024; };
  EXPECT_TRUE(IsWidened(TooLarge));
  EXPECT_TRUE(IsWidened([](Rows &R) { R.Facts.UsesDynamicShared = true; }));
  EXPECT_TRUE(IsWidened([](Rows &R) {
    R.Facts.Loops[0].StagingRefusal = "a row that is written too";
  }));
  EXPECT_FALSE(IsWidened([&](Rows &R) {
    TooLarge(R);
    R.Facts.Loops[0].WideningRefusal = "another load thrashes";
  }));
  for (StageableStream Change :
       {StageableStream{{}, 32, 2048, {}}, StageableStream{{}, 4, 64, {}}})
    EXPECT_FALSE(IsWidened([&](Rows &R) {
      TooLarge(R);
      Change.Id = R.row().Id;
      R.Facts.Loops[0].Widenable[0] = Change;
    }));
  EXPECT_TRUE(IsWidened([&](Rows &R) {
    TooLarge(R);
    R.Facts.Loops[0].TripCount = 8;
  }));
  EXPECT_FALSE(IsWidened([&](Rows &R) {
    TooLarge(R);
    R.Facts.Loops[0].TripCount = 7;
  }));
  EXPECT_FALSE(IsWidened([&](Rows &R) {
    TooLarge(R);
    R.Facts.Off = true;
  }));
}

TEST(StagingPlanner, DoesNotWidenWhatItStages) {
  EXPECT_TRUE(Rows().planned().Widened.empty());
}

TEST(StagingPlanner, WidensAllThatCanBeIfAskedToWithTheirTurns) {
  Rows R;
  R.Facts.Loops[0].Widenable[0].Step = 32;
  R.Facts.Loops[0].WideningRefusal = "another load thrashes";
  R.Settings.WidenAll = true;
  R.Plan.Loops.emplace_back();
  R.Plan.Loops[0].WarpGroups = 4;
  LoopPlan L = R.planned();
  EXPECT_TRUE(L.Staged.empty());
  EXPECT_EQ(L.Widened.size(), 1U);
  EXPECT_EQ(L.WarpGroups, 4U);
}

TEST(StagingPlanner, NamesAPlaceOnceThatIsReadAndWritten) {
  Rows R(256, 2);
  R.Settings.WidenAll = true;
  R.Facts.Loops[0].Widenable[1].Id = R.row().Id;
  LoopPlan L = R.planned();
  EXPECT_EQ(L.Widened.size(), 1U);
  EXPECT_EQ(L.WidenedWhy, "each thread has 2 rows of its own");
}

/// As a profile saw its one loop, all launches measured.
Rows measured(uint64_t Trip, StagedPrediction Staged) {
  Rows R;
  R.Facts.Launches[0].Measured = true;
  LoopMeasurement &M = R.Facts.Loops[0].Measured;
  M.Entries = 10;
  M.Iterations = 10 * Trip;
  M.Staged = Staged;
  return R;
}

TEST(StagingPlanner, GoesByTheTripCountsOfAProfileWhereTheCodeSaysNone) {
  LoopPlan Short = measured(63, {100, 1000}).planned();
  EXPECT_TRUE(Short.Staged.empty());
  EXPECT_EQ(Short.StagedWhy, "rows of its threads are not staged: its rows are "
                             "too short when it runs");
  EXPECT_FALSE(measured(64, {100, 1000}).planned().Staged.empty());
  // What the code says is surer.
  Rows Known = measured(10, {100, 1000});
  Known.Facts.Loops[0].TripCount = 512;
  EXPECT_FALSE(Known.planned().Staged.empty());
}

TEST(StagingPlanner, GoesByPredictedTime) {
  Rows Gains = measured(512, {400'000, 9'000'000});
  Gains.Facts.Loops[0].Measured.Turns = {{1, 4'500'000}, {4, 500'000}};
  EXPECT_EQ(Gains.planned().StagedWhy,
            "each lane reads a row of its own, 8 warps of a block have buffers "
            "of 5120 B at a time; predicted from the profile: 0.400 ms, "
            "without 9.000 ms, with turns 1.000 ms");
  EXPECT_EQ(measured(512, {950'000, 1'000'000}).planned().StagedWhy,
            "rows of its threads are not staged: it would gain too little "
            "(predicted from the profile: 0.950 ms, without 1.000 ms)");
  Rows Turned = measured(512, {400'000, 9'000'000});
  Turned.Facts.Loops[0].Measured.Turns = {{1, 4'500'000}, {4, 200'000}};
  EXPECT_TRUE(Turned.planned().Staged.empty());
  // Times of other launches than those that are planned for say nothing.
  Rows Other = measured(512, {950'000, 1'000'000});
  Other.Facts.Launches.push_back(Other.Facts.Launches[0]);
  Other.Facts.Launches[1].Measured = false;
  EXPECT_FALSE(Other.planned().Staged.empty());
}

TEST(StagingPlanner, PredictedTimeKnowsWhetherTheL1HasTheRowsStill) {
  Rows R = measured(512, {400'000, 9'000'000});
  R.row().IsReadAgain = true;
  EXPECT_EQ(R.planned().StagedFrom, 0U);
  R.Facts.Loops[0].Measured.Staged.reset();
  EXPECT_GT(R.planned().StagedFrom, 0U);
}

TEST(StagingPlanner, StagesAllThatCanBeIfAskedTo) {
  Rows R;
  R.row().Step = 32;
  R.Facts.Loops[0].TripCount = 8;
  R.Settings.StageAll = true;
  R.Settings.ChunkBytes = 64;
  LoopPlan L = R.planned();
  EXPECT_EQ(L.Staged.size(), 1U);
  EXPECT_EQ(L.ChunkBytes, 64U);
  R = Rows();
  R.Settings.StageAll = true;
  R.Facts.UsesDynamicShared = true;
  LoopPlan Dynamic = R.planned();
  EXPECT_TRUE(Dynamic.Staged.empty());
  EXPECT_TRUE(Dynamic.Widened.empty());
}

} // namespace
