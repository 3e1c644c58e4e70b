// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// CATT's carveout (Eq. 4) by hand: eight blocks of 7 KiB of shared memory. The
/// driver takes 132 KiB for them and leaves an L1 of 126976 B, all that they
/// need is 64, which leaves 196608 B.

#include "sluice/Plan/Carveout.h"
#include "GesummvByHand.h"

using namespace sluice;
using namespace sluice::test;

namespace {

/// \p Lines of a block in a loop whose warps cannot take turns.
Problem problem(int64_t Lines) {
  Problem P;
  P.Kernel.UsesDynamicShared = false;
  P.Kernel.StaticSharedBytes = 7168;
  P.loop().Accesses = {load(arg(0) + (128 * Lines) * var(Variable::Ctaid, 0) +
                            (Lines / 2) * var(Variable::Tid, 0) + 4 * iter(0))};
  P.loop().Region.Refusal = "contains a block barrier";
  return P;
}

TEST(Carveout, IsTheLeastThatHoldsAllBlocks) {
  KernelPlan P = problem(192).plan();
  EXPECT_EQ(P.Launches[0].L1Bytes, 126976u);
  ASSERT_TRUE(P.CarveoutPercent);
  EXPECT_EQ(
      configuredCarveoutKiB(**findGPUModel("sm_90"), *P.CarveoutPercent, 7168),
      64u);
  EXPECT_EQ(P.CarveoutWhy,
            "footprint 196608 B (8 blocks of 192 lines) of the loop at "
            "k.cu:10:5 is beyond the L1 of 126976 B that the driver leaves; "
            "all blocks need 64 KiB of shared memory, which leaves 196608 B");
  EXPECT_FALSE(P.ResidentBlocks);
  EXPECT_EQ(P.BlocksWhy, "");
}

TEST(Carveout, OnlyWhereAllFitsThenAndDoesNotBefore) {
  // 1.1 times the L1 counts as fitting.
  EXPECT_FALSE(problem(128).plan().CarveoutPercent) << "it fits";
  EXPECT_TRUE(problem(208).plan().CarveoutPercent);
  KernelPlan P = problem(256).plan();
  EXPECT_EQ(P.CarveoutWhy, "");
  EXPECT_EQ(P.ResidentBlocks, 4u) << "it would not fit; so fewer blocks";
}

TEST(Carveout, NotInPlaceOfTurns) {
  Problem P = problem(192);
  P.loop().Region.Refusal.clear();
  EXPECT_EQ(P.plan().Loops[0].WarpGroups, 2u);
  EXPECT_FALSE(P.plan().CarveoutPercent);
}

TEST(Carveout, WithoutSharedMemoryTheDriverTakesNoLess) {
  Problem P = problem(256); // 1.14 times the L1 of 224 KiB
  P.Kernel.StaticSharedBytes = 0;
  EXPECT_FALSE(P.plan().CarveoutPercent && !P.plan().ResidentBlocks);
}

TEST(Carveout, NotWhereItMustNot) {
  Problem P = problem(192);
  P.Options.ChooseCarveout = false;
  EXPECT_EQ(P.plan().CarveoutWhy, "");
  EXPECT_TRUE(P.plan().ResidentBlocks) << "then fewer blocks";
  P = problem(192);
  P.Options.LimitBlocks = false;
  EXPECT_TRUE(P.plan().CarveoutPercent) << "all blocks stay";
  P = problem(192);
  P.Options.L1KiB = 100;
  EXPECT_EQ(P.plan().CarveoutWhy, "") << "the L1 is said to be another";
  P = problem(192);
  P.Options.ForcedWarpGroups = 1;
  EXPECT_FALSE(P.plan().CarveoutPercent);
  P = problem(192);
  P.Kernel.FixedResidency = "reads how much shared memory it has";
  EXPECT_FALSE(P.plan().CarveoutPercent);
  P = problem(192);
  P.Kernel.Off = true;
  EXPECT_FALSE(P.plan().CarveoutPercent);
  P = problem(192);
  P.Kernel.Launches.push_back(launch(uint64_t(8) * 132, 256, 21));
  P.Kernel.Launches[1].DynamicSharedBytes = 1024;
  EXPECT_FALSE(P.plan().CarveoutPercent) << "launches differ";
}

} // namespace
