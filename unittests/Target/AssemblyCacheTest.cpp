// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// The cache with an assembler that counts its calls.

#include "sluice/Target/AssemblyCache.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"
#include <atomic>
#include <thread>

using namespace llvm;
using namespace sluice;

namespace {

class AssemblyCacheTest : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(sys::fs::createUniqueDirectory("sluice-assembly", Root));
    Folder = Root;
    sys::path::append(Folder, "not", "there", "yet");
  }
  void TearDown() override { sys::fs::remove_directories(Root); }

  /// Kernel "k" takes as many registers as its PTX has characters.
  Assembler counting(std::string Identity = "one") {
    return {std::move(Identity),
            [this](const AssemblyRequest &Request) { return run(Request); }};
  }
  Expected<AssembledKernels> run(const AssemblyRequest &Request) {
    ++Calls;
    if (Request.PTX.empty())
      return createStringError("nothing to assemble");
    AssembledKernels Kernels;
    Kernels["k"] = {
        unsigned(Request.PTX.size()), 8, 12, 1024, 96, 2, 7, 1900, 75, 32};
    return Kernels;
  }
  AssemblyCache cache(std::string Identity = "one") {
    return {counting(std::move(Identity)), std::string(Folder)};
  }
  static unsigned registers(const AssemblyCache &Cache,
                            const AssemblyRequest &Request) {
    auto Kernels = Cache.assemble(Request);
    EXPECT_TRUE(bool(Kernels)) << toString(Kernels.takeError());
    return Kernels ? Kernels->lookup("k").Registers : 0;
  }
  std::vector<std::string> entries() const {
    std::vector<std::string> Paths;
    std::error_code EC;
    for (sys::fs::directory_iterator I(Folder, EC), End; I != End && !EC;
         I.increment(EC))
      if (sys::path::filename(I->path()).starts_with("llvmcache-"))
        Paths.push_back(I->path());
    return Paths;
  }

  SmallString<128> Root, Folder;
  std::atomic<unsigned> Calls = 0;
};

TEST_F(AssemblyCacheTest, AssemblesOnceAcrossRuns) {
  const AssemblyRequest Request{"four", "sm_90"};
  EXPECT_EQ(registers(cache(), Request), 4u);
  auto Again = cache().assemble(Request);
  ASSERT_TRUE(bool(Again)) << toString(Again.takeError());
  EXPECT_EQ(Calls, 1u);
  ASSERT_EQ(Again->size(), 1u);
  const AssembledKernel &K = Again->at("k");
  EXPECT_EQ(K.Registers, 4u);
  EXPECT_EQ(K.SpillStoreBytes, 8u);
  EXPECT_EQ(K.SpillLoadBytes, 12u);
  EXPECT_EQ(K.StaticSharedBytes, 1024u);
  EXPECT_EQ(K.Instructions, 96u);
  EXPECT_EQ(K.Sums, 2u);
  EXPECT_EQ(K.FusedSums, 7u);
  EXPECT_EQ(K.WaitCycles, 1900u);
  EXPECT_EQ(K.WaitInstructions, 75u);
  EXPECT_EQ(K.WaitLoads, 32u);
}

TEST_F(AssemblyCacheTest, AnythingElseIsAnotherEntry) {
  const AssemblyRequest Request{"four", "sm_90", 3};
  registers(cache(), Request);
  for (const AssemblyRequest &Other :
       {AssemblyRequest{"five!", "sm_90", 3},
        AssemblyRequest{"four", "sm_80", 3},
        AssemblyRequest{"four", "sm_90", 1},
        AssemblyRequest{"four", "sm_90", 3, true},
        AssemblyRequest{"four90", "sm_", 3}})
    registers(cache(), Other);
  registers(cache("another assembler"), Request);
  EXPECT_EQ(Calls, 7u);
  EXPECT_EQ(entries().size(), 7u);
}

TEST_F(AssemblyCacheTest, WithoutFolderKeepsNothing) {
  AssemblyCache Cache(counting(), "");
  EXPECT_EQ(registers(Cache, {"four", "sm_90"}), 4u);
  EXPECT_EQ(registers(Cache, {"four", "sm_90"}), 4u);
  EXPECT_EQ(Calls, 2u);
}

TEST_F(AssemblyCacheTest, FolderThatCannotBeIsAsNone) {
  std::error_code EC;
  raw_fd_ostream(Folder = std::string(Root) + "/file", EC) << "in the way";
  EXPECT_EQ(registers(cache(), {"four", "sm_90"}), 4u);
  EXPECT_EQ(registers(cache(), {"four", "sm_90"}), 4u);
  EXPECT_EQ(Calls, 2u);
}

// Cut off, changed, empty, and of another program.
TEST_F(AssemblyCacheTest, CorruptEntryIsAssembledAnew) {
  const AssemblyRequest Request{"four", "sm_90"};
  registers(cache(), Request);
  ASSERT_EQ(entries().size(), 1u);
  const std::string Path = entries().front();
  std::string Text = (*MemoryBuffer::getFile(Path))->getBuffer().str();
  std::string Changed = Text;
  Changed[Changed.find('4')] = '5';
  unsigned Expected = 1;
  for (StringRef Bad : {StringRef(Text).drop_back(3), StringRef(Changed),
                        StringRef(), StringRef("end \n"), StringRef("k\n")}) {
    std::error_code EC;
    raw_fd_ostream(Path, EC) << Bad;
    EXPECT_EQ(registers(cache(), Request), 4u) << Bad.str();
    EXPECT_EQ(Calls, ++Expected) << Bad.str();
    EXPECT_EQ(registers(cache(), Request), 4u) << "it is written again";
    EXPECT_EQ(Calls, Expected);
  }
}

TEST_F(AssemblyCacheTest, ErrorIsToldAndNotKept) {
  for (unsigned Times : {1u, 2u}) {
    auto Kernels = cache().assemble({"", "sm_90"});
    ASSERT_FALSE(bool(Kernels));
    EXPECT_EQ(toString(Kernels.takeError()), "nothing to assemble");
    EXPECT_EQ(Calls, Times);
  }
  EXPECT_TRUE(entries().empty());
}

TEST_F(AssemblyCacheTest, AllInTheirOrder) {
  std::vector<AssemblyRequest> Requests;
  for (unsigned I = 1; I <= 40; ++I)
    Requests.push_back({std::string(I, 'x'), "sm_90"});
  for (unsigned Times : {1u, 2u}) {
    auto All = cache().assembleAll(Requests);
    ASSERT_TRUE(bool(All)) << toString(All.takeError());
    ASSERT_EQ(All->size(), 40u);
    for (unsigned I = 0; I < 40; ++I)
      EXPECT_EQ((*All)[I].lookup("k").Registers, I + 1) << Times;
    EXPECT_EQ(Calls, 40u) << Times;
  }
  Requests[7].PTX = Requests[9].PTX = "";
  auto All = cache().assembleAll(Requests);
  ASSERT_FALSE(bool(All));
  EXPECT_EQ(toString(All.takeError()), "nothing to assemble");
}

// As two compilers do that plan the same file.
TEST_F(AssemblyCacheTest, ManyAtATime) {
  std::vector<std::thread> Threads;
  for (unsigned T = 0; T < 8; ++T)
    Threads.emplace_back([&] {
      AssemblyCache Mine = cache();
      for (unsigned I = 1; I <= 50; ++I)
        EXPECT_EQ(registers(Mine, {std::string(I, 'x'), "sm_90"}), I);
    });
  for (std::thread &T : Threads)
    T.join();
  EXPECT_EQ(entries().size(), 50u) << "no temporary files are left";
  const unsigned Before = Calls;
  for (unsigned I = 1; I <= 50; ++I)
    EXPECT_EQ(registers(cache(), {std::string(I, 'x'), "sm_90"}), I);
  EXPECT_EQ(Calls, Before);
}

} // namespace
