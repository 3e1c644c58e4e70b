// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a footprint takes grows with the accesses that differ in kind, and what
// takes too much is given up. In counted steps, which are the same everywhere.

#include "KernelsByHand.h"

using namespace sluice;

namespace {

LoopFootprint computed(const KernelFacts &K, unsigned Threads) {
  return computeLoopFootprint(K, 0, block(Threads), sm90());
}

KernelFacts kernelOf(unsigned Accesses,
                     llvm::function_ref<AddressForm(unsigned)> Address) {
  std::vector<AccessPattern> All;
  for (unsigned A = 0; A < Accesses; ++A)
    All.push_back(load(Address(A)));
  return kernel(std::move(All));
}

TEST(FootprintLimit, LanesAreCountedOnceForAConstant) {
  const unsigned Loads = 2000, Threads = 1024;
  KernelFacts K = kernelOf(
      Loads, [](unsigned A) { return arg(0) + 4 * globalX() + 4 * int(A); });
  LoopFootprint F = computed(K, Threads);
  EXPECT_EQ(F.Unknown, "");
  // The floats of all threads and 1,999 more, 32 of them in a line.
  EXPECT_EQ(F.linesPerBlock(1), (Threads + Loads - 1 + 31) / 32);
  EXPECT_LT(F.Steps, uint64_t(Loads) * Threads / 4);
}

TEST(FootprintLimit, EachAccessCountsByItself) {
  KernelFacts Negative = kernel({load(arg(0) + 4 * globalX() + -4)});
  EXPECT_EQ(computed(Negative, 64).linesPerBlock(1), 3u);
  KernelFacts Both = kernel({load(arg(0) + 4 * globalX() + 4),
                             load(arg(0) + 4 * globalX() + (4 + 128 * 7))});
  LoopFootprint F = computed(Both, 32);
  EXPECT_EQ(F.Accesses[0].LinesPerBlock, 2u);
  EXPECT_EQ(F.Accesses[1].LinesPerBlock, 2u);
  EXPECT_EQ(F.linesPerBlock(1), 4u);
}

TEST(FootprintLimit, ATooLargeLoopIsGivenUp) {
  KernelFacts K = kernelOf(9000, [](unsigned A) {
    return arg(A) + int64_t(A + 1) * 128 * globalX();
  });
  LoopFootprint F = computed(K, 1024);
  EXPECT_EQ(F.Unknown,
            "its accesses, for all threads and iterations of inner loops, are "
            "too large to count (more than 8388608 steps)");
  EXPECT_LT(F.Steps, 2 * MaxFootprintSteps);
}

TEST(FootprintLimit, LoopsOfAKernelThatAreTooMuchTogetherAreGivenUp) {
  KernelFacts K = kernelOf(1500, [](unsigned A) {
    return arg(A) + int64_t(A + 1) * 128 * globalX();
  });
  LoopFootprints Footprints(K, sm90());
  unsigned Counted = 0;
  LaunchConfig Launch = block(256);
  for (unsigned Grid = 1; Grid <= 20; ++Grid) {
    Launch.Grid = LaunchDim::known(Grid);
    const LoopFootprint &F = Footprints.of(0, Launch);
    Counted += F.Unknown.empty();
    if (!F.Unknown.empty()) {
      EXPECT_EQ(F.Unknown, "the kernel's loops, for all launches, are too "
                           "large to count (more than 8388608 steps)");
    }
  }
  EXPECT_GT(Counted, 2u);
  EXPECT_LT(Counted, 20u);
}

/// Each level has the one below twice: 2^Levels operations are printed.
AddressForm mixed(unsigned Levels) {
  AddressForm Hash = tid();
  for (unsigned L = 0; L < Levels; ++L)
    Hash = AddressForm::operation(AddressOp::Xor, Hash,
                                  op(AddressOp::LShr, Hash, 3));
  return Hash;
}

TEST(FootprintLimit, SharedOperationsAreComputedOnce) {
  KernelFacts K = kernel({load(arg(0) + 4 * mixed(10))});
  EXPECT_GT(mixed(10).size(), 3000u);
  LoopFootprint F = computed(K, 1024);
  EXPECT_EQ(F.Unknown, "");
  EXPECT_LT(F.Steps, 1024u * 150);
}

TEST(FootprintLimit, SizeIsWhatIsPrinted) {
  EXPECT_EQ(AddressForm().size(), 0u);
  EXPECT_EQ(c(7).size(), 1u);
  EXPECT_EQ((tid() * arg(0) + 4).size(), 4u);
  EXPECT_EQ(op(AddressOp::UDiv, tid(), 3).size(), 5u);
  EXPECT_EQ(mixed(3).size(), 2 + 2 * mixed(2).size() + 3);
}

} // namespace
