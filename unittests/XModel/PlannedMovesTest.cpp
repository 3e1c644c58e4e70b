// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "sluice/XModel/PlannedMoves.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace sluice;

namespace {

const GPUModel &h100() { return **findGPUModel("sm_90"); }

AccessPlan access(StringRef Kind, StringRef Address, unsigned Lines,
                  unsigned Sectors, int64_t Stride) {
  AccessPlan A;
  A.Kind = Kind.str();
  A.Address = Address.str();
  A.Bytes = 4;
  A.LinesPerWarp = Lines;
  A.SectorsPerWarp = Sectors;
  A.IterationStride = MaybeStride(Stride);
  return A;
}

/// A row of a thread, and a sum in memory.
KernelPlan plan() {
  KernelPlan K;
  K.Name = "k";
  LaunchPlan L;
  L.Grid = LaunchDim::known(1056);
  L.Block = LaunchDim::known(256);
  L.BlocksPerSM = 8;
  L.L1Bytes = 224 * 1024;
  K.Launches.push_back(L);
  LoopPlan Loop;
  Loop.Id.Place = {"k.cu", 7, 3};
  Loop.FootprintBytes = 512 * 1024;
  Loop.Accesses = {access("load", "A", 32, 32, 4), access("load", "y", 1, 4, 0),
                   access("store", "y", 1, 4, 0)};
  K.Loops.push_back(Loop);
  return K;
}

KernelX kernelX(const KernelPlan &P) {
  CodeMix Mix;
  Mix.Instructions = 100;
  Mix.Loads = Mix.Waits = 20;
  Mix.Lanes = 4;
  return kernelXOf("k", Mix, h100(), 132, launchesOf(P, h100(), 132).front(),
                   largestReads(P, h100()));
}

} // namespace

TEST(PlannedMoves, ReadsFootprints) {
  auto Reads = largestReads(plan(), h100());
  ASSERT_TRUE(Reads);
  EXPECT_DOUBLE_EQ(Reads->SectorsPerLoad, 18);
  EXPECT_DOUBLE_EQ(Reads->LinesPerLoad, 16.5);
  // 32 lines move by 4 of their 128 bytes, one stays.
  EXPECT_DOUBLE_EQ(Reads->ReusedShare, (32 * 31 / 32.0 + 1) / 33);
  EXPECT_DOUBLE_EQ(Reads->UsefulShare, 8 / 36.0); // 4 of 32, and 4 of 4
  EXPECT_FALSE(largestReads(KernelPlan(), h100()));
}

TEST(PlannedMoves, ReadsLaunches) {
  auto Launches = launchesOf(plan(), h100(), 132);
  ASSERT_EQ(Launches.size(), 1u);
  EXPECT_EQ(Launches[0].warps(), 64u);
  EXPECT_EQ(Launches[0].GridBlocks, 1056u);
}

TEST(PlannedMoves, NothingDecidedMovesNothing) {
  const KernelPlan P = plan();
  EXPECT_TRUE(plannedMoves(kernelX(P), P).empty());
}

TEST(PlannedMoves, OneForEachDecision) {
  KernelPlan P = plan();
  const KernelX K = kernelX(P);
  P.Loops[0].WarpGroups = 4;
  P.Loops[0].Promote = true;
  P.Loops[0].Unroll = 4;
  P.ResidentBlocks = 2;
  P.CachedWarps = 2;
  auto Moves = plannedMoves(K, P);
  ASSERT_EQ(Moves.size(), 5u);
  EXPECT_EQ(Moves[0].What, "M = 2 blocks");
  EXPECT_EQ(Moves[0].After.Threads, 16);
  EXPECT_EQ(Moves[1].What, "pi = 2 warps of a block");
  EXPECT_EQ(*Moves[1].After.CachedThreads, 16);
  EXPECT_EQ(Moves[2].What, "N = 4 at k.cu:7:3");
  EXPECT_EQ(Moves[2].After.Threads, 16);
  EXPECT_EQ(Moves[3].Kind, MoveKind::HigherZ); // 4 of 36 sectors stay
  EXPECT_DOUBLE_EQ(Moves[3].After.Intensity, K.Model.Intensity * 36 / 32);
  EXPECT_EQ(Moves[4].After.RequestBytes, 4 * K.Model.RequestBytes);
}

TEST(PlannedMoves, RowsFetchEachLineOnce) {
  KernelPlan P = plan();
  const KernelX K = kernelX(P);
  P.Loops[0].Staged.push_back({P.Loops[0].Accesses[0].Id});
  auto Moves = plannedMoves(K, P);
  ASSERT_EQ(Moves.size(), 1u);
  EXPECT_EQ(Moves[0].Kind, MoveKind::Streams);
  EXPECT_GT(Moves[0].SpeedUp, 2);
  EXPECT_FALSE(Moves[0].After.hasCache());
}

TEST(PlannedMoves, CarveoutChangesTheCache) {
  KernelPlan P = plan();
  const KernelX K = kernelX(P);
  P.CarveoutPercent = 100;
  auto Moves = plannedMoves(K, P);
  ASSERT_EQ(Moves.size(), 1u);
  EXPECT_LT(Moves[0].After.CacheBytes, K.Model.CacheBytes);
}
