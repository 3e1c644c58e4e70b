// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows that go through shared memory, on traces of code in which they do not.

#include "TracesByHand.h"
#include "sluice/Simulator/Simulator.h"
#include "gtest/gtest.h"

using namespace sluice;
using namespace sluice::byhand;

namespace {

SimulationOptions options() {
  SimulationOptions O;
  O.GPU = llvm::cantFail(findGPUModel("sm_90"));
  O.Memory = memoryModel(*O.GPU);
  O.L1Bytes = 128 * 1024;
  return O;
}

/// \p Warps warps, each lane with a row of \p Floats floats, 2 KiB apart.
LaunchTrace rows(unsigned Warps, unsigned Floats,
                 AccessSite::KindTy Kind = AccessSite::Load) {
  CodeSites Sites;
  Sites.Accesses = {site(1, Kind)};
  Sites.Accesses[0].Loop = 0;
  Sites.Loops = {loop(9)};
  LaunchTrace L = launchOf({}, Sites);
  L.Block = {Warps * 32, 1, 1};
  for (unsigned W = 0; W < Warps; ++W) {
    WarpWriter Warp;
    Warp.enter(0);
    for (unsigned J = 0; J < Floats; ++J) {
      Warp.iterate(0).access(0, 65536 * (W + 1) + 4 * J, 2048).issue(2);
      if (Kind == AccessSite::Load)
        Warp.wait();
    }
    L.Blocks.front().Warps.push_back(Warp.exit(0).end());
  }
  return L;
}

TEST(StagedRows, EachLineIsFetchedOnceAndWhole) {
  SimulationOptions O = options();
  O.RowOf = {0};
  SimulationResult R = simulate(rows(1, 64), O);
  EXPECT_EQ(R.Sites[0].L2Sectors, 32U * 2 * 4); // two lines of each lane's row
  EXPECT_EQ(R.Sites[0].Hits, 0U);
}

TEST(StagedRows, TheL1GivesASecondWarpWhatTheFirstHasCopied) {
  LaunchTrace L = rows(2, 32);
  L.Blocks.front().Warps[1] = L.Blocks.front().Warps[0];
  SimulationOptions O = options();
  O.RowOf = {0};
  EXPECT_EQ(simulate(L, O).Sites[0].L2Sectors, 32U * 4);
}

TEST(StagedRows, LinesThatAreWrittenLeaveOnce) {
  SimulationOptions O = options();
  const LaunchTrace L = rows(1, 32, AccessSite::Store);
  EXPECT_EQ(simulate(L, O).Sites[0].L2Sectors, 32U * 32);
  O.RowOf = {0};
  EXPECT_EQ(simulate(L, O).Sites[0].L2Sectors, 32U * 4);
}

TEST(StagedRows, FieldsOfAStructAreOneRow) {
  LaunchTrace L = rows(1, 1);
  L.Sites.Accesses.push_back(site(2));
  WarpWriter Warp;
  L.Blocks.front().Warps[0] =
      Warp.access(0, 65536, 2048).access(1, 65540, 2048).end();
  SimulationOptions O = options();
  O.RowOf = {0, 1};
  SimulationResult R = simulate(L, O);
  EXPECT_EQ(R.Sites[0].L2Sectors, 32U * 4);
  EXPECT_EQ(R.Sites[1].L2Sectors, 0U);
}

TEST(StagedRows, AnotherBlockHasRowsOfItsOwn) {
  LaunchTrace L = rows(1, 1);
  L.Blocks.push_back(L.Blocks.front());
  SimulationOptions O = options();
  O.RowOf = {0};
  EXPECT_EQ(simulate(L, O).Sites[0].Sectors, 2U * 32 * 4);
}

// benchmarks/results/2026-11-h100-software-l1: three times.
TEST(StagedRows, TheTagStageDoesNotBindThemAnyMore) {
  SimulationOptions O = options();
  O.ActiveSMs = 132;
  const LaunchTrace L = rows(32, 256);
  const uint64_t Plain = simulate(L, O).Cycles;
  O.RowOf = {0};
  EXPECT_GT(double(Plain), 2.5 * double(simulate(L, O).Cycles));
}

} // namespace
