// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Job files, and what is said of those that are wrong.

#include "Job.h"
#include "gtest/gtest.h"
#include <cstdio>
#include <fstream>

using namespace sluice::replay;

namespace {

/// A job file of this test's own.
class JobTest : public testing::Test {
protected:
  void TearDown() override { std::remove(Path.c_str()); }

  bool read(const std::string &Text) {
    std::ofstream(Path, std::ios::binary) << Text;
    J = Job();
    Error.clear();
    return readJob(Path, J, Error);
  }
  std::string errorOf(const std::string &Text) {
    return read(Text) ? "no error" : Error;
  }

  const std::string Folder = testing::TempDir();
  const std::string Path =
      Folder + "sluice-job-" +
      testing::UnitTest::GetInstance()->current_test_info()->name();
  Job J;
  std::string Error;
};

TEST_F(JobTest, AllThatItMaySay) {
  ASSERT_TRUE(
      read("# What `sluice tune` wrote.\n"
           "results /tmp/results.jsonl\n"
           "\n"
           "candidate plain program\n"
           "candidate n4 n4.cubin carveout=50 claim=2432 # four groups\n"
           "  candidate  n8\t/abs/n8.ptx kernel=_Z3fooPf \r\n"
           "base n4\n"
           "kernel _Z3fooPf\n"
           "kernel _Z3barPf\n"
           "ignore cub\n"
           "dump _Z3fooPf 2 out\n"
           "rounds 9\n"
           "launches 1\n"
           "stop-losers 12.5\n"
           "best ../best-3\n"
           "time-limit 60\n"))
      << Error;
  EXPECT_EQ(J.Results, "/tmp/results.jsonl");
  ASSERT_EQ(J.Dumps.size(), 1u);
  EXPECT_EQ(J.Dumps[0].Kernel, "_Z3fooPf");
  EXPECT_EQ(J.Dumps[0].Argument, 2u);
  EXPECT_EQ(J.Dumps[0].File, Folder + "out");
  ASSERT_EQ(J.Candidates.size(), 3u);
  EXPECT_EQ(J.Candidates[0].Id, "plain");
  EXPECT_EQ(J.Candidates[0].Image, "");
  EXPECT_EQ(J.Candidates[0].carveout("k"), -1);
  EXPECT_EQ(J.Candidates[1].Id, "n4");
  EXPECT_EQ(J.Candidates[1].Image, Folder + "n4.cubin");
  EXPECT_EQ(J.Candidates[1].carveout("k"), 50);
  EXPECT_EQ(J.Candidates[0].claim("k"), 0u);
  EXPECT_EQ(J.Candidates[1].claim("k"), 2432u);
  EXPECT_EQ(J.Candidates[1].Kernel, "");
  EXPECT_EQ(J.Candidates[2].Id, "n8");
  EXPECT_EQ(J.Candidates[2].Image, "/abs/n8.ptx");
  EXPECT_EQ(J.Candidates[2].Kernel, "_Z3fooPf");
  EXPECT_EQ(J.Base, 1u);
  EXPECT_EQ(J.Kernels, (std::vector<std::string>{"_Z3fooPf", "_Z3barPf"}));
  EXPECT_EQ(J.Ignored, std::vector<std::string>{"cub"});
  EXPECT_EQ(J.Rounds, 9u);
  EXPECT_EQ(J.Launches, 1u);
  EXPECT_EQ(J.StopLosers, 12.5);
  EXPECT_EQ(J.Best, Folder + "../best-3");
  EXPECT_EQ(J.TimeLimit, 60);
}

TEST_F(JobTest, Defaults) {
  ASSERT_TRUE(read("results out\ncandidate a program")) << Error;
  EXPECT_EQ(J.Results, Folder + "out") << "relative to the job";
  EXPECT_EQ(J.Base, 0u);
  EXPECT_EQ(J.Rounds, 7u);
  EXPECT_EQ(J.Launches, 4u);
  EXPECT_EQ(J.StopLosers, 0);
  EXPECT_EQ(J.TimeLimit, 0);
  EXPECT_TRUE(J.wants("anything"));
}

TEST_F(JobTest, WantedKernels) {
  Job Some;
  Some.Kernels = {"_Z3fooPf"};
  Some.Ignored = {"bar"};
  EXPECT_TRUE(Some.wants("_Z3fooPf"));
  EXPECT_FALSE(Some.wants("_Z3foo")) << "names are whole";
  EXPECT_FALSE(Some.wants("_Z3quxPf"));

  Job AllBut;
  AllBut.Ignored = {"bar", "qux"};
  EXPECT_TRUE(AllBut.wants("_Z3fooPf"));
  EXPECT_FALSE(AllBut.wants("_Z6foobarPf")) << "the text may be a part";

  Job Both;
  Both.Kernels = {"_Z3barPf"};
  Both.Ignored = {"bar"};
  EXPECT_FALSE(Both.wants("_Z3barPf"));
}

TEST_F(JobTest, AFileThatIsNotThere) {
  EXPECT_FALSE(readJob("/nowhere/job", J, Error));
  EXPECT_EQ(Error, "/nowhere/job: cannot be read");
}

TEST_F(JobTest, MistakesAreNamedWithTheirLine) {
  // What is wrong, after "FILE:2: ".
  const struct {
    const char *Line, *Problem;
  } Cases[] = {
      {"candidate", "'candidate' takes an identifier and an image"},
      {"candidate b", "'candidate' takes an identifier and an image"},
      {"candidate a b.cubin", "a second candidate 'a'"},
      {"candidate b b.cubin carveout",
       "'carveout': a carveout is 0 to 100 per cent"},
      {"candidate b b.cubin fast=1",
       "'fast=1' is not known here (carveout=PERCENT, claim=BYTES, "
       "kernel=NAME)"},
      {"candidate b b.cubin claim=_Z1kv:x",
       "'claim=_Z1kv:x': a claim is 0 to 48 KiB, in bytes"},
      {"candidate b b.cubin claim=",
       "'claim=': a claim is 0 to 48 KiB, in bytes"},
      {"candidate b b.cubin claim=49153",
       "'claim=49153': a claim is 0 to 48 KiB, in bytes"},
      {"candidate b b.cubin claim=-1",
       "'claim=-1': a claim is 0 to 48 KiB, in bytes"},
      {"candidate b b.cubin carveout=",
       "'carveout=': a carveout is 0 to 100 per cent"},
      {"candidate b b.cubin carveout=101",
       "'carveout=101': a carveout is 0 to 100 per cent"},
      {"candidate b b.cubin carveout=-1",
       "'carveout=-1': a carveout is 0 to 100 per cent"},
      {"candidate b b.cubin carveout=5x",
       "'carveout=5x': a carveout is 0 to 100 per cent"},
      {"results", "'results' takes one value"},
      {"results a b", "'results' takes one value"},
      {"base a b", "'base' takes one value"},
      {"rounds", "'rounds' takes one value"},
      {"rounds 0", "'rounds' takes a number from 1, not '0'"},
      {"rounds 2.5", "'rounds' takes a number from 1, not '2.5'"},
      {"rounds -3", "'rounds' takes a number from 1, not '-3'"},
      {"rounds many", "'rounds' takes a number from 1, not 'many'"},
      {"rounds 1e30", "'rounds' takes a number from 1, not '1e30'"},
      {"rounds nan", "'rounds' takes a number from 1, not 'nan'"},
      {"launches 0", "'launches' takes a number from 1, not '0'"},
      {"stop-losers 5%", "'stop-losers' takes a number, not '5%'"},
      {"stop-losers -5", "'stop-losers' takes a number, not '-5'"},
      {"time-limit nan", "'time-limit' takes a number, not 'nan'"},
      {"time-limit 1 h", "'time-limit' takes one value"},
      {"round 5",
       "there is no directive 'round' (results, candidate, base, kernel, "
       "ignore, dump, rounds, launches, stop-losers, best, time-limit, "
       "time-wrong)"},
  };
  for (const auto &C : Cases)
    EXPECT_EQ(errorOf(std::string("candidate a program\n") + C.Line +
                      "\nresults r\n"),
              Path + ":2: " + C.Problem);
}

TEST_F(JobTest, WhatIsMissingIsNamed) {
  EXPECT_EQ(errorOf(""), Path + ": no 'results FILE'");
  EXPECT_EQ(errorOf("candidate a program\n# results r\n"),
            Path + ": no 'results FILE'");
  EXPECT_EQ(errorOf("results r\n"), Path + ": no 'candidate ID IMAGE'");
  EXPECT_EQ(errorOf("results r\ncandidate a program\nbase b\n"),
            Path + ": base 'b' is none of the candidates");
}

} // namespace
