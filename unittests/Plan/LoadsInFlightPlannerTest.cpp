// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// How many iterations are taken together for their loads.

#include "sluice/Plan/LoadsInFlightPlanner.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace sluice;

namespace {

/// A launch of \p Blocks blocks of 256 threads on an SM.
KernelPlan launched(unsigned Blocks) {
  LaunchPlan Launch;
  Launch.Grid = LaunchDim::known(132 * Blocks);
  Launch.Block = LaunchDim::known(256);
  Launch.BlocksPerSM = Blocks;
  KernelPlan Plan;
  Plan.Launches = {Launch};
  return Plan;
}

/// One load of a float, in ten instructions.
UnrollFacts oneLoad(unsigned Own = 1) {
  UnrollFacts Facts;
  Facts.Loads = 1;
  Facts.Bytes = 4;
  Facts.Size = 10;
  Facts.Own = Own;
  return Facts;
}

unsigned together(const UnrollFacts &Facts, const KernelPlan &Plan) {
  std::string Why;
  const unsigned Copies =
      iterationsTogether(Facts, Plan, *cantFail(findGPUModel("sm_90")), Why);
  EXPECT_EQ(Copies == 0, Why.empty());
  return Copies;
}

TEST(LoadsInFlightPlanner, KeepsMemoryBusy) {
  // 24 KB are wanted: of 1,024 B an iteration 24, so 32; of 2,048 B 12; of
  // 8,192 B 3. 32 is the most.
  EXPECT_EQ(together(oneLoad(), launched(1)), 32U);
  UnrollFacts Narrow = oneLoad();
  Narrow.Bytes = 1;
  EXPECT_EQ(together(Narrow, launched(1)), 32U);
  EXPECT_EQ(together(oneLoad(), launched(2)), 16U);
  EXPECT_EQ(together(oneLoad(), launched(4)), 8U);
  EXPECT_EQ(together(oneLoad(), launched(8)), 4U);
  // Of which nothing is known: a full SM.
  EXPECT_EQ(together(oneLoad(), KernelPlan()), 4U);
}

TEST(LoadsInFlightPlanner, LeavesWhatIsEnough) {
  EXPECT_EQ(together(oneLoad(/*Own=*/4), launched(8)), 0U);
  EXPECT_EQ(together(oneLoad(/*Own=*/32), launched(1)), 0U);
  EXPECT_EQ(together(oneLoad(/*Own=*/8), launched(1)), 32U);
  UnrollFacts Wide = oneLoad();
  Wide.Bytes = 16;
  EXPECT_EQ(together(Wide, launched(8)), 0U);
}

TEST(LoadsInFlightPlanner, DividesLoopsOfKnownLength) {
  // Memory is busy with one; 256 units are the most, and nothing is left over.
  UnrollFacts Known = oneLoad(/*Own=*/4);
  Known.Bytes = 16;
  Known.Trip = 4096;
  EXPECT_EQ(together(Known, launched(8)), 16U);
  Known.Size = 46;
  Known.Own = 1;
  EXPECT_EQ(together(Known, launched(8)), 4U);
  Known.Trip = 4098;
  EXPECT_EQ(together(Known, launched(8)), 2U);
  Known.Trip = 4097;
  EXPECT_EQ(together(Known, launched(8)), 0U);
  Known.Trip = 4; // twice as many at least
  EXPECT_EQ(together(Known, launched(8)), 2U);
  Known.Trip = 4096;
  Known.Size = 129;
  EXPECT_EQ(together(Known, launched(8)), 0U);
  Known.Trip.reset();
  Known.Size = 46;
  EXPECT_EQ(together(Known, launched(8)), 0U);
}

TEST(LoadsInFlightPlanner, TakesFiltersInConstantMemoryWhole) {
  UnrollFacts Filter = oneLoad();
  Filter.Bytes = 16; // memory is busy with one
  Filter.Trip = 5;
  Filter.Size = 250;
  EXPECT_EQ(together(Filter, launched(8)), 0U);
  Filter.Constants = 1;
  EXPECT_EQ(together(Filter, launched(8)), 5U);
  Filter.Size = 500; // beyond 2,048
  EXPECT_EQ(together(Filter, launched(8)), 0U);
  Filter.Size = 100;
  Filter.Trip = 16;
  EXPECT_EQ(together(Filter, launched(8)), 16U);
  Filter.Trip = 17;
  EXPECT_EQ(together(Filter, launched(8)), 0U);
  Filter.Trip.reset();
  EXPECT_EQ(together(Filter, launched(8)), 0U);
  // Of a tile; and of nothing else.
  Filter.Trip = 16;
  Filter.Loads = 0;
  Filter.TileLoads = 1;
  EXPECT_EQ(together(Filter, launched(8)), 16U);
  Filter.TileLoads = 0;
  EXPECT_EQ(together(Filter, launched(8)), 0U);
}

TEST(LoadsInFlightPlanner, HasLimits) {
  UnrollFacts Long = oneLoad();
  Long.Size = 130; // three copies are 390
  EXPECT_EQ(together(Long, launched(1)), 2U);
  Long.Size = 600;
  EXPECT_EQ(together(Long, launched(1)), 0U);
  UnrollFacts Short = oneLoad();
  Short.Trip = 16; // never unrolled whole
  EXPECT_EQ(together(Short, launched(1)), 8U);
  Short.Trip = 3;
  EXPECT_EQ(together(Short, launched(1)), 0U);
  UnrollFacts Refused = oneLoad();
  Refused.Refusal = "it writes memory, or orders it";
  EXPECT_EQ(together(Refused, launched(1)), 0U);
  UnrollFacts None = oneLoad();
  None.Loads = 0;
  EXPECT_EQ(together(None, launched(1)), 0U);
}

TEST(LoadsInFlightPlanner, WaitsLessOftenForWhatLanesShare) {
  UnrollFacts Facts = oneLoad(/*Own=*/2);
  Facts.Bytes = 16;
  Facts.IsShared = true;
  const KernelPlan Full = launched(8);
  EXPECT_EQ(together(Facts, Full), 4u);
  Facts.Own = 4;
  EXPECT_EQ(together(Facts, Full), 0u) << "clang does as much";
  Facts.Own = 2;
  Facts.Trip = 101;
  EXPECT_EQ(together(Facts, Full), 0u) << "one would be left over";
  Facts.Trip.reset();
  Facts.Size = 76;
  EXPECT_EQ(together(Facts, Full), 0u) << "too long";
  Facts.Size = 75;
  EXPECT_EQ(together(Facts, Full), 4u);
  Facts.IsShared = false;
  EXPECT_EQ(together(Facts, Full), 0u) << "each lane's own are enough";
}

TEST(LoadsInFlightPlanner, TakesPartsOfTilesTogether) {
  UnrollFacts Facts = oneLoad();
  Facts.Loads = Facts.Bytes = 0;
  Facts.TileLoads = 1;
  EXPECT_EQ(together(Facts, KernelPlan()), 4u);
  Facts.Own = 4;
  EXPECT_EQ(together(Facts, KernelPlan()), 0u) << "clang does as much";
  Facts.Own = 1;
  Facts.Size = 76;
  EXPECT_EQ(together(Facts, KernelPlan()), 2u) << "four are too long";
  Facts.Own = 2;
  EXPECT_EQ(together(Facts, KernelPlan()), 0u);
  Facts.Own = 1;
  Facts.Size = 151;
  EXPECT_EQ(together(Facts, KernelPlan()), 0u) << "two are too long";
  Facts.Size = 10;
  Facts.WritesTile = true;
  EXPECT_EQ(together(Facts, KernelPlan()), 0u) << "each waits for the one "
                                                  "before";
}

TEST(LoadsInFlightPlanner, TakesTwoOfOddWordsTogether) {
  UnrollFacts Facts = oneLoad();
  Facts.Loads = Facts.Bytes = 0;
  Facts.OddWords = 3;
  Facts.Trip = 12;
  Facts.Size = 150;
  EXPECT_EQ(together(Facts, KernelPlan()), 2u);
  Facts.Size = 151;
  EXPECT_EQ(together(Facts, KernelPlan()), 0u) << "they are too long";
  Facts.Size = 50;
  Facts.Trip = 11;
  EXPECT_EQ(together(Facts, KernelPlan()), 0u) << "one would be left";
  Facts.Trip.reset();
  EXPECT_EQ(together(Facts, KernelPlan()), 0u);
  Facts.Trip = 12;
  Facts.OddWords = 2;
  EXPECT_EQ(together(Facts, KernelPlan()), 0u) << "hardly a pair";
  Facts.OddWords = 3;
  Facts.Own = 2;
  EXPECT_EQ(together(Facts, KernelPlan()), 0u) << "clang does as much";
}

TEST(LoadsInFlightPlanner, FillsTilesByFourAtMost) {
  UnrollFacts Facts = oneLoad();
  Facts.WritesTile = true;
  EXPECT_EQ(together(Facts, launched(1)), 4u);
}

TEST(LoadsInFlightPlanner, TakesFewOfLoopsThatWriteElsewhere) {
  UnrollFacts Facts = oneLoad(/*Own=*/4);
  Facts.WritesApart = true;
  EXPECT_EQ(together(Facts, launched(1)), 8u);
  Facts.Size = 20;
  EXPECT_EQ(together(Facts, launched(1)), 0u) << "clang takes four";
  Facts.Own = 1;
  EXPECT_EQ(together(Facts, launched(1)), 4u);
  Facts.Size = 100;
  EXPECT_EQ(together(Facts, launched(1)), 2u) << "four are too long";
  Facts.Size = 151;
  EXPECT_EQ(together(Facts, launched(1)), 0u);
  Facts.Size = 20;
  Facts.IsShort = true;
  EXPECT_EQ(together(Facts, launched(1)), 0u);
  Facts.IsShort = false;
  Facts.Bytes = 64;
  EXPECT_EQ(together(Facts, launched(8)), 0u) << "memory is busy";
}

TEST(LoadsInFlightPlanner, TakesStepsOfRunTimeAsNvcc) {
  UnrollFacts Facts = oneLoad();
  Facts.Bytes = 16;
  EXPECT_EQ(together(Facts, KernelPlan()), 0u);
  Facts.HasRunTimeStep = true;
  EXPECT_EQ(together(Facts, KernelPlan()), 4u);
  EXPECT_EQ(together(Facts, launched(1)), 8u) << "few threads want more";
  Facts.Size = 76;
  EXPECT_EQ(together(Facts, KernelPlan()), 0u) << "too long";
}

TEST(LoadsInFlightPlanner, TakesShortLoopsAsNvcc) {
  UnrollFacts Facts = oneLoad();
  Facts.Bytes = 16;
  Facts.Size = 40;
  EXPECT_EQ(together(Facts, launched(8)), 0u);
  Facts.IsShort = true;
  EXPECT_EQ(together(Facts, launched(8)), 4u);
  Facts.Size = 76;
  EXPECT_EQ(together(Facts, launched(8)), 0u) << "too long";
}

TEST(LoadsInFlightPlanner, CountsTheFewestThreads) {
  const GPUModel &GPU = *cantFail(findGPUModel("sm_90"));
  EXPECT_EQ(threadsOnSM(launched(4), GPU), 1024U);
  KernelPlan Two = launched(4);
  Two.Launches.push_back(launched(2).Launches[0]);
  EXPECT_EQ(threadsOnSM(Two, GPU), 512U);
  Two.Launches.back().Grid = LaunchDim();
  EXPECT_FALSE(threadsOnSM(Two, GPU));
  EXPECT_FALSE(threadsOnSM(KernelPlan(), GPU));
}

} // namespace
