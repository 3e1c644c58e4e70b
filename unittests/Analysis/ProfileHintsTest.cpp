// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// The predicted times of cache hints in a profile: kept, added up where both
/// have them, refused where they mean nothing.

#include "sluice/Analysis/Profile.h"
#include "gmock/gmock.h"

using namespace llvm;
using namespace sluice;
using ::testing::HasSubstr;

namespace {

CacheHint hint(StringRef Text) { return cantFail(parseCacheHint(Text)); }

/// Loads in these lines, with these predictions.
Profile profile(std::initializer_list<unsigned> Lines,
                std::vector<HintsPrediction> Hints) {
  Profile P;
  P.Source = "k.cu";
  P.GPU = "sm_90";
  P.Kernels.emplace_back();
  P.Kernels[0].Name = "k";
  for (unsigned Line : Lines) {
    AccessProfile A;
    A.Id.Place = {"k.cu", Line, 3};
    A.Kind = Line == 9 ? "store" : "load";
    A.Bytes = 4;
    P.Kernels[0].Accesses.push_back(A);
  }
  P.Kernels[0].Hints = std::move(Hints);
  return P;
}

std::string written(const Profile &P) {
  std::string Text;
  raw_string_ostream OS(Text);
  writeProfile(P, OS);
  return Text;
}

/// "70; 50 4=cg" : of each set its time, lines and hints.
std::string textOf(const Profile &P) {
  std::string Text;
  for (const HintsPrediction &H : P.Kernels[0].Hints) {
    Text += (Text.empty() ? "" : "; ") + std::to_string(H.Nanoseconds);
    for (const LoadHint &L : H.Loads)
      Text +=
          " " + std::to_string(P.Kernels[0].Accesses[L.Access].Id.Place.Line) +
          "=" + L.Hint.str();
  }
  return Text;
}

const std::vector<HintsPrediction> Two = {
    {{}, 70}, {{{0, hint("cg")}, {1, hint("L1::evict_first")}}, 50}};

TEST(ProfileHints, AreKept) {
  const std::string Text = written(profile({4, 5}, Two));
  auto Again = parseProfile(Text, "text");
  ASSERT_TRUE(bool(Again)) << toString(Again.takeError());
  EXPECT_EQ(textOf(*Again), "70; 50 4=cg 5=L1::evict_first");
  EXPECT_EQ(written(*Again), Text);
}

TEST(ProfileHints, AreAddedWhereverTheLoadsStand) {
  Profile P = profile({4, 5}, Two);
  const Profile Other =
      profile({3, 5, 4}, {{{}, 7},
                          {{{1, hint("L1::evict_first")}, {2, hint("cg")}}, 5},
                          {{{0, hint("cg")}}, 4}});
  ASSERT_FALSE(bool(mergeProfile(P, Other)));
  EXPECT_EQ(textOf(P), "77; 55 4=cg 5=L1::evict_first");
}

TEST(ProfileHints, OfOneAloneStay) {
  Profile P = profile({5, 4}, {});
  ASSERT_FALSE(bool(mergeProfile(P, profile({4, 5}, Two))));
  EXPECT_EQ(textOf(P), "70; 50 4=cg 5=L1::evict_first");
}

std::string errorOf(std::vector<HintsPrediction> Hints) {
  auto Read = parseProfile(written(profile({4, 5, 9}, std::move(Hints))), "p");
  return Read ? "" : toString(Read.takeError());
}

TEST(ProfileHints, WhatMeansNothingIsRefused) {
  EXPECT_EQ(errorOf(Two), "");
  EXPECT_THAT(errorOf({{{{0, hint("cg")}}, 50}}), HasSubstr("without loads"));
  EXPECT_THAT(errorOf({{{}, 70}, {{}, 50}}), HasSubstr("without loads"));
  EXPECT_THAT(errorOf({{{}, 70}, {{{3, hint("cg")}}, 50}}),
              HasSubstr("a hint on access 3, which is no load"));
  EXPECT_THAT(errorOf({{{}, 70}, {{{2, hint("cg")}}, 50}}),
              HasSubstr("a hint on access 2, which is no load"));
  EXPECT_THAT(
      errorOf({{{}, 70}, {{{1, hint("cg")}, {0, hint("L1::evict_last")}}, 50}}),
      HasSubstr("do not ascend"));
  std::string Text = written(profile({4, 5}, Two));
  Text.replace(Text.find("hint: cg"), 8, "hint: xy");
  auto Read = parseProfile(Text, "p");
  ASSERT_FALSE(bool(Read));
  EXPECT_THAT(toString(Read.takeError()), HasSubstr("no cache hint"));
}

} // namespace
