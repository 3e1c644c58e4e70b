// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "sluice/Target/SpillChoice.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include <random>

using namespace llvm;
using namespace sluice;
using testing::ElementsAre;

namespace {

struct Sum {
  uint64_t Bytes = 0, Gain = 0;
};

template <typename IsChosenT>
Sum sumOf(ArrayRef<SpillStack> Stacks, IsChosenT IsChosen) {
  Sum Result;
  for (size_t I = 0; I < Stacks.size(); ++I)
    if (IsChosen(I)) {
      Result.Bytes += Stacks[I].Bytes;
      Result.Gain += Stacks[I].Gain;
    }
  return Result;
}

uint64_t mostByBruteForce(ArrayRef<SpillStack> Stacks, uint64_t Spare) {
  uint64_t Most = 0;
  for (unsigned Mask = 0; Mask < 1u << Stacks.size(); ++Mask) {
    const Sum S = sumOf(Stacks, [&](size_t I) { return Mask >> I & 1; });
    if (S.Bytes <= Spare)
      Most = std::max(Most, S.Gain);
  }
  return Most;
}

TEST(SpillChoice, GainsAsMuchAsAnyChoice) {
  std::mt19937 Random(22);
  auto UpTo = [&](unsigned Most) { return Random() % (Most + 1); };
  for (unsigned Round = 0; Round < 3000; ++Round) {
    // Values of 4 and 8 bytes, or sub-stacks of any size.
    const unsigned Threads = 32 * (1 + UpTo(31));
    std::vector<SpillStack> Stacks(UpTo(10));
    for (SpillStack &S : Stacks)
      S = {Round % 2 ? 1 + UpTo(200) : 4 * Threads * (1 + UpTo(1)), UpTo(50)};
    const uint64_t Spare = Round % 2 ? UpTo(900) : UpTo(48 * 1024);
    const std::vector<bool> Chosen = chooseSpills(Stacks, Spare);
    const Sum S = sumOf(Stacks, [&](size_t I) { return bool(Chosen[I]); });
    ASSERT_LE(S.Bytes, Spare);
    ASSERT_EQ(S.Gain, mostByBruteForce(Stacks, Spare)) << "round " << Round;
  }
}

TEST(SpillChoice, TakesNoGreedyChoice) {
  // By gain alone, or by gain for each byte, the first would go first.
  EXPECT_THAT(chooseSpills({{60, 61}, {50, 50}, {50, 50}}, 100),
              ElementsAre(false, true, true));
  EXPECT_THAT(chooseSpills({{1024, 9}, {512, 5}, {512, 3}}, 1024),
              ElementsAre(true, false, false));
}

TEST(SpillChoice, AllOrNone) {
  EXPECT_THAT(chooseSpills({{512, 1}, {1024, 2}}, 1536),
              ElementsAre(true, true));
  EXPECT_THAT(chooseSpills({{512, 1}, {1024, 2}}, 511),
              ElementsAre(false, false));
  EXPECT_TRUE(chooseSpills({}, 1024).empty());
}

} // namespace
