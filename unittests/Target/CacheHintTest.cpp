// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Cache hints as text, what excludes what, and what which GPU has.

#include "sluice/Target/CacheHint.h"
#include "llvm/ADT/StringExtras.h"
#include "gtest/gtest.h"
#include <random>
#include <set>

using namespace llvm;
using namespace sluice;

namespace {

std::string parsed(StringRef Text) {
  auto Hint = parseCacheHint(Text);
  return Hint ? Hint->str() : "error: " + toString(Hint.takeError());
}

TEST(CacheHint, EachPartIsReadAndWritten) {
  for (const char *Text : {"none",
                           "ca",
                           "cg",
                           "cs",
                           "lu",
                           "cv",
                           "nc",
                           "L1::evict_first",
                           "L1::evict_last",
                           "L1::evict_unchanged",
                           "L1::no_allocate",
                           "L2::evict_first",
                           "L2::evict_last",
                           "L2::evict_normal",
                           "L2::evict_unchanged",
                           "L2::64B",
                           "L2::128B",
                           "L2::256B",
                           "L2::policy=0x14f0000000000000",
                           "by-warp::L1",
                           "by-warp::L2"})
    EXPECT_EQ(parsed(Text), Text);
}

TEST(CacheHint, IsWrittenInTheOrderOfPTX) {
  EXPECT_EQ(parsed("L2::128B+L2::evict_last+L1::no_allocate+nc"),
            "nc+L1::no_allocate+L2::evict_last+L2::128B");
  EXPECT_EQ(parsed("L2::64B+nc+cg"), "cg+nc+L2::64B");
}

TEST(CacheHint, TellsWhatIsWrong) {
  EXPECT_EQ(parsed("L1::evict"),
            "error: 'L1::evict' is no cache hint; a hint is none, or one or "
            "more of these joined by '+': ca, cg, cs, lu, cv, nc, "
            "L1::evict_first, L1::evict_last, L1::evict_unchanged, "
            "L1::no_allocate, L2::evict_first, L2::evict_last, "
            "L2::evict_normal, L2::evict_unchanged, L2::policy=NUMBER, "
            "L2::64B, L2::128B, L2::256B, by-warp::L1, by-warp::L2");
  for (const char *Text : {"", "+", "cg+", "none+cg", "CG", " cg", "L2::32B",
                           "L2::policy=", "L2::policy=0", "L2::policy=x"})
    EXPECT_NE(parsed(Text).find("is no cache hint"), std::string::npos) << Text;
  EXPECT_EQ(parsed("cg+cg"), "error: 'cg' is there twice");
  EXPECT_EQ(parsed("cg+cs"), "error: 'cs' does not go with the rest of 'cg'");
  EXPECT_EQ(parsed("L2::64B+L2::128B"),
            "error: 'L2::128B' does not go with the rest of 'L2::64B'");
  EXPECT_EQ(parsed("L2::policy=1+L2::policy=2"),
            "error: a load has one L2 policy");
}

TEST(CacheHint, RefusesWhatPTXDoesNotHave) {
  EXPECT_EQ(parsed("cg+L1::evict_last"),
            "error: cg and L1::evict_last exclude each other");
  EXPECT_EQ(parsed("nc+lu"), "error: nc and lu exclude each other");
  EXPECT_EQ(parsed("nc+cv"), "error: nc and cv exclude each other");
  EXPECT_EQ(parsed("cg+by-warp::L1"),
            "error: cg and by-warp::L1 exclude each other");
  EXPECT_EQ(parsed("L1::no_allocate+by-warp::L1"),
            "error: L1::no_allocate and by-warp::L1 exclude each other");
  EXPECT_EQ(parsed("L2::evict_last+by-warp::L2"),
            "error: a load has one L2 policy");
  EXPECT_EQ(parsed("cg+by-warp::L2"), "cg+by-warp::L2");
  EXPECT_EQ(parsed("L2::evict_last+L2::policy=1"),
            "error: a load has one L2 policy");
  for (const char *Text : {"cg+nc", "cs+nc", "ca+nc", "lu+L2::256B",
                           "cv+L2::64B", "cv+L2::evict_last"})
    EXPECT_EQ(parsed(Text), Text);
}

TEST(CacheHint, RandomOnesAreGoodAndHaveAllParts) {
  std::mt19937_64 Generator(1);
  std::set<std::string> Parts, Hints;
  for (unsigned I = 0; I < 10'000; ++I) {
    CacheHint Hint = randomHint(Generator);
    EXPECT_EQ(faultOf(Hint), "");
    EXPECT_EQ(parsed(Hint.str()), Hint.str());
    EXPECT_EQ(dropUnsupported(Hint, {80, 74}), std::vector<std::string>());
    Hints.insert(Hint.str());
    std::string Text = Hint.str();
    for (StringRef Part : split(Text, '+'))
      Parts.insert(Part.take_until([](char C) { return C == '='; }).str());
  }
  EXPECT_EQ(join(Parts, " "),
            "L1::evict_first L1::evict_last L1::evict_unchanged "
            "L1::no_allocate L2::128B L2::256B L2::64B L2::evict_first "
            "L2::evict_last L2::evict_normal L2::evict_unchanged L2::policy "
            "ca cg cs cv lu nc none");
  // Together, too.
  for (const char *Text : {"cg+nc", "nc+L1::evict_last+L2::evict_first+L2::64B",
                           "lu+L2::256B", "nc+L1::no_allocate"})
    EXPECT_EQ(Hints.count(Text), 1u) << Text;
}

std::string dropped(StringRef Text, PTXTarget Target) {
  CacheHint Hint = cantFail(parseCacheHint(Text));
  std::string Result;
  for (const std::string &Why : dropUnsupported(Hint, Target))
    Result += Why + "; ";
  return Result + Hint.str();
}

TEST(CacheHint, DropsWhatTheTargetLacks) {
  EXPECT_EQ(dropped("nc+L1::no_allocate+L2::evict_last+L2::256B", {80, 74}),
            "nc+L1::no_allocate+L2::evict_last+L2::256B");
  EXPECT_EQ(dropped("L1::evict_last+L2::256B", {75, 74}),
            "L2::256B needs sm_80 and PTX 7.4; L1::evict_last");
  EXPECT_EQ(dropped("L1::evict_last+L2::128B", {70, 74}),
            "L2::128B needs sm_75 and PTX 7.4; L1::evict_last");
  EXPECT_EQ(dropped("L1::evict_last", {60, 80}),
            "L1::evict_last needs sm_70 and PTX 7.4; none");
  EXPECT_EQ(dropped("L1::evict_last", {80, 70}),
            "L1::evict_last needs sm_70 and PTX 7.4; none");
  EXPECT_EQ(dropped("L2::evict_first", {75, 80}),
            "L2::evict_first needs sm_80 and PTX 7.4; none");
  EXPECT_EQ(dropped("cg+L2::policy=0x1", {75, 80}),
            "L2::policy=0x1 needs sm_80 and PTX 7.4; cg");
}

} // namespace
