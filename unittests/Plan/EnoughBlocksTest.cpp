// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// How many blocks on an SM CRAT may take: by a profile's simulation, or as the
/// user measured.

#include "sluice/Plan/ResidentBlocks.h"
#include "sluice/Plan/Technique.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace sluice;
using testing::ElementsAre;
using testing::IsEmpty;

namespace {

TEST(EnoughBlocks, AreTheFewestWithinTwoPerCentOfTheFastest) {
  // All take 3 % more than 12.
  const auto Found = enoughBlocks({{4, 13000000},
                                   {6, 10190000},
                                   {8, 10210000},
                                   {12, 10000000},
                                   {32, 10300000}});
  ASSERT_TRUE(Found);
  EXPECT_EQ(Found->Blocks, 6u);
  EXPECT_EQ(Found->Why,
            "predicted from the profile: M=all 10.300 ms, M=12 10.000 ms, M=8 "
            "10.210 ms, M=6 10.190 ms, M=4 13.000 ms");
}

TEST(EnoughBlocks, NumbersBeyondThoseThatThereAreAreAll) {
  // Of 5 blocks: 6 and more are those.
  const auto Found = enoughBlocks({{2, 20000000},
                                   {4, 10300000},
                                   {6, 10000000},
                                   {8, 10000000},
                                   {32, 10000000}});
  ASSERT_TRUE(Found);
  EXPECT_EQ(Found->Blocks, MostEnoughBlocks);
  EXPECT_EQ(Found->Why, "predicted from the profile: M=all 10.000 ms, M=4 "
                        "10.300 ms, M=2 20.000 ms");
}

TEST(EnoughBlocks, NothingIsKnownWithoutASimulation) {
  EXPECT_FALSE(enoughBlocks({}));
  EXPECT_EQ(enoughBlocks({{32, 10000000}})->Blocks, MostEnoughBlocks);
}

/// A kernel "k" of blocks of \p Threads, of which 4 are enough by its profile.
KernelFacts kernel(std::vector<uint64_t> Threads) {
  KernelFacts Kernel;
  Kernel.Name = "k";
  for (uint64_t Block : Threads) {
    LaunchConfig Launch;
    Launch.Grid = LaunchDim::known(1056);
    Launch.Block = LaunchDim::known(Block);
    Kernel.Launches.push_back(Launch);
  }
  Kernel.FewerBlocks = {{2, 20000000}, {4, 10100000}, {32, 10000000}};
  return Kernel;
}

struct Planned {
  KernelPlan Kernel;
  std::vector<std::string> Warnings;
};

Planned plan(const KernelFacts &Facts, std::vector<std::string> Args) {
  Planned Result;
  const Options Opts = cantFail(parseOptions(Args));
  std::vector<Remark> Remarks;
  PlanningContext Context{.Opts = Opts,
                          .GPU = *cantFail(findGPUModel("sm_90")),
                          .SMs = 132,
                          .HostHears = false,
                          .Kernels = {},
                          .RegistersWithTurns = {},
                          .OwnRegisters = {},
                          .Remarks = Remarks,
                          .Warnings = Result.Warnings};
  Context.Kernels.push_back({Facts, nullptr, Result.Kernel});
  registersTechnique().plan(Context);
  return Result;
}

TEST(EnoughBlocks, AreInThePlanForCrat) {
  const Planned Found = plan(kernel({256, 256}), {"registers=crat"});
  EXPECT_EQ(Found.Kernel.EnoughBlocks, 4u);
  EXPECT_TRUE(StringRef(Found.Kernel.EnoughWhy).starts_with("predicted from"));
  EXPECT_EQ(Found.Kernel.RegistersWhy, "");
  EXPECT_EQ(plan(kernel({256}), {"registers-code=f"}).Kernel.EnoughBlocks, 4u);
  for (const char *Other : {"registers=auto", "registers=48", "registers=step"})
    EXPECT_FALSE(plan(kernel({256}), {Other}).Kernel.EnoughBlocks) << Other;
}

TEST(EnoughBlocks, NotOfBlocksOfSeveralSizes) {
  EXPECT_FALSE(
      plan(kernel({256, 128}), {"registers=crat"}).Kernel.EnoughBlocks);
  EXPECT_FALSE(plan(kernel({}), {"registers=crat"}).Kernel.EnoughBlocks);
  KernelFacts Unknown = kernel({256, 256});
  Unknown.Launches[1].Block = {};
  EXPECT_FALSE(plan(Unknown, {"registers=crat"}).Kernel.EnoughBlocks);
}

TEST(EnoughBlocks, AsTheUserMeasured) {
  const Planned Found =
      plan(kernel({256, 128}), {"registers=crat", "enough-blocks=k:6"});
  EXPECT_EQ(Found.Kernel.EnoughBlocks, 6u);
  EXPECT_EQ(Found.Kernel.EnoughWhy, "enough-blocks says so");
  EXPECT_THAT(Found.Warnings, IsEmpty());
  // Before a profile.
  EXPECT_EQ(plan(kernel({256}), {"registers=crat", "enough-blocks=k:6"})
                .Kernel.EnoughBlocks,
            6u);
}

TEST(EnoughBlocks, OfWhatIsNotThere) {
  EXPECT_THAT(
      plan(kernel({256}), {"registers=crat", "enough-blocks=other:6"}).Warnings,
      ElementsAre(
          "enough-blocks=other:6: no kernel of that name in this file"));
  EXPECT_THAT(
      plan(kernel({256}), {"enough-blocks=k:6"}).Warnings,
      ElementsAre("enough-blocks has no effect without registers=crat"));
}

TEST(EnoughBlocks, AreInAPlanFile) {
  Plan P;
  P.GPU = "sm_90";
  P.Kernels.emplace_back();
  P.Kernels[0].Name = "k";
  P.Kernels[0].EnoughBlocks = 6;
  P.Kernels[0].EnoughWhy = "so";
  std::string Text;
  raw_string_ostream OS(Text);
  writePlans(P, OS);
  EXPECT_NE(Text.find("sluice-plan:     22"), std::string::npos) << Text;
  const std::string Key = "enough-blocks:   6";
  ASSERT_NE(Text.find(Key), std::string::npos) << Text;
  auto Read = parsePlans(Text, "p.yaml");
  ASSERT_TRUE(bool(Read)) << toString(Read.takeError());
  EXPECT_EQ(Read->front().Kernels[0].EnoughBlocks, 6u);
  EXPECT_EQ(Read->front().Kernels[0].EnoughWhy, "so");
  for (const char *Wrong : {"0", "33", "all"}) {
    std::string Other = Text;
    Other.replace(Other.find(Key), Key.size(),
                  std::string("enough-blocks: ") + Wrong);
    auto Bad = parsePlans(Other, "p.yaml");
    ASSERT_FALSE(bool(Bad)) << Other;
    EXPECT_NE(toString(Bad.takeError())
                  .find("enough-blocks must be a number from 1 to 32"),
              std::string::npos);
  }
}

} // namespace
