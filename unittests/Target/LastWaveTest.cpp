// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocks of the SM that has the most to do.

#include "sluice/Target/LastWave.h"
#include "gtest/gtest.h"

using namespace sluice;

namespace {

TEST(LastWave, WholeWavesAreEven) {
  for (unsigned Resident : {1, 2, 4, 8})
    EXPECT_EQ(blocksOfBusiestSM(8 * 132, 132, Resident), 8u) << Resident;
}

/// 2.67 waves of three: of 132 SMs some have all slots of the last one taken.
TEST(LastWave, PartOfAWaveFillsSomeSM) {
  EXPECT_EQ(blocksOfBusiestSM(8 * 132, 132, 3), 9u);
  EXPECT_EQ(blocksOfBusiestSM(8 * 132, 132, 6), 11u);
  EXPECT_EQ(blocksOfBusiestSM(8 * 132, 132, 7), 11u);
}

/// kmeans: 32 blocks are left over, whatever the wave.
TEST(LastWave, AFewBlocksDoNot) {
  for (unsigned Resident : {2, 3, 4, 6, 8})
    EXPECT_EQ(blocksOfBusiestSM(3200, 132, Resident), 26u) << Resident;
}

TEST(LastWave, SmallGrids) {
  EXPECT_EQ(blocksOfBusiestSM(1, 132, 8), 1u);
  EXPECT_EQ(blocksOfBusiestSM(5, 1, 8), 5u);
  EXPECT_EQ(blocksOfBusiestSM(0, 132, 8), 0u);
}

} // namespace
