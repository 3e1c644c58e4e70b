// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In which order an SM's warps do what their traces say. The model's numbers
// are not tested here, but what follows from any.

#include "sluice/Simulator/Simulator.h"
#include "TracesByHand.h"
#include "gtest/gtest.h"
#include <algorithm>

using namespace sluice;
using namespace sluice::byhand;

namespace {

SimulationOptions options(uint64_t L1Bytes = 128 * 1024) {
  SimulationOptions O;
  O.GPU = *findGPUModel("sm_90");
  O.Memory = memoryModel(*O.GPU);
  O.L1Bytes = L1Bytes + O.Memory.L1ReservedBytes;
  return O;
}

CodeSites sites(unsigned Loads, unsigned Loops = 0) {
  CodeSites S;
  for (unsigned I = 0; I < Loads; ++I)
    S.Accesses.push_back(site(I + 1));
  for (unsigned I = 0; I < Loops; ++I)
    S.Loops.push_back(loop(100 + I, int(I) - 1));
  return S;
}

/// The sites of the accesses in the order in which the L1 saw them.
std::vector<unsigned> orderOf(const LaunchTrace &L, SimulationOptions O) {
  std::vector<const uint32_t *> Order;
  O.Order = &Order;
  simulate(L, O);
  std::vector<unsigned> Sites;
  for (const uint32_t *P : Order)
    Sites.push_back(WarpTrace::argument(*P));
  return Sites;
}

TEST(Simulator, NothingToDoTakesNoTime) {
  SimulationResult R =
      simulate(launchOf({WarpWriter().end()}, CodeSites()), options());
  EXPECT_EQ(R.Blocks, 1u);
  EXPECT_EQ(R.IssueCycles, 0u);
  EXPECT_EQ(R.L2Cycles, 0u);
}

TEST(Simulator, ALineHitsWhenItHasArrived) {
  LaunchTrace L = launchOf({WarpWriter()
                                .line(0, 1)
                                .line(0, 1) // on its way
                                .wait()
                                .line(0, 1)
                                .end()},
                           sites(1));
  SimulationResult R = simulate(L, options());
  EXPECT_EQ(R.Sites[0].Sectors, 12u);
  EXPECT_EQ(R.Sites[0].PendingHits, 4u);
  EXPECT_EQ(R.Sites[0].Hits, 4u);
  EXPECT_EQ(R.Sites[0].L2Sectors, 4u);
  EXPECT_EQ(R.Sites[0].DRAMSectors, 4u);
}

TEST(Simulator, OnlyWaitingWarpsWait) {
  const MemoryModel M = options().Memory;
  LaunchTrace Waits =
      launchOf({WarpWriter().line(0, 1).wait().issue(1000).end()}, sites(1));
  LaunchTrace Goes =
      launchOf({WarpWriter().line(0, 1).issue(1000).wait().end()}, sites(1));
  const uint64_t Slow = simulate(Waits, options()).Cycles;
  const uint64_t Fast = simulate(Goes, options()).Cycles;
  EXPECT_GE(Slow, Fast + M.L2HitCycles / 2);
}

TEST(Simulator, WaitsForTheLoadThatIsMeant) {
  // Of two loads, the second a hit: waiting for the last is quick.
  auto Run = [](unsigned Which) {
    LaunchTrace L = launchOf({WarpWriter()
                                  .line(0, 1)
                                  .wait()
                                  .line(1, 1000)
                                  .line(0, 1)
                                  .wait(Which)
                                  .line(2, 1) // right behind
                                  .line(2, 1000)
                                  .end()},
                             sites(3));
    return simulate(L, options()).Sites[2].PendingHits;
  };
  EXPECT_EQ(Run(1), 4u); // line 1000 is still on its way
  EXPECT_EQ(Run(2), 0u);
}

TEST(Simulator, NoWarpPassesABarrierBeforeTheLast) {
  WarpWriter Slow;
  Slow.issue(500).line(0, 1).wait().barrier().line(1, 2);
  LaunchTrace L = launchOf({WarpWriter().barrier().line(1, 2).end(), Slow.end(),
                            WarpWriter().barrier().line(1, 3).end()},
                           sites(2));
  EXPECT_EQ(orderOf(L, options()), (std::vector<unsigned>{0, 1, 1, 1}));
}

TEST(Simulator, AWarpThatHasEndedIsNotWaitedFor) {
  LaunchTrace L = launchOf(
      {WarpWriter().barrier().line(0, 1).end(), WarpWriter().issue(100).end()},
      sites(1));
  EXPECT_EQ(orderOf(L, options()).size(), 1u);
}

// Four warps with a loop of one load each: all at once, or N groups in turn.
LaunchTrace fourWarps() {
  auto Warp = [](unsigned I) {
    WarpWriter W;
    W.enter(0);
    for (unsigned J = 0; J < 10; ++J)
      W.iterate(0).line(I, I * 100 + J).wait();
    return W.exit(0).end();
  };
  return launchOf({Warp(0), Warp(1), Warp(2), Warp(3)}, sites(4, 1));
}

TEST(Simulator, WithoutThrottlingWarpsRunSideBySide) {
  std::vector<unsigned> Order = orderOf(fourWarps(), options());
  ASSERT_EQ(Order.size(), 40u);
  std::vector<bool> Begun(4);
  for (unsigned I = 0; I < 8; ++I)
    Begun[Order[I]] = true;
  EXPECT_EQ(Begun, std::vector<bool>(4, true));
}

TEST(Simulator, AThrottledLoopIsRunByOneGroupAfterAnother) {
  for (unsigned Groups : {2u, 4u}) {
    SimulationOptions O = options();
    O.WarpGroups = {Groups};
    std::vector<unsigned> Order = orderOf(fourWarps(), O);
    ASSERT_EQ(Order.size(), 40u);
    for (unsigned I = 0; I < 40; ++I)
      EXPECT_EQ(Order[I] / (4 / Groups), I / (40 / Groups)) << Groups;
  }
}

TEST(Simulator, ALoopWithinAThrottledOneIsNotThrottledAgain) {
  auto Warp = [](unsigned I) {
    return WarpWriter()
        .enter(0)
        .iterate(0)
        .enter(1)
        .iterate(1)
        .line(I, I)
        .exit(1)
        .exit(0)
        .line(I, I)
        .end();
  };
  SimulationOptions O = options();
  O.WarpGroups = {2, 2};
  LaunchTrace L = launchOf({Warp(0), Warp(1)}, sites(2, 2));
  std::vector<unsigned> Order = orderOf(L, O);
  ASSERT_EQ(Order.size(), 4u);
  EXPECT_EQ(Order[0], 0u);
  EXPECT_EQ(Order[1], 1u);
}

TEST(Simulator, MoreGroupsThanWarpsAreNoMoreThanThose) {
  SimulationOptions O = options();
  O.WarpGroups = {32};
  EXPECT_EQ(orderOf(fourWarps(), O).size(), 40u);
}

TEST(Simulator, HintsTakeThePlaceOfTheCodes) {
  LaunchTrace L = launchOf(
      {WarpWriter().line(0, 1).wait().line(0, 1).wait().line(0, 1).end()},
      sites(1));
  for (L1Hint Around : {L1Hint::NoAllocate, L1Hint::Global}) {
    SimulationOptions O = options();
    O.Hints = {Around};
    SimulationResult R = simulate(L, O);
    EXPECT_EQ(R.Sites[0].Hits, 0u);
    EXPECT_EQ(R.Sites[0].L2Sectors, 12u);
  }
  L.Sites.Accesses[0].Hint = L1Hint::NoAllocate;
  EXPECT_EQ(simulate(L, options()).Sites[0].Hits, 0u);
  SimulationOptions O = options();
  O.Hints = {L1Hint::EvictLast};
  EXPECT_EQ(simulate(L, O).Sites[0].Hits, 8u);
}

TEST(Simulator, OnlyTheFirstWarpsUseTheL1) {
  auto Thrice = [](unsigned Line) {
    return WarpWriter()
        .line(0, Line)
        .wait()
        .line(0, Line)
        .wait()
        .line(0, Line)
        .end();
  };
  LaunchTrace L = launchOf({Thrice(1), Thrice(2), Thrice(3)}, sites(1));
  auto HitsOf = [&](std::optional<unsigned> Cached, L1Hint Hint) {
    SimulationOptions O = options();
    O.CachedWarps = Cached;
    O.Hints = {Hint};
    return simulate(L, O).Sites[0].Hits;
  };
  EXPECT_EQ(HitsOf(std::nullopt, L1Hint::Normal), 24u);
  EXPECT_EQ(HitsOf(3, L1Hint::Normal), 24u);
  EXPECT_EQ(HitsOf(2, L1Hint::EvictLast), 16u);
  EXPECT_EQ(HitsOf(1, L1Hint::Normal), 8u);
  EXPECT_EQ(HitsOf(0, L1Hint::Normal), 0u);
  EXPECT_EQ(HitsOf(2, L1Hint::NoAllocate), 0u);
}

TEST(Simulator, NoMoreBlocksAreResidentThanSaid) {
  LaunchTrace L = launchOf(
      {WarpWriter().line(0, 1).wait().issue(100).line(1, 2).wait().end()},
      sites(2));
  L.Blocks.assign(3, L.Blocks.front());
  SimulationOptions O = options();
  O.BlocksPerSM = 1;
  EXPECT_EQ(orderOf(L, O), (std::vector<unsigned>{0, 1, 0, 1, 0, 1}));
  O.BlocksPerSM = 3;
  EXPECT_EQ(orderOf(L, O), (std::vector<unsigned>{0, 0, 0, 1, 1, 1}));
  EXPECT_EQ(simulate(L, O).Blocks, 3u);
}

// Warps 0, 4 and 8 have one scheduler. A load keeps its warp for a moment, so
// that two of them take turns; only the third shows who is next.
TEST(Simulator, SchedulersTakeTheOldestOrAllInTurn) {
  auto Warp = [](unsigned Site) {
    WarpWriter W;
    for (unsigned I = 0; I < 6; ++I)
      W.line(Site, 10 * Site + I);
    return W.end();
  };
  WarpTrace None = WarpWriter().end();
  LaunchTrace L =
      launchOf({Warp(0), None, None, None, Warp(1), None, None, None, Warp(2)},
               sites(3));
  auto FirstOfThird = [&](WarpScheduler Scheduler) {
    SimulationOptions O = options();
    O.Scheduler = Scheduler;
    std::vector<unsigned> Order = orderOf(L, O);
    EXPECT_EQ(Order.size(), 18u);
    return std::find(Order.begin(), Order.end(), 2u) - Order.begin();
  };
  EXPECT_LT(FirstOfThird(WarpScheduler::LooseRoundRobin), 3);
  EXPECT_EQ(FirstOfThird(WarpScheduler::GreedyThenOldest), 12);
}

TEST(Simulator, WhatOtherSMsUseTooIsReadFromDRAMByOneOfThem) {
  WarpWriter W;
  for (unsigned I = 0; I < 1000; ++I)
    W.line(0, I).wait();
  LaunchTrace L = launchOf({W.end()}, sites(1));
  SimulationOptions O = options();
  O.ActiveSMs = 100;
  const uint64_t Alone = simulate(L, O).Sites[0].DRAMSectors;
  EXPECT_EQ(Alone, 4000u);
  L.SharedByOtherSM = {1, 1};
  const uint64_t Shared = simulate(L, O).Sites[0].DRAMSectors;
  EXPECT_GT(Shared, 0u);
  EXPECT_LT(Shared, 200u);
}

TEST(Simulator, ABusyUnitBinds) {
  LaunchTrace Issue = launchOf(
      {WarpWriter().issue(10000).end(), WarpWriter().end()}, CodeSites());
  SimulationOptions O = options();
  O.Memory.IndependentInstructions = O.Memory.ArithmeticCycles;
  EXPECT_EQ(simulate(Issue, O).boundBy(), BindingUnit::Issue);
  WarpWriter Chase;
  for (unsigned I = 0; I < 100; ++I)
    Chase.line(0, I).wait();
  EXPECT_EQ(simulate(launchOf({Chase.end()}, sites(1)), options()).boundBy(),
            BindingUnit::Latency);
}

} // namespace
