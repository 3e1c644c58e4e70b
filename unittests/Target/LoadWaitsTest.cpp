// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "sluice/Target/LoadWaits.h"
#include "gtest/gtest.h"
#include <vector>

using namespace sluice;

namespace {

/// Code as LoadWaits.cpp describes it.
class Code {
public:
  /// \p Counter: that it counts down; \p Waits: a bit for each that it waits
  /// for. It takes a cycle.
  Code &add(unsigned Op, unsigned Counter = 7, unsigned Waits = 0,
            uint64_t Low = 0) {
    append(Op | Low);
    append(uint64_t(1) << 41 | uint64_t(Counter) << 46 | uint64_t(Waits) << 52);
    return *this;
  }
  Code &load(unsigned Counter, unsigned Waits = 0) {
    return add(0x981, Counter, Waits);
  }
  Code &sum(unsigned Waits) { return add(0x221, 7, Waits); }
  /// Back over \p Instructions, and itself.
  Code &branch(unsigned Instructions, bool IsHopper = true) {
    const int64_t Bytes = -16 * int64_t(Instructions + 1);
    const uint64_t Quarter = uint64_t(Bytes / 4);
    return add(0x947, 7, 0,
               IsHopper ? (Quarter & 0xff) << 16 |
                              (uint64_t(int64_t(Quarter) >> 8) << 34 &
                               0xffffffff00000000)
                        : uint64_t(Bytes) << 32);
  }
  AssembledKernel waits(bool IsHopper = true) const {
    AssembledKernel Kernel;
    findLoadWaits(Bytes, IsHopper, Kernel);
    return Kernel;
  }

private:
  void append(uint64_t Word) {
    for (unsigned I = 0; I < 8; ++I)
      Bytes.push_back(uint8_t(Word >> 8 * I));
  }

  std::vector<uint8_t> Bytes;
};

TEST(LoadWaits, OfLoadsThatAreTogetherIsOne) {
  const AssembledKernel Together =
      Code().load(0).load(1).load(2).sum(1).sum(2).sum(4).waits();
  EXPECT_EQ(Together.WaitCycles, 603u);
  EXPECT_EQ(Together.WaitLoads, 3u);
  EXPECT_EQ(Together.WaitInstructions, 6u);
  const AssembledKernel InTurn =
      Code().load(0).sum(1).load(1).sum(2).load(2).sum(4).waits();
  EXPECT_EQ(InTurn.WaitCycles, 1803u);
}

TEST(LoadWaits, OneCounterForSeveralWaitsForTheLast) {
  EXPECT_EQ(Code().load(0).load(0).load(0).sum(1).waits().WaitCycles, 603u);
}

TEST(LoadWaits, OfALoopAreThoseOfAnIteration) {
  for (bool IsHopper : {true, false}) {
    const AssembledKernel Kernel = Code()
                                       .load(0)
                                       .sum(1)
                                       .load(0)
                                       .load(1)
                                       .sum(1)
                                       .sum(2)
                                       .branch(4, IsHopper)
                                       .load(3)
                                       .sum(8)
                                       .waits(IsHopper);
    EXPECT_EQ(Kernel.WaitLoads, 2u);
    EXPECT_EQ(Kernel.WaitInstructions, 5u);
    EXPECT_EQ(Kernel.WaitCycles, 603u);
  }
}

TEST(LoadWaits, FarBranches) {
  Code Long;
  for (unsigned I = 0; I < 300; ++I)
    Long.load(0);
  const AssembledKernel Kernel = Long.sum(1).branch(301).waits();
  EXPECT_EQ(Kernel.WaitInstructions, 302u);
  EXPECT_EQ(Kernel.WaitLoads, 300u);
}

// A loop of rests has fewer loads, and one for arrays that overlap waits for
// each: neither says how long the main loop waits.
TEST(LoadWaits, RestsAndFallbacksDoNotCount) {
  Code Kernel;
  for (unsigned I = 0; I < 8; ++I)
    Kernel.load(I % 6);
  Kernel.sum(63).branch(9);
  for (unsigned I = 0; I < 8; ++I)
    Kernel.load(0).sum(1);
  Kernel.branch(16);
  Kernel.load(0).sum(1).sum(0).sum(0).branch(4);
  const AssembledKernel Waits = Kernel.waits();
  EXPECT_EQ(Waits.WaitLoads, 8u);
  EXPECT_EQ(Waits.WaitInstructions, 10u);
  EXPECT_LT(Waits.WaitCycles, 620u);
}

TEST(LoadWaits, OfNoCodeAreNone) { EXPECT_EQ(Code().waits().WaitCycles, 0u); }

} // namespace
