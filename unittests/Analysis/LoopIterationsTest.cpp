// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// What the iterations of hand-made loops do: which come back to a cache line
/// (CATT's Eq. 6), which are folded into an outer loop's footprint, and how
/// many there are.

#include "KernelsByHand.h"

using namespace llvm;
using namespace sluice;

namespace {

//===--------------------------------------------------------------------===//
// Eq. 6: reuse
//===--------------------------------------------------------------------===//

TEST(LoopFootprintEq6, ReuseUpToALine) {
  struct {
    int64_t Stride;
    bool Reuse;
  } Cases[] = {{0, true},    {4, true},     {128, true},
               {129, false}, {132, false},  {-4, true},
               {-128, true}, {-132, false}, {1 << 30, false}};
  for (const auto &Case : Cases) {
    AccessFootprint F = footprintOf(
        load(arg(0) + 2048 * globalX() + Case.Stride * iter(0)), block(256));
    EXPECT_EQ(F.IterationStride, Case.Stride);
    EXPECT_EQ(F.HasReuse, Case.Reuse) << Case.Stride;
  }
}

TEST(LoopFootprintEq6, OneLoadWithReuseIsEnough) {
  KernelFacts K = kernel({coalesced(), uniform()});
  LoopFootprint F = footprint(K, block(256));
  EXPECT_FALSE(F.Accesses[0].HasReuse);
  EXPECT_TRUE(F.Accesses[1].HasReuse);
  EXPECT_TRUE(F.HasReuse);
}

TEST(LoopFootprintEq6, StrideByTheLaunch) {
  // A grid-stride loop: 4 * ntid.x * nctaid.x bytes.
  AccessPattern GridStride =
      load(arg(0) + 4 * (globalX() + var(Variable::Ntid, 0) *
                                         var(Variable::Nctaid, 0) * iter(0)));
  LaunchConfig Launch = block(256);
  EXPECT_EQ(footprintOf(GridStride, Launch).IterationStride, std::nullopt);
  Launch.Grid = LaunchDim::known(10);
  EXPECT_EQ(footprintOf(GridStride, Launch).IterationStride, 10240);
}

TEST(LoopFootprintEq6, NoStrideIsKnownForASquare) {
  // 0, 4, 16, 36, ...: no one distance.
  AccessFootprint F =
      footprintOf(load(arg(0) + 4 * iter(0) * iter(0)), block(256));
  EXPECT_EQ(F.IterationStride, std::nullopt);
  EXPECT_FALSE(F.HasReuse);
}

TEST(LoopFootprintUnknown, IndirectHasNoReuse) {
  // x[col[j]]: the index is loaded in each iteration.
  KernelFacts K = kernel({load(arg(0) + 4 * loaded(0))});
  K.Unknowns = {{/*Loop=*/0}};
  LoopFootprint F = footprint(K, block(256));
  expectAssumed(F.Accesses[0], 8);
  EXPECT_EQ(F.Accesses[0].IterationStride, std::nullopt);
  EXPECT_FALSE(F.HasReuse);
}

TEST(LoopFootprintUnknown, RowStartLoadedBeforeTheLoopHasReuse) {
  // col[rowStart + j] of CSR.
  KernelFacts K = kernel({load(arg(0) + 4 * loaded(0) + 4 * iter(0))});
  K.Unknowns = {{/*Loop=*/std::nullopt}};
  LoopFootprint F = footprint(K, block(256));
  expectAssumed(F.Accesses[0], 8);
  EXPECT_EQ(F.Accesses[0].IterationStride, 4);
  EXPECT_TRUE(F.HasReuse);
}

TEST(LoopFootprintUnknown, ReuseIsOfTheLoopThatDoesNotLoadTheBase) {
  // for i: { start = row[i]; for j < 4: col[start + j] }
  KernelFacts K = kernel({});
  addInnerLoop(K, 0, 4).Accesses = {load(arg(0) + 4 * loaded(0) + 4 * iter(1))};
  K.Unknowns = {{/*Loop=*/0}};
  EXPECT_FALSE(footprint(K, block(256), 0).HasReuse);
  EXPECT_TRUE(footprint(K, block(256), 1).HasReuse);
}

//===--------------------------------------------------------------------===//
// Inner loops
//===--------------------------------------------------------------------===//

TEST(LoopFootprintNest, FewInnerIterationsAreFoldedIn) {
  struct {
    const char *What;
    int64_t InnerStride;
    unsigned LinesPerWarp, SectorsPerWarp;
  } Cases[] = {
      {"four lines", 128, 4 * 32, 4 * 32},
      {"four sectors of a line", 32, 32, 4 * 32},
      {"four floats of a sector", 4, 32, 32},
      {"the same", 0, 32, 32},
  };
  for (const auto &Case : Cases) {
    KernelFacts K = kernel({});
    addInnerLoop(K, 0, 4).Accesses = {
        load(arg(0) + 2048 * tid() + Case.InnerStride * iter(1))};
    LoopFootprint F = footprint(K, block(256));
    EXPECT_EQ(F.Accesses[0].LinesPerWarp, Case.LinesPerWarp) << Case.What;
    EXPECT_EQ(F.Accesses[0].SectorsPerWarp, Case.SectorsPerWarp) << Case.What;
    EXPECT_EQ(F.linesPerBlock(1), 8 * Case.LinesPerWarp) << Case.What;
  }
}

TEST(LoopFootprintNest, StrideIsOfTheLoopAsked) {
  KernelFacts K = kernel({});
  addInnerLoop(K, 0, 4).Accesses = {
      load(arg(0) + 2048 * tid() + 512 * iter(0) + 4 * iter(1))};
  EXPECT_EQ(footprint(K, block(256), 0).Accesses[0].IterationStride, 512);
  EXPECT_EQ(footprint(K, block(256), 1).Accesses[0].IterationStride, 4);
}

TEST(LoopFootprintNest, OuterAccessesAreNotTheInnerLoops) {
  KernelFacts K = kernel({rowPerThread(0)});
  addInnerLoop(K, 0, 4).Accesses = {load(arg(1) + 4 * iter(1))};
  EXPECT_EQ(footprint(K, block(32), 0).linesPerBlock(1), 33u);
  EXPECT_EQ(footprint(K, block(32), 1).linesPerBlock(1), 1u);
}

TEST(LoopFootprintNest, TwoLevelsMultiply) {
  KernelFacts K = kernel({});
  addInnerLoop(K, 0, 3);
  addInnerLoop(K, 1, 5).Accesses = {
      load(arg(0) + 4096 * iter(1) + 128 * iter(2))};
  EXPECT_EQ(footprint(K, block(32), 0).linesPerBlock(1), 15u);
  EXPECT_EQ(footprint(K, block(32), 1).linesPerBlock(1), 5u);
  EXPECT_EQ(footprint(K, block(32), 2).linesPerBlock(1), 1u);
}

TEST(LoopFootprintNest, RowsOfUnknownLengthAreDifferentLines) {
  // A[k * n + i] for k < 4: four bases, one sector of each.
  KernelFacts K = kernel({});
  addInnerLoop(K, 0, 4).Accesses = {load(arg(0) + 4 * arg(1) * iter(1))};
  LoopFootprint F = footprint(K, block(32));
  EXPECT_EQ(F.Accesses[0].LinesPerWarp, 4u);
  EXPECT_EQ(F.Accesses[0].SectorsPerWarp, 4u);
}

TEST(LoopFootprintNest, TripCountByTheLaunch) {
  KernelFacts K = kernel({});
  LoopFacts &Inner = addInnerLoop(K, 0, std::nullopt);
  Inner.TripForm = arg(1);
  Inner.Accesses = {load(arg(0) + 128 * iter(1))};
  LaunchConfig Launch = block(32);
  Launch.Arguments = {std::nullopt, 6};
  EXPECT_EQ(footprint(K, Launch).linesPerBlock(1), 6u);
}

TEST(LoopFootprintNest, UnknownNamesTheInnerLoop) {
  struct {
    const char *What;
    std::optional<uint64_t> Middle, Inner;
    const char *Said; // empty: the footprint is known
  } Cases[] = {
      {"unknown", 2, std::nullopt, "k.cu:20:5 has an unknown number"},
      {"unknown around it", std::nullopt, 2, "k.cu:10:5 has an unknown number"},
      {"64", 1, 64, ""},
      {"65", 1, 65, "k.cu:20:5 has 65 iterations"},
      {"8 x 8", 8, 8, ""},
      {"9 x 8", 9, 8, "k.cu:10:5 has 9 iterations"},
      {"very many", 1, UINT64_MAX, "k.cu:20:5 has 18446744073709551615"},
      {"very many around it", UINT64_MAX, 2,
       "k.cu:10:5 has 18446744073709551615"},
  };
  for (const auto &Case : Cases) {
    KernelFacts K = kernel({});
    addInnerLoop(K, 0, Case.Middle);
    addInnerLoop(K, 1, Case.Inner).Accesses = {uniform()};
    std::string Unknown = computeLoopFootprint(K, 0, block(32), sm90()).Unknown;
    if (*Case.Said)
      EXPECT_NE(Unknown.find(Case.Said), std::string::npos)
          << Case.What << ": " << Unknown;
    else
      EXPECT_EQ(Unknown, "") << Case.What;
  }
}

TEST(LoopFootprintNest, InnerLoopWithoutAccessesMayBeAnything) {
  KernelFacts K = kernel({rowPerThread()});
  addInnerLoop(K, 0, std::nullopt);
  EXPECT_EQ(footprint(K, block(256)).linesPerBlock(1), 256u);
}

//===--------------------------------------------------------------------===//
// Trip counts
//===--------------------------------------------------------------------===//

TEST(TripCount, IsAConstantOrWhatTheLaunchMakesOfTheForm) {
  LaunchConfig Launch = block(256);
  Launch.Grid = LaunchDim::known(10);
  Launch.Arguments = {std::nullopt, 512, -3};
  struct {
    const char *What;
    std::optional<uint64_t> Constant;
    AddressForm Form;
    std::optional<uint64_t> Trip;
  } Cases[] = {
      {"a constant", 7, {}, 7},
      {"a constant of zero", 0, {}, 0},
      {"nothing known", {}, {}, std::nullopt},
      {"a known argument", {}, arg(1), 512},
      {"an unknown argument", {}, arg(0), std::nullopt},
      {"an argument beyond those known", {}, arg(9), std::nullopt},
      {"the launch's dimensions",
       {},
       var(Variable::Ntid, 0) * var(Variable::Nctaid, 0),
       2560},
      {"by thread", {}, arg(1) - tid(), std::nullopt},
      {"by an outer iterator", {}, iter(0), std::nullopt},
      {"less than none", {}, arg(2), std::nullopt},
  };
  for (const auto &Case : Cases) {
    LoopFacts Loop;
    Loop.TripCount = Case.Constant;
    Loop.TripForm = Case.Form;
    EXPECT_EQ(tripCount(Loop, Launch), Case.Trip) << Case.What;
  }
}

} // namespace
