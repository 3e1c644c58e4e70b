// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Spills to shared memory with an assembler that refuses some kernels, as
/// ptxas does: with an error for the whole module.

#include "sluice/Target/SharedSpills.h"
#include "sluice/Target/KernelDirectives.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace sluice;
using testing::HasSubstr;

namespace {

const GPUModel &gpu() { return *cantFail(findGPUModel("sm_90")); }

AssembledKernel code(unsigned Registers, uint64_t Spilled, uint64_t Shared) {
  AssembledKernel K;
  K.Registers = Registers;
  K.SpillStoreBytes = Spilled;
  K.StaticSharedBytes = Shared;
  return K;
}

/// Of each kernel with the pragma all spills but 8 bytes go to shared memory.
/// "calls" may not have it.
AssemblyCache assembler() {
  auto Run = [](const AssemblyRequest &Request) -> Expected<AssembledKernels> {
    AssembledKernels Result;
    for (StringRef Name : {"a", "b", "calls"}) {
      StringRef Body = StringRef(Request.PTX)
                           .split((".entry " + Name).str())
                           .second.split("}")
                           .first;
      const bool Enabled = Body.contains(SharedSpillsPragma);
      if (Enabled && Name == "calls")
        return createStringError("functions use abi");
      Result[Name] = Enabled ? code(32, 8, 4096) : code(32, 100, 0);
    }
    return Result;
  };
  return AssemblyCache({"", Run}, "");
}

const char PTX[] = ".entry a() {}\n.entry b() {}\n.entry calls() {}\n";

TEST(SharedSpills, AskForAllAtOnce) {
  auto Found =
      assembleSharedSpills(assembler(), {{{PTX, "sm_90"}, {"a", "b"}}});
  ASSERT_EQ(Found.size(), 1u);
  EXPECT_EQ(Found[0].size(), 2u);
  EXPECT_EQ(Found[0].lookup("a").StaticSharedBytes, 4096u);
  EXPECT_EQ(Found[0].lookup("b").spilledBytes(), 8u);
}

TEST(SharedSpills, WhoIsRefusedKeepsOthersFromNothing) {
  auto Found =
      assembleSharedSpills(assembler(), {{{PTX, "sm_90"}, {"a", "calls"}},
                                         {{PTX, "sm_90"}, {"calls", "b"}}});
  ASSERT_EQ(Found.size(), 2u);
  EXPECT_EQ(Found[0].size(), 1u);
  EXPECT_EQ(Found[0].lookup("a").spilledBytes(), 8u);
  EXPECT_EQ(Found[1].size(), 1u);
  EXPECT_EQ(Found[1].lookup("b").spilledBytes(), 8u);
  EXPECT_TRUE(
      assembleSharedSpills(assembler(), {{{PTX, "sm_90"}, {"calls"}}})[0]
          .empty());
}

TEST(SharedSpills, TakeOnlyWhatIsToSpare) {
  // 8 blocks of 256 threads of 32 registers: 28 KiB each, less 1 reserved.
  const LaunchShape Shape = {256};
  const AssembledKernel Local = code(32, 400, 1024);
  auto WhyNot = [&](const AssembledKernel &Shared, const LaunchShape &Launch) {
    return whyNotShared(gpu(), 132, Launch, Local, Shared);
  };
  EXPECT_EQ(WhyNot(code(32, 100, 27 * 1024), Shape), "");
  EXPECT_EQ(WhyNot(code(32, 100, 28 * 1024), Shape),
            "with 28672 bytes of shared memory an SM would hold 7 of 8 blocks "
            "of 256 threads");
  // A grid of 264 blocks gives an SM two.
  EXPECT_EQ(WhyNot(code(32, 100, 28 * 1024), {256, 0, 264}), "");
  EXPECT_EQ(WhyNot(code(32, 100, 26 * 1024), {256, 2048}),
            "with 26624 bytes of shared memory an SM would hold 7 of 8 blocks "
            "of 256 threads");
  EXPECT_THAT(WhyNot(code(32, 100, 28 * 1024), {1024, 24 * 1024, 132}),
              HasSubstr("a block would have more than 49152"));
  EXPECT_EQ(WhyNot(code(32, 400, 1024), Shape),
            "the assembler puts nothing into shared memory");
  // All launches count.
  const LaunchShape Two[] = {{1024}, {64}};
  EXPECT_THAT(whyNotShared(gpu(), 132, Two, Local, code(32, 0, 32 * 1024)),
              HasSubstr("blocks of 64 threads"));
}

TEST(SharedSpills, WhatIsToSpareCostsNoBlock) {
  for (unsigned Threads : {32, 96, 128, 256, 512, 1024})
    for (unsigned Registers : {24, 40, 64, 128})
      for (uint64_t Static : {0, 1600, 7200, 20000, 40000})
        for (uint64_t Dynamic : {0, 1000, 9000}) {
          if (Registers * Threads > gpu().Registers)
            continue;
          const LaunchShape Shape = {Threads, Dynamic};
          const AssembledKernel Before = code(Registers, 400, Static);
          const uint64_t Spare = spareSharedBytes(gpu(), 132, Shape, Before);
          ASSERT_EQ(whyNotShared(gpu(), 132, Shape, Before,
                                 code(Registers, 0, Static + Spare)),
                    "");
          // With one byte more a block is lost, or there is no more.
          if (Static + Dynamic <= 48 * 1024)
            ASSERT_NE(whyNotShared(gpu(), 132, Shape, Before,
                                   code(Registers, 0, Static + Spare + 1)),
                      "")
                << Threads << " " << Registers << " " << Static;
        }
  EXPECT_EQ(spareSharedBytes(gpu(), 132, LaunchShape{256, 45 * 1024},
                             code(32, 0, 4 * 1024)),
            0u);
}

} // namespace
