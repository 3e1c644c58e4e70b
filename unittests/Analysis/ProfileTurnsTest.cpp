// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// The predicted times of turns in a profile: kept, added up, compared only
/// where both have them.

#include "sluice/Analysis/Profile.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace sluice;

namespace {

Profile profile(std::vector<TurnsPrediction> Turns) {
  Profile P;
  P.Source = "k.cu";
  P.GPU = "sm_90";
  P.Origin = "emulator";
  P.Kernels.emplace_back();
  P.Kernels[0].Name = "k";
  LoopProfile Loop;
  Loop.Id.Place = {"k.cu", 3, 5};
  Loop.Entries = 1;
  Loop.Iterations = 10;
  Loop.Turns = std::move(Turns);
  P.Kernels[0].Loops = {Loop};
  return P;
}

std::string text(const Profile &P) {
  std::string Text;
  raw_string_ostream OS(Text);
  writeProfile(P, OS);
  return Text;
}

using Pairs = std::vector<std::pair<unsigned, uint64_t>>;
Pairs turnsOf(const Profile &P) {
  Pairs Result;
  for (const TurnsPrediction &T : P.Kernels[0].Loops[0].Turns)
    Result.push_back({T.WarpGroups, T.Nanoseconds});
  return Result;
}

TEST(ProfileTurns, AreKept) {
  auto Again = parseProfile(text(profile({{1, 70}, {2, 50}})), "text");
  ASSERT_TRUE(bool(Again)) << toString(Again.takeError());
  EXPECT_EQ(turnsOf(*Again), (Pairs{{1, 70}, {2, 50}}));
}

TEST(ProfileTurns, AreAddedWhereBothHaveThem) {
  Profile P = profile({{1, 70}, {2, 50}, {4, 40}});
  ASSERT_FALSE(bool(mergeProfile(P, profile({{1, 7}, {4, 4}}))));
  EXPECT_EQ(turnsOf(P), (Pairs{{1, 77}, {4, 44}}));
}

TEST(ProfileTurns, OfOneAloneStay) {
  Profile P = profile({});
  ASSERT_FALSE(bool(mergeProfile(P, profile({{1, 7}, {4, 4}}))));
  ASSERT_FALSE(bool(mergeProfile(P, profile({}))));
  EXPECT_EQ(turnsOf(P), (Pairs{{1, 7}, {4, 4}}));
}

Profile withBlocks(std::vector<BlocksPrediction> Fewer) {
  Profile P = profile({});
  P.Kernels[0].FewerBlocks = std::move(Fewer);
  return P;
}

Pairs blocksOf(const Profile &P) {
  Pairs Result;
  for (const BlocksPrediction &B : P.Kernels[0].FewerBlocks)
    Result.push_back({B.Blocks, B.Nanoseconds});
  return Result;
}

TEST(ProfileFewerBlocks, AreKeptAndAdded) {
  Profile P = withBlocks({{1, 90}, {2, 50}, {32, 70}});
  auto Again = parseProfile(text(P), "text");
  ASSERT_TRUE(bool(Again)) << toString(Again.takeError());
  EXPECT_EQ(blocksOf(*Again), (Pairs{{1, 90}, {2, 50}, {32, 70}}));
  ASSERT_FALSE(bool(mergeProfile(P, withBlocks({{2, 5}, {4, 6}, {32, 7}}))));
  ASSERT_FALSE(bool(mergeProfile(P, withBlocks({}))));
  EXPECT_EQ(blocksOf(P), (Pairs{{2, 55}, {32, 77}}));
}

TEST(ProfileFewerBlocks, MustAscendToAll) {
  for (auto [Fewer, Why] :
       {std::pair<std::vector<BlocksPrediction>, const char *>(
            {{2, 50}, {2, 50}, {32, 1}}, "do not ascend"),
        {{{0, 50}, {32, 1}}, "do not ascend"},
        {{{2, 50}}, "without an entry for all, 32"}}) {
    auto Wrong = parseProfile(text(withBlocks(Fewer)), "text");
    ASSERT_FALSE(bool(Wrong));
    std::string Said = toString(Wrong.takeError());
    EXPECT_TRUE(StringRef(Said).contains(Why)) << Said;
  }
}

Profile withCached(std::vector<BypassPrediction> Cached) {
  Profile P = profile({});
  P.Kernels[0].CachedWarps = std::move(Cached);
  return P;
}

TEST(ProfileCachedWarps, AreKeptAndAdded) {
  Profile P = withCached({{0, 90}, {2, 50}, {32, 70}});
  auto Again = parseProfile(text(P), "text");
  ASSERT_TRUE(bool(Again)) << toString(Again.takeError());
  EXPECT_EQ(text(*Again), text(P));
  ASSERT_FALSE(bool(mergeProfile(P, withCached({{2, 5}, {4, 6}, {32, 7}}))));
  ASSERT_FALSE(bool(mergeProfile(P, withCached({}))));
  ASSERT_EQ(P.Kernels[0].CachedWarps.size(), 2u);
  EXPECT_EQ(P.Kernels[0].CachedWarps[0].CachedWarps, 2u);
  EXPECT_EQ(P.Kernels[0].CachedWarps[0].Nanoseconds, 55u);
  EXPECT_EQ(P.Kernels[0].CachedWarps[1].Nanoseconds, 77u);
}

TEST(ProfileCachedWarps, MustAscendToAll) {
  for (auto [Cached, Why] :
       {std::pair<std::vector<BypassPrediction>, const char *>(
            {{2, 50}, {2, 50}, {32, 1}}, "cached-warps that do not ascend"),
        {{{0, 50}}, "cached-warps without an entry for all, 32"}}) {
    auto Wrong = parseProfile(text(withCached(Cached)), "text");
    ASSERT_FALSE(bool(Wrong));
    std::string Said = toString(Wrong.takeError());
    EXPECT_TRUE(StringRef(Said).contains(Why)) << Said;
  }
}

using Carveouts = std::vector<CarveoutPrediction>;

std::string describe(const Carveouts &All) {
  std::string Text;
  for (const CarveoutPrediction &C : All)
    Text += (C.Percent ? std::to_string(*C.Percent) : "driver") + " " +
            std::to_string(C.Nanoseconds) + "; ";
  return Text;
}

Profile withCarveouts(const Carveouts &OfKernel, const Carveouts &OfTurns) {
  Profile P = profile({{1, 70}, {2, 50, OfTurns}});
  P.Kernels[0].Carveouts = OfKernel;
  return P;
}

TEST(ProfileCarveouts, AreKept) {
  auto Again = parseProfile(
      text(withCarveouts({{{}, 70}, {0, 60}, {50, 90}}, {{{}, 50}, {7, 40}})),
      "text");
  ASSERT_TRUE(bool(Again)) << toString(Again.takeError());
  EXPECT_EQ(describe(Again->Kernels[0].Carveouts), "driver 70; 0 60; 50 90; ");
  EXPECT_EQ(describe(Again->Kernels[0].Loops[0].Turns[1].Carveouts),
            "driver 50; 7 40; ");
  EXPECT_TRUE(Again->Kernels[0].Loops[0].Turns[0].Carveouts.empty());
}

// A block sequence in a flow mapping is no YAML, though LLVM reads it.
TEST(ProfileCarveouts, AreYAMLForOthersToo) {
  const std::string Text = text(withCarveouts({}, {{{}, 50}, {7, 40}}));
  EXPECT_TRUE(StringRef(Text).contains(
      "carveouts: [ { nanoseconds: 50 }, { percent: 7, nanoseconds: 40 } ] }"))
      << Text;
}

TEST(ProfileCarveouts, AreAddedWhereBothHaveThem) {
  Profile P = withCarveouts({{{}, 70}, {0, 60}, {50, 90}}, {{{}, 50}, {7, 40}});
  ASSERT_FALSE(bool(
      mergeProfile(P, withCarveouts({{{}, 7}, {50, 9}}, {{{}, 5}, {7, 4}}))));
  EXPECT_EQ(describe(P.Kernels[0].Carveouts), "driver 77; 50 99; ");
  EXPECT_EQ(describe(P.Kernels[0].Loops[0].Turns[1].Carveouts),
            "driver 55; 7 44; ");
  // Of a launch that was fastest with other turns nothing is known.
  Profile Other = withCarveouts({}, {});
  ASSERT_FALSE(bool(mergeProfile(P, Other)));
  EXPECT_EQ(describe(P.Kernels[0].Loops[0].Turns[1].Carveouts), "");
  ASSERT_FALSE(bool(mergeProfile(Other, P)));
  EXPECT_EQ(describe(Other.Kernels[0].Loops[0].Turns[1].Carveouts), "");
}

TEST(ProfileCarveouts, TheDriversIsFirstAndTheOthersAscend) {
  const std::vector<Carveouts> Wrong = {{{50, 1}},
                                        {{{}, 1}, {{}, 2}},
                                        {{{}, 1}, {50, 2}, {50, 3}},
                                        {{{}, 1}, {50, 2}, {44, 3}},
                                        {{{}, 1}, {101, 2}}};
  for (const Carveouts &All : Wrong)
    for (const Profile &P : {withCarveouts(All, {}), withCarveouts({}, All)}) {
      auto Read = parseProfile(text(P), "text");
      ASSERT_FALSE(bool(Read)) << describe(All);
      std::string Said = toString(Read.takeError());
      EXPECT_TRUE(StringRef(Said).contains("carveouts that are not one"))
          << Said;
    }
}

TEST(ProfileCarveouts, OfThreePerCentMatter) {
  EXPECT_FALSE(changesAnything(Carveouts{}));
  EXPECT_FALSE(changesAnything(Carveouts{{{}, 1000}, {0, 1029}, {50, 971}}));
  EXPECT_TRUE(changesAnything(Carveouts{{{}, 1000}, {0, 1029}, {50, 970}}));
  EXPECT_FALSE(changesAnything(Carveouts{{{}, 0}, {0, 0}}));
}

TEST(ProfileTurns, MustAscend) {
  auto Wrong = parseProfile(text(profile({{2, 50}, {2, 50}})), "text");
  ASSERT_FALSE(bool(Wrong));
  EXPECT_TRUE(StringRef(toString(Wrong.takeError())).contains("ascend"));
}

} // namespace
