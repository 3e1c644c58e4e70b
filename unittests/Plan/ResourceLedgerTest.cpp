// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Who takes what of an SM, and who gives way.

#include "sluice/Plan/ResourceLedger.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace sluice;

namespace {

const GPUModel &h100() { return *cantFail(findGPUModel("sm_90")); }

/// One launch of 264 blocks of 256 threads without dynamic shared memory.
KernelFacts facts(uint64_t StaticSharedBytes = 0) {
  KernelFacts Kernel;
  Kernel.Name = "k";
  Kernel.StaticSharedBytes = StaticSharedBytes;
  LaunchConfig Launch;
  Launch.Grid = LaunchDim::known(2640);
  Launch.Block = LaunchDim::known(256);
  Launch.DynamicSharedBytes = 0;
  Kernel.Launches = {Launch};
  return Kernel;
}

Taking taking(StringRef Technique, uint64_t Claim, unsigned Percent,
              uint64_t Nanoseconds) {
  Taking T;
  T.Technique = Technique;
  T.ClaimedSharedBytes = Claim;
  T.CarveoutPercent = Percent;
  T.Nanoseconds = Nanoseconds;
  return T;
}

TEST(ResourceLedger, HoldsWhatAnSMHolds) {
  const KernelFacts Kernel = facts();
  ResourceLedger Ledger(Kernel, h100(), 32, 132, std::nullopt);
  auto Held = Ledger.heldAt(Kernel.Launches[0]);
  ASSERT_TRUE(bool(Held));
  EXPECT_EQ(Held->BlocksPerSM, 8U);
  EXPECT_EQ(Held->WarpsPerSM, 64U);
}

TEST(ResourceLedger, CountsWhatTechniquesTake) {
  const KernelFacts Kernel = facts();
  ResourceLedger Ledger(Kernel, h100(), 32, 132, std::nullopt);
  Taking Staging;
  Staging.Technique = "software-l1";
  Staging.StaticSharedBytes = 48 * 1024;
  ASSERT_TRUE(Ledger.weigh(Staging, 1));
  EXPECT_EQ(cantFail(Ledger.heldAt(Kernel.Launches[0])).BlocksPerSM, 4U);
  Taking Registers;
  Registers.Technique = "registers";
  Registers.RegistersPerThread = 96;
  ASSERT_TRUE(Ledger.weigh(Registers, 1)); // it wants something else
  EXPECT_EQ(cantFail(Ledger.heldAt(Kernel.Launches[0])).BlocksPerSM, 2U);
  Registers.MaxRegisters = 64;
  ASSERT_TRUE(Ledger.weigh(Registers, 1)); // in place of its own
  EXPECT_EQ(cantFail(Ledger.heldAt(Kernel.Launches[0])).BlocksPerSM, 4U);
  Ledger.giveBack("software-l1");
  Ledger.giveBack("registers");
  EXPECT_EQ(cantFail(Ledger.heldAt(Kernel.Launches[0])).BlocksPerSM, 8U);
}

TEST(ResourceLedger, WeighsTwoThatWantTheSame) {
  const KernelFacts Kernel = facts();
  ResourceLedger Ledger(Kernel, h100(), 32, 132, std::nullopt);
  ASSERT_TRUE(Ledger.weigh(taking("blocks", 1024, 50, 1000), 1.03));
  // Not known to be faster, as fast, faster.
  EXPECT_FALSE(Ledger.weigh(taking("carveout", 0, 7, 0), 1.03));
  EXPECT_FALSE(Ledger.weigh(taking("carveout", 0, 7, 980), 1.03));
  EXPECT_TRUE(Ledger.has("blocks"));
  EXPECT_TRUE(Ledger.weigh(taking("carveout", 0, 7, 900), 1.03));
  EXPECT_FALSE(Ledger.has("blocks"));
  EXPECT_TRUE(Ledger.has("carveout"));
}

TEST(ResourceLedger, PretendsAnL1) {
  const KernelFacts Kernel = facts();
  ResourceLedger Ledger(Kernel, h100(), 32, 132, 28);
  EXPECT_EQ(cantFail(Ledger.heldAt(Kernel.Launches[0])).L1Bytes, 28U * 1024);
  EXPECT_EQ(Ledger.l1With(123), 28U * 1024);
}

TEST(ResourceLedger, FreeBytesKeepTheBlocksAndOneUnitMoreDoesNot) {
  for (uint64_t Own : {0, 1000, 8192})
    for (unsigned Blocks : {5, 6, 7, 8}) {
      const KernelFacts Kernel = facts(Own);
      ResourceLedger Ledger(Kernel, h100(), 32, 132, std::nullopt);
      uint64_t Free = Ledger.freeSharedBytes(Blocks);
      ASSERT_GT(Free, 0U);
      auto BlocksWith = [&](uint64_t Bytes) {
        Taking T;
        T.Technique = "software-l1";
        T.StaticSharedBytes = Bytes;
        Ledger.weigh(T, 1);
        return cantFail(Ledger.heldAt(Kernel.Launches[0])).BlocksPerSM;
      };
      EXPECT_GE(BlocksWith(Free), Blocks) << Own;
      EXPECT_LT(BlocksWith(Free + 128), Blocks) << Own;
    }
}

TEST(ResourceLedger, HasNoFreeBytesWhereTheyAreNotKnown) {
  KernelFacts Kernel = facts();
  Kernel.Launches[0].DynamicSharedBytes.reset();
  ResourceLedger Ledger(Kernel, h100(), 32, 132, std::nullopt);
  EXPECT_EQ(Ledger.freeSharedBytes(1), 0U);
  std::string WhyNot;
  EXPECT_FALSE(Ledger.sharedBytes(WhyNot));
  EXPECT_EQ(WhyNot, "its dynamic shared memory is not known at compile time");
}

TEST(ResourceLedger, OfAPlan) {
  KernelPlan Kernel;
  LaunchPlan Launch;
  Launch.Block = LaunchDim::known(256);
  Launch.BlocksPerSM = 8;
  Launch.L1Bytes = 100000;
  HeldByPlan Held = heldByPlan(Kernel, Launch, h100());
  EXPECT_EQ(Held.L1Bytes, 100000U);
  EXPECT_EQ(Held.Warps, 64);
  Kernel.ResidentBlocks = 2;
  Kernel.CarveoutPercent = 100;
  Held = heldByPlan(Kernel, Launch, h100());
  EXPECT_EQ(Held.L1Bytes, 28U * 1024);
  EXPECT_EQ(Held.Warps, 16);
  EXPECT_EQ(Held.ShareOfBlocks, 0.25);
}

} // namespace
