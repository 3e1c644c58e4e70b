// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Assembles small kernels for sm_90 with the nvJitLink that is installed.

#include "sluice/Target/AssemblyCache.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "gtest/gtest.h"
#include <string>

using namespace llvm;
using namespace sluice;

namespace {

const std::string Header = ".version 7.8\n"
                           ".target sm_90\n"
                           ".address_size 64\n";

/// Adds one to an int, and stages it in \p SharedBytes of shared memory.
std::string addOne(StringRef Name, unsigned SharedBytes) {
  return (".visible .entry " + Name +
          "(.param .u64 P) {\n"
          "  .reg .b32 %r<3>;\n"
          "  .reg .b64 %p<2>;\n"
          "  .shared .align 4 .b8 Stage[" +
          Twine(SharedBytes) +
          "];\n"
          "  ld.param.u64 %p1, [P];\n"
          "  ld.global.u32 %r1, [%p1];\n"
          "  add.u32 %r2, %r1, 1;\n"
          "  st.shared.u32 [Stage], %r2;\n"
          "  st.global.u32 [%p1], %r2;\n"
          "  ret;\n"
          "}\n")
      .str();
}

/// Holds 64 values across a barrier with at most 32 registers to hold them in.
std::string spilling() {
  std::string Loads, Stores;
  for (unsigned I = 1; I <= 64; ++I) {
    Loads += formatv("  ld.volatile.global.u32 %r{0}, [%p1+{1}];\n", I, 4 * I);
    Stores += formatv("  st.volatile.global.u32 [%p1+{1}], %r{0};\n", I, 4 * I);
  }
  return ".visible .entry spilling(.param .u64 P) .maxntid 1024, 1, 1 "
         ".maxnreg 32 {\n"
         "  .reg .b32 %r<65>;\n"
         "  .reg .b64 %p<2>;\n"
         "  ld.param.u64 %p1, [P];\n" +
         Loads + "  bar.sync 0;\n" + Stores + "  ret;\n}\n";
}

class PTXAssemblerTest : public testing::Test {
protected:
  // Asks the file system and not assemblePTX, which must find a library that
  // is there.
  void SetUp() override {
    for (StringRef Folder : {"lib64", "lib"})
      for (StringRef Name :
           {"libnvJitLink.so.13", "libnvJitLink.so.12", "libnvJitLink.so"}) {
        SmallString<128> Path(SLUICE_CUDA_PATH);
        sys::path::append(Path, Folder, Name);
        if (sys::fs::exists(Path))
          return;
      }
    GTEST_SKIP() << "no libnvJitLink under " << SLUICE_CUDA_PATH;
  }

  static std::string errorOf(StringRef PTX, StringRef Arch) {
    auto Kernels = assemblePTX(PTX, Arch, "");
    return Kernels ? "" : toString(Kernels.takeError());
  }
};

TEST_F(PTXAssemblerTest, ReportsEachKernel) {
  auto Kernels = assemblePTX(Header + addOne("_Z5smallPi", 64) +
                                 addOne("_Z5largePi", 4096),
                             "sm_90", "");
  ASSERT_TRUE(bool(Kernels)) << toString(Kernels.takeError());
  ASSERT_EQ(Kernels->size(), 2u);
  for (StringRef Name : {"_Z5smallPi", "_Z5largePi"}) {
    const AssembledKernel &K = Kernels->at(Name);
    EXPECT_GT(K.Registers, 0u);
    EXPECT_LE(K.Registers, 32u);
    EXPECT_EQ(K.SpillStoreBytes, 0u);
    EXPECT_EQ(K.SpillLoadBytes, 0u);
  }
  // Without the 1 KiB that the driver reserves on sm_90.
  EXPECT_EQ(Kernels->at("_Z5smallPi").StaticSharedBytes, 64u);
  EXPECT_EQ(Kernels->at("_Z5largePi").StaticSharedBytes, 4096u);
}

// On a machine with a driver what a kernel takes was known the first time only.
TEST(FakePTXAssemblerTest, AsksNoCache) {
  for (StringRef Toolkit : {FAKE_TOOLKITS "/true", FAKE_TOOLKITS "/false"}) {
    auto Kernels = assemblePTX(Header + addOne("k", 64), "sm_90", Toolkit);
    ASSERT_TRUE(bool(Kernels)) << toString(Kernels.takeError());
    EXPECT_EQ(Kernels->at("k").Registers, 40u); // that of FakeNvJitLink.cpp
  }
}

TEST_F(PTXAssemblerTest, ReportsSpills) {
  auto Kernels = assemblePTX(Header + spilling(), "sm_90", SLUICE_CUDA_PATH);
  ASSERT_TRUE(bool(Kernels)) << toString(Kernels.takeError());
  const AssembledKernel &K = Kernels->at("spilling");
  EXPECT_LE(K.Registers, 32u);
  EXPECT_GE(K.SpillStoreBytes, 4u * (64 - 32));
  EXPECT_GE(K.SpillLoadBytes, 4u * (64 - 32));
}

TEST_F(PTXAssemblerTest, LevelsDiffer) {
  auto Spilled = [&](unsigned Level) {
    auto Kernels = assemblePTX(Header + spilling(), "sm_90", "", Level);
    EXPECT_TRUE(bool(Kernels)) << toString(Kernels.takeError());
    return Kernels ? Kernels->at("spilling").SpillStoreBytes : 0;
  };
  EXPECT_GT(Spilled(0), Spilled(3));
}

TEST_F(PTXAssemblerTest, SuffixedAndBareNames) {
  for (StringRef Arch : {"sm_90a", "90"}) {
    auto Kernels = assemblePTX(Header + addOne("k", 4), Arch, "/nowhere");
    ASSERT_TRUE(bool(Kernels)) << toString(Kernels.takeError());
    EXPECT_EQ(Kernels->size(), 1u);
  }
}

TEST_F(PTXAssemblerTest, NoKernelsIsNoError) {
  auto Kernels = assemblePTX(Header, "sm_90", "");
  ASSERT_TRUE(bool(Kernels)) << toString(Kernels.takeError());
  EXPECT_TRUE(Kernels->empty());
}

TEST_F(PTXAssemblerTest, ErrorCarriesTheLog) {
  std::string Message = errorOf(
      Header + ".visible .entry k() {\n  bogus.u32 %r1;\n  ret;\n}\n", "sm_90");
  EXPECT_NE(Message.find("bogus"), std::string::npos) << Message;
  EXPECT_NE(Message.find("line 5"), std::string::npos) << Message;
}

TEST_F(PTXAssemblerTest, AnythingElseIsAnError) {
  EXPECT_NE(errorOf("", "sm_90"), "");
  EXPECT_NE(errorOf("not PTX", "sm_90"), "");
  EXPECT_NE(errorOf(StringRef("\0\x7f\xff\n.entry ", 11), "sm_90"), "");
  EXPECT_NE(errorOf(Header + addOne("k", 4), "sm_80"), "") << "older target";
  std::string Undefined = Header +
                          ".extern .func missing;\n"
                          ".visible .entry k() {\n  call missing;\n  ret;\n}\n";
  EXPECT_NE(errorOf(Undefined, "sm_90").find("missing"), std::string::npos);
}

// nvJitLink itself would end the process on this name.
TEST_F(PTXAssemblerTest, UnknownArchitecture) {
  std::string Message = errorOf(Header + addOne("k", 4), "sm_9x");
  EXPECT_NE(Message.find("'sm_9x'"), std::string::npos) << Message;
}

//===----------------------------------------------------------------------===//
// ptxas
//===----------------------------------------------------------------------===//

class PtxasTest : public testing::Test {
protected:
  void SetUp() override {
    if (!sys::fs::exists(SLUICE_CUDA_PATH "/bin/ptxas"))
      GTEST_SKIP() << "no ptxas under " << SLUICE_CUDA_PATH;
    Ptxas = cantFail(compilersAssembler(SLUICE_CUDA_PATH));
  }
  Assembler Ptxas;
};

TEST_F(PtxasTest, TellsWhatNvJitLinkTells) {
  const std::string PTX = Header + addOne("_Z5smallPi", 64) + spilling();
  auto Kernels = Ptxas.Run({PTX, "sm_90"});
  ASSERT_TRUE(bool(Kernels)) << toString(Kernels.takeError());
  ASSERT_EQ(Kernels->size(), 2u);
  EXPECT_EQ(Kernels->at("_Z5smallPi").StaticSharedBytes, 64u);
  EXPECT_EQ(Kernels->at("_Z5smallPi").SpillLoadBytes, 0u);
  EXPECT_LE(Kernels->at("spilling").Registers, 32u);
  EXPECT_GE(Kernels->at("spilling").SpillStoreBytes, 4u * (64 - 32));
  EXPECT_TRUE(bool(Ptxas.Run({PTX, "sm_90", 3, /*Relocatable=*/true})));
}

TEST_F(PtxasTest, ErrorCarriesTheLog) {
  for (auto [PTX, Arch, Word] :
       {std::tuple(Header + ".entry k() {\n  bogus.u32 %r1;\n}\n", "sm_90",
                   "bogus"),
        std::tuple(Header + addOne("k", 4), "sm_9x", "'sm_9x'")}) {
    auto Kernels = Ptxas.Run({PTX, Arch});
    ASSERT_FALSE(bool(Kernels));
    std::string Message = toString(Kernels.takeError());
    EXPECT_NE(Message.find(Word), std::string::npos) << Message;
  }
}

TEST_F(PtxasTest, IsNotTakenForNvJitLink) {
  auto Linker = installedAssembler(SLUICE_CUDA_PATH);
  if (!Linker) {
    consumeError(Linker.takeError());
    GTEST_SKIP() << "no libnvJitLink";
  }
  EXPECT_NE(Ptxas.Identity, Linker->Identity);
}

// So said ptxas 13.0 of a kernel that spills to shared memory.
TEST(Ptxas, LessThanNoSpillsAreNone) {
  SmallString<128> Folder;
  ASSERT_FALSE(sys::fs::createUniqueDirectory("ptxas", Folder));
  sys::fs::create_directory(Folder + "/bin");
  const std::string Program = (Folder + "/bin/ptxas").str();
  std::error_code EC;
  raw_fd_ostream(Program, EC)
      << "#!/bin/sh\ncat <<END\n"
         "ptxas info    : Compiling entry function 'k' for 'sm_90'\n"
         "ptxas info    : Function properties for k\n"
         "    0 bytes stack frame, -8 bytes spill stores, -12 bytes spill "
         "loads\n"
         "ptxas info    : Used 72 registers, used 1 barriers, 3904 bytes smem\n"
         "END\n";
  sys::fs::setPermissions(Program, sys::fs::all_all);
  auto Kernels = cantFail(compilersAssembler(Folder)).Run({"", "sm_90"});
  ASSERT_TRUE(bool(Kernels)) << toString(Kernels.takeError());
  EXPECT_EQ(Kernels->lookup("k").spilledBytes(), 0u);
  EXPECT_EQ(Kernels->lookup("k").Registers, 72u);
  EXPECT_EQ(Kernels->lookup("k").StaticSharedBytes, 3904u);
  sys::fs::remove_directories(Folder);
}

} // namespace
