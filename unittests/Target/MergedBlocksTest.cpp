// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "sluice/Target/MergedBlocks.h"
#include "gtest/gtest.h"

using namespace sluice;

namespace {

TEST(MergedBlocks, MakeBlocksOf256Threads) {
  EXPECT_EQ(mergedBlocks({196608, 1, 1, 32, 1, 1, 0}, 128), 8u);
  EXPECT_EQ(mergedBlocks({196608, 1, 1, 128, 1, 1, 0}, 128), 2u);
  EXPECT_EQ(mergedBlocks({512, 512, 1, 8, 8, 1, 0}, 128), 4u);
  EXPECT_EQ(mergedBlocks({512, 64, 3, 6, 5, 1, 0}, 128), 8u); // of 30 threads
  EXPECT_EQ(mergedBlocks({1000000, 1, 1, 1, 1, 1, 0}, 128), MostMerged);
}

TEST(MergedBlocks, StayWhereTheyAreLargeOrFew) {
  EXPECT_EQ(mergedBlocks({196608, 1, 1, 129, 1, 1, 0}, 128), 1u);
  EXPECT_EQ(mergedBlocks({196608, 1, 1, 256, 1, 1, 0}, 128), 1u);
  EXPECT_EQ(mergedBlocks({2048 * 8, 1, 1, 32, 1, 1, 0}, 128), 8u);
  EXPECT_EQ(mergedBlocks({2047 * 8, 1, 1, 32, 1, 1, 0}, 128), 1u);
  EXPECT_EQ(mergedBlocks({57, 65535, 1, 32, 1, 1, 0}, 128), 8u);
  EXPECT_EQ(mergedBlocks({56, 65535, 1, 32, 1, 1, 0}, 128),
            1u); // seven in a row
}

TEST(MergedBlocks, StayWhereTheLaunchSaysMore) {
  EXPECT_EQ(mergedBlocks({196608, 1, 1, 32, 1, 2, 0}, 128), 1u);
  EXPECT_EQ(mergedBlocks({196608, 1, 1, 32, 1, 1, 4}, 128), 1u);
  EXPECT_EQ(mergedBlocks({196608, 1, 1, 0, 1, 1, 0}, 128), 1u);
  EXPECT_EQ(mergedBlocks({196608, 0, 1, 32, 1, 1, 0}, 128), 1u);
  // Products that do not fit into 32 bits.
  EXPECT_EQ(mergedBlocks({196608, 1, 1, 1U << 31, 2, 1, 0}, 128), 1u);
  EXPECT_EQ(mergedBlocks({0x7fffffff, 65535, 65535, 128, 1, 1, 0}, 128), 2u);
}

TEST(MergedBlocks, StayWhereThereIsMoreToDoThanToBegin) {
  EXPECT_EQ(mergedBlocks({196608, 1, 1, 64, 1, 1, 0}, 64), 4u);
  EXPECT_EQ(mergedBlocks({196608, 1, 1, 64, 1, 1, 0}, 63), 1u);
  // black_scholes: two options' worth of memory; 128 threads move 2.56 KB.
  EXPECT_EQ(mostThreadsToMerge(100, 20), 120u);
  EXPECT_EQ(mostThreadsToMerge(10, 4), 128u);
  EXPECT_EQ(mostThreadsToMerge(280, 4), 64u);
  EXPECT_EQ(mostThreadsToMerge(0, 0), 128u);
}

TEST(MergedKernel, IsReadFromItsName) {
  const std::string Name = mergedName("_Z3addPfPKfi", {3, 96});
  EXPECT_EQ(Name, "__sluice_merged$1$3$96$12$_Z3addPfPKfi");
  const auto Read = mergedKernel(Name + ".more");
  ASSERT_TRUE(Read);
  EXPECT_EQ(Read->Kernel, "_Z3addPfPKfi");
  EXPECT_EQ(Read->Form, (MergedForm{3, 96}));
}

TEST(MergedKernel, OfAnotherFormIsNone) {
  for (const char *Text :
       {"", "_Z3addPfPKfi", "__sluice_merged$1$", "__sluice_merged$2$3$96$1$f",
        "__sluice_merged$1$3$96$2$f", "__sluice_merged$1$3$96$0$",
        "__sluice_merged$1$3$96$1$.", "__sluice_merged$1$3$$1$f",
        "__sluice_merged$1$3$96$f", "__sluice_merged$1$-1$96$1$f"})
    EXPECT_FALSE(mergedKernel(Text)) << Text;
}

} // namespace
