// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// What can be chosen about a kernel, and the points that it makes.

#include "sluice/Tuning/SearchSpace.h"
#include "KernelsByHand.h"
#include "sluice/Target/BlockClaim.h"
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

/// Of a kernel of which all is known that a claim needs.
KernelPlan claimable(std::vector<LoopPlan> Loops = {}) {
  KernelPlan Kernel = kernelOf(std::move(Loops));
  Kernel.Launches[0].DynamicSharedBytes = 0;
  return Kernel;
}

Texts blocksOf(const SearchSpace &Space) {
  for (const Choice &C : Space.Choices)
    if (C.Name == "blocks")
      return C.Values;
  return {};
}

TEST(SearchSpaceChoices, BlocksFromAllDownToOne) {
  SearchSpace Space = searchSpace(claimable(), h100());
  EXPECT_EQ(blocksOf(Space), (Texts{"all", "7", "6", "5", "4", "3", "2", "1"}));
  KernelPlan Four = Space.at(*Space.parse("blocks=4"));
  auto Claim = claimForBlocks(h100(), 4, 0);
  EXPECT_EQ(Four.ResidentBlocks, 4u);
  EXPECT_EQ(Four.ClaimedSharedBytes, Claim->Bytes);
  EXPECT_EQ(Four.CarveoutPercent, Claim->CarveoutPercent);
  EXPECT_FALSE(Space.at(Space.untuned()).ResidentBlocks);
}

/// The claim is for blocks with just the shared memory that they have.
TEST(SearchSpaceChoices, BlocksCountTheirOwnSharedMemory) {
  KernelPlan Kernel = claimable();
  Kernel.StaticSharedBytes = 2048;
  Kernel.Launches[0].DynamicSharedBytes = 1000;
  SearchSpace Space = searchSpace(Kernel, h100());
  EXPECT_EQ(Space.at(*Space.parse("blocks=4")).ClaimedSharedBytes,
            claimForBlocks(h100(), 4, 3048)->Bytes);
  // A block has at most 48 KiB, so few blocks cannot be kept by a claim on top
  // of much.
  Kernel.StaticSharedBytes = 40000;
  for (const std::string &M : blocksOf(searchSpace(Kernel, h100())))
    if (M != "all")
      EXPECT_LE(40000 + claimForBlocks(h100(), std::stoul(M), 41000)->Bytes,
                49152u);
}

TEST(SearchSpaceChoices, BlocksOfUnknownLaunchesAreNotLimited) {
  EXPECT_EQ(blocksOf(searchSpace(kernelOf({}, {}), h100())), Texts());
  KernelPlan Kernel = claimable();
  Kernel.Launches.push_back(Kernel.Launches[0]);
  Kernel.Launches[1].DynamicSharedBytes = 64;
  EXPECT_EQ(blocksOf(searchSpace(Kernel, h100())), Texts()) << "two sizes";
  Kernel.Launches[1].DynamicSharedBytes.reset();
  EXPECT_EQ(blocksOf(searchSpace(Kernel, h100())), Texts());
}

TEST(SearchSpaceChoices, PlannedBlocks) {
  KernelPlan Kernel = claimable({loopAt(3)});
  Kernel.ResidentBlocks = 2;
  Kernel.ClaimedSharedBytes = claimForBlocks(h100(), 2, 0)->Bytes;
  Kernel.CarveoutPercent = claimForBlocks(h100(), 2, 0)->CarveoutPercent;
  SearchSpace Space = searchSpace(Kernel, h100());
  EXPECT_EQ(Space.describe(Space.planned()), "blocks=2");
  EXPECT_EQ(Space.at(Space.planned()).ResidentBlocks, 2u);
  EXPECT_FALSE(Space.at(Space.untuned()).ResidentBlocks);
  EXPECT_FALSE(Space.at(Space.untuned()).CarveoutPercent);
  // Where they cannot be chosen, no point has them.
  Kernel.Launches.clear();
  Space = searchSpace(Kernel, h100());
  EXPECT_FALSE(Space.at(Space.planned()).ResidentBlocks);
  EXPECT_EQ(Space.at(Space.planned()).ClaimedSharedBytes, 0u);
  EXPECT_FALSE(Space.at(Space.planned()).CarveoutPercent);
}

/// A claim brings its own carveout.
TEST(SearchSpace, CarveoutHasNoSayBesideBlocks) {
  SearchSpace Space = searchSpace(claimable(), h100());
  ASSERT_EQ(Space.Choices.size(), 2u);
  EXPECT_EQ(Space.canonical({3, 4}), (Point{0, 4}));
  EXPECT_EQ(Space.canonical({3, 0}), (Point{3, 0}));
  EXPECT_EQ(Space.all().size(), 11u + 7);
  EXPECT_EQ(Space.size(), 11u + 7);
  EXPECT_EQ(Space.neighbours({3, 0}),
            (std::vector<Point>{{2, 0}, {4, 0}, {0, 1}}));
}

TEST(SearchSpace, FixedFactors) {
  SearchSpace Space = searchSpace(claimable({loopAt(3), loopAt(7)}), h100());
  EXPECT_EQ(Space.factors(), (std::vector<unsigned>{1, 2, 4, 8}));
  EXPECT_EQ(Space.blockLimits(), (std::vector<unsigned>{1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(Space.describe(Space.fixed(4, 0)),
            "throttle f.cu:3:5=4; throttle f.cu:7:5=4");
  EXPECT_EQ(Space.describe(Space.fixed(1, 3)), "blocks=3");
  EXPECT_EQ(Space.fixed(32, 8), Space.fixed(8, 0)) << "more than there are";
}

TEST(SearchSpaceChoices, CarveoutForEachSizeOfTheHardware) {
  SearchSpace Space = searchSpace(kernelOf({}, {}), h100());
  ASSERT_EQ(Space.Choices.size(), 1u);
  const Choice &C = Space.Choices[0];
  EXPECT_EQ(C.Goes, Choice::AtLaunch);
  EXPECT_EQ(C.Values, (Texts{"default", "0", "3", "7", "14", "28", "43", "57",
                             "71", "85", "100"}));
  EXPECT_EQ(Space.at({0}).CarveoutPercent, std::nullopt);
  EXPECT_EQ(Space.at({1}).CarveoutPercent, 0u);
  EXPECT_EQ(Space.at({10}).CarveoutPercent, 100u);
}

TEST(SearchSpaceChoices, CarveoutsReachEverySizeOfEveryGPU) {
  for (const GPUModel &GPU : allGPUModels()) {
    SearchSpace Space = searchSpace(kernelOf({}, {}), GPU);
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
  SearchSpace Space = searchSpace(claimable({loopAt(3), loopAt(7, 2)}), h100());
  std::set<std::string> Seen;
  for (const Point &P : Space.all()) {
    std::string Text = Space.describe(P);
    EXPECT_TRUE(Seen.insert(Text).second) << Text;
    EXPECT_EQ(Space.parse(Text), P) << Text;
  }
  EXPECT_EQ(Seen.size(), 4u * 4 * (11 + 7));
  EXPECT_EQ(Space.size(), Seen.size());
  EXPECT_EQ(Space.describe(Space.untuned()), "");
  EXPECT_EQ(Space.describe({2, 1, 5, 0}),
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
