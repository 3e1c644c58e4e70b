// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Traces as files: what is written is read again, and a file that is damaged is
// an error and nothing worse.

#include "TracesByHand.h"
#include "sluice/Simulator/Profiler.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"
#include <random>

using namespace llvm;
using namespace sluice;
using namespace sluice::byhand;

namespace {

Trace exampleTrace() {
  CodeSites Sites;
  Sites.Accesses = {site(3), site(4, AccessSite::Store), site(5)};
  Sites.Accesses[0].Id.InlinedAt = {{"a.cu", 9, 2}, {"b.cu", 1, 1}};
  Sites.Accesses[0].Functions = {1, 0, 0};
  Sites.Accesses[1].Hint = L1Hint::EvictLast;
  Sites.Accesses[1].ReadOnly = true;
  Sites.Accesses[2].Space = AccessSite::Shared;
  Sites.Loops = {loop(2), loop(3, 0)};
  Sites.Loops[1].Functions = {0};
  FunctionSite Kernel, Other;
  Kernel.Kernel = "_Z1kPf";
  Kernel.Source = "a.cu";
  Kernel.File = "a.cu";
  Kernel.FirstLine = 1;
  Kernel.LastLine = 9;
  Kernel.TextHash = "0123456789abcdef";
  Other.File = "b.cuh";
  Sites.Functions = {Kernel, Other};
  WarpWriter W;
  W.issue(3).enter(0);
  for (unsigned I = 0; I < 20; ++I)
    W.iterate(0).enter(1).iterate(1).line(0, I).wait().line(1, I + 100).exit(1);
  W.exit(0).barrier().access(2, 64, 36, 0x00ffff00);
  LaunchTrace L = launchOf({W.end(), WarpWriter().barrier().end()}, Sites);
  L.Grid = {264, 1, 1};
  L.ActiveSMs = 132;
  L.CarveoutPercent = 50;
  L.DynamicSharedBytes = 1024;
  L.SharedByOtherSM = {0.25f, 0, 0, 0.5f};
  LaunchTrace LeftOut;
  LeftOut.Kernel = L.Kernel;
  Trace T;
  T.Source = "a.cu";
  T.GPU = "sm_90";
  T.Launches = {L, LeftOut};
  return T;
}

class TraceFile : public ::testing::Test {
protected:
  void SetUp() override {
    SmallString<128> Unique;
    ASSERT_FALSE(sys::fs::createTemporaryFile("trace", "bin", Unique));
    Path = Unique.str().str();
  }
  void TearDown() override { sys::fs::remove(Path); }

  std::string bytes() {
    auto Buffer = MemoryBuffer::getFile(Path, /*IsText=*/false, false);
    return Buffer ? (*Buffer)->getBuffer().str() : "";
  }
  void put(StringRef Bytes) {
    std::error_code EC;
    raw_fd_ostream OS(Path, EC);
    OS << Bytes;
  }
  std::string errorOf(StringRef Bytes) {
    put(Bytes);
    auto T = readTraceFile(Path);
    return T ? "" : toString(T.takeError());
  }

  std::string Path;
};

TEST_F(TraceFile, RoundTrip) {
  const Trace T = exampleTrace();
  ASSERT_FALSE(bool(writeTraceFile(T, Path)));
  const std::string Bytes = bytes();
  auto Read = readTraceFile(Path);
  ASSERT_TRUE(bool(Read)) << toString(Read.takeError());
  EXPECT_EQ(Read->Source, "a.cu");
  EXPECT_EQ(Read->GPU, "sm_90");
  ASSERT_EQ(Read->Launches.size(), 2u);
  const LaunchTrace &L = Read->Launches[0];
  EXPECT_EQ(L.CarveoutPercent, 50);
  EXPECT_EQ(L.Sites.Accesses[0].Id.str(),
            T.Launches[0].Sites.Accesses[0].Id.str());
  EXPECT_EQ(L.Sites.Accesses[1].Hint, L1Hint::EvictLast);
  EXPECT_EQ(L.Sites.Accesses[1].Loop, -1);
  EXPECT_EQ(L.Sites.Loops[1].Parent, 0);
  ASSERT_TRUE(L.Sites.kernel("_Z1kPf"));
  EXPECT_EQ(L.Sites.kernel("_Z1kPf")->TextHash, "0123456789abcdef");
  EXPECT_EQ(L.Blocks[0].Warps[0].Words, T.Launches[0].Blocks[0].Warps[0].Words);
  EXPECT_EQ(L.SharedByOtherSM, T.Launches[0].SharedByOtherSM);
  EXPECT_TRUE(Read->Launches[1].Blocks.empty());

  // All of it: written again it is the same.
  ASSERT_FALSE(bool(writeTraceFile(*Read, Path)));
  EXPECT_EQ(bytes(), Bytes);
}

TEST_F(TraceFile, EveryTruncationIsAnError) {
  ASSERT_FALSE(bool(writeTraceFile(exampleTrace(), Path)));
  const std::string Bytes = bytes();
  for (size_t Size = 0; Size < Bytes.size(); Size += 97)
    EXPECT_NE(errorOf(StringRef(Bytes).take_front(Size)), "") << Size;
  EXPECT_NE(errorOf(StringRef(Bytes).drop_back()), "");
}

TEST_F(TraceFile, ErrorsSayWhatIsWrong) {
  EXPECT_EQ(errorOf("sluice-profile: 1\n"),
            "'" + Path + "' is not a trace of sluice profile");
  ASSERT_FALSE(bool(writeTraceFile(exampleTrace(), Path)));
  std::string Bytes = bytes();
  std::string Newer = Bytes;
  Newer[StringRef("sluice trace\n").size()] = 77;
  EXPECT_NE(errorOf(Newer).find("is a trace of version 77; this Sluice reads"),
            std::string::npos);
  EXPECT_EQ(errorOf(StringRef(Bytes).drop_back(9)),
            "'" + Path + "' is damaged or was not written to its end");
  sys::fs::remove(Path);
  auto Missing = readTraceFile(Path);
  ASSERT_FALSE(bool(Missing));
  EXPECT_EQ(toString(Missing.takeError()),
            "cannot read '" + Path + "': No such file or directory");
}

// What can be read can be simulated: nothing that the simulator would stumble
// over passes.
TEST_F(TraceFile, NoDamageCrashes) {
  ASSERT_FALSE(bool(writeTraceFile(exampleTrace(), Path)));
  const std::string Bytes = bytes();
  std::mt19937 Random(1);
  unsigned Readable = 0;
  for (unsigned Round = 0; Round < 3000; ++Round) {
    std::string Damaged = Bytes;
    for (unsigned I = 0; I <= Round % 3; ++I)
      Damaged[Random() % Damaged.size()] =
          char(Random() % (Round % 2 ? 256 : 8));
    put(Damaged);
    auto T = readTraceFile(Path);
    if (!T) {
      consumeError(T.takeError());
      continue;
    }
    ++Readable;
    ProfilerOptions Options;
    Options.GPU = *findGPUModel("sm_90");
    Profiler P(Options);
    for (const LaunchTrace &L : T->Launches)
      if (auto Time = P.add(L); !Time)
        consumeError(Time.takeError());
  }
  EXPECT_GT(Readable, 100u);
}

} // namespace
