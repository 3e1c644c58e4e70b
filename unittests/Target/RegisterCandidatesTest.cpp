// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Candidates with an assembler that takes what it is allowed, from 24 on, and
/// spills the rest of the 70 registers that kernels would like.

#include "sluice/Target/RegisterCandidates.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include <atomic>

using namespace llvm;
using namespace sluice;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

class RegisterCandidatesTest : public testing::Test {
protected:
  Expected<AssembledKernels> run(const AssemblyRequest &Request) {
    ++Calls;
    AssembledKernels Kernels;
    for (const auto &[Name, D] : directivesOf(Request.PTX)) {
      unsigned Least = 24, Wanted = 70, Chosen = 60;
      if (Name == "narrow")
        Least = Wanted = Chosen = 18;
      AssembledKernel &K = Kernels[Name];
      K.Registers = D.MaxRegisters
                        ? std::min(std::max(*D.MaxRegisters, Least), Wanted)
                        : Chosen;
      K.SpillStoreBytes = 4 * (Wanted - K.Registers);
      K.StaticSharedBytes = 1024;
      if (StringRef(Request.PTX)
              .split((".entry " + Name).str())
              .second.split('}')
              .first.contains(SharedSpillsPragma)) {
        K.SpillStoreBytes /= 2;
        K.StaticSharedBytes += 8192;
      }
    }
    return Kernels;
  }
  Expected<std::vector<RegisterCandidates>>
  candidates(ArrayRef<KernelToLimit> Kernels,
             std::optional<unsigned> UsersMost = std::nullopt) {
    AssemblyCache Cache(
        {"", [this](const AssemblyRequest &R) { return run(R); }}, "");
    const GPUModel *GPU = cantFail(findGPUModel("sm_90"));
    return registerCandidates(Cache, {PTX, "sm_90"}, {GPU, 132, UsersMost},
                              Kernels);
  }
  static std::vector<unsigned> limitsOf(const RegisterCandidates &C) {
    std::vector<unsigned> Limits;
    for (const LimitedCode &L : C.Limits)
      Limits.push_back(L.Limit);
    return Limits;
  }

  const std::string PTX = ".entry wide() {}\n.entry narrow() {}\n"
                          ".entry bound() .maxntid 256\n.minnctapersm 5 {}\n"
                          ".entry own() .maxnreg 40 {}\n";
  std::atomic<unsigned> Calls = 0;
};

TEST_F(RegisterCandidatesTest, AreThePointsBetweenTheBounds) {
  auto All = candidates({{"wide", {{256}}}, {"narrow", {{256}}}});
  ASSERT_TRUE(bool(All)) << toString(All.takeError());
  const RegisterCandidates &Wide = (*All)[0];
  EXPECT_EQ(Wide.Chosen.Registers, 60u);
  EXPECT_EQ(Wide.Range, (RegisterRange{24, 70}));
  EXPECT_THAT(limitsOf(Wide), ElementsAre(32, 40, 48, 64, 70));
  EXPECT_EQ(Wide.at(48)->Code.Registers, 48u);
  EXPECT_EQ(Wide.at(48)->Code.SpillStoreBytes, 88u);
  EXPECT_EQ(Wide.at(50), nullptr);
  EXPECT_THAT(limitsOf((*All)[1]), ElementsAre(18));
  EXPECT_EQ(Calls, 3u + 5u) << "both kernels at a time";
}

TEST_F(RegisterCandidatesTest, AreThoseOfAllLaunches) {
  auto All = candidates({{"wide", {{256}, {512}, {96}}}});
  ASSERT_TRUE(bool(All)) << toString(All.takeError());
  for (const LaunchShape &Launch :
       {LaunchShape{256}, LaunchShape{512}, LaunchShape{96}})
    for (const CriticalPoint &P :
         criticalPoints(*cantFail(findGPUModel("sm_90")),
                        Launch.block(All->front().Chosen), {24, 70}, {}, 132))
      EXPECT_TRUE(All->front().at(P.Registers)) << P.Registers;
}

// Shared memory, the grid and the largest block decide with the registers.
TEST_F(RegisterCandidatesTest, HeedTheLaunch) {
  auto All = candidates({{"wide", {{256, 72 << 10}}}});
  ASSERT_TRUE(bool(All));
  EXPECT_THAT(limitsOf(All->front()), ElementsAre(70)) << "three blocks fit";
  All = candidates({{"wide", {{256, 0, 2 * 132}}}});
  ASSERT_TRUE(bool(All));
  EXPECT_THAT(limitsOf(All->front()), ElementsAre(70)) << "and two there are";
  All = candidates({{"wide", {{1024}}}});
  ASSERT_TRUE(bool(All));
  EXPECT_EQ(All->front().Range.Max, 64u) << "more do not fit";
  All = candidates({{"wide", {}}});
  ASSERT_TRUE(bool(All));
  EXPECT_EQ(All->front().Range.Max, 64u) << "any block must fit";
}

TEST_F(RegisterCandidatesTest, KeepWhatTheSourceSays) {
  auto All = candidates({{"bound", {{256}}}, {"own", {{256}}}}, 32);
  ASSERT_TRUE(bool(All)) << toString(All.takeError());
  // 5 blocks of 256 threads.
  EXPECT_EQ((*All)[0].Range.Max, 60u) << "as the assembler chooses";
  EXPECT_TRUE((*All)[0].Own.boundRegisters());
  EXPECT_EQ((*All)[1].Range.Max, 40u);
  All = candidates({{"wide", {{256}}}}, 50);
  ASSERT_TRUE(bool(All)) << toString(All.takeError());
  EXPECT_EQ(All->front().Chosen.Registers, 50u) << "-maxrregcount=50";
  EXPECT_THAT(limitsOf(All->front()), ElementsAre(32, 40, 48, 50));
}

TEST_F(RegisterCandidatesTest, OthersOnRequest) {
  auto All = candidates({{"wide", {{256}}, {33, 64, 24}}});
  ASSERT_TRUE(bool(All)) << toString(All.takeError());
  EXPECT_THAT(limitsOf(All->front()), ElementsAre(24, 32, 33, 40, 48, 64, 70));
}

TEST_F(RegisterCandidatesTest, ErrorsSayWhatIsThere) {
  for (unsigned Limit : {23u, 71u, 300u}) {
    auto All = candidates({{"wide", {{256}}, {Limit}}});
    ASSERT_FALSE(bool(All)) << Limit;
    EXPECT_THAT(toString(All.takeError()),
                testing::AllOf(HasSubstr(std::to_string(Limit)),
                               HasSubstr("takes 24 to 70")));
  }
  auto All = candidates({{"missing", {{256}}}});
  ASSERT_FALSE(bool(All));
  EXPECT_THAT(toString(All.takeError()), HasSubstr("no kernel 'missing'"));
}

TEST_F(RegisterCandidatesTest, SpillsMayGoToSharedMemory) {
  auto All = candidates({{"wide", {{256}}, {}, /*MaySpillToShared=*/true},
                         {"narrow", {{256}}, {}, /*MaySpillToShared=*/true},
                         {"own", {{256}}}});
  ASSERT_TRUE(bool(All)) << toString(All.takeError());
  const RegisterCandidates &Wide = (*All)[0];
  EXPECT_EQ(Calls, 3u + 5u + 4u) << "not where nothing spills";
  ASSERT_TRUE(Wide.at(48)->Shared);
  EXPECT_EQ(Wide.at(48)->Code.SpillStoreBytes, 88u);
  EXPECT_EQ(Wide.at(48)->Shared->SpillStoreBytes, 44u);
  EXPECT_EQ(Wide.at(32)->Shared->SpillStoreBytes, 76u);
  EXPECT_FALSE(Wide.at(70)->Shared);
  EXPECT_FALSE((*All)[1].Limits.front().Shared);
  EXPECT_FALSE((*All)[2].Limits.front().Shared) << "nobody asked for it";
}

} // namespace
