// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "sluice/Tuning/CandidateCode.h"
#include "KernelsByHand.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/ObjectYAML/yaml2obj.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <atomic>

using namespace llvm;
using namespace sluice;

namespace {

/// A cubin with the kernels hot and cold, whose code is the plan.
Error compileByHand(const std::string &PlanFile, const std::string &Output) {
  auto Text = cantFail(errorOrToExpected(MemoryBuffer::getFile(PlanFile)));
  const std::string Code = toHex((Text)->getBuffer());
  const std::string Yaml = "--- !ELF\n"
                           "FileHeader: {Class: ELFCLASS64, Data: ELFDATA2LSB, "
                           "Type: ET_EXEC, Machine: EM_CUDA}\n"
                           "Sections:\n"
                           "  - {Name: .text.hot, Type: SHT_PROGBITS, "
                           "Content: '" +
                           Code +
                           "'}\n"
                           "  - {Name: .text.cold, Type: SHT_PROGBITS, "
                           "Content: '" +
                           Code + "'}\n";
  SmallString<0> Storage;
  auto File = yaml::yaml2ObjectFile(
      Storage, Yaml, [](const Twine &Said) { FAIL() << Said.str(); });
  std::error_code EC;
  raw_fd_ostream OS(Output, EC);
  OS << File->getData();
  return errorCodeToError(EC);
}

KernelPlan kernel(const std::string &Name, unsigned WarpGroups) {
  KernelPlan K = kernelOf({loopAt(3, WarpGroups)});
  K.Name = Name;
  return K;
}

struct CandidateCodeTest : testing::Test {
  SmallString<64> Folder;
  CompileSlots Slots{2};
  std::atomic<unsigned> Compiles = 0;
  std::string Problem; ///< Of a compile.
  std::optional<CandidateCode> Code;

  CandidateCodeTest() {
    EXPECT_FALSE(sys::fs::createUniqueDirectory("candidates", Folder));
    Plan Skeleton;
    Skeleton.GPU = "sm_90";
    Skeleton.Kernels = {kernel("hot", 2), kernel("cold", 2)};
    Code.emplace(
        Skeleton, std::string(Folder),
        [this](const std::string &PlanFile, const std::string &Output) {
          ++Compiles;
          return Problem.empty() ? compileByHand(PlanFile, Output)
                                 : createStringError(Problem);
        },
        Slots);
  }
  ~CandidateCodeTest() override { sys::fs::remove_directories(Folder); }

  std::vector<std::string> images(const std::vector<KernelPlan> &Kernels) {
    std::vector<std::string> Names;
    for (const CandidateCode::Compiled &C :
         cantFail(Code->get(Kernels, {}, ""))) {
      EXPECT_FALSE(C.Hash.empty());
      Names.push_back(sys::path::filename(C.Image).str());
    }
    return Names;
  }
};

using Names = std::vector<std::string>;

TEST_F(CandidateCodeTest, KernelsShareAnImage) {
  EXPECT_EQ(images({kernel("hot", 2), kernel("hot", 4), kernel("cold", 4)}),
            Names({"0", "1", "0"}));
  EXPECT_EQ(Compiles, 2u);
}

// What is said at the launch needs no image of its own.
TEST_F(CandidateCodeTest, WhatIsThereIsNotCompiledAgain) {
  KernelPlan AtLaunch = kernel("hot", 2);
  AtLaunch.CarveoutPercent = 50;
  EXPECT_EQ(images({kernel("hot", 2), AtLaunch}), Names({"0", "0"}));
  EXPECT_EQ(images({kernel("hot", 4), AtLaunch}), Names({"1", "0"}));
  EXPECT_EQ(Compiles, 2u);
}

TEST_F(CandidateCodeTest, ThreadsThatAskForTheSameShareIt) {
  std::vector<std::thread> Threads;
  std::atomic<unsigned> Same = 0;
  for (int I = 0; I < 8; ++I)
    Threads.emplace_back([&] {
      Same += images({kernel("hot", 2), kernel("hot", 4)}) == Names({"0", "1"});
    });
  for (std::thread &T : Threads)
    T.join();
  EXPECT_EQ(Same, 8u);
  EXPECT_EQ(Compiles, 2u);
}

TEST_F(CandidateCodeTest, AFailureIsToldToAll) {
  Problem = "no";
  std::vector<std::thread> Threads;
  std::atomic<unsigned> Failed = 0;
  for (int I = 0; I < 8; ++I)
    Threads.emplace_back([&] {
      auto Got = Code->get({kernel("hot", 2), kernel("hot", 4)}, {}, "");
      Failed += toString(Got.takeError()) == "no";
    });
  for (std::thread &T : Threads)
    T.join();
  EXPECT_EQ(Failed, 8u);
}

} // namespace
