// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// The driver's rule against what an H100 did, and claims against the rule.

#include "sluice/Target/BlockClaim.h"
#include "llvm/Support/MathExtras.h"
#include "gtest/gtest.h"

using namespace sluice;

namespace {

const GPUModel &model(llvm::StringRef Name) { return **findGPUModel(Name); }

struct ConfiguredRow {
  unsigned SharedKiB;
  unsigned KiB[8]; ///< By per cent: 0, 4, 7, 14, 28, 44, 57, 100.
};
constexpr unsigned Percents[] = {0, 4, 7, 14, 28, 44, 57, 100};

class Configured : public testing::TestWithParam<ConfiguredRow> {};

// launch__shared_mem_config_size by Nsight Compute of benchmarks/micro/resident
// on an H100 (benchmarks/results/2026-11-h100-blocks).
constexpr ConfiguredRow OnH100[] = {
    {1, {8, 32, 32, 64, 132, 228, 228, 228}},
    {3, {8, 16, 32, 64, 100, 132, 196, 228}},
    {7, {8, 16, 16, 32, 100, 132, 164, 228}},
    {15, {16, 16, 16, 32, 64, 132, 132, 228}},
    {24, {32, 32, 32, 32, 64, 132, 132, 228}},
    {31, {32, 32, 32, 32, 64, 132, 132, 228}},
    {47, {64, 64, 64, 64, 64, 132, 132, 228}},
    {56, {64, 64, 64, 64, 64, 132, 132, 228}},
    {75, {100, 100, 100, 100, 100, 132, 132, 228}},
    {100, {132, 132, 132, 132, 132, 132, 132, 228}},
    {112, {132, 132, 132, 132, 132, 132, 132, 228}},
    {160, {164, 164, 164, 164, 164, 164, 164, 228}},
    {227, {228, 228, 228, 228, 228, 228, 228, 228}},
};

TEST_P(Configured, AsMeasured) {
  for (unsigned I = 0; I < 8; ++I)
    EXPECT_EQ(configuredCarveoutKiB(model("sm_90"), Percents[I],
                                    GetParam().SharedKiB * 1024),
              GetParam().KiB[I])
        << Percents[I] << " %";
}

INSTANTIATE_TEST_SUITE_P(H100, Configured, testing::ValuesIn(OnH100),
                         [](const auto &Info) {
                           return std::to_string(Info.param.SharedKiB) + "KiB";
                         });

struct ResidentRow {
  unsigned SharedKiB, Percent, Blocks;
};

// Blocks that an SM held at a time, where shared memory was what limited them.
TEST(BlocksInCarveout, AsMeasured) {
  constexpr ResidentRow Rows[] = {
      {1, 0, 4},   {3, 0, 2},    {3, 4, 4},     {3, 7, 8},   {7, 0, 1},
      {7, 4, 2},   {7, 7, 2},    {7, 14, 4},    {7, 28, 12}, {15, 7, 1},
      {15, 14, 2}, {15, 28, 4},  {15, 44, 8},   {15, 57, 8}, {15, 100, 14},
      {24, 28, 2}, {24, 44, 5},  {24, 100, 9},  {31, 14, 1}, {31, 28, 2},
      {31, 57, 4}, {31, 100, 7}, {47, 28, 1},   {47, 57, 2}, {47, 100, 4},
      {75, 57, 1}, {75, 100, 3}, {100, 100, 2}, {160, 0, 1}, {227, 100, 1}};
  for (const ResidentRow &R : Rows)
    EXPECT_EQ(blocksInCarveout(model("sm_90"), R.Percent, R.SharedKiB * 1024),
              R.Blocks)
        << R.SharedKiB << " KiB, " << R.Percent << " %";
}

struct ClaimRow {
  unsigned Blocks;
  uint64_t OwnBytes;
  unsigned CarveoutKiB;
};

TEST(ClaimForBlocks, TakesTheSmallestCarveout) {
  constexpr ClaimRow Rows[] = {{1, 0, 8},      {2, 0, 8},      {4, 0, 8},
                               {6, 0, 16},     {8, 0, 32},     {16, 0, 64},
                               {24, 0, 64},    {1, 8192, 16},  {2, 8192, 32},
                               {4, 8192, 64},  {8, 8192, 100}, {2, 20000, 64},
                               {4, 40960, 164}};
  for (const ClaimRow &R : Rows) {
    auto Claim = claimForBlocks(model("sm_90"), R.Blocks, R.OwnBytes);
    ASSERT_TRUE(Claim) << R.Blocks << " blocks, " << R.OwnBytes << " B";
    EXPECT_EQ(Claim->CarveoutKiB, R.CarveoutKiB)
        << R.Blocks << " blocks, " << R.OwnBytes << " B";
    EXPECT_EQ(Claim->L1Bytes, (256 - R.CarveoutKiB) * 1024);
  }
}

/// Whatever is claimed keeps just M blocks, leaves 48 KiB a block, and the
/// carveout is one that CUDA's reference, too, rounds to the same size.
TEST(ClaimForBlocks, KeepsJustSoManyOnEveryGPU) {
  for (const GPUModel &GPU : allGPUModels())
    for (uint64_t Own : {0, 4, 1024, 3000, 8192, 12288, 20000, 33000, 49152})
      for (unsigned M = 1; M <= GPU.MaxBlocks; ++M) {
        auto Claim = claimForBlocks(GPU, M, Own);
        if (!Claim)
          continue;
        std::string What = GPU.Name.str() + ", M=" + std::to_string(M) + ", " +
                           std::to_string(Own) + " B";
        EXPECT_LE(Own + Claim->Bytes, MostSharedWithoutOptIn) << What;
        EXPECT_EQ(
            blocksInCarveout(GPU, Claim->CarveoutPercent, Own + Claim->Bytes),
            M)
            << What;
        EXPECT_EQ(configuredCarveoutKiB(GPU, Claim->CarveoutPercent,
                                        Own + Claim->Bytes),
                  Claim->CarveoutKiB)
            << What;
      }
}

/// The assembler may put gaps of an alignment between what a kernel declares.
TEST(ClaimForBlocks, HasRoomForAnAlignment) {
  for (unsigned M : {1, 2, 4, 8}) {
    auto Claim = claimForBlocks(model("sm_90"), M, 4096);
    ASSERT_TRUE(Claim);
    EXPECT_EQ(blocksInCarveout(model("sm_90"), Claim->CarveoutPercent,
                               4096 + 128 + Claim->Bytes),
              M);
  }
}

TEST(ClaimForBlocks, NeedsNoneWhereTheBlocksUseEnough) {
  auto Claim = claimForBlocks(model("sm_90"), 2, 15 * 1024);
  ASSERT_TRUE(Claim);
  EXPECT_EQ(Claim->CarveoutKiB, 32u);
  EXPECT_EQ(Claim->Bytes, 0u);
}

TEST(ClaimForBlocks, SaysWhereThereIsNone) {
  EXPECT_FALSE(claimForBlocks(model("sm_90"), 0, 0));
  EXPECT_FALSE(claimForBlocks(model("sm_90"), 1, 49153));
  EXPECT_FALSE(claimForBlocks(model("sm_90"), 12, 20000)); // 228 KiB hold 11
  // 32 and 64 KiB: one block of 48 KiB is in 64 already, two are not.
  EXPECT_FALSE(claimForBlocks(model("sm_75"), 2, 40000));
}

std::string steps(unsigned Blocks, uint64_t Shared, unsigned DefaultKiB) {
  const GPUModel &GPU = model("sm_90");
  std::string Text;
  for (const CarveoutStep &S :
       carveoutsThatKeep(GPU, Blocks, Shared, GPU.l1Bytes(DefaultKiB))) {
    Text += std::to_string(S.KiB) + " ";
    EXPECT_EQ(S.L1Bytes, uint64_t(256 - S.KiB) * 1024);
    EXPECT_GE(blocksInCarveout(GPU, S.Percent, Shared), Blocks);
    if (Shared != 0) {
      EXPECT_EQ(configuredCarveoutKiB(GPU, S.Percent, Shared), S.KiB);
    }
  }
  return Text;
}

TEST(CarveoutsThatKeep, BeginWithTheLeastThatHoldsAll) {
  // Eq. 4: eight blocks of 7 KiB and the driver's 1 KiB.
  EXPECT_EQ(steps(8, 7 * 1024, 132), "64 100 164 196 228 ");
  EXPECT_EQ(steps(9, 7 * 1024, 132), "100 164 196 228 ");
  EXPECT_EQ(steps(3, 7 * 1024, 132), "32 64 100 164 196 228 ");
  EXPECT_EQ(steps(7, 31 * 1024, 228), "") << "it takes all of it";
}

TEST(CarveoutsThatKeep, NoLessThanTheDriverTakesByItself) {
  EXPECT_EQ(steps(8, 0, 32), "64 100 132 164 196 228 ");
  EXPECT_EQ(steps(2, 0, 8), "16 32 64 100 132 164 196 228 ");
}

TEST(CarveoutsThatKeep, NothingIsKnownOfLittleSharedMemory) {
  EXPECT_EQ(steps(8, 1023, 32), "");
  EXPECT_NE(steps(8, 1024, 32), "");
}

} // namespace
