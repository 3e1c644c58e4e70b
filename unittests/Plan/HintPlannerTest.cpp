// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Which loads bypass the L1 by what a profile counted, and which do not.

#include "sluice/Plan/HintPlanner.h"
#include "sluice/Analysis/Profile.h"
#include "gmock/gmock.h"

using namespace llvm;
using namespace sluice;
using ::testing::HasSubstr;

namespace {

/// A load that hits \p Alone of 10,000 sectors if it alone is cached, and \p
/// Hits with all others.
AccessProfile loadOf(unsigned Line, uint64_t Alone, uint64_t Hits) {
  AccessProfile A;
  A.Id.Place = {"k.cu", Line, 3};
  A.Kind = "load";
  A.Counts.Sectors = A.SectorsAlone = 10000;
  A.Counts.Hits = Hits;
  A.HitsAlone = Alone;
  return A;
}

/// A vector that is gathered, in line 5, and the matrix that streams by it and
/// costs it hits.
KernelProfile gatherBesideStream() {
  KernelProfile K;
  K.Name = "_Z1kv";
  K.Accesses = {loadOf(4, 0, 0), loadOf(5, 8000, 7000)};
  K.Pairs = {{0, 1, 7000}};
  K.Time.Cycles = 100;
  K.Time.L2Cycles = 80;
  return K;
}

std::string whyNot(const KernelProfile &K) {
  HintDecision D = planHints(K);
  EXPECT_TRUE(D.Loads.empty());
  return D.Why;
}

TEST(HintPlanner, AStreamThatCostsHitsBypasses) {
  HintDecision D = planHints(gatherBesideStream());
  ASSERT_EQ(D.Loads.size(), 1u);
  EXPECT_EQ(D.Loads[0].Id.str(), "k.cu:4:3");
  EXPECT_EQ(D.Loads[0].Hint.str(), "L1::no_allocate");
  // 1,000 sectors of 32 bytes.
  EXPECT_EQ(D.Loads[0].Why,
            "by the profile it has no hits and costs other loads 31 KiB of "
            "theirs");
  // Of 10,000 + 3,000 that come.
  EXPECT_EQ(D.Why, "1 of 2 loads bypass the L1, which by the profile saves "
                   "7.7 % of what comes from the L2");
}

TEST(HintPlanner, WithoutAConflictAllAreCached) {
  KernelProfile K = gatherBesideStream();
  K.Pairs[0].Hits = 8000;
  EXPECT_THAT(whyNot(K), HasSubstr("none costs the others hits"));
}

// spmv_csr's 25:26 on an H100: the optimum of the graph without it, and 0.79 of
// the speed.
TEST(HintPlanner, ALoadWithHitsOfItsOwnIsCached) {
  KernelProfile K = gatherBesideStream();
  K.Accesses[0].HitsAlone = 500;
  EXPECT_THAT(whyNot(K), HasSubstr("have hits of their own"));
  K.Accesses[0].HitsAlone = 100; // 1 %
  EXPECT_EQ(planHints(K).Loads.size(), 1u);
}

TEST(HintPlanner, LittleIsNotWorthAHint) {
  KernelProfile K = gatherBesideStream();
  K.Pairs[0].Hits = 7800; // 200 of 13,000
  EXPECT_EQ(whyNot(K), "no load bypasses the L1: that would save 1.5 % of what "
                       "comes from the L2, and pays from 2 % on");
  HintThresholds Thresholds;
  Thresholds.LeastSaved = 0.01;
  EXPECT_EQ(planHints(K, true, Thresholds).Loads.size(), 1u);
}

// By pairs each of two streams costs what they cost together.
TEST(HintPlanner, NoMoreIsSavedThanComes) {
  KernelProfile K = gatherBesideStream();
  K.Accesses = {loadOf(4, 0, 10000), loadOf(5, 8000, 9990), loadOf(6, 0, 9990)};
  K.Pairs = {{0, 1, 1000}, {1, 2, 1000}};
  EXPECT_THAT(planHints(K).Why, HasSubstr("2 of 3"));
  EXPECT_THAT(planHints(K).Why, HasSubstr("saves 100.0 %"));
}

TEST(HintPlanner, TrafficIsNotTimeWhereInstructionsBind) {
  KernelProfile K = gatherBesideStream();
  K.Time.IssueCycles = 95;
  EXPECT_THAT(whyNot(K), HasSubstr("instructions are what takes the time"));
}

TEST(HintPlanner, NothingToGoBy) {
  KernelProfile K = gatherBesideStream();
  for (AccessProfile &A : K.Accesses)
    A.SectorsAlone = A.HitsAlone = 0;
  K.Pairs.clear();
  EXPECT_THAT(whyNot(K), HasSubstr("pairs"));
  EXPECT_THAT(whyNot(KernelProfile()), HasSubstr("none costs"));
}

//===----------------------------------------------------------------------===//
// By simulated times
//===----------------------------------------------------------------------===//

/// The same, with evict_last on what is gathered.
KernelProfile withPrediction(uint64_t Nanoseconds) {
  KernelProfile K = gatherBesideStream();
  K.Hints = {{{}, 1100000},
             {{{1, cantFail(parseCacheHint("L1::evict_last"))}}, Nanoseconds}};
  return K;
}

TEST(HintPlanner, TheFastestThatWasSimulatedIsTaken) {
  HintDecision D = planHints(withPrediction(1000000));
  ASSERT_EQ(D.Loads.size(), 1u);
  EXPECT_EQ(D.Loads[0].Id.str(), "k.cu:5:3");
  EXPECT_EQ(D.Loads[0].Hint.str(), "L1::evict_last");
  EXPECT_EQ(D.Why, "with hints on 1 of its loads the kernel is predicted to "
                   "take 1.000 ms, without 1.100");
}

TEST(HintPlanner, WhatGainsLittleIsLeftToTheGraph) {
  HintDecision D = planHints(withPrediction(1000001));
  ASSERT_EQ(D.Loads.size(), 1u);
  EXPECT_EQ(D.Loads[0].Hint.str(), "L1::no_allocate");
}

TEST(HintPlanner, TimesOfOtherCodeDoNotCount) {
  HintDecision D = planHints(withPrediction(500000), /*RunsAsSimulated=*/false);
  ASSERT_EQ(D.Loads.size(), 1u);
  EXPECT_EQ(D.Loads[0].Hint.str(), "L1::no_allocate");
}

//===----------------------------------------------------------------------===//
// Without a profile
//===----------------------------------------------------------------------===//

AddressForm of(Variable::KindTy Kind, unsigned Index = 0) {
  return AddressForm::variable({Kind, Index});
}
AddressForm number(int64_t N) { return AddressForm::constant(N); }
const AddressForm Thread =
    of(Variable::Ctaid) * of(Variable::Ntid) + of(Variable::Tid);

AccessPattern accessOf(unsigned Line, AddressForm Address) {
  AccessPattern A;
  A.Id.Place = {"k.cu", Line, 3};
  A.Bytes = 4;
  A.Address = std::move(Address);
  return A;
}

/// for j: sum += arg0[j * arg3 + i] * arg2[arg1[j * arg3 + i]], lines 4, 6, 5.
KernelFacts ellpack() {
  KernelFacts K;
  K.Unknowns.resize(2);
  K.Unknowns[0].Loop = 0; // loaded0
  LoopFacts L;
  const AddressForm Element =
      number(4) * (Thread + of(Variable::Iterator) * of(Variable::Argument, 3));
  L.Accesses = {accessOf(4, of(Variable::Argument, 0) + Element),
                accessOf(5, of(Variable::Argument, 1) + Element),
                accessOf(6, of(Variable::Argument, 2) +
                                number(4) * of(Variable::Loaded, 0))};
  K.Loops = {L};
  return K;
}

std::string linesOf(const HintDecision &D) {
  std::string Lines;
  for (const LoadPlan &Load : D.Loads) {
    EXPECT_EQ(Load.Hint.str(), "L1::no_allocate");
    Lines += " " + std::to_string(Load.Id.Place.Line);
  }
  EXPECT_EQ(D.Loads.empty(), D.Why.empty());
  return Lines;
}

TEST(StaticHints, StreamsBesideAnIndirectLoadBypass) {
  HintDecision D = planStaticHints(ellpack());
  EXPECT_EQ(linesOf(D), " 4 5");
  EXPECT_EQ(D.Loads[0].Why,
            "no thread reads it twice, and the load at k.cu:6:3 "
            "is indirect and may find its lines again");
  EXPECT_EQ(D.Why, "2 loads that no thread reads twice bypass the L1 for the "
                   "sake of indirect loads");
}

TEST(StaticHints, JumpsByAValueThatEachIterationReads) {
  KernelFacts K = ellpack();
  K.Unknowns[1].Loop = 0;
  AddressForm &Address = K.Loops[0].Accesses[0].Address;
  Address = of(Variable::Argument, 0) + number(4) * Thread +
            number(4) * of(Variable::Uniform, 1);
  EXPECT_EQ(linesOf(planStaticHints(K)), " 4 5");
  K.Unknowns[1].Loop.reset(); // the same in all iterations
  EXPECT_EQ(linesOf(planStaticHints(K)), " 5");
}

TEST(StaticHints, JumpsByTheGrid) {
  KernelFacts K = ellpack();
  K.Loops[0].Accesses[0].Address =
      of(Variable::Argument, 0) + number(4) * Thread +
      number(4) * of(Variable::Iterator) * of(Variable::Nctaid) *
          of(Variable::Ntid);
  EXPECT_EQ(linesOf(planStaticHints(K)), " 4 5");
}

TEST(StaticHints, NotWithoutAnIndirectLoad) {
  KernelFacts K = ellpack();
  K.Loops[0].Accesses.pop_back();
  EXPECT_EQ(linesOf(planStaticHints(K)), "");
  K = ellpack();
  K.Loops[0].Accesses.back().IsStore = true;
  EXPECT_EQ(linesOf(planStaticHints(K)), "");
}

TEST(StaticHints, WhatIsNoStream) {
  auto LinesWith = [](AddressForm Address) {
    KernelFacts K = ellpack();
    K.Loops[0].Accesses[0].Address = of(Variable::Argument, 0) + Address;
    return linesOf(planStaticHints(K));
  };
  const AddressForm Jump =
      number(4) * of(Variable::Iterator) * of(Variable::Argument, 3);
  EXPECT_EQ(LinesWith(number(4) * Thread + Jump), " 4 5");
  // The same each time; by a constant, into what a neighbour has read.
  EXPECT_EQ(LinesWith(number(4) * Thread), " 5");
  EXPECT_EQ(LinesWith(number(4) * Thread + number(4) * of(Variable::Iterator)),
            " 5");
  // A row for each thread; every second element; the same for all blocks.
  EXPECT_EQ(LinesWith(number(2048) * Thread + Jump), " 5");
  EXPECT_EQ(LinesWith(number(8) * Thread + Jump), " 5");
  EXPECT_EQ(LinesWith(number(4) * of(Variable::Tid) + Jump), " 5");
  // A window of neighbours, in two loops.
  EXPECT_EQ(LinesWith(number(4) * Thread + Jump +
                      number(4) * of(Variable::Iterator, 1) *
                          of(Variable::Argument, 4)),
            " 5");
  // The same for all threads; by a value of the thread.
  EXPECT_EQ(LinesWith(Jump), " 5");
  EXPECT_EQ(LinesWith(number(4) * Thread + Jump + of(Variable::Varying, 1)),
            " 5");
}

// An integer of the kernel has the factor 1 too where elements are bytes.
TEST(StaticHints, AnIntegerIsNoSecondPointer) {
  KernelFacts K = ellpack();
  AddressForm &Address = K.Loops[0].Accesses[0].Address;
  Address = Address + of(Variable::Argument, 4);
  EXPECT_EQ(linesOf(planStaticHints(K)), " 5");
  K.Parameters.resize(5);
  K.Parameters[4] = {"v.first", "", INT32_MAX, ParameterField{2, 8, 4}};
  EXPECT_EQ(linesOf(planStaticHints(K)), " 4 5");
}

TEST(StaticHints, ALoopInTwoVersionsHasOneEntry) {
  KernelFacts K = ellpack();
  for (unsigned Copy = 0; Copy < 2; ++Copy)
    K.Loops[0].Accesses.push_back(K.Loops[0].Accesses[Copy]);
  K.Loops[0].Accesses[3].Id.Ordinal = K.Loops[0].Accesses[4].Id.Ordinal = 1;
  EXPECT_EQ(linesOf(planStaticHints(K)), " 4 5");
}

TEST(StaticHints, NotWhereSomethingElseReadsOrWritesIt) {
  KernelFacts K = ellpack();
  LoopFacts Other;
  Other.Accesses = {accessOf(9, of(Variable::Argument, 0))};
  K.Loops.push_back(Other);
  EXPECT_EQ(linesOf(planStaticHints(K)), " 5");
  K.Loops.back().Accesses.back().IsStore = true;
  EXPECT_EQ(linesOf(planStaticHints(K)), " 5");
}

} // namespace
