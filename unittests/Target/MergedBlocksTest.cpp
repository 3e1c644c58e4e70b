// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "sluice/Target/MergedBlocks.h"
#include "gtest/gtest.h"

using namespace sluice;

namespace {

/// The layers of \p L, or 0 where it stays.
unsigned layers(const AskedLaunch &L, unsigned MostThreads = 128,
                unsigned Together = 1) {
  const MergedLaunch Merged = mergedLaunch(L, {0, MostThreads, Together});
  return Merged.Row ? Merged.Layers : 0;
}

TEST(MergedBlocks, MakeBlocksOf256Threads) {
  EXPECT_EQ(layers({196608, 1, 1, 32, 1, 1, 0}), 8u);
  EXPECT_EQ(layers({196608, 1, 1, 128, 1, 1, 0}), 2u);
  EXPECT_EQ(layers({512, 512, 1, 8, 8, 1, 0}), 4u);
  EXPECT_EQ(layers({512, 64, 3, 6, 5, 1, 0}), 8u); // of 30 threads
  EXPECT_EQ(layers({1000000, 1, 1, 1, 1, 1, 0}), MostMerged);
}

TEST(MergedBlocks, StayWhereTheyAreLargeOrFew) {
  EXPECT_EQ(layers({196608, 1, 1, 129, 1, 1, 0}), 0u);
  EXPECT_EQ(layers({196608, 1, 1, 256, 1, 1, 0}), 0u);
  EXPECT_EQ(layers({2048 * 8, 1, 1, 32, 1, 1, 0}), 8u);
  EXPECT_EQ(layers({2047 * 8, 1, 1, 32, 1, 1, 0}), 0u);
  // Seven of 64 are lost, and eight.
  EXPECT_EQ(layers({57, 65535, 1, 32, 1, 1, 0}), 8u);
  EXPECT_EQ(layers({56 - 7, 65535, 1, 32, 1, 1, 0}), 0u);
  EXPECT_EQ(layers({8, 65535, 1, 32, 1, 1, 0}), 8u);
}

TEST(MergedBlocks, StayWhereTheLaunchSaysMore) {
  EXPECT_EQ(layers({196608, 1, 1, 32, 1, 2, 0}), 0u);
  EXPECT_EQ(layers({196608, 1, 1, 32, 1, 1, 4}), 0u);
  EXPECT_EQ(layers({196608, 1, 1, 0, 1, 1, 0}), 0u);
  EXPECT_EQ(layers({196608, 0, 1, 32, 1, 1, 0}), 0u);
  EXPECT_EQ(layers({196608, 1, 1, 256, 1, 2, 0}, 128, 4), 0u);
  EXPECT_EQ(layers({196608, 1, 1, 256, 1, 1, 4}, 128, 4), 0u);
  EXPECT_EQ(layers({196608, 1, 1, 0, 1, 1, 0}, 128, 4), 0u);
  // Products that do not fit into 32 bits.
  EXPECT_EQ(layers({196608, 1, 1, 1U << 31, 2, 1, 0}), 0u);
  EXPECT_EQ(layers({0xffffff, 65535, 65535, 128, 1, 1, 0}), 2u);
  EXPECT_EQ(layers({0x1fffff, 65535, 65535, 1024, 1, 1, 0}, 128, 8), 1u);
  // More than 2^31 threads in a row, or an error.
  EXPECT_EQ(layers({0x1000000, 1, 1, 128, 1, 1, 0}), 0u);
  EXPECT_EQ(layers({0xffff0000, 1, 1, 1, 1, 1, 0}), 0u);
  EXPECT_EQ(layers({196608, 1, 1, 1025, 1, 1, 0}, 128, 8), 0u);
}

TEST(MergedBlocks, OfAnySizeDoTheWorkOfSeveral) {
  for (unsigned Together : {2, 4, 8}) {
    const MergedForm Form = {0, 128, Together};
    EXPECT_EQ(mergedLaunch({16384, 1, 1, 256, 1, 1, 0}, Form).Layers, 1u);
    EXPECT_EQ(mergedLaunch({16384, 1, 1, 256, 1, 1, 0}, Form).Row,
              16384u / Together);
    // Fewer than a million threads.
    EXPECT_EQ(mergedLaunch({4096, 1, 1, 256, 1, 1, 0}, Form).Row,
              4096u / Together);
    EXPECT_EQ(mergedLaunch({4088, 1, 1, 256, 1, 1, 0}, Form).Row, 0u);
    // Small ones are layers, too.
    EXPECT_EQ(mergedLaunch({65536, 1, 1, 64, 1, 1, 0}, Form).Layers, 4u);
    EXPECT_EQ(mergedLaunch({65536, 1, 1, 64, 1, 1, 0}, Form).Row,
              16384u / Together);
  }
  // Nine blocks would be ten or twelve; one of eight may be lost, three not.
  EXPECT_EQ(mergedLaunch({9, 65535, 1, 256, 1, 1, 0}, {0, 128, 2}).Row, 5u);
  EXPECT_EQ(mergedLaunch({9, 65535, 1, 256, 1, 1, 0}, {0, 128, 4}).Row, 0u);
}

TEST(MergedBlocks, WhoseThreadsWorkTogetherHaveLongRows) {
  EXPECT_EQ(mergedLaunch({60, 4096, 1, 256, 1, 1, 0}, {0, 0, 4}).Row, 0u);
  EXPECT_EQ(mergedLaunch({60, 1, 4096, 256, 1, 1, 0}, {0, 0, 4}).Row, 0u);
  EXPECT_EQ(mergedLaunch({64, 4096, 1, 256, 1, 1, 0}, {0, 0, 4}).Row, 16u);
  EXPECT_EQ(mergedLaunch({60, 4096, 1, 256, 1, 1, 0}, {0, 128, 4}).Row, 15u);
}

TEST(MergedBlocks, WhoseThreadsWorkTogetherAreOfWholeWarps) {
  const MergedForm Form = {0, 0, 4};
  EXPECT_EQ(mergedLaunch({65536, 1, 1, 64, 1, 1, 0}, Form).Layers, 1u);
  EXPECT_EQ(mergedLaunch({65536, 1, 1, 64, 1, 1, 0}, Form).Row, 16384u);
  EXPECT_EQ(mergedLaunch({65536, 1, 1, 100, 1, 1, 0}, Form).Row, 16384u);
  EXPECT_EQ(mergedLaunch({65536, 1, 1, 32, 8, 1, 0}, Form).Row, 16384u);
  EXPECT_EQ(mergedLaunch({65536, 1, 1, 16, 16, 1, 0}, Form).Row, 0u);
}

TEST(MergedBlocks, KeepToTheProgramsBound) {
  const MergedForm Form = {0, 128, 4, false, 64};
  EXPECT_EQ(mergedLaunch({65536, 1, 1, 64, 1, 1, 0}, Form).Row, 4096u);
  EXPECT_EQ(mergedLaunch({65536, 1, 1, 65, 1, 1, 0}, Form).Row, 0u);
}

TEST(MergedBlocks, HaveEachTheSharedMemoryThatWasAskedFor) {
  const MergedForm Form = {0, 0, 4, true};
  EXPECT_EQ(mergedLaunch({65536, 1, 1, 256, 1, 1, 0}, Form).SharedBytes, 0u);
  EXPECT_EQ(mergedLaunch({65536, 1, 1, 256, 1, 1, 1020}, Form).SharedBytes,
            4096u);
  EXPECT_EQ(mergedLaunch({65536, 1, 1, 256, 1, 1, 4096}, Form).Row, 16384u);
  EXPECT_EQ(mergedLaunch({65536, 1, 1, 256, 1, 1, 4097}, Form).Row, 0u);
}

TEST(MergedBlocks, StayWhereThereIsMoreToDoThanToBegin) {
  EXPECT_EQ(layers({196608, 1, 1, 64, 1, 1, 0}, 64), 4u);
  EXPECT_EQ(layers({196608, 1, 1, 64, 1, 1, 0}, 63), 0u);
  // black_scholes: two options' worth of memory; 128 threads move 2.56 KB.
  EXPECT_EQ(mostThreadsToMerge(100, 20), 120u);
  EXPECT_EQ(mostThreadsToMerge(10, 4), 128u);
  EXPECT_EQ(mostThreadsToMerge(280, 4), 64u);
  EXPECT_EQ(mostThreadsToMerge(0, 0), 128u);
}

TEST(MergedKernel, IsReadFromItsName) {
  const std::string Name = mergedName("_Z3addPfPKfi", {3, 96, 4, false, 64});
  EXPECT_EQ(Name, "__sluice_merged$3$3$96$4$0$64$12$_Z3addPfPKfi");
  const auto Read = mergedKernel(Name + ".more");
  ASSERT_TRUE(Read);
  EXPECT_EQ(Read->Kernel, "_Z3addPfPKfi");
  EXPECT_EQ(Read->Form, (MergedForm{3, 96, 4, false, 64}));
}

TEST(MergedKernel, OfAnotherFormIsNone) {
  for (const char *Text :
       {"", "_Z3addPfPKfi", "__sluice_merged$3$",
        "__sluice_merged$2$3$96$4$0$64$1$f",
        "__sluice_merged$3$3$96$4$0$64$2$f", "__sluice_merged$3$3$96$4$0$64$0$",
        "__sluice_merged$3$3$96$4$0$64$1$.", "__sluice_merged$3$3$$4$0$64$1$f",
        "__sluice_merged$3$3$96$4$0$64$f", "__sluice_merged$3$3$96$0$0$64$1$f",
        "__sluice_merged$3$-1$96$4$0$64$1$f",
        "__sluice_merged$3$3$96$4$2$64$1$f"})
    EXPECT_FALSE(mergedKernel(Text)) << Text;
}

} // namespace
