// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// How many warps use the L1: by the lines that fit, and by a profile.

#include "GesummvByHand.h"
#include "sluice/Analysis/Profile.h"
#include "sluice/Plan/BypassPlanner.h"
#include "sluice/Plan/Technique.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::test;

namespace {

/// A block of 8 warps has 64 lines a warp, and an SM 8 blocks: 64 KiB for each
/// warp of a block, and the L1 has 224.
struct Shared : Problem {
  KernelPlan Plan;
  BypassOptions Bypass{132, std::nullopt, false};

  BypassDecision decide() const {
    return planBypassByFootprint(Kernel, Plan, *cantFail(findGPUModel(GPU)),
                                 Registers, Bypass);
  }
};

void expectNone(const BypassDecision &D, StringRef Why) {
  EXPECT_FALSE(D.CachedWarps);
  EXPECT_TRUE(StringRef(D.Why).contains(Why)) << D.Why;
}

TEST(BypassByFootprint, TakesTheWarpsWhoseLinesFit) {
  Shared P;
  BypassDecision D = P.decide();
  EXPECT_EQ(D.CachedWarps, 3U);
  EXPECT_EQ(D.Why, "the loop at k.cu:10:5 has 524288 B of lines (8 blocks of 8 "
                   "warps) for an L1 of 229376 B, in which those of 3 warps "
                   "fit");
  P.Bypass.L1KiB = 64; // as large as the lines of one warp of each block
  EXPECT_EQ(P.decide().CachedWarps, 1U);
}

TEST(BypassByFootprint, CountsTheBlocksThatThereAre) {
  Shared P;
  P.Registers.Count = 64; // 4 blocks
  EXPECT_EQ(P.decide().CachedWarps, 7U);
  P.Registers.Count = 32;
  P.Plan.ResidentBlocks = 4;
  EXPECT_EQ(P.decide().CachedWarps, 7U);
  P.Plan.ResidentBlocks = 2;
  expectNone(P.decide(), "in which those of all warps fit");
  P.Plan.ResidentBlocks.reset();
  P.Plan.CarveoutPercent = 100; // an L1 of 28 KiB
  expectNone(P.decide(), "in which those of one warp do not fit");
}

TEST(BypassByFootprint, CountsNoLoadThatBypassesByItsHint) {
  Shared P;
  P.loop().Accesses[0].Id.Place = {"k.cu", 11, 5};
  P.loop().Accesses[1].Id.Place = {"k.cu", 12, 5};
  LoadPlan Hinted;
  Hinted.Id = P.loop().Accesses[1].Id;
  Hinted.Hint.L1 = CacheHint::L1Eviction::First;
  P.Plan.Loads = {Hinted};
  EXPECT_EQ(P.decide().CachedWarps, 3U) << "its lines are in the L1";
  P.Plan.Loads[0].Hint.L1 = CacheHint::L1Eviction::NoAllocate;
  EXPECT_EQ(P.decide().CachedWarps, 7U);
  P.Plan.Loads.push_back(P.Plan.Loads[0]);
  P.Plan.Loads[1].Id = P.loop().Accesses[0].Id;
  expectNone(P.decide(), "no load that is known to touch its cache line again");
}

TEST(BypassByFootprint, CountsStoresOfAllWarps) {
  Shared P;
  AccessPattern Store = load(arg(2) + 2048 * globalX());
  Store.IsStore = true;
  P.loop().Accesses.push_back(Store); // 32 lines of each of 64 warps
  expectNone(P.decide(), "those of one warp do not fit");
  P.loop().Accesses.back().Address = arg(2) + 4 * globalX(); // one each
  EXPECT_EQ(P.decide().CachedWarps, 3U);
}

TEST(BypassByFootprint, LeavesLoopsThatNeedNothing) {
  Shared P;
  P.loop().Accesses = rowsPerThread(1);
  P.loop().Accesses[0].Address = arg(0) + 4 * iter(0);
  expectNone(P.decide(), "in which those of all warps fit");

  Shared Streams;
  Streams.loop().Accesses = {load(arg(0) + 4 * globalX() + 4096 * iter(0))};
  expectNone(Streams.decide(), "no load that is known to touch");

  Shared Two; // one number is for both, and the second would lose
  Two.addLoop({load(arg(3) + 4 * iter(1))});
  expectNone(Two.decide(), "the loop at k.cu:20:5 has");

  Shared None;
  None.Kernel.Loops.clear();
  expectNone(None.decide(), "it has no loop that loads");
}

TEST(BypassByFootprint, TakesTheLeastOfLoopsAndLaunches) {
  Shared P;
  P.addLoop(rowsPerThread(3, 1));
  EXPECT_EQ(P.decide().CachedWarps, 2U);
  P.Kernel.Launches.push_back(launch(8 * 132, 512, 30));
  EXPECT_EQ(P.decide().CachedWarps, 2U) << "of 16 warps 4 fit, with 4 blocks";
  P.Kernel.Launches.push_back(launch(132, 64, 40));
  expectNone(P.decide(), "in which those of all warps fit");
}

TEST(BypassByFootprint, WantsToKnowLinesAndLaunches) {
  Shared P;
  P.Kernel.Launches.clear();
  expectNone(P.decide(), "no launch of this kernel is in this file");
  P.Kernel.Launches = {launch(LaunchDim::known(8), LaunchDim(), 20)};
  expectNone(P.decide(), "blocks of a size that is not known");
  P.Kernel.Launches = {launch(1056, 256, 20)};
  P.Kernel.Launches[0].DynamicSharedBytes.reset();
  expectNone(P.decide(), "has dynamic shared memory of a size that is not");

  Shared Indirect;
  Indirect.loop().Accesses.push_back(
      load(arg(2) + 4 * var(Variable::Loaded, 0)));
  expectNone(Indirect.decide(), "has an access whose lines are not known");
}

TEST(BypassByFootprint, LeavesWhatOthersDo) {
  Shared P;
  P.Plan.Loops.emplace_back();
  P.Plan.Loops[0].Id = P.loop().Id;
  EXPECT_EQ(P.decide().CachedWarps, 3U);
  P.Plan.Loops[0].WarpGroups = 4;
  expectNone(P.decide(), "the loop at k.cu:10:5 takes turns");

  Shared Rows;
  Rows.loop().Stageable.emplace_back();
  EXPECT_EQ(Rows.decide().CachedWarps, 3U);
  Rows.Bypass.StagesRows = true;
  expectNone(Rows.decide(), "has rows that may be in shared memory");
}

KernelProfile profileWith(std::vector<BypassPrediction> Times) {
  KernelProfile K;
  K.CachedWarps = std::move(Times);
  return K;
}

TEST(BypassAsPredicted, TakesTheFastest) {
  const KernelPlan Plan;
  BypassDecision D = planBypassAsPredicted(
      profileWith({{0, 9000000}, {2, 5000000}, {4, 4950000}, {32, 9000000}}),
      Plan);
  EXPECT_EQ(D.CachedWarps, 4U);
  EXPECT_EQ(D.Why, "with 4 warps of a block in the L1 the kernel is predicted "
                   "to take 4.950 ms, and else 9.000");
  D = planBypassAsPredicted(
      profileWith({{0, 8000000}, {2, 4950000}, {4, 5000000}, {32, 9000000}}),
      Plan);
  EXPECT_EQ(D.CachedWarps, 4U) << "of two as good the one with more";
  D = planBypassAsPredicted(profileWith({{0, 5000000}, {32, 9000000}}), Plan);
  EXPECT_EQ(D.CachedWarps, 0U);
}

TEST(BypassAsPredicted, WantsTenPerCent) {
  const KernelPlan Plan;
  expectNone(planBypassAsPredicted(profileWith({}), Plan), "--cached-warps");
  expectNone(
      planBypassAsPredicted(profileWith({{4, 950}, {32, 940}}), Plan),
      "with all warps in the L1 the kernel is predicted to be fastest");
  expectNone(planBypassAsPredicted(profileWith({{4, 950}, {32, 1000}}), Plan),
             "too little to pay");
}

TEST(BypassAsPredicted, IsAgainstHintsThatArePlanned) {
  KernelProfile K = profileWith({{4, 700}, {32, 1000}});
  K.Hints = {{{}, 1000}, {{{0, CacheHint()}}, 720}};
  KernelPlan Plan;
  EXPECT_EQ(planBypassAsPredicted(K, Plan).CachedWarps, 4U);
  Plan.Loads.emplace_back();
  expectNone(planBypassAsPredicted(K, Plan), "too little to pay");
}

/// The technique, asked by \p Args for gesummv.
KernelPlan planned(std::vector<std::string> Args,
                   const KernelProfile *Measured = nullptr,
                   void (*Change)(KernelFacts &) = nullptr) {
  Problem P;
  P.Kernel.LargestBlock = 256;
  if (Change)
    Change(P.Kernel);
  KernelPlan Plan;
  std::vector<Remark> Remarks;
  std::vector<std::string> Warnings;
  const Options Opts = cantFail(parseOptions(Args));
  PlanningContext Context{Opts,    *cantFail(findGPUModel("sm_90")),
                          132,     false,
                          {},      {},
                          {},      Remarks,
                          Warnings};
  Context.Kernels.push_back({P.Kernel, Measured, Plan});
  bypassTechnique().plan(Context);
  return Plan;
}

TEST(BypassTechnique, ChoosesOnlyWhereItIsAsked) {
  EXPECT_FALSE(planned({}).CachedWarps);
  EXPECT_EQ(planned({}).BypassWhy, "");
  KernelPlan ByFootprint = planned({"bypass=footprint", "bypass-of=l2"});
  EXPECT_EQ(ByFootprint.CachedWarps, 3U);
  EXPECT_EQ(ByFootprint.BypassOf, BypassedCache::L2);
  EXPECT_EQ(planned({"bypass=profile"}).BypassWhy,
            "no profile of this GPU has the kernel");
  const KernelProfile K = profileWith({{4, 700}, {32, 1000}});
  EXPECT_EQ(planned({"bypass=profile"}, &K).CachedWarps, 4U);
  EXPECT_EQ(planned({"bypass=profile", "l1-kib=64"}, &K).BypassWhy,
            "it will not run as the profile simulated it");
  EXPECT_FALSE(planned({}, &K).CachedWarps);
}

TEST(BypassTechnique, LeavesKernelsThatAreSwitchedOff) {
  KernelPlan Off = planned({"bypass=footprint"}, nullptr,
                           [](KernelFacts &K) { K.Off = true; });
  EXPECT_FALSE(Off.CachedWarps);
  EXPECT_EQ(Off.BypassWhy, "the source switches Sluice off for this kernel");
}

} // namespace
