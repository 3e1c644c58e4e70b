// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// M by hand. A block of gesummv's (GesummvByHand.h) has 512 lines, 65536 B; of
/// 8 blocks on an SM 3 fit the 253952 B of L1 that a claim of 8 KiB leaves.

#include "sluice/Plan/ResidentBlocks.h"
#include "GesummvByHand.h"

using namespace sluice;
using namespace sluice::test;

namespace {

struct Case {
  const char *What;
  void (*Change)(Problem &);
  unsigned M; ///< 0: not limited.
  const char *Why;
};

void hasBarrier(Problem &P) {
  for (LoopFacts &L : P.Kernel.Loops)
    L.Region.Refusal = "contains a block barrier";
}

class BlocksOf : public testing::TestWithParam<Case> {};

TEST_P(BlocksOf, ArePlanned) {
  Problem P;
  P.Kernel.UsesDynamicShared = false;
  GetParam().Change(P);
  KernelPlan Plan = P.plan();
  EXPECT_EQ(Plan.ResidentBlocks.value_or(0), GetParam().M) << Plan.BlocksWhy;
  EXPECT_TRUE(llvm::StringRef(Plan.BlocksWhy).contains(GetParam().Why))
      << Plan.BlocksWhy;
  EXPECT_EQ(Plan.CarveoutPercent.has_value(), GetParam().M != 0);
  for (const LoopPlan &Loop : Plan.Loops)
    EXPECT_TRUE(Loop.WarpGroups == 1 || GetParam().M == 0) << Loop.Why;
}

const Case Chosen[] = {
    // 1.03 times the L1: below 1.1 it counts as fitting.
    {"ABarrierInTheLoop", hasBarrier, 4,
     "footprint 524288 B (8 blocks of 512 lines) of the loop at k.cu:10:5 is "
     "beyond the L1; with M=4 it is 262144 B and the L1 253952 B"},
    {"OwnSharedMemoryTakesItsPartOfTheL1",
     [](Problem &P) {
       hasBarrier(P);
       P.Kernel.StaticSharedBytes = 12288; // with a claim 3 of 64 KiB
       P.launched().Grid = LaunchDim();
     },
     3, "the L1 196608 B"},
    {"NoRoundsOfFewBlocks",
     [](Problem &P) { // of 8 blocks 3 would run and 3 and 2
       hasBarrier(P);
       P.Kernel.StaticSharedBytes = 12288;
     },
     2, "with M=2 it is 131072 B"},
    {"UnlessWarpsAreTooFewThen",
     [](Problem &P) {
       hasBarrier(P);
       P.Kernel.StaticSharedBytes = 12288;
       P.Thresholds.MinRunningWarpsOfBlocks = 17;
     },
     3, "the L1 196608 B"},
    {"DynamicSharedMemoryLikewise",
     [](Problem &P) {
       hasBarrier(P);
       P.launched().DynamicSharedBytes = 40960; // 2 blocks of 41 KiB in 100
     },
     2, "the L1 159744 B"},
    {"NoNFits",
     [](Problem &P) { // 32 groups of a warp have 64 lines each
       P.launched() = launch(uint64_t(8) * 132, 32, 20);
       P.loop().Accesses = rowsPerThread(8);
     },
     7, "with M=7 it is 229376 B"},
    {"TooFewWarpsWithN",
     [](Problem &P) {
       P.Thresholds.MinRunningWarps = 17; // N=4 leaves 16, M=4 32
     },
     4, "with M=4"},
    {"TheGridNeedNotBeKnown",
     [](Problem &P) {
       hasBarrier(P);
       P.launched().Grid = LaunchDim();
     },
     4, "with M=4"},
    {"OfTwoLoopsTheLargerFootprintCounts",
     [](Problem &P) {
       P.addLoop(rowsPerThread(3, 1));
       hasBarrier(P);
     },
     2, "of the loop at k.cu:20:5"},
    {"OfTwoLaunchesBothMustFit",
     [](Problem &P) {
       hasBarrier(P);
       P.Kernel.Launches.push_back(
           launch(uint64_t(8) * 132, 512, 21)); // 1024 lines
     },
     2, "M=2"},
    {"AHazardOfARegionAlone",
     [](Problem &P) {
       hasBarrier(P);
       P.Kernel.Hazards.push_back(
           {{}, {}, "contains a block barrier", /*WholeKernel=*/false});
     },
     4, "with M=4"},
    {"APretendedL1",
     [](Problem &P) {
       hasBarrier(P);
       P.Options.L1KiB = 128;
     },
     2, "with M=2 it is 131072 B and the L1 131072 B"},
};

const Case NotChosen[] = {
    {"TurnsCanDoIt", [](Problem &) {}, 0, ""},
    {"TheLoopFits",
     [](Problem &P) {
       hasBarrier(P);
       P.launched().Grid = LaunchDim::known(uint64_t(3) * 132);
     },
     0, ""},
    {"NoReuse",
     [](Problem &P) {
       P.loop().Accesses = rowsPerThread(2, 0, 256);
       hasBarrier(P);
     },
     0, ""},
    {"TooShort",
     [](Problem &P) {
       hasBarrier(P);
       P.loop().TripCount = 7;
     },
     0, ""},
    {"ABlockAloneIsTooMuch",
     [](Problem &P) {
       hasBarrier(P);
       P.loop().Accesses = rowsPerThread(9); // 294912 B
     },
     0, "fewer blocks do not make it fit the L1"},
    {"OneBlockIsAllThereIs",
     [](Problem &P) {
       hasBarrier(P);
       P.loop().Accesses = rowsPerThread(8);
       P.launched().Grid = LaunchDim::known(132);
     },
     0, "one block is all there is on an SM"},
    {"TooFewWarps",
     [](Problem &P) { // 3 blocks of one warp fit
       P.launched() = launch(uint64_t(32) * 132, 32, 20);
       P.loop().Accesses = rowsPerThread(18);
       hasBarrier(P);
     },
     0, "3 warps on an SM are too few to hide latency"},
    {"BlocksMayWaitForOneAnother",
     [](Problem &P) {
       hasBarrier(P);
       P.Kernel.Hazards.push_back(
           {{}, {"k.cu", 5, 1}, "contains a spin", /*WholeKernel=*/true});
     },
     0, "it contains a spin at k.cu:5:1"},
    {"TheKernelReadsItsSharedSize",
     [](Problem &P) {
       hasBarrier(P);
       P.Kernel.FixedResidency = "reads how much shared memory it has";
     },
     0, "it reads how much shared memory it has"},
    {"SwitchedOff",
     [](Problem &P) {
       hasBarrier(P);
       P.loop().Region.SwitchedOff = true;
     },
     0, "it is switched off in the source"},
    {"TheKernelIsOff",
     [](Problem &P) {
       hasBarrier(P);
       P.Kernel.Off = true;
     },
     0, ""},
    {"LaunchesOfDifferentSharedMemory",
     [](Problem &P) {
       hasBarrier(P);
       P.Kernel.Launches.push_back(launch(uint64_t(8) * 132, 256, 21));
       P.Kernel.Launches[1].DynamicSharedBytes = 1024;
     },
     0, "its launches have dynamic shared memory of different sizes"},
    {"UnknownSharedMemory",
     [](Problem &P) {
       hasBarrier(P);
       P.launched().DynamicSharedBytes = std::nullopt;
     },
     0, ""},
    {"UnknownBlocks",
     [](Problem &P) {
       hasBarrier(P);
       P.launched().Block = LaunchDim();
     },
     0, ""},
    {"OneLaunchOfTwoFits",
     [](Problem &P) {
       hasBarrier(P);
       P.Kernel.Launches.push_back(launch(132, 256, 21));
     },
     0, ""},
    {"AnotherLoopTakesTurns",
     [](Problem &P) {
       P.addLoop(rowsPerThread(2, 1)).Region.Refusal =
           "contains a block barrier";
     },
     0,
     "the loop at k.cu:20:5 thrashes too, but N of the loop at k.cu:10:5 is "
     "chosen for all blocks that fit"},
    {"NothingIsWanted",
     [](Problem &P) {
       hasBarrier(P);
       P.Options.LimitBlocks = false;
     },
     0, ""},
    {"NIsForced",
     [](Problem &P) {
       hasBarrier(P);
       P.Options.ForcedWarpGroups = 1;
     },
     0, ""},
};

std::string nameOf(const testing::TestParamInfo<Case> &Info) {
  return Info.param.What;
}
void prefer(Problem &P) { P.Options.PreferBlocks = true; }

const Case InPlaceOfTurns[] = {
    // Three fit, but then some SM would have 9 of the 1056 blocks.
    {"AnOnlyLoop", prefer, 2,
     "footprint 524288 B (8 blocks of 512 lines) of the loop at k.cu:10:5 is "
     "beyond the L1; with M=2 it is 131072 B and the L1 253952 B"},
    {"ManyWavesAreEvenEnough",
     [](Problem &P) {
       prefer(P);
       P.launched().Grid = LaunchDim::known(uint64_t(24) * 132);
     },
     3, "with M=3"},
    {"OfTwoLaunchesBothMustFit",
     [](Problem &P) {
       prefer(P);
       P.launched() = launch(uint64_t(24) * 132, 256, 20);
       P.Kernel.Launches.push_back(launch(uint64_t(24) * 132, 384, 21));
     },
     2, "with M=2"},
    {"ANestIsOneLoop",
     [](Problem &P) {
       prefer(P);
       P.addLoop({}).Parent = std::nullopt;
       P.loop().Parent = 1;
     },
     2, "with M=2"},
};

const Case NotInPlaceOfTurns[] = {
    {"TheyAreNotPreferred", [](Problem &) {}, 0, ""},
    {"AnotherLoopHasNoTurns",
     [](Problem &P) {
       prefer(P);
       P.addLoop({});
     },
     0, ""},
    {"AnotherLoopHasTurnsToo",
     [](Problem &P) {
       prefer(P);
       P.addLoop(rowsPerThread(2, 1));
     },
     0, ""},
    {"AnUnknownGrid",
     [](Problem &P) {
       prefer(P);
       P.launched().Grid = LaunchDim();
     },
     0, ""},
    {"AnUnknownBlock",
     [](Problem &P) {
       prefer(P);
       P.launched().Block = LaunchDim();
     },
     0, ""},
    {"TooFewWarps", // N=8 leaves 8 warps, M=1 would too
     [](Problem &P) {
       prefer(P);
       P.loop().Accesses = rowsPerThread(6);
     },
     0, ""},
    {"AnAddressThatNobodyKnows",
     [](Problem &P) {
       prefer(P);
       P.loop().Accesses.push_back(
           load(arg(2) + 4 * var(Variable::Loaded, /*Index=*/0)));
       P.Kernel.Unknowns = {{/*Loop=*/0}};
     },
     0, ""},
    {"TheKernelReadsItsSharedSize",
     [](Problem &P) {
       prefer(P);
       P.Kernel.FixedResidency = "reads how much shared memory it has";
     },
     0, ""},
    {"NoLimitIsWanted",
     [](Problem &P) {
       prefer(P);
       P.Options.LimitBlocks = false;
     },
     0, ""},
};

INSTANTIATE_TEST_SUITE_P(Limited, BlocksOf, testing::ValuesIn(Chosen), nameOf);
INSTANTIATE_TEST_SUITE_P(NotLimited, BlocksOf, testing::ValuesIn(NotChosen),
                         nameOf);
INSTANTIATE_TEST_SUITE_P(InPlaceOfTurns, BlocksOf,
                         testing::ValuesIn(InPlaceOfTurns), nameOf);

/// Then turns are as without.
TEST(BlocksForTurns, LeaveTurnsWhereTheyAreNot) {
  for (const Case &C : NotInPlaceOfTurns) {
    Problem P;
    P.Kernel.UsesDynamicShared = false;
    C.Change(P);
    KernelPlan Plan = P.plan();
    EXPECT_GT(Plan.Loops[0].WarpGroups, 1u) << C.What;
    EXPECT_FALSE(Plan.ResidentBlocks) << C.What;
  }
}

TEST(BlocksForTurns, SayWhatTheyReplace) {
  Problem P;
  prefer(P);
  KernelPlan Plan = P.plan();
  expectLoop(Plan, 0, 1,
             "M=2 in place of N=4, since the loop is all there is of the "
             "kernel (footprint 524288 B");
  EXPECT_EQ(Plan.Loops[0].ThrottledFootprintBytes, 524288u);
}

TEST(ForcedBlocks, AreTaken) {
  Problem P;
  P.Options.ForcedWarpGroups = 4;
  P.Options.ForcedResidentBlocks = 2;
  KernelPlan Plan = P.plan();
  expectLoop(Plan, 0, 4, "N=4 was asked for");
  EXPECT_EQ(Plan.ResidentBlocks, 2u);
  EXPECT_EQ(Plan.BlocksWhy, "M=2 was asked for");
  EXPECT_GT(Plan.ClaimedSharedBytes, 0u);
}

TEST(ForcedBlocks, NotAgainstWhatTheKernelNeeds) {
  Problem P;
  P.Options.ForcedWarpGroups = 1;
  P.Options.ForcedResidentBlocks = 2;
  P.Kernel.FixedResidency = "reads how much shared memory it has";
  EXPECT_FALSE(P.plan().ResidentBlocks);
  P.Kernel.FixedResidency.clear();
  P.Options.ForcedResidentBlocks = 20;
  P.Kernel.StaticSharedBytes = 20000;
  EXPECT_EQ(P.plan().BlocksWhy, "no carveout of sm_90 keeps 20 blocks with "
                                "20000 B of shared memory on an SM");
  P.Kernel.Launches.clear();
  EXPECT_EQ(P.plan().BlocksWhy, "its dynamic shared memory is not known: no "
                                "launch of it is in this file");
}

} // namespace
