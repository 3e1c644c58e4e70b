// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Loops whose footprint depends on an argument that no launch gives: planned
/// for where it is large enough, which the kernel tests. The rows of gesummv's
/// B are n floats long.

#include "GesummvByHand.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::test;

namespace {

constexpr unsigned N = 2, M = 3; ///< Numbers of the arguments n and m.

AddressForm rowsOf(unsigned Array, unsigned Length, unsigned Loop = 0) {
  return arg(Array) + 4 * arg(Length) * globalX() + 4 * iter(Loop);
}

/// Its B has rows of n.
struct Pitched : Problem {
  Pitched() {
    Kernel.Parameters = {{"A", "is no plain integer", 0},
                         {"B", "is no plain integer", 0},
                         {"n", "", INT32_MAX},
                         {"m", "", INT32_MAX}};
    loop().Accesses[1].Address = rowsOf(1, N);
    loop().Accesses[1].Id.Place = {"k.cu", 11, 7};
  }
};

std::string testsOf(const KernelPlan &Plan, unsigned Loop = 0) {
  return str(Plan.Loops[Loop].OnlyIf);
}

TEST(TestedPlan, TurnsWhereTheArgumentIsLargeEnough) {
  KernelPlan Plan = Pitched().plan();
  expectLoop(Plan, 0, 4,
             "footprint 524288 B (8 blocks of 512 lines) is beyond the L1 of "
             "229376 B; with N=4 it is 131072 B");
  EXPECT_EQ(Plan.Loops[0].OnlyIf, (ArgumentMinima{{N, "n", 32}}));
  EXPECT_EQ(Plan.Loops[0].FootprintBytes, 524288u);
  EXPECT_EQ(Plan.Loops[0].ThrottledFootprintBytes, 131072u);
}

TEST(TestedPlan, NoTestWhereTheLaunchGivesTheArgument) {
  Pitched P;
  P.launched().Arguments = {std::nullopt, std::nullopt, 512};
  EXPECT_EQ(P.plan().Loops[0].WarpGroups, 4u);
  EXPECT_EQ(testsOf(P.plan()), "");
}

TEST(TestedPlan, NoTestWithoutTurns) {
  Pitched P;
  P.launched().Grid = LaunchDim::known(132);
  expectLoop(P.plan(), 0, 1, "footprint of at most 65536 B");
  EXPECT_EQ(testsOf(P.plan()), "");
}

TEST(TestedPlan, NoTestOfAForcedN) {
  Pitched P;
  P.Options.ForcedWarpGroups = 2;
  expectLoop(P.plan(), 0, 2, "N=2 was asked for");
  EXPECT_EQ(testsOf(P.plan()), "");
  EXPECT_EQ(P.plan().Loops[0].FootprintBytes, 0u) << "it is not known";
}

//===--------------------------------------------------------------------===//
// What cannot be tested
//===--------------------------------------------------------------------===//

struct Refused {
  const char *What;
  void (*Make)(Problem &);
  const char *Why; ///< Its end.
};

void PrintTo(const Refused &C, std::ostream *OS) { *OS << C.What; }

class TestedPlanRefused : public testing::TestWithParam<Refused> {};

TEST_P(TestedPlanRefused, HasNoTurns) {
  Pitched P;
  GetParam().Make(P);
  KernelPlan Plan = P.plan();
  expectLoop(Plan, 0, 1,
             "the footprint is unknown: the distance between the threads of a "
             "warp is not known at compile time for the load at k.cu:11:7");
  EXPECT_TRUE(StringRef(Plan.Loops[0].Why).ends_with(GetParam().Why))
      << Plan.Loops[0].Why;
  EXPECT_EQ(testsOf(Plan), "");
  EXPECT_EQ(Plan.Loops[0].FootprintBytes, 0u);
}

INSTANTIATE_TEST_SUITE_P(
    Arguments, TestedPlanRefused,
    testing::Values(
        Refused{"a parameter that changes",
                [](Problem &P) {
                  P.Kernel.Parameters[N].Untestable =
                      "is changed in the kernel at k.cu:5:3";
                },
                "; it would be with n >= 32, but 'n' is changed in the kernel "
                "at k.cu:5:3"},
        Refused{"a small type",
                [](Problem &P) { P.Kernel.Parameters[N].Largest = 31; },
                "; it would be with n >= 32, but 'n' is never so large"},
        Refused{"no parameters",
                [](Problem &P) { P.Kernel.Parameters.clear(); },
                "; it would be with argument 2 >= 32, but argument 2 is not "
                "known in the source"},
        Refused{"a product of two",
                [](Problem &P) {
                  P.loop().Accesses[1].Address =
                      arg(1) + 4 * arg(N) * arg(M) * globalX() + 4 * iter(0);
                },
                "for the load at k.cu:11:7"}));

//===--------------------------------------------------------------------===//
// Several launches and loops
//===--------------------------------------------------------------------===//

TEST(TestedPlan, LooksNUpWhereTheTestHolds) {
  Pitched P;
  P.launched().Grid = {};
  KernelPlan Plan = P.plan();
  EXPECT_EQ(Plan.Loops[0].ByLaunch.size(), 2u);
  EXPECT_EQ(testsOf(Plan), "n >= 32");
}

TEST(TestedPlan, LaunchesThatAllNeedTheTest) {
  Pitched P;
  P.Kernel.Launches.push_back(launch(1056, 256, 30));
  KernelPlan Plan = P.plan();
  expectLoop(Plan, 0, 4, "with N=4 it is 131072 B");
  EXPECT_FALSE(StringRef(Plan.Loops[0].Why).contains("tests"));
  EXPECT_EQ(testsOf(Plan), "n >= 32");
}

TEST(TestedPlan, ALaunchThatKnowsTheArgumentIsTestedWithTheOthers) {
  Pitched P;
  P.Kernel.Launches.push_back(launch(1056, 256, 30));
  P.launched().Arguments = {std::nullopt, std::nullopt, 512};
  KernelPlan Plan = P.plan();
  expectLoop(Plan, 0, 4, "; the tests are those of all launches together");
  EXPECT_EQ(testsOf(Plan), "n >= 32");
}

TEST(TestedPlan, BlocksOfDifferentShapesShareTheLargestMinimum) {
  Pitched P;
  // Two rows of a warp are 16 lanes apart: 4 * n - 60 >= 128.
  P.loop().Accesses[1].Address = arg(1) + 4 * arg(N) * var(Variable::Tid, 1) +
                                 4 * var(Variable::Tid, 0) + 4 * iter(0);
  P.loop().Accesses[0].Address = arg(0) + 4 * arg(N) * globalX() + 4 * iter(0);
  P.loop().Accesses.push_back(load(
      arg(4) + 2048 * (var(Variable::Tid, 0) + 16 * var(Variable::Tid, 1)) +
      4 * iter(0)));
  P.Kernel.Launches.push_back(
      launch(LaunchDim::known(1056), LaunchDim::known(16, 16), 30));
  KernelPlan Plan = P.plan();
  EXPECT_GT(Plan.Loops[0].WarpGroups, 1u) << Plan.Loops[0].Why;
  EXPECT_TRUE(StringRef(Plan.Loops[0].Why)
                  .contains("; the tests are those of all launches together"))
      << Plan.Loops[0].Why;
  EXPECT_EQ(testsOf(Plan), "n >= 47");
}

TEST(TestedPlan, LoopsOfOneRegionShareTheirTests) {
  Pitched P;
  P.addLoop({load(rowsOf(0, M, 1)), load(rowsOf(1, M, 1))});
  P.addLoop({load(rowsOf(0, N, 2)), load(rowsOf(1, N, 2))});
  for (LoopFacts &Loop : P.Kernel.Loops)
    Loop.Region.Index = 0;
  KernelPlan Plan = P.plan();
  for (unsigned L : {0, 1, 2})
    EXPECT_EQ(testsOf(Plan, L), "n >= 32 and m >= 32") << L;
  expectLoop(Plan, 0, 4,
             "; throttled together with the loop at k.cu:20:5, N=4, only if "
             "n >= 32 and m >= 32");
  expectLoop(Plan, 2, 4,
             "; throttled together with the loop at k.cu:10:5, N=4, only if "
             "n >= 32 and m >= 32");
}

// Without the other it would have the same N, whatever n is.
TEST(TestedPlan, ALoopThatWantsItsRegionsNAnywayNeedsNoTest) {
  for (bool TestedFirst : {false, true}) {
    Pitched P;
    P.addLoop(rowsPerThread(2, 1));
    for (LoopFacts &Loop : P.Kernel.Loops)
      Loop.Region.Index = 0;
    if (!TestedFirst) {
      P.loop().Accesses = rowsPerThread(2, 0);
      P.Kernel.Loops[1].Accesses = {load(rowsOf(0, N, 1)),
                                    load(rowsOf(1, N, 1))};
    }
    KernelPlan Plan = P.plan();
    for (unsigned L : {0, 1}) {
      EXPECT_EQ(testsOf(Plan, L), "") << L;
      EXPECT_EQ(Plan.Loops[L].WarpGroups, 4u);
    }
    expectLoop(Plan, TestedFirst ? 0 : 1, 4, ", N=4, whatever the arguments");
  }
}

TEST(TestedPlan, ALoopThatWantsLessIsTestedWithTheOther) {
  Pitched P;
  P.addLoop(rowsPerThread(1, 1)); // 1.14 times the L1: N=2
  for (LoopFacts &Loop : P.Kernel.Loops)
    Loop.Region.Index = 0;
  KernelPlan Plan = P.plan();
  for (unsigned L : {0, 1})
    EXPECT_EQ(testsOf(Plan, L), "n >= 32") << L;
  expectLoop(Plan, 1, 4,
             "; throttled together with the loop at k.cu:10:5, N=4, only if "
             "n >= 32");
}

TEST(TestedPlan, LoopsOfTwoRegionsDoNot) {
  Pitched P;
  P.addLoop(rowsPerThread(2, 1));
  EXPECT_EQ(testsOf(P.plan(), 0), "n >= 32");
  EXPECT_EQ(testsOf(P.plan(), 1), "");
}

TEST(TestedPlan, ALoopAroundOneThatIsTestedIsLeftAlone) {
  Pitched P;
  P.addLoop({load(rowsOf(1, N, 1))});
  P.Kernel.Loops[1].Parent = 0;
  P.Kernel.Loops[1].TripCount = 64;
  P.Kernel.Loops[1].Accesses.push_back(load(rowsOf(0, N, 1)));
  P.loop().Accesses.clear();
  KernelPlan Plan = P.plan();
  EXPECT_EQ(testsOf(Plan, 1), "n >= 32");
  EXPECT_EQ(Plan.Loops[0].WarpGroups, 1u);
  EXPECT_EQ(testsOf(Plan, 0), "");
}

TEST(TestedPlan, ARegionThatIsRefusedSaysWhatWasWanted) {
  Pitched P;
  P.loop().Region.Refusal = "contains a return";
  KernelPlan Plan = P.plan();
  expectLoop(Plan, 0, 1, "N=4 if n >= 32 is wanted (footprint 524288 B");
  EXPECT_EQ(testsOf(Plan), "");
}

// There is no test where the host limits the blocks.
TEST(TestedPlan, BlocksAreNotLimitedForIt) {
  Problem Known;
  Known.loop().Region.Refusal = "contains a block barrier";
  EXPECT_TRUE(Known.plan().ResidentBlocks);
  Pitched P;
  P.loop().Region.Refusal = "contains a block barrier";
  EXPECT_FALSE(P.plan().ResidentBlocks);
}

} // namespace
