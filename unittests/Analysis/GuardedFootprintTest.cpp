// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Accesses that an equality on tid lets few threads run: the others touch no
/// lines.

#include "KernelsByHand.h"

using namespace llvm;
using namespace sluice;

namespace {

/// A row for each thread, in those for which each of \p Guards is 0.
AccessPattern rowWhere(std::vector<AddressForm> Guards) {
  AccessPattern A = rowPerThread();
  A.OnlyWhereZero = std::move(Guards);
  return A;
}

struct Guarded {
  const char *What;
  std::vector<AddressForm> Guards;
  LaunchConfig Launch;
  // Expected:
  unsigned LinesPerWarp;
  uint64_t LinesPerBlock;
};

void PrintTo(const Guarded &Case, std::ostream *OS) { *OS << Case.What; }

class GuardedTest : public testing::TestWithParam<Guarded> {};

TEST_P(GuardedTest, OthersTouchNoLines) {
  const Guarded &Case = GetParam();
  AccessFootprint F = footprintOf(rowWhere(Case.Guards), Case.Launch);
  EXPECT_EQ(F.LinesPerWarp, Case.LinesPerWarp);
  EXPECT_EQ(F.SectorsPerWarp, Case.LinesPerWarp);
  EXPECT_EQ(F.LinesPerBlock, Case.LinesPerBlock);
  EXPECT_TRUE(F.HasReuse);
  EXPECT_FALSE(F.Assumed || F.UnknownDistance);
}

INSTANTIATE_TEST_SUITE_P(
    LoopFootprint, GuardedTest,
    testing::Values(
        Guarded{"no guard", {}, block(256), 32, 256},
        Guarded{"threadIdx.x == 0", {tid()}, block(256), 1, 1},
        Guarded{"threadIdx.x == 37", {tid() + -37}, block(256), 1, 1},
        Guarded{"37 == threadIdx.x", {c(37) - tid()}, block(256), 1, 1},
        Guarded{"beyond the block", {tid() + -300}, block(256), 0, 0},
        Guarded{"threadIdx.x == n", {tid() - arg(1)}, block(256), 1, 1},
        Guarded{"one thread of the grid: perhaps of this block",
                {globalX() + -70000},
                block(256),
                1,
                1},
        Guarded{"that thread by an argument",
                {globalX() - arg(1)},
                block(256),
                1,
                1},
        Guarded{
            "lane == 0", {op(AddressOp::URem, tid(), 32)}, block(256), 1, 8},
        Guarded{"lane == n",
                {op(AddressOp::URem, tid(), 32) - arg(1)},
                block(256),
                1,
                8},
        Guarded{"threadIdx.y == 3", {tid(1) + -3}, block(32, 8), 32, 32},
        Guarded{"threadIdx.y == 0, of which there are no others",
                {tid(1)},
                block(256),
                32,
                256},
        Guarded{"two together",
                {op(AddressOp::URem, tid(), 32), tid() - arg(1)},
                block(256),
                1,
                1},
        // If n is 0, all threads pass.
        Guarded{"n * threadIdx.x == 0", {arg(1) * tid()}, block(256), 32, 256},
        // Each iteration lets another thread through.
        Guarded{"threadIdx.x == j", {tid() - iter(0)}, block(256), 32, 256}));

TEST(GuardedFootprint, OneThreadIsAtNoDistance) {
  AccessPattern A =
      load(arg(0) + var(Variable::Uniform, 0) * tid() + 4 * iter(0));
  EXPECT_TRUE(footprintOf(A, block(256)).UnknownDistance);
  A.OnlyWhereZero = {tid()};
  AccessFootprint F = footprintOf(A, block(256));
  EXPECT_FALSE(F.UnknownDistance);
  EXPECT_EQ(F.LinesPerBlock, 1u);
  // Two of each warp are at one.
  A.OnlyWhereZero = {op(AddressOp::URem, tid(), 16)};
  EXPECT_TRUE(footprintOf(A, block(256)).UnknownDistance);
}

TEST(GuardedFootprint, EqualFormsUnderOtherGuardsAreCountedApart) {
  KernelFacts K = kernel({rowWhere({tid()}), rowWhere({tid() + -64}),
                          rowWhere({tid()}), rowPerThread()});
  LoopFootprint F = footprint(K, block(256));
  EXPECT_EQ(F.Accesses[0].LinesPerBlock, 1u);
  EXPECT_EQ(F.Accesses[1].LinesPerBlock, 1u);
  EXPECT_EQ(F.Accesses[3].LinesPerBlock, 256u);
  EXPECT_EQ(F.LinesOfWarp[0][0].size(), 1u);
  EXPECT_EQ(F.LinesOfWarp[0][1].size(), 0u);
  EXPECT_EQ(F.LinesOfWarp[2][1].size(), 1u);
  EXPECT_EQ(F.LinesOfWarp[0][2], F.LinesOfWarp[0][0]);
}

TEST(GuardedFootprint, WarpsThatDoNotRunAGatherHaveNoLineOfIt) {
  AccessPattern A = load(arg(0) + 4 * loaded(0));
  A.OnlyWhereZero = {tid() + -40};
  AccessFootprint F = footprintOf(A, block(256));
  EXPECT_TRUE(F.Assumed);
  EXPECT_EQ(F.LinesPerBlock, 1u);
  A.Measured = AccessMeasurement{100, 300, 300, {}};
  F = footprintOf(A, block(256));
  EXPECT_TRUE(F.Measured);
  EXPECT_EQ(F.LinesPerBlock, 3u);
}

TEST(GuardedFootprint, RowsOfThreadsThatRun) {
  AccessPattern A = load(arg(0) + 4 * loaded(0) + 4 * iter(0));
  EXPECT_EQ(footprintOf(A, block(256)).MostLinesPerBlock, 256u);
  A.OnlyWhereZero = {op(AddressOp::URem, tid(), 32)};
  AccessFootprint F = footprintOf(A, block(256));
  EXPECT_EQ(F.MostLinesPerBlock, 8u);
  EXPECT_EQ(F.LinesPerBlock, 8u);
}

TEST(GuardedFootprint, MeasuredDistancesOfTheWarpThatRuns) {
  AccessPattern A =
      load(arg(0) + var(Variable::Uniform, 0) * tid() + 4 * iter(0));
  A.OnlyWhereZero = {tid(1)}; // one warp of eight
  A.Measured = AccessMeasurement{100, 400, 400, {}};
  AccessFootprint F = footprintOf(A, block(32, 8));
  EXPECT_EQ(F.LinesPerWarp, 4u);
  EXPECT_EQ(F.LinesPerBlock, 4u);
}

} // namespace
