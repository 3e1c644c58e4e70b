// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "sluice/Emulator/Progress.h"
#include "gtest/gtest.h"

using namespace sluice;

TEST(Progress, SaysHowMuchIsLeft) {
  EXPECT_EQ(describeProgress("rows", 25, 100, "blocks", 10, 0),
            "rows: 25 % of 100 blocks, 30 s left");
  EXPECT_EQ(describeProgress("rows", 1, 1000, "blocks", 10, 0),
            "rows: 0 % of 1000 blocks, 3 h left");
  EXPECT_EQ(describeProgress("rows", 100, 100, "blocks", 10, 0),
            "rows: 100 % of 100 blocks, 0 s left");
}

TEST(Progress, KnowsNothingBeforeTheFirst) {
  EXPECT_EQ(timeLeft(0, 4, 60), "");
  EXPECT_EQ(timeLeft(1, 4, 60), ", 3 min left");
  EXPECT_EQ(timeLeft(4, 4, 60), ", 0 s left");
}

TEST(Progress, DrawsABar) {
  EXPECT_EQ(describeProgress("k", 1, 4, "blocks", 60, 8),
            "k: [##------] 25 % of 4 blocks, 3 min left");
  EXPECT_EQ(describeProgress("k", 0, 4, "blocks", 60, 4),
            "k: [----] 0 % of 4 blocks");
  EXPECT_EQ(describeProgress("k", 0, 0, "blocks", 0, 2),
            "k: [##] 100 % of 0 blocks, 0 s left");
}

// It is no terminal here, and no minute has passed.
TEST(Progress, SaysNothingOfWhatIsShort) {
  testing::internal::CaptureStderr();
  {
    Progress P("rows", 100, "blocks");
    for (unsigned I = 0; I <= 100; ++I)
      P.update(I);
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}
