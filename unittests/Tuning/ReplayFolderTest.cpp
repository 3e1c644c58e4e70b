// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "sluice/Tuning/ReplayRound.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace sluice;

namespace {

class ReplayFolderTest : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(sys::fs::createUniqueDirectory("replay-folder", Folder));
  }
  void TearDown() override { sys::fs::remove_directories(Folder); }

  void write(StringRef Name, StringRef Text) const {
    SmallString<128> Path(Folder);
    sys::path::append(Path, Name);
    std::error_code EC;
    raw_fd_ostream OS(Path, EC);
    ASSERT_FALSE(EC);
    OS << Text;
  }

  SmallString<128> Folder;
};

TEST_F(ReplayFolderTest, WhoWatchesARoundSeesMeasurementsAsTheyCome) {
  // The second one waits until the first has been seen.
  write("run.sh", "cd \"$(dirname \"$0\")\"\n"
                  "echo '{\"event\": \"measured\", \"kernel\": \"a\"}' "
                  ">results.jsonl\n"
                  "while [ ! -e seen ]; do sleep 0.01; done\n"
                  "echo '{\"event\": \"trying\"}' >>results.jsonl\n"
                  "echo '{\"event\": \"measured\"}' >>results.jsonl\n"
                  "while [ ! -e both ]; do sleep 0.01; done\n"
                  "exit 7\n");
  std::vector<uint64_t> Seen;
  const int Status = runRound(std::string(Folder), [&](uint64_t Done) {
    if (!Seen.empty() && Seen.back() == Done)
      return;
    Seen.push_back(Done);
    if (Done == 1)
      write("seen", "");
    if (Done == 2)
      write("both", "");
  });
  EXPECT_EQ(Status, 7);
  ASSERT_GE(Seen.size(), 2u);
  EXPECT_EQ(Seen[Seen.size() - 2], 1u);
  EXPECT_EQ(Seen.back(), 2u);
}

TEST_F(ReplayFolderTest, NobodyNeedsToWatch) {
  write("run.sh", "echo said; exit 3\n");
  EXPECT_EQ(runRound(std::string(Folder)), 3);
  SmallString<128> Output(Folder);
  sys::path::append(Output, "output.txt");
  uint64_t Size = 0;
  ASSERT_FALSE(sys::fs::file_size(Output, Size));
  EXPECT_EQ(Size, 5u);
}

} // namespace
