// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// CATT's planner for kernels of several loops: nests, and regions with
/// several.

#include "GesummvByHand.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::test;

namespace {

/// The rows are walked again and again: an inner loop of 16 iterations that
/// has the loads, in loop 0. Both alone want N=4.
Problem nest() {
  Problem P;
  P.loop().Accesses.clear();
  LoopFacts &Inner = P.addLoop(rowsPerThread(2, /*Loop=*/1));
  Inner.Parent = 0;
  Inner.TripCount = 16;
  return P;
}

TEST(ThrottlePlannerNest, TheInnerLoopIsThrottled) {
  KernelPlan Plan = nest().plan();
  expectLoop(Plan, 1, 4, "with N=4");
  expectLoop(Plan, 0, 1, "its inner loop at k.cu:20:5 is throttled instead");
}

TEST(ThrottlePlannerNest, TheOuterLoopWhereTheInnerMayNotBe) {
  Problem P = nest();
  P.Kernel.Loops[1].Region.Refusal = "has a return";
  KernelPlan Plan = P.plan();
  expectLoop(Plan, 1, 1, "has a return");
  expectLoop(Plan, 0, 4, "with N=4");
}

/// Five times over a row of 34 floats: the inner loop's lines nearly fit, those
/// of a whole row do not, and an iteration of the outer loop is no batch.
TEST(ThrottlePlannerNest, WhatAnOuterLoopWalksAgain) {
  Problem P;
  P.loop().Accesses.clear();
  P.loop().TripCount = 5;
  LoopFacts &Inner = P.addLoop({load(arg(0) + 136 * globalX() + 4 * iter(1))});
  Inner.Parent = 0;
  Inner.TripCount = 34;
  for (LoopFacts &L : P.Kernel.Loops)
    L.WritesMemory = false;
  KernelPlan Plan = P.plan();
  expectLoop(Plan, 1, 1, "below 1.60 turns do not pay");
  expectLoop(Plan, 0, 2, "with N=2");
  P.loop().TripCount = 1;
  P.Kernel.Loops[1].TripCount = 7;
  expectLoop(P.plan(), 0, 1, "lasts 7 iterations");
}

/// Groups are of whole warps: of 3 warps in 4 groups one runs at a time.
TEST(ThrottlePlanner, RunningWarpsAreThoseOfAGroup) {
  Problem P;
  P.launched().Block = LaunchDim::known(96);
  P.Options.L1KiB = 120;
  P.Thresholds.MinRunningWarps = 8;
  expectLoop(P.plan(), 0, 4, "with N=4"); // 8 blocks, one warp each
  P.Thresholds.MinRunningWarps = 9;
  expectLoop(P.plan(), 0, 1, "leave 8 warps running");
}

/// A line for each access of unknown address is a guess; turns are not for it.
TEST(ThrottlePlanner, GuessedLinesAloneAreNotThrottled) {
  Problem P;
  for (unsigned A = 0; A < 40; ++A)
    P.loop().Accesses.push_back(load(arg(2) + 4 * var(Variable::Loaded, A)));
  P.Options.L1KiB = 600; // 832 lines x 8 blocks; 512 of them known
  expectLoop(P.plan(), 0, 1,
             "is beyond the L1 of 614400 B only with 320 lines of accesses "
             "whose addresses are read from memory");
  P.Options.L1KiB = 400;
  expectLoop(P.plan(), 0, 4, "with N=4");
}

TEST(ThrottlePlannerNest, TheOuterLoopsFootprintsAreOne) {
  LoopPlan Outer = nest().plan().Loops[0];
  EXPECT_EQ(Outer.FootprintBytes, 524288u);
  EXPECT_EQ(Outer.ThrottledFootprintBytes, 524288u);
}

/// Loop 0 walks two matrices (N=4), then loop 1 one (N=2).
Problem twoLoops() {
  Problem P;
  P.addLoop(rowsPerThread(1, /*Loop=*/1));
  return P;
}

TEST(ThrottlePlannerRegions, LoopsOfTheirOwnHaveTheirOwnN) {
  KernelPlan Plan = twoLoops().plan();
  expectLoop(Plan, 0, 4, "with N=4");
  expectLoop(Plan, 1, 2, "with N=2");
}

TEST(ThrottlePlannerRegions, LoopsOfOneRegionShareTheLargestN) {
  Problem P = twoLoops();
  P.Kernel.Loops[1].Region = P.Kernel.Loops[0].Region;
  KernelPlan Plan = P.plan();
  expectLoop(Plan, 0, 4, "with N=4");
  expectLoop(Plan, 1, 4, "together with the loop at k.cu:10:5, N=4");
}

TEST(ThrottlePlannerRegions, FootprintIsOfTheSharedN) {
  Problem P = twoLoops();
  P.Kernel.Loops[1].Region = P.Kernel.Loops[0].Region;
  EXPECT_EQ(P.plan().Loops[1].ThrottledFootprintBytes, 262144u / 4);
}

TEST(ThrottlePlanner, EveryLoopGetsAnEntry) {
  Problem P = twoLoops();
  P.Kernel.Off = true;
  KernelPlan Plan = P.plan();
  ASSERT_EQ(Plan.Loops.size(), 2u);
  for (unsigned L : {0, 1}) {
    EXPECT_EQ(Plan.Loops[L].Id, P.Kernel.Loops[L].Id);
    EXPECT_FALSE(Plan.Loops[L].Why.empty());
  }
}

//===--------------------------------------------------------------------===//
// Branches beside the loop
//===--------------------------------------------------------------------===//

constexpr char HoldsUpALoad[] =
    "N=4 is wanted (footprint 524288 B (8 blocks of 512 lines) is beyond the "
    "L1 of 229376 B; with N=4 it is 131072 B), but its turns would hold up the "
    "load at k.cu:12:7, in a branch that other threads take";

Problem besideALoad() {
  Problem P;
  P.loop().Region.LoadBeside = CodeId{{"k.cu", 12, 7}, {}, 0};
  return P;
}

TEST(ThrottlePlannerBranches, ALoadBesideIsNotHeldUp) {
  KernelPlan Plan = besideALoad().plan();
  expectLoop(Plan, 0, 1, HoldsUpALoad);
  // Nor are there fewer blocks, as few threads may be in the loop.
  EXPECT_FALSE(Plan.ResidentBlocks);
}

TEST(ThrottlePlannerBranches, ButIfTheUserAsksForTurns) {
  Problem P = besideALoad();
  P.Options.ForcedWarpGroups = 2;
  expectLoop(P.plan(), 0, 2, "N=2 was asked for");
}

/// Loops 0 and 1 in the two branches of an if statement.
Problem twoBranches(std::vector<AccessPattern> Beside) {
  Problem P;
  P.addLoop(std::move(Beside));
  P.Kernel.Loops[1].Region = P.Kernel.Loops[0].Region;
  P.Kernel.Loops[0].Region.LoopsBeside = {1};
  P.Kernel.Loops[1].Region.LoopsBeside = {0};
  return P;
}

TEST(ThrottlePlannerBranches, LoopsThatBothWantTurns) {
  KernelPlan Plan = twoBranches(rowsPerThread(2, /*Loop=*/1)).plan();
  expectLoop(Plan, 0, 4, "with N=4");
  expectLoop(Plan, 1, 4, "with N=4");
}

TEST(ThrottlePlannerBranches, ALoopBesideThatWantsNone) {
  KernelPlan Plan =
      twoBranches({load(arg(2) + 4 * globalX() + 16384 * iter(1))}).plan();
  expectLoop(Plan, 0, 1, "would hold up the loop at k.cu:20:5, in a branch");
}

TEST(ThrottlePlannerBranches, ALoopBesideWithoutAccesses) {
  expectLoop(twoBranches({}).plan(), 0, 4, "with N=4");
}

TEST(ThrottlePlannerBranches, ALoopBesideThatIsHeldUpItself) {
  Problem P = twoBranches(rowsPerThread(2, /*Loop=*/1));
  P.Kernel.Loops[1].Region.LoadBeside = CodeId{{"k.cu", 12, 7}, {}, 0};
  KernelPlan Plan = P.plan();
  expectLoop(Plan, 1, 1, "would hold up the load at k.cu:12:7");
  expectLoop(Plan, 0, 1, "would hold up the loop at k.cu:20:5");
}

//===--------------------------------------------------------------------===//
// Rows that begin where memory says
//===--------------------------------------------------------------------===//

/// Two arrays of a sparse matrix's rows: 512 lines if no two threads share one.
Problem sparseRows(uint64_t Grid) {
  Problem P;
  P.launched().Grid = LaunchDim::known(Grid);
  P.loop().Accesses.clear();
  for (unsigned Array = 0; Array < 2; ++Array)
    P.loop().Accesses.push_back(
        load(arg(Array) + 4 * var(Variable::Loaded, 0) + 4 * iter(0)));
  P.Kernel.Unknowns.resize(1);
  return P;
}

TEST(ThrottlePlannerSparse, RowsMayShareLinesOrNot) {
  KernelPlan Plan = sparseRows(8 * 132).plan();
  expectLoop(Plan, 0, 1,
             "the footprint is unknown, 16384 to 524288 B for an L1 of 229376 "
             "B: how far apart the threads' rows begin is read from memory for "
             "a load in it, and a profile would tell (sluice profile)");
  EXPECT_FALSE(Plan.ResidentBlocks);
}

TEST(ThrottlePlannerSparse, RowsThatFitInAnyCase) {
  expectLoop(
      sparseRows(132).plan(), 0, 1,
      "footprint of at most 65536 B (1 blocks of 512 lines) fits the L1");
}

//===--------------------------------------------------------------------===//
// Division by what is known at run time
//===--------------------------------------------------------------------===//

/// Loop 0 over pixels of an image by columns, whose width is parameter 2.
Problem byColumns() {
  Problem P;
  P.Kernel.Parameters = {{"A", "", 0}, {"y", "", 0}, {"width", "", 0}};
  auto Pixel = [](AddressOp Op) {
    return AddressForm::operation(Op, globalX(), arg(2));
  };
  for (AccessPattern &A : P.loop().Accesses)
    A.Address = arg(0) + 4096 * Pixel(AddressOp::SRem) +
                4 * Pixel(AddressOp::SDiv) + 4 * iter(0);
  return P;
}

TEST(ThrottlePlannerDivision, TheReasonNamesTheDivisor) {
  expectLoop(byColumns().plan(), 0, 1,
             "not known at compile time for a load in it, whose index is "
             "divided by 'width' that is known only at run time");
}

TEST(ThrottlePlannerDivision, NotOneThatTheLaunchGives) {
  Problem P = byColumns();
  P.launched().Arguments = {std::nullopt, std::nullopt, 64};
  LoopPlan Loop = P.plan().Loops[0];
  EXPECT_FALSE(StringRef(Loop.Why).contains("divided")) << Loop.Why;
  EXPECT_GT(Loop.FootprintBytes, 0u);
}

} // namespace
