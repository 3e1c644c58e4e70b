// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// The planner with a profile: a sum over rows whose beginnings are read from
/// memory, as in a sparse matrix, with one thing changed in each case.
///
/// Each of 256 threads walks a row of its own, which the code does not tell:
/// without a profile one line a warp is assumed. Measured are 32. With 8 blocks
/// an SM that is 8 x 256 x 128 = 262144 B against an L1 of 224 KiB = 229376 B:
/// 1.14 times. With N=2 it is 131072 B.

#include "sluice/Plan/ThrottlePlanner.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace sluice;

namespace {

AddressForm var(Variable::KindTy Kind, unsigned Index) {
  return AddressForm::variable({Kind, Index});
}

/// Buckets of reuse distances: from 512 lines, from 2048 and from 4096, each to
/// twice that. The L1 holds 1792 lines.
enum : unsigned { Near = 10, Far = 12, Farther = 13 };

struct Problem {
  KernelFacts Kernel;
  ThrottleOptions Options;

  Problem() {
    Options.SMs = 132;
    Kernel.Name = "k";
    LaunchConfig Launch;
    Launch.Grid = LaunchDim::known(1056);
    Launch.Block = LaunchDim::known(256);
    Launch.DynamicSharedBytes = 0;
    Launch.Place = {"host.cu", 20, 3};
    Kernel.Launches = {Launch};
    AccessPattern Row;
    Row.Id.Place = {"k.cu", 11, 12};
    Row.Bytes = 4;
    Row.Address = var(Variable::Argument, 0) + var(Variable::Loaded, 0) +
                  AddressForm::constant(4) * var(Variable::Iterator, 0);
    Row.Measured = AccessMeasurement{1000, 32000, 32000, {}};
    LoopFacts Loop;
    Loop.Id.Place = Loop.Region.Place = {"k.cu", 10, 5};
    Loop.Instructions = 10;
    Loop.WritesMemory = true;
    Loop.Measured.Entries = 10;
    Loop.Measured.Iterations = 1000;
    Loop.Accesses = {Row};
    Kernel.Loops = {Loop};
  }
  LoopFacts &loop() { return Kernel.Loops[0]; }
  AccessMeasurement &measured() { return *loop().Accesses[0].Measured; }
  /// A profile saw this launch, with these distances.
  Problem &withReuse(uint64_t AtNear, uint64_t AtFar, uint64_t AtFarther,
                     uint64_t Never) {
    Kernel.Launches[0].Measured = true;
    measured().Reuse.Count[Near] = AtNear;
    measured().Reuse.Count[Far] = AtFar;
    measured().Reuse.Count[Farther] = AtFarther;
    measured().Reuse.Never = Never;
    return *this;
  }

  KernelPlan plan() const {
    return planThrottling(Kernel, *cantFail(findGPUModel("sm_90")),
                          {32, "assembler"}, Options);
  }
};

void expectLoop(const KernelPlan &Plan, unsigned N, StringRef Why) {
  ASSERT_EQ(Plan.Loops.size(), 1u);
  EXPECT_EQ(Plan.Loops[0].WarpGroups, N) << Plan.Loops[0].Why;
  EXPECT_TRUE(StringRef(Plan.Loops[0].Why).contains(Why)) << Plan.Loops[0].Why;
}

TEST(MeasuredPlan, WithoutAProfileOneLineIsAssumed) {
  Problem P;
  P.loop().Accesses[0].Measured = std::nullopt;
  P.loop().Measured = {};
  KernelPlan Plan = P.plan();
  expectLoop(Plan, 1, "the footprint is unknown, 8192 to 262144 B");
  EXPECT_EQ(Plan.Loops[0].Accesses[0].MeasuredLinesPerWarp, std::nullopt);
}

TEST(MeasuredPlan, MeasuredLinesAreThrottled) {
  KernelPlan Plan = Problem().plan();
  expectLoop(Plan, 2,
             "footprint 262144 B (8 blocks of 256 lines; measured 32.0 lines a "
             "warp for the load at k.cu:11:12) is beyond the L1 of 229376 B; "
             "with N=2 it is 131072 B");
  EXPECT_EQ(Plan.Loops[0].Accesses[0].MeasuredLinesPerWarp, 32.0);
  EXPECT_EQ(Plan.Loops[0].Accesses[0].LinesPerWarp, 32u);
}

TEST(MeasuredPlan, FewMeasuredLinesAreNot) {
  Problem P;
  P.measured().Lines = 19300;
  expectLoop(P.plan(), 1,
             "(8 blocks of 160 lines; measured 19.3 lines a warp for the load "
             "at k.cu:11:12) fits the L1");
}

TEST(MeasuredPlan, NamesTheAccessWithTheMostLines) {
  Problem P;
  AccessPattern Other = P.loop().Accesses[0];
  Other.Id.Place.Line = 12;
  Other.Measured->Lines = 2000;
  P.loop().Accesses.insert(P.loop().Accesses.begin(), {Other, Other});
  P.loop().Accesses[0].Measured->Requests = 99; // of 1000 iterations
  expectLoop(P.plan(), 2,
             "(8 blocks of 272 lines; measured 32.0 lines a warp for the load "
             "at k.cu:11:12 and 1 more; 1 that ran in less than 10 % of the "
             "iterations not counted)");
}

//===--------------------------------------------------------------------===//
// Trip counts and launches
//===--------------------------------------------------------------------===//

TEST(MeasuredPlan, ShortLoopsAreNotThrottled) {
  Problem P;
  P.loop().Measured.Entries = 200;
  expectLoop(P.plan(), 1, "lasts 5 iterations, and below 8 turns do not pay");
}

TEST(MeasuredPlan, SaysWhichLaunchesAreFromTheProfile) {
  Problem P;
  P.Kernel.Launches[0].FromProfile = true;
  P.Kernel.Launches[0].Grid = LaunchDim::known(132);
  P.Kernel.Launches.push_back(P.Kernel.Launches[0]);
  P.Kernel.Launches[1].Grid = LaunchDim::known(264);
  KernelPlan Plan = P.plan();
  expectLoop(Plan, 1,
             "the profile's launch of 132 blocks of 256 threads: footprint "
             "32768 B");
  ASSERT_EQ(Plan.Launches.size(), 2u);
  EXPECT_TRUE(Plan.Launches[0].FromProfile);
}

//===--------------------------------------------------------------------===//
// Reuse distances instead of estimates
//===--------------------------------------------------------------------===//

TEST(MeasuredPlan, ReuseDistancesDecideWhetherTurnsPay) {
  struct {
    const char *What;
    uint64_t Near, Far, Farther, Never;
    unsigned N;
    const char *Why;
  } Cases[] = {
      {"all is lost and would be kept", 0, 1000, 0, 30, 2, "with N=2"},
      {"all is kept already", 1000, 0, 0, 30, 1, "too little to save"},
      {"all would be lost still", 0, 0, 1000, 30, 1, "too little to save"},
      {"half is lost", 500, 500, 0, 30, 2, "with N=2"},
      {"nothing comes again", 0, 0, 0, 1000, 1, "too little to save"},
  };
  for (const auto &Case : Cases) {
    SCOPED_TRACE(Case.What);
    Problem P;
    P.withReuse(Case.Near, Case.Far, Case.Farther, Case.Never);
    expectLoop(P.plan(), Case.N, Case.Why);
    // They know what is loaded together, so it makes no difference.
    P.loop().WritesMemory = false;
    expectLoop(P.plan(), Case.N, Case.Why);
  }
}

TEST(MeasuredPlan, SaysThatLittleIsSaved) {
  Problem P;
  P.withReuse(1000, 0, 0, 0);
  expectLoop(P.plan(), 1,
             "fills 4.0 sectors a warp and iteration, and 4.0 with N=2, by "
             "the measured reuse distances");
}

// A matrix that is regular, walked twice: Eq. 6 to 9 see 1.14 times the L1 in a
// loop that loads several iterations together, which is too little.
TEST(MeasuredPlan, RegularLoopsHaveReuseDistancesToo) {
  Problem P;
  P.loop().WritesMemory = false;
  P.loop().Accesses[0].Address =
      var(Variable::Argument, 0) +
      AddressForm::constant(2048) * var(Variable::Tid, 0) +
      AddressForm::constant(4) * var(Variable::Iterator, 0);
  expectLoop(P.plan(), 1, "is 1.14 times the L1 of 229376 B, and below 1.60");
  P.withReuse(0, 1000, 0, 30);
  expectLoop(P.plan(), 2, "(8 blocks of 256 lines) is beyond the L1");
}

// At the edge of the L1 the same code has runs that thrash and runs that do
// not.
TEST(MeasuredPlan, RegularLoopsThatWouldBeThrottledStayThrottled) {
  Problem P;
  P.loop().Accesses[0].Address =
      var(Variable::Argument, 0) +
      AddressForm::constant(2048) * var(Variable::Tid, 0) +
      AddressForm::constant(4) * var(Variable::Iterator, 0);
  expectLoop(P.plan(), 2, "with N=2");
  P.withReuse(1000, 0, 0, 30);
  expectLoop(P.plan(), 2, "with N=2");
}

TEST(MeasuredPlan, DistancesOfOtherLaunchesAreNotTaken) {
  Problem P;
  P.withReuse(1000, 0, 0, 30);
  P.Kernel.Launches[0].Measured = false;
  expectLoop(P.plan(), 2, "with N=2");
}

TEST(MeasuredPlan, EachLoadMustHaveThem) {
  Problem P;
  P.withReuse(1000, 0, 0, 30);
  AccessPattern Uniform;
  Uniform.Bytes = 4;
  Uniform.Address = var(Variable::Argument, 1);
  P.loop().Accesses.push_back(Uniform);
  expectLoop(P.plan(), 2, "with N=2");
}

TEST(MeasuredPlan, ArithmeticStillBinds) {
  Problem P;
  P.withReuse(0, 1000, 0, 30);
  P.loop().Instructions = 1000;
  expectLoop(P.plan(), 1, "so arithmetic binds");
}

} // namespace
