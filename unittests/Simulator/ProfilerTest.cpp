// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From traces of launches to a profile.

#include "sluice/Simulator/Profiler.h"
#include "TracesByHand.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"
#include <map>

using namespace llvm;
using namespace sluice;
using namespace sluice::byhand;

namespace {

/// A load of two copies, inlined from line 2 of f.cuh, and a store.
LaunchTrace launch() {
  CodeSites Sites;
  Sites.Accesses = {site(3), site(3), site(4, AccessSite::Store)};
  for (unsigned I : {0, 1}) {
    AccessSite &A = Sites.Accesses[I];
    A.Id.Place = {"f.cuh", 2, 1};
    A.Id.InlinedAt = {{"a.cu", 3, 5}};
    A.Id.Ordinal = I;
    A.Functions = {1, 0};
  }
  Sites.Accesses[2].Functions = {0};
  FunctionSite Kernel, Called, Other;
  Kernel.Kernel = "_Z1kPf";
  Kernel.Source = "a.cu";
  Kernel.File = "a.cu";
  Kernel.FirstLine = 1;
  Kernel.LastLine = 5;
  Kernel.TextHash = "00112233445566aa";
  Called.File = "f.cuh";
  Called.FirstLine = 1;
  Other.File = "other.cuh";
  Other.FirstLine = 7;
  Sites.Functions = {Kernel, Called, Other};
  LaunchTrace L = launchOf(
      {WarpWriter().line(0, 1).wait().line(1, 1).wait().line(2, 9).end()},
      Sites);
  L.Grid = {4, 1, 1};
  L.ActiveSMs = 2;
  return L;
}

const KernelProfile &only(const Profile &P) {
  EXPECT_EQ(P.Kernels.size(), 1u);
  return P.Kernels.front();
}

TEST(Profiler, MakesOneAccessOfItsCopies) {
  Profiler All(profilerOptions());
  ASSERT_TRUE(bool(All.add(launch())));
  Profile P = All.take();
  EXPECT_EQ(P.Source, "a.cu");
  EXPECT_EQ(P.Runs, 1u);
  const KernelProfile &K = only(P);
  EXPECT_EQ(K.TextHash, "00112233445566aa");
  ASSERT_EQ(K.Inlined.size(), 1u);
  EXPECT_EQ(K.Inlined[0].File, "f.cuh");
  EXPECT_EQ(K.SimulatedBlocks, 1u);
  EXPECT_EQ(K.Blocks, 4u);
  ASSERT_EQ(K.Accesses.size(), 2u);
  const AccessProfile &Load = K.Accesses[0];
  EXPECT_EQ(Load.Id.str(), "f.cuh:2:1 inlined at a.cu:3:5");
  EXPECT_EQ(Load.Counts.Sectors, 8u);
  EXPECT_EQ(Load.Counts.Hits, 4u);
  ASSERT_EQ(Load.Copies.size(), 2u);
  EXPECT_EQ(Load.Copies[1].Hits, 4u);
  EXPECT_EQ(Load.SectorsAlone, 8u);
  EXPECT_EQ(Load.HitsAlone, 4u);
}

TEST(Profiler, TimeIsOfTheSMWithTheMostBlocks) {
  LaunchTrace L = launch();
  Profiler All(profilerOptions());
  auto Time = All.add(L);
  ASSERT_TRUE(bool(Time));
  EXPECT_GT(Time->Cycles, 0u);
  const MemoryModel M = memoryModel(*profilerOptions().GPU);
  EXPECT_NEAR(double(Time->Nanoseconds - M.LaunchNanoseconds),
              double(Time->Cycles) * 2 / M.ClockGHz, 1);
  ASSERT_TRUE(bool(All.add(L)));
  const Profile P = All.take();
  EXPECT_EQ(only(P).Time.Cycles, 2 * Time->Cycles);
  EXPECT_EQ(only(P).Time.Nanoseconds, 2 * Time->Nanoseconds);
}

TEST(Profiler, ALaunchThatWasLeftOutTakesAsLongAsTheLast) {
  Profiler All(profilerOptions());
  auto Time = All.add(launch());
  ASSERT_TRUE(bool(Time));
  LaunchTrace Longer;
  Longer.Kernel = launch().Kernel;
  Longer.Grid = {8, 1, 1};
  Longer.Block = launch().Block;
  auto OfLonger = All.add(Longer);
  ASSERT_TRUE(bool(OfLonger));
  EXPECT_NEAR(double(OfLonger->Nanoseconds), 2.0 * double(Time->Nanoseconds),
              1);
  const Profile P = All.take();
  const KernelProfile &K = only(P);
  EXPECT_EQ(K.Launches.size(), 2u);
  EXPECT_EQ(K.SimulatedBlocks, 1u);
  EXPECT_EQ(K.Blocks, 12u);
  EXPECT_EQ(K.Accesses[0].Counts.Requests, 2u);
  EXPECT_EQ(K.TextHash, "00112233445566aa");
}

// DRAM gives two sectors where one is asked for. The profile counts misses.
/// Eight blocks of eight warps that walk eight times over 56 lines each, eight
/// lines at a time: 3584 lines, of which the L1 holds 1792.
LaunchTrace walks() {
  CodeSites Sites;
  Sites.Accesses = {site(3)};
  Sites.Loops = {loop(2)};
  LaunchTrace L = launchOf({}, Sites);
  L.Blocks.clear();
  for (unsigned Block = 0; Block < 8; ++Block) {
    BlockTrace B;
    for (unsigned Warp = 0; Warp < 8; ++Warp) {
      WarpWriter W;
      W.enter(0);
      for (unsigned I = 0; I < 448; ++I) {
        if (I % 8 == 0)
          W.iterate(0);
        W.line(0, (Block * 8 + Warp) * 56 + I % 56);
        if (I % 8 == 7)
          W.wait();
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

TEST(Profiler, PredictsFewerBlocks) {
  Profiler All(profilerOptions());
  ASSERT_TRUE(bool(All.add(walks())));
  const Profile P = All.take();
  std::map<unsigned, uint64_t> Times;
  for (const BlocksPrediction &B : only(P).FewerBlocks)
    Times[B.Blocks] = B.Nanoseconds;
  EXPECT_EQ(Times[BlocksPrediction::All], only(P).Time.Nanoseconds);
  EXPECT_EQ(Times[12], only(P).Time.Nanoseconds) << "eight is all there are";
  EXPECT_LT(Times[3], Times[BlocksPrediction::All] * 3 / 4);
  EXPECT_GT(Times[1], Times[3]);

  // As a launch of which no more than four stay is simulated.
  ProfilerOptions Four = profilerOptions();
  Four.ResidentBlocks = 4;
  auto Simulation = simulationOf(walks(), Four);
  ASSERT_TRUE(bool(Simulation)) << toString(Simulation.takeError());
  EXPECT_EQ(Simulation->BlocksPerSM, 4u);
  EXPECT_GT(Simulation->L1Bytes, 224u * 1024);
  EXPECT_EQ(predictedNanoseconds(walks(), *Simulation,
                                 simulate(walks(), *Simulation)),
            Times[4]);
}

/// As a launch with an L1 of so many KiB is simulated.
uint64_t withL1(unsigned KiB) {
  ProfilerOptions Options = profilerOptions();
  Options.L1Bytes = uint64_t(KiB) * 1024;
  Profiler All(Options);
  EXPECT_TRUE(bool(All.add(walks())));
  const Profile P = All.take();
  EXPECT_TRUE(only(P).Carveouts.empty()) << "the L1 is given";
  return only(P).Time.Nanoseconds;
}

TEST(Profiler, PredictsCarveouts) {
  Profiler All(profilerOptions());
  ASSERT_TRUE(bool(All.add(walks())));
  const Profile P = All.take();
  ASSERT_EQ(only(P).Carveouts.size(), 7u); // 32 KiB of ten are the driver's
  EXPECT_FALSE(only(P).Carveouts.front().Percent);
  EXPECT_EQ(only(P).Carveouts.front().Nanoseconds, only(P).Time.Nanoseconds);
  EXPECT_EQ(only(P).Carveouts[3].Nanoseconds, withL1(256 - 132));
  EXPECT_EQ(only(P).Carveouts.back().Nanoseconds, withL1(28));

  // With turns, where the kernel is the fastest.
  const std::vector<TurnsPrediction> &Turns = only(P).Loops[0].Turns;
  const TurnsPrediction &Fastest =
      *llvm::min_element(Turns, [](const auto &A, const auto &B) {
        return A.Nanoseconds < B.Nanoseconds;
      });
  ASSERT_GT(Fastest.WarpGroups, 1u);
  for (const TurnsPrediction &T : Turns)
    EXPECT_EQ(T.Carveouts.empty(), &T != &Fastest) << T.WarpGroups;
  EXPECT_EQ(Fastest.Carveouts.front().Nanoseconds, Fastest.Nanoseconds);
  EXPECT_GT(Fastest.Carveouts.back().Nanoseconds, Fastest.Nanoseconds);
}

TEST(Profiler, PredictsFewerWarpsInTheL1WhereItIsAsked) {
  Profiler Plain(profilerOptions());
  ASSERT_TRUE(bool(Plain.add(walks())));
  EXPECT_TRUE(only(Plain.take()).CachedWarps.empty());

  ProfilerOptions Options = profilerOptions();
  Options.CachedWarps = true;
  Profiler All(Options);
  ASSERT_TRUE(bool(All.add(walks())));
  const Profile P = All.take();
  std::map<unsigned, uint64_t> Times;
  for (const BypassPrediction &B : only(P).CachedWarps)
    Times[B.CachedWarps] = B.Nanoseconds;
  ASSERT_EQ(Times.size(), 9u); // none to seven of eight, and all
  EXPECT_EQ(Times[BypassPrediction::All], only(P).Time.Nanoseconds);
  // The lines of four fit, of which there are 56 for each of eight blocks.
  EXPECT_LT(Times[4], Times[BypassPrediction::All]);
  EXPECT_LT(Times[4], Times[0]);
}

TEST(Profiler, PredictsNoFewerBlocksWithoutALoop) {
  Profiler All(profilerOptions());
  ASSERT_TRUE(bool(All.add(launch())));
  EXPECT_TRUE(only(All.take()).FewerBlocks.empty());
}

TEST(Profiler, WritesWhatCanBeReadAgain) {
  LaunchTrace L = launch();
  WarpWriter W;
  for (unsigned I = 0; I < 100; ++I)
    W.access(0, I * 4096, 128);
  L.Blocks[0].Warps = {W.end()};
  Profiler All(profilerOptions());
  ASSERT_TRUE(bool(All.add(L)));
  Profile P = All.take();
  P.GPU = "sm_90";
  std::string Text;
  raw_string_ostream OS(Text);
  writeProfile(P, OS);
  auto Read = parseProfile(Text, "p.yaml");
  EXPECT_TRUE(bool(Read)) << toString(Read.takeError());
}

TEST(Profiler, AShapeThatCannotBeIsAnError) {
  LaunchTrace L = launch();
  L.StaticSharedBytes = uint64_t(1) << 30;
  Profiler All(profilerOptions());
  auto Time = All.add(L);
  ASSERT_FALSE(bool(Time));
  EXPECT_NE(toString(Time.takeError()).find("shared"), std::string::npos);
}

} // namespace
