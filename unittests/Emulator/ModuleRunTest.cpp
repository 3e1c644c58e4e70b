// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "sluice/Emulator/ModuleRun.h"
#include "gtest/gtest.h"
#include <cstring>

using namespace sluice::emulator;
using namespace llvm;

namespace {

Expected<ModuleDescription> read(StringRef Text) {
  return readModuleDescription(MemoryBufferRef(Text, "d.yaml"));
}

std::string problemOf(StringRef Text) {
  auto D = read(Text);
  return D ? "" : toString(D.takeError());
}

TEST(ModuleRunTest, ReadsADescription) {
  auto D = read("buffers:\n"
                "  - {name: a, type: i16, elements: 5, fill: random, low: -2,"
                " high: 2, seed: 9, order-dependent: true}\n"
                "launches:\n"
                "  - kernel: k\n"
                "    grid: [4, 2]\n"
                "    block: [32]\n"
                "    shared: 64\n"
                "    arguments: [a, i8 -1, f32 1.5, 'a; i32 7; bytes 00ff']\n");
  ASSERT_TRUE(bool(D)) << toString(D.takeError());
  EXPECT_EQ(D->Buffers[0].bytes(), 10u);
  EXPECT_TRUE(D->Buffers[0].OrderDependent);
  const ModuleLaunch &L = D->Launches[0];
  EXPECT_EQ(L.Shape.Grid.count(), 8u);
  EXPECT_EQ(L.Shape.Block.count(), 32u);
  EXPECT_EQ(L.Shape.DynamicSharedBytes, 64u);
  ASSERT_EQ(L.Arguments.size(), 4u);
  EXPECT_EQ(L.Arguments[0].Buffer, "a");
  EXPECT_EQ(L.Arguments[1].Value, (SmallVector<uint8_t, 8>{0xff}));
  float Half;
  std::memcpy(&Half, L.Arguments[2].Value.data(), 4);
  EXPECT_EQ(Half, 1.5f);
  ASSERT_EQ(L.Arguments[3].Parts.size(), 3u);
  EXPECT_EQ(L.Arguments[3].Parts[2].Value, (SmallVector<uint8_t, 8>{0, 0xff}));
}

TEST(ModuleRunTest, SaysWhatIsWrongAndWhere) {
  const std::string Launch = "launches: [{kernel: k, grid: [1], block: [1]";
  EXPECT_EQ(problemOf("buffers: []\n"),
            "d.yaml:1:1: missing required key 'launches'");
  EXPECT_EQ(problemOf("launches: []\n"), "d.yaml:1:1: no launches here");
  EXPECT_NE(problemOf(Launch + ", arguments: [i8 256]}]")
                .find(": an argument is a buffer"),
            std::string::npos)
      << problemOf(Launch + ", arguments: [i8 256]}]");
  EXPECT_NE(problemOf("launches: [{kernel: k, grid: [1,1,1,1], block: [1]}]")
                .find("grid has from one to three sizes"),
            std::string::npos);
  EXPECT_NE(problemOf("buffers: [{name: a, type: f32, elements: 0}]\n" +
                      Launch + "}]")
                .find("buffer 'a' has 0 elements"),
            std::string::npos);
  EXPECT_NE(problemOf("buffers: [{name: a, type: f16, elements: 1}]\n" +
                      Launch + "}]")
                .find("unknown enumerated scalar"),
            std::string::npos);
}

TEST(ModuleRunTest, RunsAndCompares) {
  const char *Add = R"(
target triple = "nvptx64-nvidia-cuda"
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
define ptx_kernel void @add(ptr %a, i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr i32, ptr %a, i32 %t
  %v = load i32, ptr %p
  %s = add i32 %v, %n
  store i32 %s, ptr %p
  ret void
})";
  ModuleDescription D;
  ModuleBuffer B;
  B.Name = "a";
  B.Type = ElementType::I32;
  B.Elements = 40;
  B.Fill = BufferFill::Iota;
  B.Low = 10;
  D.Buffers.push_back(B);
  ModuleLaunch L;
  L.Kernel = "add";
  L.Shape.Block.X = 40;
  L.Arguments = {ModuleArgument::buffer("a"), ModuleArgument::value(int(5))};
  D.Launches = {L, L};
  EmulatorOptions Options;
  auto Ran = runModule(Add, D, Options);
  ASSERT_TRUE(bool(Ran)) << toString(Ran.takeError());
  ASSERT_EQ(Ran->Launches.size(), 2u);
  EXPECT_EQ(Ran->Launches[1], LaunchStatus::Success);
  EXPECT_EQ(Ran->Counts.Errors, 0u);
  int Last;
  std::memcpy(&Last, &Ran->Buffers[0].Bytes[39 * 4], 4);
  EXPECT_EQ(Last, 10 + 39 + 2 * 5);

  EXPECT_EQ(differences(*Ran, *Ran), "");
  ModuleResult Other = *Ran;
  Other.Buffers[0].Bytes[8] ^= 1;
  EXPECT_EQ(differences(*Ran, Other),
            "a differs in 1 of 160 bytes, first at byte 8: 0x00000016 before, "
            "0x00000017 after\n");
  Other.Buffers[0].OrderDependent = true;
  EXPECT_EQ(differences(*Ran, Other), "");
  Other.Buffers.clear();
  EXPECT_EQ(differences(*Ran, Other), "a is missing after\n");

  D.Launches[0].Arguments.pop_back();
  auto TooFew = runModule(Add, D, Options);
  EXPECT_EQ(toString(TooFew.takeError()),
            "kernel 'add' has 2 parameters, not 1");
}

} // namespace
