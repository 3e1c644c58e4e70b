// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Which hints a profile has times of.

#include "TracesByHand.h"
#include "sluice/Simulator/Profiler.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::byhand;

namespace {

/// Line 3 walks eight times over lines of its own, line 4 streams: twice as
/// many. The L1 holds 1736.
LaunchTrace walkBesideStream(unsigned LinesOfWarp) {
  CodeSites Sites;
  Sites.Accesses = {site(3), site(4)};
  Sites.Loops = {loop(2)};
  LaunchTrace L = launchOf({}, Sites);
  L.Blocks.clear();
  uint64_t Streamed = 1 << 20;
  for (unsigned Block = 0; Block < 8; ++Block) {
    BlockTrace B;
    for (unsigned Warp = 0; Warp < 8; ++Warp) {
      WarpWriter W;
      W.enter(0);
      for (unsigned I = 0; I < 8 * LinesOfWarp; ++I) {
        W.iterate(0);
        W.line(0, (Block * 8 + Warp) * LinesOfWarp + I % LinesOfWarp);
        W.line(1, Streamed++).line(1, Streamed++).wait();
      }
      B.Warps.push_back(W.exit(0).end());
    }
    L.Blocks.push_back(std::move(B));
  }
  L.Block = {256, 1, 1};
  L.Grid = {8 * 132, 1, 1};
  L.ActiveSMs = 132;
  L.Registers = 32;
  return L;
}

Profile profileOf(std::initializer_list<LaunchTrace> Launches,
                  const ProfilerOptions &Options = profilerOptions()) {
  Profiler All(Options);
  for (const LaunchTrace &L : Launches)
    EXPECT_TRUE(bool(All.add(L)));
  return All.take();
}

TEST(HintSearch, FindsTheStream) {
  const LaunchTrace L = walkBesideStream(24);
  const Profile P = profileOf({L});
  const KernelProfile &K = P.Kernels.front();
  ASSERT_GT(K.Hints.size(), 1u);
  EXPECT_TRUE(K.Hints.front().Loads.empty());
  EXPECT_EQ(K.Hints.front().Nanoseconds, K.Time.Nanoseconds);
  const HintsPrediction &Fastest = K.Hints[1];
  EXPECT_LT(Fastest.Nanoseconds * 11, K.Time.Nanoseconds * 10);
  for (const HintsPrediction &H : ArrayRef(K.Hints).drop_front())
    EXPECT_GE(H.Nanoseconds, Fastest.Nanoseconds);

  // As the launch is simulated with these hints.
  auto Simulation = simulationOf(L, profilerOptions());
  ASSERT_TRUE(bool(Simulation));
  Simulation->Hints.assign(2, L1Hint::Normal);
  for (const LoadHint &Load : Fastest.Loads)
    Simulation->Hints[Load.Access] = Load.Hint.str() == "L1::evict_first"
                                         ? L1Hint::EvictFirst
                                         : L1Hint::NoAllocate;
  EXPECT_EQ(predictedNanoseconds(L, *Simulation, simulate(L, *Simulation)),
            Fastest.Nanoseconds);
}

TEST(HintSearch, LaunchesAddUp) {
  const LaunchTrace L = walkBesideStream(24), Other = walkBesideStream(20);
  const Profile One = profileOf({L}), Both = profileOf({L, L, Other});
  const auto &Hints = Both.Kernels[0].Hints;
  ASSERT_EQ(Hints.size(), One.Kernels[0].Hints.size());
  EXPECT_EQ(Hints[0].Nanoseconds, Both.Kernels[0].Time.Nanoseconds);
  for (auto [Sum, Single] : zip(Hints, One.Kernels[0].Hints))
    EXPECT_GT(Sum.Nanoseconds, 2 * Single.Nanoseconds);
}

TEST(HintSearch, WhatFitsHasNothingToWin) {
  CodeSites Sites;
  Sites.Accesses = {site(3)};
  WarpWriter W;
  for (unsigned I = 0; I < 1000; ++I)
    W.line(0, I % 10).wait();
  EXPECT_TRUE(profileOf({launchOf({W.end()}, Sites)}).Kernels[0].Hints.empty());
}

TEST(HintSearch, NeitherHasAStream) {
  CodeSites Sites;
  Sites.Accesses = {site(3)};
  WarpWriter W;
  for (unsigned I = 0; I < 10000; ++I)
    W.line(0, I);
  EXPECT_TRUE(profileOf({launchOf({W.end()}, Sites)}).Kernels[0].Hints.empty());
}

TEST(HintSearch, IsLeftOutWithHintsOrTurns) {
  ProfilerOptions Without = profilerOptions();
  Without.Turns = false;
  const LaunchTrace L = walkBesideStream(24);
  EXPECT_TRUE(profileOf({L}, Without).Kernels[0].Hints.empty());
  ProfilerOptions Hinted = profilerOptions();
  Hinted.Hint = L1Hint::EvictFirst;
  EXPECT_TRUE(profileOf({L}, Hinted).Kernels[0].Hints.empty());
}

} // namespace
