// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "sluice/Tuning/KernelTimes.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace sluice;

namespace {

// Ten launches, of which two were repeated: their medians are 2 and 4.
TEST(KernelTimesTest, MediansOfRepeatedLaunches) {
  const KernelTimes Times = parseKernelTimes(
      R"({"event": "device", "name": "Some GPU"}
{"event": "measured", "kernel": "k", "launch": 0, "candidate": "base", "block": [16, 8, 1], "ms": [9, 2, 1], "base": true}
{"event": "measured", "kernel": "k", "launch": 0, "candidate": "same", "block": [16, 8, 1], "ms": [5, 5, 5], "base": false}
{"event": "measured", "kernel": "k", "launch": 1, "candidate": "base", "block": [256, 1, 1], "ms": [4, 4, 8], "base": true}
{"event": "launches", "kernel": "k", "launches": 10, "timed": 10, "ms": 77}
)");
  EXPECT_EQ(Times.GPU, "Some GPU");
  ASSERT_EQ(Times.Kernels.count("k"), 1u);
  const KernelTime &K = Times.Kernels.find("k")->second;
  EXPECT_EQ(K.Launches, 10u);
  EXPECT_DOUBLE_EQ(K.Ms, 30);
  EXPECT_EQ(K.MostThreads, 256u);
  EXPECT_DOUBLE_EQ(Times.totalMs(), 30);
}

// A kernel whose memory cannot be set aside is timed as the program runs it.
TEST(KernelTimesTest, KernelsThatWereNotRepeated) {
  const KernelTimes Times = parseKernelTimes(
      R"({"event": "launches", "kernel": "a", "launches": 10, "timed": 5, "ms": 20}
{"event": "launches", "kernel": "b", "launches": 3, "timed": 0, "ms": 0}
)");
  EXPECT_DOUBLE_EQ(Times.Kernels.find("a")->second.Ms, 40);
  EXPECT_EQ(Times.Kernels.find("a")->second.MostThreads, 0u);
  EXPECT_DOUBLE_EQ(Times.totalMs(), 40);
}

TEST(KernelTimesTest, LinesThatAreNotWhole) {
  EXPECT_EQ(parseKernelTimes("").GPU, "");
  EXPECT_EQ(parseKernelTimes("{\"event\": \"dev\n[]\n7\n").totalMs(), 0);
}

TEST(KernelTimesTest, Jobs) {
  EXPECT_EQ(timingJob("../../images/3.cubin", 7, 4),
            "results results.jsonl\n"
            "candidate base ../../images/3.cubin\n"
            "candidate same ../../images/3.cubin\n"
            "base base\nrounds 7\nlaunches 4\ntime-wrong yes\n");
}

} // namespace
