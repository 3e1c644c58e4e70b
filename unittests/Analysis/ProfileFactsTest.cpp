// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// From a profile to a kernel's facts: which access is which, what loops of the
/// source did when the compiler had unrolled them, what unknown launches take.

#include "sluice/Analysis/ProfileFacts.h"
#include "KernelsByHand.h"

using namespace llvm;
using namespace sluice;

namespace {

//===--------------------------------------------------------------------===//
// Reuse distances
//===--------------------------------------------------------------------===//

TEST(ShareWithin, ByHand) {
  ReuseHistogram Reuse;
  Reuse.Count[0] = 10; // distance 0
  Reuse.Count[3] = 40; // [4, 8)
  Reuse.Count[4] = 40; // [8, 16)
  Reuse.Never = 10;
  struct {
    double Lines, Share;
  } Cases[] = {
      {0, 0},    {1, 0.1},  {4, 0.1},  {6, 0.3},    {8, 0.5},
      {12, 0.7}, {16, 0.9}, {17, 0.9}, {1e18, 0.9},
  };
  for (const auto &Case : Cases)
    EXPECT_DOUBLE_EQ(shareWithin(Reuse, Case.Lines).value(), Case.Share)
        << Case.Lines;
}

TEST(ShareWithin, OfNoTouches) {
  EXPECT_EQ(shareWithin(ReuseHistogram(), 8), std::nullopt);
}

//===--------------------------------------------------------------------===//
// Accesses
//===--------------------------------------------------------------------===//

AccessPattern loadAt(unsigned Line, std::vector<SourcePlace> InlinedAt = {}) {
  AccessPattern A = rowPerThread();
  A.Id.Place = {"k.cu", Line, 7};
  A.Id.InlinedAt = std::move(InlinedAt);
  return A;
}

AccessProfile ran(const AccessPattern &Access, uint64_t Requests,
                  uint64_t Lines = 0) {
  AccessProfile P;
  P.Id = Access.Id;
  P.Kind = Access.IsStore ? "store" : "load";
  P.Counts.Requests = Requests;
  P.Counts.Lines = Lines;
  P.Counts.Sectors = 2 * Lines;
  return P;
}

TEST(AddMeasurements, TellsAccessesApart) {
  SourcePlace Call = {"k.cu", 40, 3}, OtherCall = {"k.cu", 41, 3};
  AccessPattern Load = loadAt(12), Called = loadAt(12, {Call}),
                CalledElsewhere = loadAt(12, {OtherCall}), Store = loadAt(12),
                SecondOfMacro = loadAt(12), NotRun = loadAt(13),
                Nowhere = rowPerThread();
  Store.IsStore = true;
  SecondOfMacro.Id.Ordinal = 1;

  KernelProfile Measured;
  Measured.Accesses = {ran(Load, 4, 40), ran(Called, 5, 5), ran(Store, 6, 12),
                       ran(NotRun, 0), ran(Nowhere, 7, 7)};
  KernelFacts K = kernel(
      {Load, Called, CalledElsewhere, Store, SecondOfMacro, NotRun, Nowhere});
  addMeasurements(Measured, /*SameGPU=*/true, K);

  std::vector<AccessPattern> &A = K.Loops[0].Accesses;
  ASSERT_TRUE(A[0].Measured && A[1].Measured && A[3].Measured && A[4].Measured);
  EXPECT_EQ(A[0].Measured->linesPerRequest(), 10);
  EXPECT_EQ(A[0].Measured->sectorsPerRequest(), 20);
  EXPECT_EQ(A[1].Measured->Requests, 5u);
  EXPECT_EQ(A[3].Measured->Requests, 6u);
  EXPECT_EQ(A[4].Measured->Requests, 4u); // those of one macro are one
  EXPECT_FALSE(A[2].Measured);            // not inlined there when it ran
  EXPECT_FALSE(A[5].Measured);
  EXPECT_FALSE(A[6].Measured); // any could be at an unknown place
}

//===--------------------------------------------------------------------===//
// Loops
//===--------------------------------------------------------------------===//

/// A copy of the loop that stands at k.cu:10:5.
LoopProfile copy(unsigned Ordinal, uint64_t Entries, uint64_t Iterations) {
  LoopProfile L;
  L.Id = {{"k.cu", 10, 5}, {}, Ordinal};
  L.Entries = Entries;
  L.Iterations = Iterations;
  return L;
}

struct LoopCase {
  const char *What;
  std::vector<LoopProfile> Copies;
  uint64_t Requests; ///< Of its access; 0: none.
  bool InOther;      ///< In a loop at another place.
  std::optional<uint64_t> TripCount;
};

TEST(AddMeasurements, TripCounts) {
  // Two blocks of 128 threads: 8 warps.
  const LoopCase Cases[] = {
      {"as the source has it", {copy(0, 8, 400)}, 400, false, 50},
      {"rounded up", {copy(0, 8, 401)}, 0, false, 51},
      {"entered by some warps", {copy(0, 4, 400)}, 0, false, 100},
      {"4 iterations at a time, and the rest",
       {copy(0, 8, 96), copy(1, 8, 12)},
       396,
       false,
       50},
      {"nothing that ran in all iterations",
       {copy(0, 8, 96), copy(1, 8, 12)},
       40,
       false,
       14},
      {"a copy for each iteration around it",
       {copy(0, 8, 80), copy(1, 8, 80)},
       160,
       true,
       10},
      {"unrolled completely", {}, 400, false, std::nullopt},
      {"another loop", {}, 0, false, std::nullopt},
      {"never entered", {copy(0, 0, 0)}, 0, false, std::nullopt},
  };
  for (const LoopCase &Case : Cases) {
    KernelProfile Measured;
    Measured.Launches.resize(1);
    Measured.Launches[0].Block = LaunchDim::known(128);
    Measured.SimulatedBlocks = 2;
    Measured.Loops = Case.Copies;
    if (Case.Requests != 0)
      Measured.Accesses = {ran(loadAt(12), Case.Requests)};
    KernelFacts K = kernel({});
    LoopFacts *Loop = K.Loops.data();
    if (Case.InOther)
      Loop = &addInnerLoop(K, 0, std::nullopt);
    Loop->Id.Place = {"k.cu", 10, 5};
    Loop->Accesses = {loadAt(12)};
    addMeasurements(Measured, true, K);
    Loop = &K.Loops.back();
    EXPECT_EQ(tripCount(*Loop, block(128)), Case.TripCount) << Case.What;
  }
}

TEST(AddMeasurements, WhatTheCompilerKnowsOfALoopCounts) {
  LoopFacts Loop;
  Loop.Measured = {10, 500, 0, {}};
  EXPECT_EQ(tripCount(Loop, block(32)), 50u);
  Loop.TripForm = arg(0); // not known at this launch
  EXPECT_EQ(tripCount(Loop, block(32)), 50u);
  Loop.TripForm = c(7);
  EXPECT_EQ(tripCount(Loop, block(32)), 7u);
  Loop.TripCount = 8;
  EXPECT_EQ(tripCount(Loop, block(32)), 8u);
}

//===--------------------------------------------------------------------===//
// Launches
//===--------------------------------------------------------------------===//

LaunchProfile shape(uint64_t Grid, uint64_t Block, uint64_t Launches,
                    uint64_t Shared = 0) {
  LaunchProfile L;
  L.Grid = LaunchDim::known(Grid);
  L.Block = LaunchDim::known(Block);
  L.DynamicSharedBytes = Shared;
  L.Launches = Launches;
  return L;
}

LaunchConfig launch(std::optional<uint64_t> Grid,
                    std::optional<uint64_t> Block) {
  LaunchConfig L;
  L.Grid = {{Grid, 1, 1}};
  L.Block = {{Block, 1, 1}};
  L.DynamicSharedBytes = 0;
  L.Place = {"host.cu", 5, 3};
  return L;
}

TEST(AddMeasurements, PredictionsAreOfTheProfilesL1AndGPU) {
  KernelProfile Measured;
  Measured.L1Bytes = 28672;
  Measured.FewerBlocks = {{BlocksPrediction::All, 1000}};
  for (const bool SameGPU : {true, false}) {
    KernelFacts K = kernel({});
    addMeasurements(Measured, SameGPU, K);
    EXPECT_EQ(K.PredictedL1Bytes, SameGPU ? 28672u : 0u);
    EXPECT_EQ(K.FewerBlocks.empty(), !SameGPU);
  }
}

/// "1056x256 (profile)", one a launch.
std::string launchesWith(std::vector<LaunchConfig> InSource,
                         std::vector<LaunchProfile> Seen, bool SameGPU = true) {
  KernelProfile Measured;
  Measured.Launches = std::move(Seen);
  KernelFacts K = kernel({});
  K.Launches = std::move(InSource);
  addMeasurements(Measured, SameGPU, K);
  std::string Text;
  for (const LaunchConfig &L : K.Launches) {
    Text += Text.empty() ? "" : ", ";
    Text += L.Grid.total() ? std::to_string(*L.Grid.total()) : "?";
    Text += "x";
    Text += L.Block.total() ? std::to_string(*L.Block.total()) : "?";
    Text += L.FromProfile ? " profile" : "";
    Text += L.Measured ? " measured" : "";
  }
  return Text;
}

constexpr std::nullopt_t Unknown = std::nullopt;

TEST(AddMeasurements, Launches) {
  std::vector<LaunchProfile> Seen = {shape(10, 128, 1), shape(20, 256, 5),
                                     shape(30, 256, 3)};
  EXPECT_EQ(launchesWith({}, Seen),
            "20x256 profile measured, 30x256 profile measured, "
            "10x128 profile measured");
  EXPECT_EQ(launchesWith({launch(Unknown, Unknown)}, Seen),
            "20x256 profile measured, 30x256 profile measured, "
            "10x128 profile measured");
  EXPECT_EQ(launchesWith({launch(Unknown, 128)}, Seen),
            "10x128 profile measured");
  // Known ones stay what they are, seen or not.
  EXPECT_EQ(launchesWith({launch(30, 256)}, Seen), "30x256 measured");
  EXPECT_EQ(launchesWith({launch(40, 256)}, Seen), "40x256");
  EXPECT_EQ(launchesWith({launch(30, 256)}, Seen, /*SameGPU=*/false), "30x256");
  // An unknown one that was not seen stays unknown.
  EXPECT_EQ(launchesWith({launch(Unknown, 64)}, Seen), "?x64");
  EXPECT_EQ(launchesWith({launch(Unknown, Unknown)}, {}), "?x?");
  EXPECT_EQ(launchesWith({}, {}), "");
  // Two that could both be the same count once.
  EXPECT_EQ(launchesWith({launch(Unknown, 128), launch(Unknown, 128)}, Seen),
            "10x128 profile measured");
}

TEST(AddMeasurements, LaunchesWithOtherSharedMemoryAreOthers) {
  EXPECT_EQ(launchesWith({launch(Unknown, 128)}, {shape(10, 128, 1, 4096)}),
            "?x128");
  LaunchConfig AnyShared = launch(10, 128);
  AnyShared.DynamicSharedBytes = std::nullopt;
  EXPECT_EQ(launchesWith({AnyShared}, {shape(10, 128, 1, 4096)}),
            "10x128 profile measured");
}

TEST(AddMeasurements, TakesTheMostFrequentLaunches) {
  std::vector<LaunchProfile> Seen;
  for (uint64_t I = 1; I <= 40; ++I)
    Seen.push_back(shape(I, 32, I));
  KernelProfile Measured;
  Measured.Launches = Seen;
  KernelFacts K = kernel({});
  addMeasurements(Measured, true, K);
  ASSERT_EQ(K.Launches.size(), MaxProfiledLaunches);
  EXPECT_EQ(K.Launches.front().Grid.total(), 40u);
  EXPECT_EQ(K.Launches.back().Grid.total(), 25u);
}

TEST(AddMeasurements, ProfiledLaunchesKeepPlaceAndArguments) {
  KernelProfile Measured;
  Measured.Launches = {shape(10, 128, 1)};
  KernelFacts K = kernel({});
  K.Launches = {launch(Unknown, 128)};
  K.Launches[0].Arguments = {std::nullopt, 512};
  addMeasurements(Measured, true, K);
  ASSERT_EQ(K.Launches.size(), 1u);
  EXPECT_EQ(K.Launches[0].Place.str(), "host.cu:5:3");
  EXPECT_EQ(K.Launches[0].Arguments[1], 512);
}

} // namespace
