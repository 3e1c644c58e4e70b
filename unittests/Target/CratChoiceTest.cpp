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

/// A limit's code, with so many bytes of spill stores and loads.
LimitedCode spilling(unsigned Limit, uint64_t Stores, uint64_t Loads) {
  LimitedCode Limited = {Limit, {}};
  Limited.Code.Registers = Limit;
  Limited.Code.SpillStoreBytes = Stores;
  Limited.Code.SpillLoadBytes = Loads;
  return Limited;
}

/// The same where \p Accesses to \p Bytes of a block's shared memory serve for
/// all but \p Left bytes of stores.
LimitedCode withSlots(LimitedCode Limited, unsigned Accesses, uint64_t Bytes,
                      uint64_t Left = 0) {
  Limited.Shared = Limited.Code;
  Limited.Shared->SpillStoreBytes = Left;
  Limited.Shared->SpillLoadBytes = 0;
  Limited.Shared->StaticSharedBytes = Bytes;
  Limited.SharedAccesses = Accesses;
  return Limited;
}

TEST(CratChoice, WhatGoesToSharedMemoryCostsLess) {
  // 400 bytes of spills; 240 are left where shared memory takes the others.
  const LimitedCode Local = spilling(32, 160, 240);
  LimitedCode Shared = Local;
  Shared.Shared = spilling(32, 100, 140).Code;
  const DesignPoint P = designPoint(Shared, 8);
  EXPECT_EQ(P.LocalSpills, 60u);
  EXPECT_EQ(P.SharedSpills, 40u);
  const DesignPoint InLocal = designPoint(Local, 8);
  EXPECT_EQ(InLocal.LocalSpills, 100u);
  EXPECT_EQ(InLocal.SharedSpills, 0u);
  EXPECT_LT(tpsc(gpu(), 256, P), tpsc(gpu(), 256, InLocal));
}

TEST(CratChoice, OurOwnAccessesAreCounted) {
  // Of 400 bytes 100 instructions, and with slots 68 and 5.
  const LimitedCode Own = withSlots(spilling(56, 160, 240), 68, 16128, 20);
  const DesignPoint P = designPoint(Own, 6);
  EXPECT_EQ(P.Registers, 56u);
  EXPECT_EQ(P.SharedSpills, 68u);
  EXPECT_EQ(P.LocalSpills, 5u);
  const MemoryModel M = memoryModel(gpu());
  // 6 blocks of 192 of 2,048 threads.
  EXPECT_NEAR(tpsc(gpu(), 192, P),
              0.64 * (68. * M.SharedCycles + 5. * M.L1HitCycles), 1e-9);
}

TEST(CratChoice, SharedMemoryThatCostsBlocksDoesNotCount) {
  LimitedCode Limited = spilling(64, 400, 0);
  EXPECT_FALSE(atLaunch(gpu(), 132, {256}, Limited).Shared);
  // 4 blocks have 56 KiB each.
  Limited = withSlots(Limited, 10, 40 * 1024, 40);
  const LimitedCode Of256 = atLaunch(gpu(), 132, {256}, Limited);
  ASSERT_TRUE(Of256.Shared);
  EXPECT_EQ(Of256.SharedAccesses, 10u);
  // 8 blocks have 28.
  const LimitedCode Of128 = atLaunch(gpu(), 132, {128}, Limited);
  EXPECT_FALSE(Of128.Shared);
  EXPECT_FALSE(Of128.SharedAccesses);
  EXPECT_EQ(Of128.Code.SpillStoreBytes, 400u);
}

TEST(CratChoice, SpillsMustLeaveTheL1Half) {
  // Of 256 KiB: 6 blocks of 192 threads.
  EXPECT_TRUE(leavesL1(gpu(), 192, 6, spilling(56, 0, 0)));
  EXPECT_TRUE(
      leavesL1(gpu(), 192, 6, withSlots(spilling(56, 84, 156), 68, 16128)));
  EXPECT_FALSE(
      leavesL1(gpu(), 192, 6, withSlots(spilling(48, 116, 252), 108, 22272)));
  // 113 bytes of 1,152 threads are 127 KiB.
  EXPECT_TRUE(leavesL1(gpu(), 192, 6, spilling(56, 113, 500)));
  EXPECT_FALSE(leavesL1(gpu(), 192, 6, spilling(56, 117, 500)));
}

TEST(WarpProgram, SpillsAreInBetween) {
  const auto Program = warpProgram(loopOf(1, 2), "k", gpu());
  EXPECT_EQ(withSpills(Program, 0).size(), Program.size());
  // Nine lines, and three more: one behind every third instruction.
  const auto Spilled = withSpills(Program, 3);
  EXPECT_EQ(Spilled.size(), Program.size() + Program.size() / 3);
  EXPECT_EQ(Spilled[3].Unit, IssueUnit::Memory);
  EXPECT_FALSE(Spilled[3].IsGlobal);
  EXPECT_TRUE(Spilled[3].Needs.empty());
  // The first sum still needs the load, the second the first.
  EXPECT_EQ(Spilled[2].Needs.back(), 1u);
  EXPECT_EQ(Spilled[4].Needs.front(), 2u);
  EXPECT_GT(cyclesPerBlock(Spilled, gpu(), 8, 8),
            cyclesPerBlock(Program, gpu(), 8, 8));
}

/// Blocks of 256 threads: 3 by itself, with 80 registers; 5 with 48, which
/// spills.
RegisterCandidates twoPoints(LimitedCode At48) {
  RegisterCandidates Found;
  Found.Chosen = spilling(80, 0, 0).Code;
  Found.Range = {48, 80};
  Found.Limits = {std::move(At48), spilling(64, 4000, 4000),
                  spilling(80, 0, 0)};
  return Found;
}

std::optional<unsigned> choiceOf(const RegisterCandidates &Found,
                                 ArrayRef<WarpInstruction> Program,
                                 CratMeasure Measure) {
  const CratDecision D =
      decideByCrat(gpu(), 132, {256}, Found, Program, Measure);
  EXPECT_EQ(D.IsForBlocks, D.Point && D.Point->Registers != 80);
  return D.Point ? std::optional(D.Point->Registers) : std::nullopt;
}

TEST(CratChoice, TheKernelsOwnInstructionsCountOnce) {
  // A loop of a load that waits on average for 262 cycles, two sums and three
  // more, of which the jump waits for nothing, behind a parameter's load.
  const auto Program = warpProgram(loopOf(1, 2), "k", gpu());
  const MemoryModel M = memoryModel(gpu());
  const unsigned Load = Program[1].ResultCycles;
  EXPECT_EQ(ownCost(Program), Load + 6. * M.ArithmeticCycles);
  EXPECT_DOUBLE_EQ(wholeTpsc(gpu(), 256, 1000, {32, 2, 10, 5, 3}),
                   0.8 * 1000 + tpsc(gpu(), 256, {32, 2, 10, 5, 3}));
}

TEST(CratChoice, BlocksAreWeighedAgainstSpills) {
  // 40 loads, and half as many threads more.
  const auto Waits = warpProgram(loopOf(40, 40), "k", gpu());
  const auto Local = twoPoints(spilling(48, 960, 1440));
  const auto Own = twoPoints(withSlots(spilling(48, 960, 1440), 20, 8 * 1024));
  // What spills nothing has a TPSC of 0, whatever the others have.
  EXPECT_EQ(choiceOf(Local, Waits, CratMeasure::Tpsc), 80u);
  EXPECT_EQ(choiceOf(Own, Waits, CratMeasure::Tpsc), 80u);
  // 600 accesses to local memory cost more than the blocks gain, 20 do not.
  EXPECT_EQ(choiceOf(Local, Waits, CratMeasure::WholeTpsc), 80u);
  EXPECT_EQ(choiceOf(Own, Waits, CratMeasure::WholeTpsc), 48u);
  // Slots that leave the L1 too little.
  const auto Large =
      twoPoints(withSlots(spilling(48, 960, 1440), 20, 30 * 1024));
  EXPECT_EQ(choiceOf(Large, Waits, CratMeasure::WholeTpsc), 80u);
}

/// Blocks of 256 threads of a kernel that waits: 8 by itself, with 32
/// registers. It could use up to 128 and never spills.
CratDecision withEnough(std::optional<unsigned> Enough) {
  RegisterCandidates Found;
  Found.Chosen = spilling(32, 0, 0).Code;
  Found.Range = {24, 128};
  for (unsigned Limit : {32, 40, 48, 64, 80, 128})
    Found.Limits.push_back(spilling(Limit, 0, 0));
  return decideByCrat(gpu(), 132, {256}, Found,
                      warpProgram(loopOf(40, 40), "k", gpu()),
                      CratMeasure::Tpsc, Enough);
}

TEST(CratChoice, FewerBlocksThatAreEnoughHaveMoreRegisters) {
  // The static model wants all of them.
  EXPECT_EQ(withEnough({}).OptTLP, 8u);
  EXPECT_EQ(withEnough({}).Point, (CriticalPoint{32, 8}));
  EXPECT_EQ(withEnough(6).OptTLP, 6u);
  EXPECT_EQ(withEnough(6).Point, (CriticalPoint{40, 6}));
  // Between two points, with fewer; also less than three quarters of them.
  EXPECT_EQ(withEnough(7).Point, (CriticalPoint{40, 6}));
  EXPECT_EQ(withEnough(4).Point, (CriticalPoint{64, 4}));
  // With 80 a block of 1,024 threads, of which nobody told, could not be
  // launched.
  EXPECT_EQ(withEnough(3).Point, (CriticalPoint{64, 4}));
  // What the models say is still told.
  EXPECT_EQ(withEnough(3).TimedTLP, 8u);
  EXPECT_EQ(withEnough(3).GreedyTLP, withEnough({}).GreedyTLP);
}

TEST(CratChoice, OfMoreThanThereAreNobodyKnows) {
  for (unsigned Enough : {8, 32}) {
    EXPECT_EQ(withEnough(Enough).OptTLP, 8u);
    EXPECT_EQ(withEnough(Enough).Point, (CriticalPoint{32, 8}));
  }
  // 3 blocks by itself, and 5 would be of use by the static model.
  const auto Waits = warpProgram(loopOf(40, 40), "k", gpu());
  const RegisterCandidates Found = twoPoints(spilling(48, 0, 0));
  for (std::optional<unsigned> Enough :
       {std::optional<unsigned>(), std::optional<unsigned>(3)})
    EXPECT_EQ(
        decideByCrat(gpu(), 132, {256}, Found, Waits, CratMeasure::Tpsc, Enough)
            .OptTLP,
        5u);
}

TEST(CratChoice, NothingIsSpilledWhereMoreBlocksGainNothing) {
  std::string PTX = ".entry k(\n)\n{\n";
  for (unsigned I = 0; I < 200; ++I)
    PTX += "\tadd.f32 %r" + std::to_string(I + 10) + ", %r1, %r2;\n";
  // Few blocks are enough, so those with more are out.
  const auto Busy = warpProgram(PTX + "\tret;\n}\n", "k", gpu());
  EXPECT_NE(choiceOf(twoPoints(withSlots(spilling(48, 160, 240), 1, 1024)),
                     Busy, CratMeasure::WholeTpsc),
            48u);
}

} // namespace
