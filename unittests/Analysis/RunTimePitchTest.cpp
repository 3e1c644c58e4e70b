// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// From which value of an argument on the lanes of a warp are in lines of their
/// own. n is argument 1 and m argument 2.

#include "KernelsByHand.h"

using namespace llvm;
using namespace sluice;

namespace {

const AddressForm N = arg(1), M = arg(2);

struct Pitched {
  const char *What;
  AddressForm Address;
  LaunchConfig Launch;
  const char *OnlyIf; ///< "?": the distance stays unknown.
};

void PrintTo(const Pitched &Case, std::ostream *OS) { *OS << Case.What; }

class RunTimePitch : public testing::TestWithParam<Pitched> {};

TEST_P(RunTimePitch, HasAMinimum) {
  const Pitched &Case = GetParam();
  AccessFootprint F =
      footprintOf(load(arg(0) + Case.Address + 4 * iter(0)), Case.Launch);
  EXPECT_EQ(F.UnknownDistance, StringRef(Case.OnlyIf) == "?");
  EXPECT_EQ(str(F.OnlyIf), F.UnknownDistance ? "" : Case.OnlyIf);
}

INSTANTIATE_TEST_SUITE_P(
    OneArgument, RunTimePitch,
    testing::Values(Pitched{"rows of floats", 4 * N * globalX(), block(256),
                            "argument 1 >= 32"},
                    Pitched{"rows of doubles", 8 * N * globalX(), block(256),
                            "argument 1 >= 16"},
                    Pitched{"rows of bytes", N * globalX(), block(256),
                            "argument 1 >= 128"},
                    Pitched{"rows of 12 bytes, rounded up", 12 * N * globalX(),
                            block(256), "argument 1 >= 11"},
                    Pitched{"rows of a line and more", 2048 * N * globalX(),
                            block(256), "argument 1 >= 1"},
                    Pitched{"from the last row to the first",
                            -4 * N * globalX(), block(256), "argument 1 >= 32"},
                    Pitched{"the fifth row after", 4 * N * (globalX() + 5),
                            block(256), "argument 1 >= 32"},
                    // Neighbours of one row have known distances.
                    Pitched{"16 lanes a row",
                            4 * N * op(AddressOp::LShr, tid(), 4), block(256),
                            "argument 1 >= 32"},
                    Pitched{"every other row", 4 * N * (2 * tid()), block(256),
                            "argument 1 >= 16"},
                    Pitched{"a product with what is read",
                            N * var(Variable::Uniform, 0) + 4 * N * tid(),
                            block(256), "argument 1 >= 32"}));

INSTANTIATE_TEST_SUITE_P(
    WithAKnownPart, RunTimePitch,
    testing::Values(
        // 4 * (n + 1) >= 128
        Pitched{"rows of n + 1", 4 * (N + 1) * globalX(), block(256),
                "argument 1 >= 31"},
        Pitched{"rows of n - 1", 4 * (N + -1) * globalX(), block(256),
                "argument 1 >= 33"},
        Pitched{"rows that are apart in any case", (4 * N + 2048) * globalX(),
                block(256), "argument 1 >= 1"},
        // 4 * n - 15 * 4 >= 128: the last of a row and the first of the next.
        Pitched{"two rows a warp", 4 * N * tid(1) + 4 * tid(), block(16, 16),
                "argument 1 >= 47"},
        Pitched{"rows of one warp each", 4 * N * tid(1) + 4 * tid(),
                block(32, 8), ""},
        Pitched{"a row for each column of threads", 4 * N * tid() + 4 * tid(1),
                block(32, 8), "argument 1 >= 32"}));

INSTANTIATE_TEST_SUITE_P(
    SeveralArguments, RunTimePitch,
    testing::Values(
        Pitched{"a product", 4 * N * M * globalX(), block(256), "?"},
        Pitched{"a sum", 4 * (N + M) * globalX(), block(256), "?"},
        Pitched{"an offset of all", 4 * N * globalX() + 4 * M, block(256),
                "argument 1 >= 32"},
        // A[(z * m + y) * n + x]: a warp of 8x4x2 is one z.
        Pitched{"a plane a warp", 4 * N * M * tid(2) + 4 * N * tid(1),
                block(8, 4, 2), "argument 1 >= 32"},
        Pitched{"two planes a warp", 4 * N * M * tid(2) + 4 * N * tid(1),
                block(4, 4, 4), "?"},
        Pitched{"planes of a pitch of their own",
                4 * M * tid(2) + 4 * N * tid(1), block(8, 4, 2),
                "argument 1 >= 32"},
        Pitched{"two planes a warp, of a pitch of their own",
                4 * M * tid(2) + 4 * N * tid(1), block(4, 4, 4), "?"},
        // Half of the lanes are apart by n, and half of the warps by m.
        Pitched{"warps that differ by different arguments",
                4 * M * op(AddressOp::UMin, tid(), 32) +
                    4 * N * op(AddressOp::UMax, tid(), 32),
                block(64), "argument 1 >= 32 and argument 2 >= 32"}));

INSTANTIATE_TEST_SUITE_P(
    NoMinimum, RunTimePitch,
    testing::Values(
        Pitched{"by what is read", 4 * var(Variable::Uniform, 0) * tid(),
                block(256), "?"},
        Pitched{"also by what is read",
                4 * N * tid() + 4 * var(Variable::Uniform, 0) * tid(),
                block(256), "?"},
        Pitched{"from a base of each thread",
                4 * N * tid() + var(Variable::Varying, 0), block(256), "?"},
        Pitched{"a square", N * N * tid(), block(256), "?"},
        Pitched{"a remainder",
                4 * AddressForm::operation(AddressOp::URem, tid(), N),
                block(256), "?"},
        Pitched{"by the iterations", 4 * N * iter(0) * tid(), block(256), "?"},
        Pitched{"divided by zero", N * op(AddressOp::UDiv, tid(), 0),
                block(256), "?"},
        Pitched{"larger than an int", N * tid() - (int64_t(1) << 32) * tid(),
                block(256), "?"}));

// All accesses of a loop must be as they were counted.
TEST(RunTimePitchOfLoops, TheLargestMinimumOfEachArgument) {
  KernelFacts K =
      kernel({load(arg(0) + 8 * N * tid()), load(arg(5) + 4 * N * tid()),
              load(arg(3) + 4 * M * tid()), load(arg(4) + 2048 * tid())});
  LoopFootprint F = footprint(K, block(32));
  EXPECT_EQ(str(F.OnlyIf), "argument 1 >= 32 and argument 2 >= 32");
  EXPECT_EQ(str(F.Accesses[0].OnlyIf), "argument 1 >= 16");
  EXPECT_EQ(str(F.Accesses[3].OnlyIf), "");
  EXPECT_EQ(F.linesPerBlock(1), 128u);
}

TEST(RunTimePitchOfLoops, AnArgumentOfTheLaunchNeedsNone) {
  KernelFacts K =
      kernel({load(arg(0) + 4 * N * tid()), load(arg(3) + 4 * M * tid())});
  LaunchConfig Launch = block(32);
  Launch.Arguments = {std::nullopt, 64};
  EXPECT_EQ(str(footprint(K, Launch).OnlyIf), "argument 2 >= 32");
}

TEST(RunTimePitchOfLoops, WhatIsUnknownStaysSo) {
  KernelFacts K =
      kernel({load(arg(0) + 4 * N * tid()), load(arg(3) + N * M * tid())});
  LoopFootprint F = footprint(K, block(32));
  EXPECT_EQ(F.UnknownDistance, &K.Loops[0].Accesses[1]);
  EXPECT_TRUE(F.Accesses[1].OnlyIf.empty());
}

//===--------------------------------------------------------------------===//
// Minima of arguments
//===--------------------------------------------------------------------===//

TEST(ArgumentMinimum, OfTwoForOneArgumentTheLarger) {
  ArgumentMinima A = {{1, "n", 32}, {4, "k", 8}},
                 B = {{0, "h", 1}, {1, "n", 47}, {3, "m", 16}, {4, "k", 4}};
  EXPECT_EQ(str(bothOf(A, B)), "h >= 1 and n >= 47 and m >= 16 and k >= 8");
  EXPECT_EQ(bothOf(A, B), bothOf(B, A));
  EXPECT_EQ(bothOf(A, {}), A);
  EXPECT_EQ(bothOf({}, A), A);
}

TEST(ArgumentMinimum, WithoutANameItHasItsNumber) {
  EXPECT_EQ((ArgumentMinimum{3, "", 32}).str(), "argument 3 >= 32");
}

} // namespace
