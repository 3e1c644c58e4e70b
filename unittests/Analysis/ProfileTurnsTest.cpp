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

TEST(ProfileTurns, MustAscend) {
  auto Wrong = parseProfile(text(profile({{2, 50}, {2, 50}})), "text");
  ASSERT_FALSE(bool(Wrong));
  EXPECT_TRUE(StringRef(toString(Wrong.takeError())).contains("ascend"));
}

} // namespace
