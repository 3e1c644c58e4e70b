// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Profiles of several runs as one: what adds up, what is refused.

#include "ProfilesByHand.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace sluice;

namespace {

/// \p A with \p B added; in the other order it is the same.
KernelProfile merge(const Profile &A, const Profile &B) {
  Profile AB = A, BA = B;
  EXPECT_EQ(toString(mergeProfile(AB, B)), "");
  EXPECT_EQ(toString(mergeProfile(BA, A)), "");
  EXPECT_EQ(textOf(AB), textOf(BA));
  auto Read = parseProfile(textOf(AB), "merged");
  EXPECT_TRUE(bool(Read)) << toString(Read.takeError());
  return AB.Kernels.at(0);
}

std::string refusal(const Profile &A, const Profile &B) {
  Profile AB = A;
  std::string Message = toString(mergeProfile(AB, B));
  EXPECT_EQ(textOf(AB), textOf(A)) << "what is refused leaves the profile";
  return Message;
}

TEST(ProfileMerge, AddsEveryCount) {
  Profile Sum = fullProfile();
  ASSERT_EQ(toString(mergeProfile(Sum, fullProfile())), "");
  EXPECT_EQ(Sum.Runs, 4u);
  EXPECT_EQ(Sum.Origin, "emulator");
  ASSERT_EQ(Sum.Kernels.size(), 1u);

  const KernelProfile &K = Sum.Kernels[0];
  EXPECT_EQ(K.Registers, 31u);
  EXPECT_EQ(K.L1Bytes, 229376u);
  EXPECT_EQ(K.SimulatedBlocks, 48u);
  EXPECT_EQ(K.Blocks, 6336u);
  EXPECT_EQ(K.Time.Cycles, 2000u);
  EXPECT_EQ(K.Time.TagCycles, 1600u);
  EXPECT_EQ(K.Time.Nanoseconds, 24600u);
  EXPECT_EQ(K.Inlined.size(), 1u);
  ASSERT_EQ(K.Launches.size(), 1u);
  EXPECT_EQ(K.Launches[0].Launches, 6u);
  EXPECT_EQ(K.Launches[0].DynamicSharedBytes, 1024u);

  ASSERT_EQ(K.Accesses.size(), 3u);
  const AccessProfile &Load = K.Accesses[0];
  EXPECT_EQ(Load.Bytes, 4u);
  EXPECT_EQ(Load.Counts.Requests, 128u);
  EXPECT_EQ(Load.Counts.Lanes, 4096u);
  EXPECT_EQ(Load.Counts.Bytes, 16384u);
  EXPECT_EQ(Load.Counts.UsefulBytes, 8192u);
  EXPECT_EQ(Load.Counts.Lines, 1024u);
  EXPECT_EQ(Load.Counts.Sectors, 2048u);
  EXPECT_EQ(Load.Counts.Hits, 1536u);
  EXPECT_EQ(Load.Counts.PendingHits, 256u);
  EXPECT_EQ(Load.Counts.DRAMSectors, 192u);
  EXPECT_EQ(Load.Reuse.Count[3], 800u);
  EXPECT_EQ(Load.Reuse.Never, 210u);
  EXPECT_EQ(Load.SectorsAlone, 2048u);
  EXPECT_EQ(Load.HitsAlone, 1800u);
  ASSERT_EQ(Load.Copies.size(), 2u);
  EXPECT_EQ(Load.Copies[1].Hits, 768u);
  ASSERT_EQ(K.Pairs.size(), 1u);
  EXPECT_EQ(K.Pairs[0].Hits, 1900u);
  ASSERT_EQ(K.Loops.size(), 1u);
  EXPECT_EQ(K.Loops[0].Entries, 128u);
  EXPECT_EQ(K.Loops[0].Iterations, 1280u);
  EXPECT_EQ(K.Loops[0].IterationLines, 2560u);
  EXPECT_EQ(K.Loops[0].MostIterationLines, 33u);
}

TEST(ProfileMerge, StaysAtTheMostThereCanBe) {
  AccessProfile Access = accessAt(24, 1);
  Access.Counts.Requests = ~0ull - 1;
  EXPECT_EQ(merge(profileWith({Access}), profileWith({Access}))
                .Accesses[0]
                .Counts.Requests,
            ~0ull);
}

TEST(ProfileMerge, KeepsWhatIsInOneOnly) {
  AccessProfile Call = accessAt(3, 1);
  Call.Id.InlinedAt = {{"a.cu", 23, 4}};
  AccessProfile DeeperCall = accessAt(1, 1);
  DeeperCall.Id.InlinedAt = {{"a.cu", 3, 9}, {"a.cu", 23, 4}};
  Profile A = profileWith({accessAt(22, 1), accessAt(25, 1, "load")});
  Profile B = profileWith({accessAt(25, 1, "store"), DeeperCall, Call});
  A.Kernels[0].Launches = {{LaunchDim::known(8), LaunchDim::known(32), 0, 1}};
  B.Kernels[0].Launches = {{LaunchDim::known(4), LaunchDim::known(32), 0, 2},
                           {LaunchDim::known(8), LaunchDim::known(32), 64, 4}};
  LoopProfile Loop, Other;
  Loop.Id.Place = {"a.cu", 24, 1};
  Other.Id.Place = {"a.cu", 23, 1};
  A.Kernels[0].Loops = {Loop};
  B.Kernels[0].Loops = {Other};

  KernelProfile K = merge(A, B);
  std::vector<std::string> Accesses;
  for (const AccessProfile &Access : K.Accesses)
    Accesses.push_back(Access.Kind + " " + Access.Id.str());
  EXPECT_EQ(Accesses, (std::vector<std::string>{
                          "load a.cu:22:1",
                          "load a.cu:3:1 inlined at a.cu:23:4",
                          "load a.cu:1:1 inlined at a.cu:3:9 inlined at "
                          "a.cu:23:4",
                          "load a.cu:25:1",
                          "store a.cu:25:1",
                      }))
      << "in source order";
  ASSERT_EQ(K.Launches.size(), 3u);
  EXPECT_EQ(K.Launches[0].Launches, 2u);
  EXPECT_EQ(K.Loops.size(), 2u);
  EXPECT_EQ(K.Loops[0].Id.Place.Line, 23u);
}

TEST(ProfileMerge, KeepsKernelsByName) {
  Profile A = profileWith({}), B = profileWith({});
  A.Kernels[0].Name = "b";
  B.Kernels[0].Name = "a";
  B.Kernels[0].TextHash = "another";
  EXPECT_EQ(merge(A, B).Name, "a");
}

TEST(ProfileMerge, DropsCopiesOfOtherFlags) {
  AccessProfile Once = accessAt(24, 1), Twice = Once, Thrice = Once;
  Once.Counts.Requests = 5;
  Twice.Counts.Requests = 10;
  Twice.Copies.resize(2);
  Twice.Copies[1].Requests = 10;
  Thrice.Copies.resize(3);
  auto Copies = [](const AccessProfile &A, const AccessProfile &B) {
    return merge(profileWith({A}), profileWith({B})).Accesses[0].Copies;
  };
  EXPECT_EQ(Copies(Once, Twice).size(), 0u);
  EXPECT_EQ(Copies(Twice, Thrice).size(), 0u);
  ASSERT_EQ(Copies(Twice, Twice).size(), 2u);
  EXPECT_EQ(Copies(Twice, Twice)[0].Requests, 0u);
  EXPECT_EQ(Copies(Twice, Twice)[1].Requests, 20u);
  EXPECT_EQ(merge(profileWith({Once}), profileWith({Twice}))
                .Accesses[0]
                .Counts.Requests,
            15u);
}

TEST(ProfileMerge, TakesTheMostRegistersAndTheLeastL1) {
  Profile A = profileWith({}), B = profileWith({});
  A.Kernels[0].Registers = 32;
  B.Kernels[0].Registers = 40;
  A.Kernels[0].L1Bytes = 4096;
  EXPECT_EQ(merge(A, B).Registers, 40u);
  EXPECT_EQ(merge(A, B).L1Bytes, 4096u) << "0 is not known";
  B.Kernels[0].L1Bytes = 2048;
  EXPECT_EQ(merge(A, B).L1Bytes, 2048u);
}

TEST(ProfileMerge, JoinsOrigins) {
  Profile A = profileWith({}), B = profileWith({});
  A.Origin = "emulator";
  B.Origin = "NVIDIA H100";
  EXPECT_EQ(toString(mergeProfile(A, B)), "");
  EXPECT_EQ(A.Origin, "NVIDIA H100, emulator");
  EXPECT_EQ(toString(mergeProfile(B, A)), "");
  EXPECT_EQ(B.Origin, "NVIDIA H100, emulator");
}

//===--------------------------------------------------------------------===//
// Pairs
//===--------------------------------------------------------------------===//

AccessProfile aloneAt(unsigned Line, uint64_t HitsAlone) {
  AccessProfile Access = accessAt(Line, 1);
  Access.SectorsAlone = 100;
  Access.HitsAlone = HitsAlone;
  return Access;
}

/// The sum of hit_ij - hit_i - hit_j.
int64_t gainOf(const KernelProfile &K, unsigned Pair) {
  return int64_t(K.Pairs[Pair].Hits -
                 K.Accesses[K.Pairs[Pair].First].HitsAlone -
                 K.Accesses[K.Pairs[Pair].Second].HitsAlone);
}

TEST(ProfileMerge, PairsAreOfAccessesNotOfNumbers) {
  Profile A = profileWith({aloneAt(22, 10), aloneAt(24, 20)});
  A.Kernels[0].Pairs = {{0, 1, 35}};
  Profile B = profileWith({aloneAt(21, 1), aloneAt(24, 2), aloneAt(22, 3)});
  B.Kernels[0].Pairs = {{1, 2, 6}};

  KernelProfile K = merge(A, B);
  ASSERT_EQ(K.Pairs.size(), 1u);
  EXPECT_EQ(K.Pairs[0].First, 1u);
  EXPECT_EQ(K.Pairs[0].Second, 2u);
  EXPECT_EQ(K.Pairs[0].Hits, 41u);
  EXPECT_EQ(gainOf(K, 0), (35 - 10 - 20) + (6 - 2 - 3));
}

TEST(ProfileMerge, APairOfOneRunKeepsItsGain) {
  Profile A = profileWith({aloneAt(22, 10), aloneAt(24, 20)});
  A.Kernels[0].Pairs = {{0, 1, 35}};
  Profile WithoutPair = profileWith({aloneAt(22, 50), aloneAt(24, 60)});
  Profile WithoutOne = profileWith({aloneAt(24, 60)});
  Profile WithoutBoth = profileWith({});
  for (const Profile &B : {WithoutPair, WithoutOne, WithoutBoth}) {
    KernelProfile K = merge(A, B);
    ASSERT_EQ(K.Pairs.size(), 1u);
    EXPECT_EQ(gainOf(K, 0), 5);
  }
}

//===--------------------------------------------------------------------===//
// Texts
//===--------------------------------------------------------------------===//

TEST(ProfileMerge, RefusesWhatIsNotTheSame) {
  Profile A = profileWith({accessAt(22, 1)});
  Profile B = A;
  B.Source = "b.cu";
  EXPECT_EQ(refusal(A, B),
            "the profiles are of different sources: 'a.cu' and 'b.cu'");
  B = A;
  B.GPU = "sm_80";
  EXPECT_EQ(refusal(A, B),
            "the profiles are of different GPUs: 'sm_90' and 'sm_80'");
  B = A;
  B.Kernels[0].TextHash = "another";
  EXPECT_EQ(refusal(A, B),
            "the text of kernel 'k' has changed between the profiles "
            "(a.cu:20): profile the older source anew");
}

TEST(ProfileMerge, RefusesAnInlinedFunctionThatHasChanged) {
  Profile A = fullProfile(), B = fullProfile();
  B.Kernels[0].Inlined[0].TextHash = "another";
  EXPECT_EQ(refusal(A, B),
            "the text of a function inlined in kernel '_Z1kPf' has changed "
            "between the profiles (math.cuh:8): profile the older source "
            "anew");

  B.Kernels[0].Inlined.clear(); // other flags may inline other functions
  EXPECT_EQ(merge(A, B).Inlined.size(), 1u);
}

TEST(ProfileMerge, OfAnUnknownTextIsOfAnUnknownText) {
  Profile A = profileWith({accessAt(22, 1)}), B = A;
  B.Kernels[0].TextHash.clear();
  EXPECT_EQ(merge(A, B).TextHash, "");
}

TEST(ProfileMerge, MovesTheSecondToTheLinesOfTheFirst) {
  Profile A = fullProfile(), B = fullProfile();
  moveProfile(B.Kernels[0], 30);
  EXPECT_EQ(B.Kernels[0].Accesses[0].Id.str(), "a.cu:34:12");
  ASSERT_EQ(toString(mergeProfile(A, B)), "");
  const KernelProfile &K = A.Kernels[0];
  EXPECT_EQ(K.FirstLine, 20u);
  EXPECT_EQ(K.LastLine, 28u);
  ASSERT_EQ(K.Accesses.size(), 3u);
  EXPECT_EQ(K.Accesses[0].Id.str(), "a.cu:24:12");
  EXPECT_EQ(K.Accesses[0].Counts.Requests, 128u);
  EXPECT_EQ(K.Loops.size(), 1u);
}

} // namespace
