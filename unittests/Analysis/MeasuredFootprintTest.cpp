// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Footprints of accesses that the code does not tell the lines of, with what a
/// profile measured of them.

#include "KernelsByHand.h"

using namespace llvm;
using namespace sluice;

namespace {

AccessPattern gather() { return load(arg(0) + 4 * loaded(0)); }
AccessPattern unknownPitch() {
  return load(arg(0) + arg(1) * tid() + 4 * iter(0));
}

/// \p Requests requests of \p Lines lines together, two sectors a line.
AccessPattern measured(AccessPattern Access, uint64_t Requests,
                       uint64_t Lines) {
  Access.Measured = AccessMeasurement{Requests, Lines, 2 * Lines, {}};
  return Access;
}

struct MeasuredLines {
  const char *What;
  AccessPattern Access;
  LaunchConfig Launch;
  // Expected:
  unsigned LinesPerWarp, SectorsPerWarp;
  uint64_t LinesPerBlock;
  bool Measured;
};

void PrintTo(const MeasuredLines &Case, std::ostream *OS) { *OS << Case.What; }

class MeasuredLinesTest : public testing::TestWithParam<MeasuredLines> {};

TEST_P(MeasuredLinesTest, AreCounted) {
  const MeasuredLines &Case = GetParam();
  AccessFootprint F = footprintOf(Case.Access, Case.Launch);
  EXPECT_EQ(F.LinesPerWarp, Case.LinesPerWarp);
  EXPECT_EQ(F.SectorsPerWarp, Case.SectorsPerWarp);
  EXPECT_EQ(F.LinesPerBlock, Case.LinesPerBlock);
  EXPECT_EQ(F.Measured, Case.Measured);
  EXPECT_FALSE(F.Assumed);
  EXPECT_FALSE(F.UnknownDistance);
  EXPECT_EQ(str(F.OnlyIf), "");
}

INSTANTIATE_TEST_SUITE_P(
    Accesses, MeasuredLinesTest,
    testing::Values(
        MeasuredLines{"gather of 8 lines", measured(gather(), 100, 800),
                      block(256), 8, 16, 64, true},
        MeasuredLines{"the mean is rounded up", measured(gather(), 100, 801),
                      block(256), 9, 17, 72, true},
        MeasuredLines{"few lanes took part", measured(gather(), 100, 100),
                      block(256), 1, 2, 8, true},
        MeasuredLines{"unknown pitch, half of the lines",
                      measured(unknownPitch(), 100, 1600), block(256), 16, 16,
                      128, true},
        // Never more than a line for each lane.
        MeasuredLines{"unknown pitch, more than possible",
                      measured(unknownPitch(), 100, 6400), block(256), 32, 32,
                      256, true},
        MeasuredLines{"unknown pitch, half a warp",
                      measured(unknownPitch(), 100, 800), block(16), 8, 8, 8,
                      true},
        // What the code tells is not measured.
        MeasuredLines{"row per thread", measured(rowPerThread(), 100, 100),
                      block(256), 32, 32, 256, false}));

TEST(MeasuredFootprint, WithoutAProfileAsBefore) {
  expectAssumed(footprintOf(gather(), block(256)), 8);
  expectOnlyIf(footprintOf(unknownPitch(), block(256)), "argument 1 >= 128",
               256);
}

// Two loads of a thread's own record stay in the same lines.
TEST(MeasuredFootprint, LoadsOffOneBaseStillShareLines) {
  AccessPattern Next = unknownPitch();
  Next.Address = Next.Address + 4;
  KernelFacts K =
      kernel({measured(unknownPitch(), 100, 1600), measured(Next, 100, 1600)});
  LoopFootprint F = footprint(K, block(256));
  EXPECT_EQ(F.linesPerBlock(1), 128u);
  EXPECT_EQ(F.linesPerBlock(4), 32u);
  EXPECT_EQ(F.UnknownDistance, nullptr);
  EXPECT_EQ(str(F.OnlyIf), "");
}

TEST(MeasuredFootprint, OneThatWasNotMeasuredIsStillUnknown) {
  KernelFacts K = kernel({measured(unknownPitch(), 100, 1600),
                          load(var(Variable::Varying, 0) + 4 * iter(0))});
  LoopFootprint F = footprint(K, block(256));
  EXPECT_EQ(F.UnknownDistance, &K.Loops[0].Accesses[1]);
}

TEST(MeasuredFootprint, OneThatWasNotMeasuredStillNeedsItsMinimum) {
  KernelFacts K = kernel({measured(unknownPitch(), 100, 1600), unknownPitch()});
  EXPECT_EQ(str(footprint(K, block(256)).OnlyIf), "argument 1 >= 128");
}

//===--------------------------------------------------------------------===//
// Inner loops
//===--------------------------------------------------------------------===//

TEST(MeasuredFootprint, GathersOfInnerIterationsTouchOtherLines) {
  KernelFacts K = kernel({});
  addInnerLoop(K, 0, 4).Accesses = {measured(gather(), 400, 800)};
  K.Loops[1].Accesses[0].Loop = 1;
  K.Loops[0].Measured.Iterations = 100;
  EXPECT_EQ(footprint(K, block(32)).Accesses[0].LinesPerWarp, 8u);
  // But not more than all accesses did together.
  K.Loops[0].Measured.LinesPerIteration = 4.5;
  EXPECT_EQ(footprint(K, block(32)).Accesses[0].LinesPerWarp, 5u);
}

TEST(MeasuredFootprint, InnerIterationsCanBeMeasured) {
  KernelFacts K = kernel({});
  addInnerLoop(K, 0, std::nullopt).Accesses = {
      load(arg(0) + 1024 * globalX() + 128 * iter(1))};
  EXPECT_NE(computeLoopFootprint(K, 0, block(32), sm90()).Unknown, "");
  K.Loops[1].Measured = {100, 300, 0, {}};
  EXPECT_EQ(footprint(K, block(32)).Accesses[0].LinesPerWarp, 96u);
}

//===--------------------------------------------------------------------===//
// Conditional code
//===--------------------------------------------------------------------===//

// Of 1000 iterations.
TEST(MeasuredFootprint, WhatRanSeldomDoesNotCount) {
  struct {
    uint64_t Requests;
    uint64_t Lines; // of the block
    unsigned Rare;
  } Cases[] = {{1000, 512, 0}, {2000, 512, 0}, {100, 512, 0},
               {99, 256, 1},   {10, 256, 1},   {1, 256, 1}};
  for (const auto &Case : Cases) {
    KernelFacts K =
        kernel({rowPerThread(0), measured(rowPerThread(1), Case.Requests, 32)});
    K.Loops[0].Measured.Iterations = 1000;
    LoopFootprint F = footprint(K, block(256));
    EXPECT_EQ(F.linesPerBlock(1), Case.Lines) << Case.Requests;
    EXPECT_EQ(F.RareAccesses, Case.Rare) << Case.Requests;
  }
}

TEST(MeasuredFootprint, RareReuseIsNoReuse) {
  KernelFacts K = kernel({measured(rowPerThread(), 1, 32)});
  EXPECT_TRUE(footprint(K, block(256)).HasReuse);
  K.Loops[0].Measured.Iterations = 1000;
  EXPECT_FALSE(footprint(K, block(256)).HasReuse);
}

// An inner loop that is entered in every twentieth iteration.
TEST(MeasuredFootprint, InnerLoopsThatRanSeldomDoNotCount) {
  KernelFacts K = kernel({rowPerThread()});
  addInnerLoop(K, 0, 4).Accesses = {measured(gather(), 200, 6400)};
  K.Loops[1].Accesses[0].Loop = 1;
  K.Loops[0].Measured.Iterations = 1000;
  K.Loops[1].Measured = {50, 200, 0, {}};
  EXPECT_EQ(footprint(K, block(256)).RareAccesses, 1u);
  EXPECT_EQ(footprint(K, block(256), 1).RareAccesses, 0u);
}

//===--------------------------------------------------------------------===//
// Reuse
//===--------------------------------------------------------------------===//

// 8 lines a warp, 8 warps a block, 8 blocks an SM: 512 lines of an iteration.
TEST(MeasuredFootprint, ReuseIsWhatComesAgainWithinAnIteration) {
  struct {
    const char *What;
    unsigned Bucket;
    uint64_t Soon, Never;
    bool HasReuse;
  } Cases[] = {
      {"all within 256 to 511 lines", 9, 100, 0, true},
      {"half", 9, 50, 50, true},
      {"less than half", 9, 49, 51, false},
      {"after 512 to 1023 lines", 10, 100, 0, false},
      {"no touches", 0, 0, 0, false},
  };
  for (const auto &Case : Cases) {
    AccessPattern Access = measured(gather(), 100, 800);
    // Computed anew in each iteration: its stride is not known.
    Access.Measured->Reuse.Count[Case.Bucket] = Case.Soon;
    Access.Measured->Reuse.Never = Case.Never;
    KernelFacts K = kernel({Access});
    K.Unknowns = {{0}};
    EXPECT_EQ(footprint(K, block(256)).HasReuse, Case.HasReuse) << Case.What;
  }
}

TEST(MeasuredFootprint, AKnownStrideDecidesReuse) {
  AccessPattern Access = measured(gather(), 100, 800);
  Access.Measured->Reuse.Never = 100;
  EXPECT_TRUE(footprintOf(Access, block(256)).HasReuse); // does not move
  Access.Address = Access.Address + 256 * iter(0);
  Access.Measured->Reuse = {};
  Access.Measured->Reuse.Count[0] = 100;
  EXPECT_FALSE(footprintOf(Access, block(256)).HasReuse);
}

} // namespace
