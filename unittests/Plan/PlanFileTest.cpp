// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Files of plans.

#include "PlanByHand.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include <thread>

using namespace llvm;
using namespace sluice;
using namespace sluice::test;

namespace {

/// A folder of its own for each test, gone with it.
class PlanFile : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(sys::fs::createUniqueDirectory("sluice-plan-test", Folder));
    Path = (Folder + "/plan.yaml").str();
  }
  void TearDown() override {
    EXPECT_FALSE(sys::fs::remove_directories(Folder));
  }

  void put(StringRef Text) {
    std::error_code EC;
    raw_fd_ostream(Path, EC) << Text;
    ASSERT_FALSE(EC) << EC.message();
  }
  std::string contents() {
    auto Buffer = MemoryBuffer::getFile(Path);
    return Buffer ? (*Buffer)->getBuffer().str() : "no file";
  }
  std::string update(const Plan &New) {
    return toString(updatePlanFile(Path, New));
  }
  unsigned countFiles() {
    std::error_code EC;
    unsigned Count = 0;
    for (sys::fs::directory_iterator I(Folder, EC), End; I != End && !EC;
         I.increment(EC))
      ++Count;
    return Count;
  }

  SmallString<128> Folder;
  std::string Path;
};

Plan planFor(StringRef Source, StringRef GPU, unsigned SMs = 0) {
  Plan P;
  P.Source = Source.str();
  P.GPU = GPU.str();
  P.SMs = SMs;
  return P;
}

TEST_F(PlanFile, IsMadeWhereThereIsNone) {
  EXPECT_EQ(update(fullPlan()), "");
  EXPECT_EQ(contents(), write(fullPlan()));
  EXPECT_EQ(countFiles(), 1u) << "no temporary or lock file is left";
  auto Read = readPlanFile(Path);
  ASSERT_TRUE(bool(Read)) << toString(Read.takeError());
  EXPECT_EQ(write(*Read), write(fullPlan()));
}

TEST_F(PlanFile, UpdateReplacesThePlanForTheSameSourceAndGPU) {
  put(write({planFor("a.cu", "sm_80"), planFor("a.cu", "sm_90"),
             planFor("b.cu", "sm_90")}));
  EXPECT_EQ(update(planFor("a.cu", "sm_90", 132)), "");
  EXPECT_EQ(update(planFor("c.cu", "sm_90")), "");
  EXPECT_EQ(contents(),
            write({planFor("a.cu", "sm_80"), planFor("a.cu", "sm_90", 132),
                   planFor("b.cu", "sm_90"), planFor("c.cu", "sm_90")}));
}

TEST_F(PlanFile, UpdatesInParallelLoseNone) {
  std::vector<std::thread> Compiles;
  for (unsigned SMs = 1; SMs <= 4; ++SMs)
    Compiles.emplace_back([this, SMs] {
      EXPECT_EQ(update(planFor("f" + std::to_string(SMs) + ".cu", "sm_90")),
                "");
    });
  for (std::thread &Compile : Compiles)
    Compile.join();
  EXPECT_EQ(parse(contents()).size(), 4u);
}

TEST_F(PlanFile, UpdateFillsAnEmptyFile) {
  put("\n");
  EXPECT_EQ(update(fullPlan()), "");
  EXPECT_EQ(contents(), write(fullPlan()));
}

TEST_F(PlanFile, UpdateRefusesToOverwriteWhatIsNoPlan) {
  put("int main() {}\n");
  EXPECT_EQ(update(fullPlan()),
            "cannot write plan file '" + Path +
                "': the file exists and is not a plan; remove it or give "
                "another name\n" +
                Path + ":1:1: not a mapping");
  EXPECT_EQ(contents(), "int main() {}\n");
}

TEST_F(PlanFile, UpdateKeepsTheFilesPermissions) {
  put(write(fullPlan()));
  ASSERT_FALSE(sys::fs::setPermissions(Path, sys::fs::perms(0640)));
  EXPECT_EQ(update(planFor("b.cu", "sm_90")), "");
  EXPECT_EQ(*sys::fs::getPermissions(Path), sys::fs::perms(0640));
}

TEST_F(PlanFile, UpdateFollowsALink) {
  std::string Link = (Folder + "/link.yaml").str();
  put(write(planFor("a.cu", "sm_90")));
  ASSERT_FALSE(sys::fs::create_link(Path, Link));
  EXPECT_EQ(toString(updatePlanFile(Link, planFor("b.cu", "sm_90"))), "");
  EXPECT_TRUE(sys::fs::is_symlink_file(Link));
  EXPECT_EQ(contents(),
            write({planFor("a.cu", "sm_90"), planFor("b.cu", "sm_90")}));
}

TEST_F(PlanFile, UpdateWithoutAChangeDoesNotTouchTheFile) {
  put(write(fullPlan()));
  sys::fs::UniqueID Before, After;
  ASSERT_FALSE(sys::fs::getUniqueID(Path, Before));
  EXPECT_EQ(update(fullPlan()), "");
  ASSERT_FALSE(sys::fs::getUniqueID(Path, After));
  EXPECT_EQ(Before, After);
}

TEST_F(PlanFile, UpdateInAMissingFolderIsAnError) {
  Path = (Folder + "/missing/plan.yaml").str();
  EXPECT_NE(update(fullPlan()).find("cannot write plan file '" + Path + "'"),
            std::string::npos);
}

TEST_F(PlanFile, AFolderIsAnError) {
  Path = Folder.str().str();
  for (auto *Put : {updatePlanFile, writePlanFile})
    EXPECT_EQ(toString(Put(Path, fullPlan())),
              "cannot write plan file '" + Path + "': it is a folder");
}

TEST_F(PlanFile, DashIsStandardOutput) {
  for (auto *Put : {updatePlanFile, writePlanFile}) {
    testing::internal::CaptureStdout();
    EXPECT_EQ(toString(Put("-", fullPlan())), "");
    EXPECT_EQ(testing::internal::GetCapturedStdout(), write(fullPlan()));
  }
}

TEST_F(PlanFile, WriteKeepsNothingOfWhatWasThere) {
  put("not a plan");
  EXPECT_EQ(toString(writePlanFile(Path, fullPlan())), "");
  EXPECT_EQ(contents(), write(fullPlan()));
  EXPECT_EQ(toString(writePlanFile(Path, planFor("a.cu", "sm_90"))), "");
  EXPECT_EQ(contents(), write(planFor("a.cu", "sm_90")));
  EXPECT_EQ(countFiles(), 1u) << "no temporary file is left";
}

TEST_F(PlanFile, WriteNamesTheFileThatCannotBe) {
  std::string Missing = (Folder + "/no/plan.yaml").str();
  EXPECT_EQ(toString(writePlanFile(Missing, fullPlan())),
            "cannot write plan file '" + Missing +
                "': No such file or directory");
}

TEST_F(PlanFile, ReadNamesTheFileThatIsMissing) {
  auto Plans = readPlanFile(Path);
  ASSERT_FALSE(bool(Plans));
  EXPECT_EQ(toString(Plans.takeError()),
            "cannot read plan file '" + Path + "': No such file or directory");
}

} // namespace
