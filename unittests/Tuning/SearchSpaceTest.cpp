// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// What can be chosen about a kernel, and the points that it makes.

#include "sluice/Tuning/SearchSpace.h"
#include "KernelsByHand.h"
#include "llvm/ADT/STLExtras.h"
#include <set>

using namespace llvm;
using namespace sluice;

namespace {

using Texts = std::vector<std::string>;

Texts factorsOf(const LoopPlan &Loop, std::vector<LaunchPlan> Launches) {
  SearchSpace Space =
      searchSpace(kernelOf({Loop}, std::move(Launches)), h100());
  for (const Choice &C : Space.Choices)
    if (StringRef(C.Name).starts_with("throttle"))
      return C.Values;
  return {};
}
Texts factorsOfBlock(uint64_t Threads) {
  return factorsOf(loopAt(3), {launchOf(LaunchDim::known(Threads))});
}

TEST(SearchSpaceChoices, FactorsGoUpToOneWarpATurn) {
  EXPECT_EQ(factorsOfBlock(32), Texts());
  EXPECT_EQ(factorsOfBlock(33), (Texts{"1", "2"}));
  EXPECT_EQ(factorsOfBlock(64), (Texts{"1", "2"}));
  EXPECT_EQ(factorsOfBlock(96), (Texts{"1", "2", "4"}));
  EXPECT_EQ(factorsOfBlock(256), (Texts{"1", "2", "4", "8"}));
  EXPECT_EQ(factorsOfBlock(1024), (Texts{"1", "2", "4", "8", "16", "32"}));
}

TEST(SearchSpaceChoices, FactorsAreForTheSmallestBlock) {
  EXPECT_EQ(factorsOf(loopAt(3), {launchOf(LaunchDim::known(256)),
                                  launchOf(LaunchDim::known(8, 8))}),
            (Texts{"1", "2"}));
}

TEST(SearchSpaceChoices, BlockThatIsNotKnownIsNoLimit) {
  LaunchDim OnlyY = {{std::nullopt, 1, 1}};
  EXPECT_EQ(factorsOf(loopAt(3), {launchOf(OnlyY)}).size(), 6u);
  EXPECT_EQ(factorsOf(loopAt(3), {}).size(), 6u);
  EXPECT_EQ(
      factorsOf(loopAt(3), {launchOf(OnlyY), launchOf(LaunchDim::known(128))}),
      (Texts{"1", "2", "4"}));
}

TEST(SearchSpaceChoices, LoopWithoutLoadsIsLeftAlone) {
  LoopPlan Loop = loopAt(3);
  Loop.Accesses.clear();
  EXPECT_EQ(factorsOf(Loop, {launchOf()}), Texts());
  Loop.WarpGroups = 2; // The user's wish.
  EXPECT_EQ(factorsOf(Loop, {launchOf()}), (Texts{"1", "2", "4", "8"}));
}

// Without the launches a plan does not say what a loop loads.
TEST(SearchSpaceChoices, LoopWhoseLoadsAreNotKnownMayBeThrottled) {
  LoopPlan Loop = loopAt(3);
  Loop.Accesses.clear();
  EXPECT_EQ(factorsOf(Loop, {}).size(), 6u);
}

TEST(SearchSpaceChoices, PlannedIsWhatThePlanHas) {
  SearchSpace Space = searchSpace(kernelOf({loopAt(3, 4), loopAt(7)}), h100());
  EXPECT_EQ(Space.describe(Space.planned()), "throttle f.cu:3:5=4");
  EXPECT_EQ(Space.at(Space.planned()).Loops[0].WarpGroups, 4u);
  EXPECT_EQ(Space.at(Space.untuned()).Loops[0].WarpGroups, 1u);
}

TEST(SearchSpaceChoices, PlannedFactorIsAmongTheValues) {
  // --sluice-throttle=4 makes 3 of it for three warps.
  std::vector<LaunchPlan> ThreeWarps = {launchOf(LaunchDim::known(96))};
  SearchSpace Space = searchSpace(kernelOf({loopAt(3, 3)}, ThreeWarps), h100());
  EXPECT_EQ(Space.Choices[0].Values, (Texts{"1", "2", "3", "4"}));
  EXPECT_EQ(Space.at(Space.planned()).Loops[0].WarpGroups, 3u);
}

TEST(SearchSpaceChoices, TableIsOneOfTheValues) {
  LoopPlan Loop = loopAt(3, 4);
  LaunchRow Row;
  Row.Block = {256, 1, 1};
  Row.WarpGroups = 4;
  Loop.ByLaunch = {Row};
  SearchSpace Space = searchSpace(kernelOf({Loop}), h100());
  EXPECT_EQ(Space.describe(Space.planned()), "throttle f.cu:3:5=by-launch");
  EXPECT_EQ(Space.at(Space.planned()).Loops[0].ByLaunch.size(), 1u);
  EXPECT_EQ(Space.at(Space.planned()).Loops[0].WarpGroups, 4u);
  EXPECT_EQ(Space.at(Space.untuned()).Loops[0].WarpGroups, 1u);
  EXPECT_TRUE(Space.at(Space.untuned()).Loops[0].ByLaunch.empty());
}

/// Replay cannot time it.
TEST(SearchSpaceChoices, ALimitOfTheBlocksIsLeftOut) {
  KernelPlan Kernel = kernelOf({loopAt(3)}, {launchOf()});
  Kernel.ResidentBlocks = 2;
  Kernel.ClaimedSharedBytes = 2432;
  Kernel.CarveoutPercent = 14;
  SearchSpace Space = searchSpace(Kernel, h100());
  EXPECT_FALSE(Space.Static.ResidentBlocks);
  EXPECT_EQ(Space.Static.ClaimedSharedBytes, 0u);
  EXPECT_FALSE(Space.Static.CarveoutPercent);
  for (const Choice &C : Space.Choices)
    if (C.Name == "carveout")
      EXPECT_EQ(C.Values[C.Planned], "default");
}

TEST(SearchSpaceChoices, CarveoutForEachSizeOfTheHardware) {
  SearchSpace Space = searchSpace(kernelOf({}), h100());
  ASSERT_EQ(Space.Choices.size(), 1u);
  const Choice &C = Space.Choices[0];
  EXPECT_FALSE(C.IsInCode);
  EXPECT_EQ(C.Values, (Texts{"default", "0", "3", "7", "14", "28", "43", "57",
                             "71", "85", "100"}));
  EXPECT_EQ(Space.at({0}).CarveoutPercent, std::nullopt);
  EXPECT_EQ(Space.at({1}).CarveoutPercent, 0u);
  EXPECT_EQ(Space.at({10}).CarveoutPercent, 100u);
}

TEST(SearchSpaceChoices, CarveoutsReachEverySizeOfEveryGPU) {
  for (const GPUModel &GPU : allGPUModels()) {
    SearchSpace Space = searchSpace(kernelOf({}), GPU);
    const Texts &Values = Space.Choices[0].Values;
    ASSERT_EQ(Values.size(), GPU.CarveoutKiB.size() + 1) << GPU.Name.str();
    EXPECT_EQ(std::set<std::string>(Values.begin(), Values.end()).size(),
              Values.size());
    for (size_t I = 0; I < GPU.CarveoutKiB.size(); ++I) {
      // The driver's rule: the smallest size that is no less.
      unsigned Percent = *Space.at({unsigned(I + 1)}).CarveoutPercent;
      auto *Taken = find_if(GPU.CarveoutKiB, [&](unsigned KiB) {
        return 100 * KiB >= Percent * GPU.CarveoutKiB.back();
      });
      EXPECT_EQ(*Taken, GPU.CarveoutKiB[I]) << GPU.Name.str();
    }
  }
}

TEST(SearchSpaceChoices, PlannedCarveoutIsTheSizeThatTheDriverTakes) {
  KernelPlan Kernel = kernelOf({});
  for (auto [Percent, Taken] : {std::pair(0u, "0"),
                                {50u, "57"},
                                {57u, "57"},
                                {99u, "100"},
                                {100u, "100"}}) {
    Kernel.CarveoutPercent = Percent;
    SearchSpace Space = searchSpace(Kernel, h100());
    EXPECT_EQ(Space.describe(Space.planned()),
              std::string("carveout=") + Taken);
  }
}

TEST(SearchSpace, SizeIsTheProductAndSaturates) {
  EXPECT_EQ(spaceOf({}).size(), 1u);
  EXPECT_EQ(spaceOf({6, 6, 11}).size(), 396u);
  EXPECT_EQ(spaceOf(std::vector<unsigned>(40, 6)).size(), UINT64_MAX);
}

TEST(SearchSpace, AllHasEachPointOnceTheUntunedFirst) {
  SearchSpace Space = spaceOf({3, 1, 2});
  EXPECT_EQ(
      Space.all(),
      (std::vector<Point>{
          {0, 0, 0}, {0, 0, 1}, {1, 0, 0}, {1, 0, 1}, {2, 0, 0}, {2, 0, 1}}));
  EXPECT_EQ(spaceOf({}).all(), std::vector<Point>{{}});
}

TEST(SearchSpace, NeighboursAreOneStepAway) {
  SearchSpace Space = spaceOf({4, 1, 2});
  EXPECT_EQ(Space.neighbours({1, 0, 1}),
            (std::vector<Point>{{0, 0, 1}, {2, 0, 1}, {1, 0, 0}}));
  EXPECT_EQ(Space.neighbours({3, 0, 0}),
            (std::vector<Point>{{2, 0, 0}, {3, 0, 1}}));
}

TEST(SearchSpace, EveryPointHasATextOfItsOwn) {
  SearchSpace Space = searchSpace(kernelOf({loopAt(3), loopAt(7, 2)}), h100());
  std::set<std::string> Seen;
  for (const Point &P : Space.all()) {
    std::string Text = Space.describe(P);
    EXPECT_TRUE(Seen.insert(Text).second) << Text;
    EXPECT_EQ(Space.parse(Text), P) << Text;
  }
  EXPECT_EQ(Seen.size(), 176u);
  EXPECT_EQ(Space.describe(Space.untuned()), "");
  EXPECT_EQ(Space.describe({2, 1, 5}),
            "throttle f.cu:3:5=4; throttle f.cu:7:5=2; carveout=28");
}

TEST(SearchSpace, NamesMayHaveTheSeparatorsInThem) {
  LoopPlan Loop = loopAt(3);
  Loop.Id.Place.File = "a=1; b.cu";
  Loop.Id.InlinedAt = {{"c=d.cu", 9, 1}};
  Loop.Id.Ordinal = 1;
  SearchSpace Space = searchSpace(kernelOf({Loop, loopAt(3)}), h100());
  for (const Point &P : Space.all())
    EXPECT_EQ(Space.parse(Space.describe(P)), P) << Space.describe(P);
}

TEST(SearchSpace, TextOfAnotherSpaceIsRefused) {
  SearchSpace Space = searchSpace(kernelOf({loopAt(3)}), h100());
  for (const char *Text :
       {"throttle f.cu:4:5=2", "throttle f.cu:3:5=64", "throttle f.cu:3:5",
        "throttle f.cu:3:5=2; prefetch=1", "carveout=50", "x", "="})
    EXPECT_EQ(Space.parse(Text), std::nullopt) << Text;
}

} // namespace
