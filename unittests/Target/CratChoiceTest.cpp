// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "sluice/Target/CratChoice.h"
#include "sluice/Target/MemoryModel.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace sluice;

namespace {

const GPUModel &gpu() { return *cantFail(findGPUModel("sm_90")); }

/// A loop of \p Loads loads and \p Sums dependent additions.
std::string loopOf(unsigned Loads, unsigned Sums) {
  std::string PTX = ".visible .entry k(\n\t.param .u64 k_param_0\n)\n{\n"
                    "\t.reg .b32 %r<9>;\n"
                    "\tld.param.b64 %rd1, [k_param_0];\n"
                    "$L__BB0_1:\n";
  for (unsigned I = 0; I < Loads; ++I)
    PTX += "\tld.global.b32 %r2, [%rd1];\n\tadd.f32 %r1, %r1, %r2;\n";
  for (unsigned I = 0; I < Sums; ++I)
    PTX += "\tadd.f32 %r1, %r1, %r3;\n";
  return PTX + "\tadd.s32 %r4, %r4, 1;\n"
               "\tsetp.ne.b32 %p1, %r4, %r5;\n"
               "\t@%p1 bra $L__BB0_1;\n"
               "\tret;\n}\n";
}

TEST(WarpProgram, GoesRoundLoops) {
  const auto Program = warpProgram(loopOf(1, 2), "k", gpu());
  // The parameter, eight rounds of seven, the end.
  ASSERT_EQ(Program.size(), 1 + 8 * 7 + 1u);
  EXPECT_EQ(Program[1].Unit, IssueUnit::Memory);
  EXPECT_TRUE(Program[1].IsGlobal);
  EXPECT_EQ(Program[1].Needs.size(), 1u); // the parameter
  EXPECT_EQ(Program[2].Needs.back(), 1u); // the load
  EXPECT_EQ(Program[3].Needs.front(), 2u);
  EXPECT_EQ(Program[9].Needs.front(), 4u); // the sum, from round to round
  EXPECT_EQ(Program[7].ResultCycles, 0u);  // the jump
}

TEST(WarpProgram, KnowsNoOtherKernel) {
  EXPECT_TRUE(warpProgram(loopOf(1, 1), "l", gpu()).empty());
  EXPECT_TRUE(warpProgram("", "k", gpu()).empty());
}

TEST(WarpProgram, TakesOneWayAround) {
  const char *PTX = ".entry k(\n)\n{\n"
                    "\t@%p1 bra $L__BB0_2;\n"
                    "\tadd.s32 %r1, %r2, 1;\n"
                    "\tbra.uni $L__BB0_3;\n"
                    "$L__BB0_2:\n"
                    "\tadd.s32 %r1, %r2, 2;\n"
                    "\tadd.s32 %r1, %r1, 2;\n"
                    "$L__BB0_3:\n"
                    "\tmov.b32 %r3, %r1;\n"
                    "\tadd.s32 %r4, %r3, 1;\n"
                    "\tret;\n}\n";
  const auto Program = warpProgram(PTX, "k", gpu());
  ASSERT_EQ(Program.size(), 5u); // bra, add, bra, add, ret
  EXPECT_EQ(Program[3].Needs.front(), 1u);
}

TEST(WarpProgram, MoreBlocksHideLatency) {
  std::string Chain = ".entry k(\n)\n{\n";
  for (unsigned I = 0; I < 50; ++I)
    Chain += "\tld.shared.b32 %r1, [%r1];\n";
  const auto Waits = warpProgram(Chain + "\tret;\n}\n", "k", gpu());
  const double One = cyclesPerBlock(Waits, gpu(), 8, 1),
               Eight = cyclesPerBlock(Waits, gpu(), 8, 8);
  EXPECT_GT(One, 2.5 * Eight);
  // What computes without waiting for itself gains nothing by them.
  std::string PTX = ".entry k(\n)\n{\n";
  for (unsigned I = 0; I < 200; ++I)
    PTX += "\tadd.f32 %r" + std::to_string(I + 10) + ", %r1, %r2;\n";
  const auto Busy = warpProgram(PTX + "\tret;\n}\n", "k", gpu());
  EXPECT_NEAR(cyclesPerBlock(Busy, gpu(), 8, 1), 2 * 201, 5);
  EXPECT_NEAR(cyclesPerBlock(Busy, gpu(), 8, 8), 2 * 201, 5);
}

TEST(WarpProgram, TheFirstBlocksEndSaysWhoIsInvolved) {
  std::string PTX = ".entry k(\n)\n{\n";
  for (unsigned I = 0; I < 200; ++I)
    PTX += "\tadd.f32 %r" + std::to_string(I + 10) + ", %r1, %r2;\n";
  // Nobody waits, so the oldest block has the scheduler to itself.
  const auto Busy = warpProgram(PTX + "\tret;\n}\n", "k", gpu());
  EXPECT_EQ(blocksInvolved(Busy, gpu(), 8, 8), 1u);
  // Loads that wait let all others begin.
  const auto Waits = warpProgram(loopOf(1, 0), "k", gpu());
  EXPECT_EQ(blocksInvolved(Waits, gpu(), 8, 8), 8u);
}

TEST(WarpProgram, BarriersKeepABlockTogether) {
  const std::string PTX = ".entry k(\n)\n{\n"
                          "\tld.global.b32 %r1, [%rd1];\n"
                          "\tadd.s32 %r2, %r1, 1;\n"
                          "\tbar.sync 0;\n"
                          "\tadd.s32 %r2, %r2, 1;\n"
                          "\tret;\n}\n";
  const auto Program = warpProgram(PTX, "k", gpu());
  ASSERT_EQ(Program.size(), 5u);
  EXPECT_TRUE(Program[2].IsBarrier);
  EXPECT_GT(cyclesPerBlock(Program, gpu(), 32, 1), 0); // it ends
}

TEST(CratChoice, TpscIsThePapers) {
  // Section 6, of 2 blocks of 256 threads, 2,048 at most: 1 - 512 / 2560.
  const MemoryModel M = memoryModel(gpu());
  const DesignPoint P = {32, 2, /*Local=*/10, /*Shared=*/5, /*Other=*/3};
  EXPECT_DOUBLE_EQ(tpsc(gpu(), 256, P),
                   0.8 * (10. * M.L1HitCycles + 5. * M.SharedCycles + 3));
  EXPECT_EQ(tpsc(gpu(), 256, {64, 4}), 0);
}

TEST(CratChoice, TakesTheLeast) {
  const DesignPoint Points[] = {{32, 8, 100}, {40, 6, 20}, {64, 4}, {128, 2}};
  // What spills nothing, with the most blocks; and what has too many is out.
  EXPECT_EQ(chooseByTPSC(gpu(), 256, Points, 8)->Registers, 64u);
  EXPECT_EQ(chooseByTPSC(gpu(), 256, Points, 3)->Registers, 128u);
  EXPECT_EQ(chooseByTPSC(gpu(), 256, Points, 1)->Registers, 128u);
  const DesignPoint Spilling[] = {{32, 8, 100}, {40, 6, 99}, {48, 5, 98}};
  // The gain of blocks outweighs a spill more.
  EXPECT_EQ(chooseByTPSC(gpu(), 256, Spilling, 8)->Registers, 32u);
  EXPECT_EQ(chooseByTPSC(gpu(), 256, Spilling, 6)->Registers, 40u);
  EXPECT_EQ(chooseByTPSC(gpu(), 256, {}, 8), nullptr);
}

TEST(CratChoice, WhatGoesToSharedMemoryCostsLess) {
  // 400 bytes of spills; 240 are left where shared memory takes the others.
  AssembledKernel Local, Shared;
  Local.SpillStoreBytes = 160;
  Local.SpillLoadBytes = 240;
  Shared.SpillStoreBytes = 100;
  Shared.SpillLoadBytes = 140;
  const DesignPoint P = designPoint(32, 8, Local, &Shared);
  EXPECT_EQ(P.LocalSpills, 60u);
  EXPECT_EQ(P.SharedSpills, 40u);
  const DesignPoint InLocal = designPoint(32, 8, Local);
  EXPECT_EQ(InLocal.LocalSpills, 100u);
  EXPECT_EQ(InLocal.SharedSpills, 0u);
  EXPECT_LT(tpsc(gpu(), 256, P), tpsc(gpu(), 256, InLocal));
}

TEST(CratChoice, SharedMemoryThatCostsBlocksDoesNotCount) {
  LimitedCode Limited = {64, {}};
  Limited.Code.Registers = 64;
  Limited.Code.SpillStoreBytes = 400;
  EXPECT_EQ(sharedAt(gpu(), 132, {256}, Limited), nullptr);
  Limited.Shared = Limited.Code;
  Limited.Shared->SpillStoreBytes = 40;
  Limited.Shared->StaticSharedBytes = 40 * 1024; // 4 blocks have 56 KiB each
  EXPECT_EQ(sharedAt(gpu(), 132, {256}, Limited), &*Limited.Shared);
  // 8 blocks have 28.
  EXPECT_EQ(sharedAt(gpu(), 132, {128}, Limited), nullptr);
}

} // namespace
