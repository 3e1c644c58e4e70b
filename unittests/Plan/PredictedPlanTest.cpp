// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// The planner with times that the cost model predicted for each N: a loop over
/// rows that is throttled with N=2 by its footprint alone.

#include "sluice/Plan/ThrottlePlanner.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace sluice;

namespace {

KernelFacts kernel(std::vector<TurnsPrediction> Turns) {
  KernelFacts Kernel;
  Kernel.Name = "k";
  LaunchConfig Launch;
  Launch.Grid = LaunchDim::known(1056);
  Launch.Block = LaunchDim::known(256);
  Launch.DynamicSharedBytes = 0;
  Launch.Measured = true;
  Kernel.Launches = {Launch};
  AccessPattern Row;
  Row.Id.Place = {"k.cu", 11, 12};
  Row.Bytes = 4;
  Row.Address =
      AddressForm::variable({Variable::Argument, 0}) +
      AddressForm::constant(2048) * AddressForm::variable({Variable::Tid, 0}) +
      AddressForm::constant(4) * AddressForm::variable({Variable::Iterator, 0});
  LoopFacts Loop;
  Loop.Id.Place = Loop.Region.Place = {"k.cu", 10, 5};
  Loop.Instructions = 10;
  Loop.WritesMemory = true;
  Loop.TripCount = 512;
  Loop.Measured.Turns = std::move(Turns);
  Loop.Accesses = {Row};
  Kernel.Loops = {Loop};
  return Kernel;
}

KernelPlan plan(const KernelFacts &Kernel, std::optional<unsigned> L1KiB = {},
                bool HostHears = false) {
  ThrottleOptions Options;
  Options.SMs = 132;
  Options.L1KiB = L1KiB;
  Options.BlocksForTurns = Options.ChooseCarveout = HostHears;
  return planThrottling(Kernel, *cantFail(findGPUModel("sm_90")),
                        {32, "assembler"}, Options);
}

TEST(PredictedPlan, WithoutPredictionsTheFootprintDecides) {
  EXPECT_EQ(plan(kernel({})).Loops[0].WarpGroups, 2u);
  EXPECT_EQ(plan(kernel({})).Loops[0].UnthrottledNanoseconds, 0u);
}

TEST(PredictedPlan, TheBestIsTaken) {
  const KernelPlan P =
      plan(kernel({{1, 10000000}, {2, 6000000}, {4, 5000000}, {8, 5500000}}));
  EXPECT_EQ(P.Loops[0].WarpGroups, 4u);
  EXPECT_EQ(P.Loops[0].PredictedNanoseconds, 5000000u);
  EXPECT_EQ(P.Loops[0].UnthrottledNanoseconds, 10000000u);
  EXPECT_TRUE(StringRef(P.Loops[0].Why).contains("N=4 5.000 ms"))
      << P.Loops[0].Why;
}

TEST(PredictedPlan, OfEqualTimesTheSmallerNIsTaken) {
  EXPECT_EQ(
      plan(kernel({{1, 390000}, {2, 206000}, {4, 204700}})).Loops[0].WarpGroups,
      2u);
}

TEST(PredictedPlan, ASmallGainIsTakenWhereTheFootprintWantsThatN) {
  const KernelPlan P = plan(kernel({{1, 10000000}, {2, 9200000}}));
  EXPECT_EQ(P.Loops[0].WarpGroups, 2u);
  EXPECT_EQ(P.Loops[0].PredictedNanoseconds, 9200000u);
  EXPECT_TRUE(StringRef(P.Loops[0].Why).contains("9.200 ms")) << P.Loops[0].Why;
}

TEST(PredictedPlan, LittleGainIsLeft) {
  EXPECT_EQ(plan(kernel({{1, 10000000}, {2, 9900000}})).Loops[0].WarpGroups,
            1u);
  const KernelPlan P = plan(kernel({{1, 10000000}, {4, 9200000}}));
  EXPECT_EQ(P.Loops[0].WarpGroups, 1u);
  EXPECT_EQ(P.Loops[0].PredictedNanoseconds, 10000000u);
  EXPECT_TRUE(StringRef(P.Loops[0].Why).contains("turns do not pay"))
      << P.Loops[0].Why;
}

TEST(PredictedPlan, ALaunchThatTheProfileDidNotSeeIsNotPredicted) {
  KernelFacts Kernel = kernel({{1, 10000000}, {2, 10000000}});
  Kernel.Launches[0].Measured = false;
  EXPECT_EQ(plan(Kernel).Loops[0].WarpGroups, 2u);
}

/// N=2 leaves 32 warps of 32 lines, 128 KiB.
TEST(PredictedPlan, OfTiesTheLargerNWhereTheSmallerDoesNotFit) {
  KernelFacts Kernel = kernel({{1, 10000000}, {2, 5010000}, {4, 5000000}});
  EXPECT_EQ(plan(Kernel).Loops[0].WarpGroups, 2u);
  Kernel.PredictedL1Bytes = uint64_t(28) * 1024;
  EXPECT_EQ(plan(Kernel, 28).Loops[0].WarpGroups, 4u);
}

TEST(PredictedPlan, NorIsAnotherL1) {
  const KernelFacts Kernel = kernel({{1, 10000000}, {8, 1000000}});
  EXPECT_EQ(plan(Kernel).Loops[0].WarpGroups, 8u);
  EXPECT_EQ(plan(Kernel, 256).Loops[0].UnthrottledNanoseconds, 0u);
  KernelFacts Small = Kernel;
  Small.PredictedL1Bytes = uint64_t(28) * 1024;
  EXPECT_EQ(plan(Small, 28).Loops[0].UnthrottledNanoseconds, 10000000u);
  EXPECT_EQ(plan(Small, 29).Loops[0].UnthrottledNanoseconds, 0u);
}

TEST(PredictedPlan, WhatMayNotBeThrottledIsNot) {
  KernelFacts Kernel = kernel({{1, 10000000}, {4, 5000000}});
  Kernel.Loops[0].Region.Refusal = "contains a block barrier";
  const KernelPlan P = plan(Kernel);
  EXPECT_EQ(P.Loops[0].WarpGroups, 1u);
  EXPECT_TRUE(StringRef(P.Loops[0].Why).contains("barrier")) << P.Loops[0].Why;
}

//===--- M in place of N ---===//

/// Turns take 5 ms with N=4, none 10 ms.
KernelFacts kernelWithBlocks(std::vector<BlocksPrediction> Fewer) {
  KernelFacts Kernel = kernel({{1, 10000000}, {4, 5000000}});
  Kernel.FewerBlocks = std::move(Fewer);
  return Kernel;
}

/// Where the host will hear of M.
KernelPlan planHeard(const KernelFacts &Kernel,
                     std::optional<unsigned> L1KiB = {}) {
  return plan(Kernel, L1KiB, /*HostHears=*/true);
}

TEST(PredictedBlocks, TakeThePlaceOfSlowerTurns) {
  const KernelPlan P = planHeard(kernelWithBlocks(
      {{2, 4500000}, {3, 4000000}, {4, 4050000}, {32, 10000000}}));
  EXPECT_EQ(P.ResidentBlocks, 4u) << "of about equal times the most blocks";
  EXPECT_GT(P.ClaimedSharedBytes, 0u);
  EXPECT_EQ(P.Loops[0].WarpGroups, 1u);
  EXPECT_EQ(P.BlocksWhy,
            "predicted from the profile: M=all 10.000 ms, M=4 4.050 ms, M=3 "
            "4.000 ms, M=2 4.500 ms; with turns 5.000 ms");
  EXPECT_TRUE(StringRef(P.Loops[0].Why)
                  .starts_with("M=4 in place of N=4, predicted to be as fast "
                               "without barriers ("))
      << P.Loops[0].Why;
}

TEST(PredictedBlocks, NotOfFasterTurns) {
  EXPECT_TRUE(planHeard(kernelWithBlocks({{4, 5200000}, {32, 10000000}}))
                  .ResidentBlocks);
  for (uint64_t Nanoseconds : {5300000, 6000000}) {
    const KernelPlan P =
        planHeard(kernelWithBlocks({{4, Nanoseconds}, {32, 10000000}}));
    EXPECT_FALSE(P.ResidentBlocks) << Nanoseconds;
    EXPECT_EQ(P.Loops[0].WarpGroups, 4u);
    EXPECT_EQ(P.BlocksWhy, "");
  }
}

TEST(PredictedBlocks, WhereTurnsCannotBeTaken) {
  KernelFacts Kernel = kernelWithBlocks({{4, 5100000}, {32, 10000000}});
  Kernel.Loops[0].Region.Refusal = "contains a block barrier";
  EXPECT_EQ(planHeard(Kernel).ResidentBlocks, 4u);
  // Not for a gain within what the model knows.
  Kernel.Loops[0].Measured.Turns.clear();
  Kernel.Loops[0].TripCount = 2;
  Kernel.FewerBlocks = {{4, 9500000}, {32, 10000000}};
  EXPECT_FALSE(planHeard(Kernel).ResidentBlocks);
}

TEST(PredictedBlocks, NotWhereTheHostWouldNotHear) {
  const KernelPlan P = plan(kernelWithBlocks({{4, 1000000}, {32, 10000000}}));
  EXPECT_FALSE(P.ResidentBlocks);
  EXPECT_EQ(P.Loops[0].WarpGroups, 4u);
}

bool isPredicted(const KernelPlan &P) {
  return P.ResidentBlocks && StringRef(P.BlocksWhy).contains("predicted");
}

TEST(PredictedBlocks, NotOfLaunchesThatWereNotSeen) {
  KernelFacts Kernel = kernelWithBlocks({{4, 1000000}, {32, 10000000}});
  Kernel.Launches.push_back(Kernel.Launches[0]);
  Kernel.Launches[1].Measured = false;
  EXPECT_FALSE(isPredicted(planHeard(Kernel)));
  Kernel.Launches.pop_back();
  EXPECT_TRUE(isPredicted(planHeard(Kernel)));
  EXPECT_FALSE(isPredicted(planHeard(Kernel, 256))) << "another L1";
}

TEST(PredictedBlocks, NotWhereBlocksMustNotBeLimited) {
  KernelFacts Kernel = kernelWithBlocks({{4, 1000000}, {32, 10000000}});
  Kernel.FixedResidency = "reads how much shared memory it has";
  const KernelPlan P = planHeard(Kernel);
  EXPECT_FALSE(P.ResidentBlocks);
  EXPECT_EQ(P.Loops[0].WarpGroups, 4u) << "turns stay";
  EXPECT_EQ(P.BlocksWhy,
            "M=4 is predicted to be faster (M=all 10.000 ms, M=4 1.000 ms; "
            "with turns 5.000 ms), but it reads how much shared memory it has");
}

TEST(PredictedPlan, ThePlanKeepsThePrediction) {
  Plan P;
  P.Source = "k.cu";
  P.GPU = "sm_90";
  P.SMs = 132;
  P.Kernels = {plan(kernel({{1, 10000000}, {4, 5000000}}))};
  std::string Text;
  raw_string_ostream OS(Text);
  writePlans(P, OS);
  EXPECT_TRUE(StringRef(Text).contains("predicted-nanoseconds: 5000000"));
  auto Again = parsePlans(Text, "text");
  ASSERT_TRUE(bool(Again)) << toString(Again.takeError());
  EXPECT_EQ((*Again)[0].Kernels[0].Loops[0].PredictedNanoseconds, 5000000u);
  EXPECT_EQ((*Again)[0].Kernels[0].Loops[0].UnthrottledNanoseconds, 10000000u);
}

//===--- The carveout ---===//

/// Turns take 5 ms with N=4, 4 ms with a carveout of 50 % too; none 10 ms, and
/// \p OfKernel with other carveouts.
KernelFacts kernelWithCarveouts(std::vector<CarveoutPrediction> OfKernel) {
  KernelFacts Kernel = kernel({{1, 10000000},
                               {2, 6000000, {{{}, 6000000}, {93, 1000000}}},
                               {4, 5000000, {{{}, 5000000}, {57, 4000000}}}});
  Kernel.UsesDynamicShared = false;
  Kernel.Carveouts = std::move(OfKernel);
  return Kernel;
}

TEST(PredictedCarveout, IsThatOfTheTurnsThatAreTaken) {
  const KernelPlan P =
      planHeard(kernelWithCarveouts({{{}, 10000000}, {93, 1000000}}));
  EXPECT_EQ(P.Loops[0].WarpGroups, 4u);
  EXPECT_EQ(P.CarveoutPercent, 57u);
  EXPECT_EQ(P.CarveoutWhy, "predicted from the profile: the driver's 5.000 ms, "
                           "57 % 4.000 ms");
  EXPECT_FALSE(P.ResidentBlocks);
  EXPECT_EQ(P.ClaimedSharedBytes, 0u);
}

TEST(PredictedCarveout, WithoutTurns) {
  KernelFacts Kernel = kernelWithCarveouts(
      {{{}, 10000000}, {28, 6000000}, {57, 5900000}, {93, 5850000}});
  Kernel.Loops[0].Region.Refusal = "contains a block barrier";
  EXPECT_EQ(planHeard(Kernel).CarveoutPercent, 28u)
      << "of about equal times the larger L1";
  Kernel.Loops.clear();
  EXPECT_EQ(planHeard(Kernel).CarveoutPercent, 28u) << "nor with a loop";
  // Not for a gain within what the model knows.
  Kernel.Carveouts = {{{}, 10000000}, {28, 9200000}};
  EXPECT_FALSE(planHeard(Kernel).CarveoutPercent);
  EXPECT_EQ(planHeard(Kernel).CarveoutWhy, "");
}

TEST(PredictedCarveout, NotBesideOneThatIsSlower) {
  for (auto [Before, After, Taken] :
       {std::tuple{10, 10, true}, {10, 11, false}, {11, 10, false}}) {
    KernelFacts Kernel = kernelWithCarveouts({{{}, 10000000},
                                              {21, uint64_t(Before) * 1000000},
                                              {36, 8000000},
                                              {50, uint64_t(After) * 1000000},
                                              {93, 12000000}});
    Kernel.Loops.clear();
    EXPECT_EQ(planHeard(Kernel).CarveoutPercent.has_value(), Taken)
        << Before << ", " << After;
  }
}

TEST(PredictedCarveout, NotWithTurnsAtTwoLoops) {
  KernelFacts Kernel = kernelWithCarveouts({});
  Kernel.Loops.push_back(Kernel.Loops[0]);
  Kernel.Loops[1].Id.Place.Line = 20;
  Kernel.Loops[1].Region.Index = 1;
  const KernelPlan P = planHeard(Kernel);
  EXPECT_EQ(P.Loops[1].WarpGroups, 4u);
  EXPECT_FALSE(P.CarveoutPercent);
}

TEST(PredictedCarveout, OrFewerBlocksWhicheverIsFaster) {
  KernelFacts Kernel = kernelWithCarveouts({{{}, 10000000}, {57, 3500000}});
  Kernel.FewerBlocks = {{4, 3000000}, {32, 10000000}};
  EXPECT_EQ(planHeard(Kernel).ResidentBlocks, 4u);
  EXPECT_NE(planHeard(Kernel).CarveoutPercent, 57u) << "but the claim's";
  EXPECT_EQ(planHeard(Kernel).CarveoutWhy, "");
  Kernel.FewerBlocks = {{4, 4000000}, {32, 10000000}};
  const KernelPlan P = planHeard(Kernel);
  EXPECT_FALSE(P.ResidentBlocks);
  EXPECT_EQ(P.ClaimedSharedBytes, 0u);
  EXPECT_EQ(P.CarveoutPercent, 57u);
}

TEST(PredictedCarveout, MustKeepAllBlocks) {
  KernelFacts Kernel = kernelWithCarveouts({{{}, 10000000}, {14, 1000000}});
  Kernel.Loops.clear();
  Kernel.StaticSharedBytes = 7168; // 14 % hold four of them
  const KernelPlan P = planHeard(Kernel);
  EXPECT_FALSE(P.CarveoutPercent);
  EXPECT_TRUE(StringRef(P.CarveoutWhy)
                  .contains("but an SM would keep 4 of its 8 blocks"))
      << P.CarveoutWhy;
}

TEST(PredictedCarveout, NotWhereItMustNot) {
  const KernelFacts Kernel =
      kernelWithCarveouts({{{}, 10000000}, {93, 1000000}});
  EXPECT_FALSE(plan(Kernel).CarveoutPercent) << "the host would not hear";
  EXPECT_FALSE(planHeard(Kernel, 256).CarveoutPercent) << "another L1";
  KernelFacts Fixed = Kernel;
  Fixed.FixedResidency = "reads how much shared memory it has";
  EXPECT_FALSE(planHeard(Fixed).CarveoutPercent);
  EXPECT_TRUE(StringRef(planHeard(Fixed).CarveoutWhy).contains("it reads"))
      << planHeard(Fixed).CarveoutWhy;
  KernelFacts Unseen = Kernel;
  Unseen.Launches.push_back(Kernel.Launches[0]);
  Unseen.Launches[1].Measured = false;
  EXPECT_FALSE(planHeard(Unseen).CarveoutPercent);
}

} // namespace
