// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Occupancy as a table of launches and what an SM then holds. The expected
/// numbers are worked out by hand beside each case.

#include "sluice/Target/Occupancy.h"
#include "gtest/gtest.h"
#include <string>

using namespace llvm;
using namespace sluice;

namespace {

constexpr uint64_t KiB = 1024;

struct Launch {
  const char *Why;
  StringRef GPU;
  BlockResources Block;
  std::optional<uint64_t> Grid;
  // Expected:
  unsigned Blocks, Warps, CarveoutKiB;
  uint64_t L1KiB;
  const char *LimitedBy;
};

void PrintTo(const Launch &L, std::ostream *OS) { *OS << L.Why; }

class OccupancyTest : public testing::TestWithParam<Launch> {};

TEST_P(OccupancyTest, IsAsWorkedOut) {
  const Launch &L = GetParam();
  const GPUModel *GPU = cantFail(findGPUModel(L.GPU));
  Expected<Occupancy> O =
      computeOccupancy(*GPU, L.Block, L.Grid, GPU->DefaultSMs);
  ASSERT_TRUE(bool(O)) << toString(O.takeError());
  EXPECT_EQ(O->BlocksPerSM, L.Blocks);
  EXPECT_EQ(O->WarpsPerSM, L.Warps);
  EXPECT_EQ(O->CarveoutKiB, L.CarveoutKiB);
  EXPECT_EQ(O->L1Bytes, L.L1KiB * KiB);
  EXPECT_EQ(O->LimitedBy, L.LimitedBy);
}

const Launch Launches[] = {
    // 2048 / 256 threads. The driver makes room for four times the 8 blocks,
    // each with a reservation of 1 KiB. 32 registers just fit.
    {"full sm_90",
     "sm_90",
     {256, 32, 0, 0},
     {},
     8,
     64,
     32,
     224,
     "warps, registers"},
    {"few registers", "sm_90", {256, 24, 0, 0}, {}, 8, 64, 32, 224, "warps"},
    // 33 to 40 registers are allotted as 40: 16384 / (40 x 32) = 12 warps a
    // sub-partition, 48 an SM, 6 blocks; room for 24 is 24 KiB.
    {"33 registers", "sm_90", {256, 33, 0, 0}, {}, 6, 48, 32, 224, "registers"},
    {"40 registers", "sm_90", {256, 40, 0, 0}, {}, 6, 48, 32, 224, "registers"},
    // 48: 10 warps a sub-partition, 40 an SM, 5 blocks; 20 KiB.
    {"41 registers", "sm_90", {256, 41, 0, 0}, {}, 5, 40, 32, 224, "registers"},
    // 72: 7 warps a sub-partition, 28 an SM, 3 blocks; 12 KiB.
    {"72 registers", "sm_90", {256, 72, 0, 0}, {}, 3, 24, 16, 240, "registers"},
    {"blocks of 512",
     "sm_90",
     {512, 32, 0, 0},
     {},
     4,
     64,
     16,
     240,
     "warps, registers"},
    {"blocks of 1024",
     "sm_90",
     {1024, 32, 0, 0},
     {},
     2,
     64,
     8,
     248,
     "warps, registers"},

    // The driver picks the carveout before it knows the grid.
    {"one block an SM", "sm_90", {256, 32, 0, 0}, 132, 1, 8, 32, 224, "grid"},
    {"one block more", "sm_90", {256, 32, 0, 0}, 133, 2, 16, 32, 224, "grid"},
    {"one block an SM with shared memory",
     "sm_90",
     {256, 32, 7 * KiB, 0},
     132,
     1,
     8,
     132,
     124,
     "grid"},
    {"grid as large as the chip",
     "sm_90",
     {256, 32, 0, 0},
     8 * 132,
     8,
     64,
     32,
     224,
     "warps, registers"},
    {"grid beyond 32 bits",
     "sm_90",
     {256, 32, 0, 0},
     uint64_t(1) << 40,
     8,
     64,
     32,
     224,
     "warps, registers"},

    // Room for 32 blocks, the most an SM holds: 32 KiB.
    {"tiny blocks", "sm_90", {32, 16, 0, 0}, {}, 32, 32, 32, 224, "blocks"},
    {"a part of a warp counts whole",
     "sm_90",
     {33, 16, 0, 0},
     {},
     32,
     64,
     32,
     224,
     "warps, blocks"},
    // (48 + 1) KiB a block: 228 / 49 = 4; they need 196 KiB, and no more than
    // 132 would be spared for others.
    {"shared memory",
     "sm_90",
     {256, 32, 16 * KiB, 32 * KiB},
     {},
     4,
     32,
     196,
     60,
     "shared memory"},
    {"all shared memory",
     "sm_90",
     {256, 32, 0, 227 * KiB},
     {},
     1,
     8,
     228,
     28,
     "shared memory"},
    // 100 bytes and the 1 KiB are allotted as 1152; twice the 8 blocks are
    // 18 KiB.
    {"a little shared memory",
     "sm_90",
     {256, 32, 100, 0},
     {},
     8,
     64,
     32,
     224,
     "warps, registers"},
    // Twice 8 x 4 KiB.
    {"static and dynamic shared memory",
     "sm_90",
     {256, 32, 1 * KiB, 2 * KiB},
     {},
     8,
     64,
     64,
     192,
     "warps, registers"},

    // CATT's Volta: 96 / 24 KiB = 4 blocks, no reservation, L1 of 32 KiB.
    {"CATT's Volta",
     "sm_70",
     {256, 32, 24 * KiB, 0},
     {},
     4,
     32,
     96,
     32,
     "shared memory"},
    {"Volta without shared memory",
     "sm_70",
     {256, 32, 0, 0},
     {},
     8,
     64,
     0,
     128,
     "warps, registers"},
    // 1024 threads an SM, and no carveout below 32 KiB.
    {"Turing", "sm_75", {256, 32, 0, 0}, {}, 4, 32, 32, 64, "warps"},
    // 48 warps an SM; reserved are the 16 KiB of the 16 blocks it can hold.
    {"GA102", "sm_86", {256, 32, 0, 0}, {}, 6, 48, 16, 112, "warps"},
    {"A100", "sm_80", {256, 32, 0, 0}, {}, 8, 64, 32, 160, "warps, registers"},
    {"B200", "sm_100", {256, 32, 0, 0}, {}, 8, 64, 32, 224, "warps, registers"},
    {"GB10", "sm_121", {64, 32, 0, 0}, {}, 24, 48, 32, 96, "warps, blocks"},
    // 1024 x 64 registers fill the SM exactly. Room for four blocks is 4 KiB.
    {"largest block",
     "sm_90",
     {1024, 64, 0, 0},
     {},
     1,
     32,
     8,
     248,
     "registers"},
};

INSTANTIATE_TEST_SUITE_P(All, OccupancyTest, testing::ValuesIn(Launches));

TEST(OccupancyErrors, NameTheValueAndTheLimit) {
  struct {
    BlockResources Block;
    std::optional<uint64_t> Grid;
    unsigned SMs;
    const char *Value, *Limit;
  } Cases[] = {
      {{0, 32, 0, 0}, {}, 132, "0 threads", "1024"},
      {{2048, 32, 0, 0}, {}, 132, "2048 threads", "1024"},
      {{256, 300, 0, 0}, {}, 132, "300 registers", "255"},
      {{256, 256, 0, 0}, {}, 132, "256 registers", "255"},
      {{1024, 128, 0, 0}, {}, 132, "128 registers", "65536"},
      {{256, 32, 0, 227 * KiB + 1}, {}, 132, "232449 bytes", "232448"},
      {{256, 32, 200 * KiB, 28 * KiB}, {}, 132, "204800 bytes", "232448"},
      {{256, 32, UINT64_MAX, 1}, {}, 132, "18446744073709551615", "232448"},
      {{256, 32, 1, UINT64_MAX}, {}, 132, "18446744073709551615", "232448"},
      {{256, 32, 0, 0}, 0, 132, "0 blocks", ""},
      {{256, 32, 0, 0}, 1, 0, "0 SMs", ""},
  };
  const GPUModel *GPU = cantFail(findGPUModel("sm_90"));
  for (const auto &Case : Cases) {
    Expected<Occupancy> O =
        computeOccupancy(*GPU, Case.Block, Case.Grid, Case.SMs);
    ASSERT_FALSE(bool(O)) << Case.Value;
    std::string Message = toString(O.takeError());
    EXPECT_NE(Message.find(Case.Value), std::string::npos) << Message;
    EXPECT_NE(Message.find(Case.Limit), std::string::npos) << Message;
  }
}

} // namespace
