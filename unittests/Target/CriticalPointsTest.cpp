// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Eq. 4.3 against the toolkit's calculator, and the papers' own cases.

#include "sluice/Target/CriticalPoints.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include <random>

using namespace llvm;
using namespace sluice;
using testing::ElementsAre;

namespace sluice {
static void PrintTo(const CriticalPoint &P, std::ostream *OS) {
  *OS << "(" << P.Registers << ", " << P.BlocksPerSM << ")";
}
} // namespace sluice

namespace {

const GPUModel &sm90() { return *cantFail(findGPUModel("sm_90")); }

/// The papers' GPUs, from CUDA C++ Programming Guide 8.0, "Technical
/// Specifications per Compute Capability", with 48 KB of shared memory: Tesla
/// K40 and GTX 680 (of which CRAT's has 63 registers a thread).
GPUModel kepler() {
  static constexpr unsigned Carveouts[] = {16, 32, 48};
  GPUModel M = sm90();
  M.Name = "sm_35";
  M.Major = 3;
  M.Minor = 5;
  M.UnifiedKiB = 64;
  M.CarveoutKiB = Carveouts;
  M.MaxSharedPerBlockBytes = 48 * 1024;
  M.ReservedSharedPerBlockBytes = 0;
  M.SharedAllocationUnitBytes = 256;
  M.MaxBlocks = 16;
  return M;
}

/// Maxwell differs, for these cases, in the blocks that an SM holds.
GPUModel maxwell() {
  GPUModel M = kepler();
  M.Name = "sm_50";
  M.Major = 5;
  M.Minor = 0;
  M.MaxBlocks = 32;
  return M;
}

unsigned byToolkit(const GPUModel &GPU, const BlockResources &Block,
                   std::optional<uint64_t> Grid, unsigned SMs) {
  Expected<Occupancy> O = computeOccupancy(GPU, Block, Grid, SMs);
  if (O)
    return O->BlocksPerSM;
  consumeError(O.takeError());
  return 0;
}

/// A block such as a kernel may have: mostly with little shared memory.
BlockResources randomBlock(std::mt19937 &Random) {
  auto UpTo = [&](unsigned Most) {
    return std::uniform_int_distribution<unsigned>(0, Most)(Random);
  };
  BlockResources Block;
  Block.ThreadsPerBlock = UpTo(UpTo(1) ? 1030 : 256);
  Block.RegistersPerThread = UpTo(258);
  Block.StaticSharedBytes = UpTo(UpTo(48 << 10));
  Block.DynamicSharedBytes = UpTo(2) ? 0 : UpTo(230 << 10);
  return Block;
}

TEST(CriticalPoints, Eq43IsTheToolkits) {
  std::mt19937 Random(22);
  unsigned Fit = 0;
  for (unsigned Case = 0; Case < 100000; ++Case) {
    const GPUModel &GPU = allGPUModels()[Case % allGPUModels().size()];
    BlockResources Block = randomBlock(Random);
    std::optional<uint64_t> Grid;
    if (Case % 4 == 0)
      Grid = 1 + Random() % 5000;
    unsigned Blocks = blocksPerSM(GPU, Block, Grid, GPU.DefaultSMs);
    ASSERT_EQ(Blocks, byToolkit(GPU, Block, Grid, GPU.DefaultSMs))
        << GPU.Name.str() << ": " << Block.ThreadsPerBlock << " threads, "
        << Block.RegistersPerThread << " registers, " << Block.StaticSharedBytes
        << " and " << Block.DynamicSharedBytes << " bytes";
    Fit += Blocks != 0;
  }
  EXPECT_GT(Fit, 50000u) << "most of them say nothing";
}

// By trying all counts, as the thesis draws it (Figure 4.1).
TEST(CriticalPoints, AreTheLastCountsOfTheSteps) {
  std::mt19937 Random(4);
  for (unsigned Case = 0; Case < 2000; ++Case) {
    const GPUModel &GPU = allGPUModels()[Case % allGPUModels().size()];
    BlockResources Block = randomBlock(Random);
    RegisterRange Range;
    Range.Min = 16 + Random() % 16;
    Range.Max = Range.Min + Random() % (256 - Range.Min);
    std::vector<CriticalPoint> Expected;
    for (unsigned R = Range.Min; R <= Range.Max; ++R) {
      Block.RegistersPerThread = R;
      unsigned Here = blocksPerSM(GPU, Block, {}, 1);
      Block.RegistersPerThread = R + 1;
      if (Here && (R == Range.Max || blocksPerSM(GPU, Block, {}, 1) != Here))
        Expected.push_back({R, Here});
    }
    ASSERT_EQ(criticalPoints(GPU, Block, Range, {}, 1), Expected)
        << GPU.Name.str() << ": " << Block.ThreadsPerBlock << " threads, "
        << Range.Min << " to " << Range.Max;
  }
}

TEST(CriticalPoints, OfBlocksOf256OnSM90) {
  EXPECT_THAT(criticalPoints(sm90(), {256, 0, 0, 0}, {24, 255}, {}, 132),
              ElementsAre(CriticalPoint{32, 8}, CriticalPoint{40, 6},
                          CriticalPoint{48, 5}, CriticalPoint{64, 4},
                          CriticalPoint{80, 3}, CriticalPoint{128, 2},
                          CriticalPoint{255, 1}));
}

// A kernel that takes 74 registers at most has no use for the steps behind.
TEST(CriticalPoints, EndWhereAllValuesAreInRegisters) {
  EXPECT_THAT(criticalPoints(sm90(), {256, 0, 0, 0}, {41, 74}, {}, 132),
              ElementsAre(CriticalPoint{48, 5}, CriticalPoint{64, 4},
                          CriticalPoint{74, 3}));
}

TEST(CriticalPoints, AreOneWhereTheGridFillsNoStep) {
  EXPECT_THAT(criticalPoints(sm90(), {256, 0, 0, 0}, {24, 60}, 4 * 132, 132),
              ElementsAre(CriticalPoint{60, 4}));
}

TEST(CriticalPoints, AreNoneWhereNoBlockFits) {
  EXPECT_TRUE(criticalPoints(sm90(), {0, 0, 0, 0}, {24, 60}, {}, 1).empty());
  EXPECT_TRUE(criticalPoints(sm90(), {2048, 0, 0, 0}, {24, 60}, {}, 1).empty());
  EXPECT_TRUE(
      criticalPoints(sm90(), {256, 0, 0, 228 << 10}, {24, 60}, {}, 1).empty());
  // A block of 1024 threads takes 64 registers at most.
  EXPECT_TRUE(criticalPoints(sm90(), {1024, 0, 0, 0}, {65, 80}, {}, 1).empty());
}

TEST(CriticalPoints, MostRegistersThatLetBlocksIn) {
  EXPECT_EQ(mostRegisters(sm90(), 1024, 1), 64u);
  EXPECT_EQ(mostRegisters(sm90(), 1024, 2), 32u);
  EXPECT_EQ(mostRegisters(sm90(), 256, 6), 40u); // 42.7 of a thread, in eights
  // Five warps leave three schedulers with one and one with two.
  EXPECT_EQ(mostRegisters(sm90(), 160, 1), 255u);
  EXPECT_EQ(mostRegisters(sm90(), 896, 1), 72u);
}

// Thesis, section 4.4: shared memory lets registers no say.
TEST(CriticalPoints, OfLEUAndDCT) {
  // 48 KB take 3 blocks of 14,586 B.
  EXPECT_EQ(blocksPerSM(kepler(), {320, 61, 14586, 0}, {}, 15), 3u);
  EXPECT_EQ(byToolkit(kepler(), {320, 61, 14586, 0}, {}, 15), 3u);
  EXPECT_THAT(criticalPoints(kepler(), {320, 0, 14586, 0}, {16, 61}, {}, 15),
              ElementsAre(CriticalPoint{61, 3}));
  // 15 blocks of 3136 B, but they are given in units of 256 B.
  EXPECT_EQ(blocksPerSM(kepler(), {64, 33, 3136, 0}, {}, 15), 14u);
  EXPECT_EQ(byToolkit(kepler(), {64, 33, 3136, 0}, {}, 15), 14u);
  EXPECT_THAT(criticalPoints(kepler(), {64, 0, 3136, 0}, {16, 37}, {}, 15),
              ElementsAre(CriticalPoint{37, 14}));
}

// MRG there: two warps a block, of which Kepler holds 16 blocks, Maxwell 32.
TEST(CriticalPoints, OfMRG) {
  EXPECT_EQ(blocksPerSM(kepler(), {64, 60, 1536, 0}, {}, 15), 16u);
  EXPECT_EQ(blocksPerSM(maxwell(), {64, 32, 1536, 0}, {}, 5), 32u);
}

// CRAT, section 2.2: "given 2048 threads, each thread is allocated 32".
TEST(CriticalPoints, OfAFullSM) {
  EXPECT_EQ(criticalPoints(kepler(), {256, 0, 0, 0}, {16, 63}, {}, 8).front(),
            (CriticalPoint{32, 8}));
}

} // namespace
