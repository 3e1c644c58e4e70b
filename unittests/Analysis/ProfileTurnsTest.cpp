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

TEST(ProfileTurns, MustAscend) {
  auto Wrong = parseProfile(text(profile({{2, 50}, {2, 50}})), "text");
  ASSERT_FALSE(bool(Wrong));
  EXPECT_TRUE(StringRef(toString(Wrong.takeError())).contains("ascend"));
}

} // namespace
