// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// What is refused as a plan, and in which words.

#include "PlanByHand.h"
#include "sluice/Plan/Technique.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::test;

namespace {

std::string newestVersion() {
  unsigned Newest = 1;
  for (const Technique *T : techniques())
    Newest = std::max(Newest, T->newestVersion());
  return std::to_string(Newest);
}

TEST(PlanError, NamesTheLineAndTheColumn) {
  struct {
    const char *Text;
    std::string Error;
  } Cases[] = {
      {"", "p.yaml:1:1: no plan here: a plan begins with 'sluice-plan: 1'"},
      {"# nothing\n",
       "p.yaml:1:1: no plan here: a plan begins with 'sluice-plan: 1'"},
      {"---\n...\n",
       "p.yaml:1:1: no plan here: a plan begins with 'sluice-plan: 1'"},
      {"sluice-plan: 999\ngpu: sm_90\nfuture: 1\n",
       "p.yaml:1:14: this Sluice reads plans of versions 1 to " +
           newestVersion() + " only"},
      {"sluice-plan: 0\ngpu: sm_90\n",
       "p.yaml:1:14: this Sluice reads plans of versions 1 to " +
           newestVersion() + " only"},
      {"gpu: sm_90\n", "p.yaml:1:1: missing required key 'sluice-plan'"},
      {"sluice-plan: 1\n", "p.yaml:1:1: missing required key 'gpu'"},
      {"sluice-plan: 1\ngpu: ''\n", "p.yaml:2:6: a name must not be empty"},
      {"sluice-plan: 1\ngpu: sm_90\nsms: many\n", "p.yaml:3:6: invalid number"},
      {"sluice-plan: 1\ngpu: sm_90\nkernel: []\n",
       "p.yaml:3:1: unknown key 'kernel'"},
      {"sluice-plan: 1\ngpu: sm_90\nkernels: 4\n",
       "p.yaml:3:10: not a sequence"},
      {"sluice-plan: 1\ngpu: sm_90\ngpu: sm_80\n",
       "p.yaml:3:1: duplicated mapping key 'gpu'"},
      {"int main() {}\n", "p.yaml:1:1: not a mapping"},
      {"sluice-plan: 1\ngpu: [sm_90\n",
       "p.yaml:2:12: Could not find closing ]!"},
  };
  for (const auto &Case : Cases)
    EXPECT_EQ(parseError(Case.Text), Case.Error) << Case.Text;
}

TEST(PlanError, OfAnAccess) {
  auto ErrorOf = [](std::string Key, const char *Value) {
    return parseError("sluice-plan: 2\ngpu: sm_90\nkernels:\n  - name: k\n"
                      "    loops:\n      - loop: k.cu:1:1\n        throttle: "
                      "1\n        accesses:\n"
                      "          - at: k.cu:2:2\n            " +
                      Key + ": " + Value + "\n");
  };
  for (const char *Stride : {"4*n", "''", "0.5", "9223372036854775808"})
    EXPECT_EQ(
        ErrorOf("iteration-stride", Stride),
        "p.yaml:10:31: iteration-stride must be a number of bytes, or '?'")
        << Stride;
  for (const char *Lines : {"many", "''", "-1", "nan", "inf"})
    EXPECT_EQ(ErrorOf("measured-lines-per-warp", Lines),
              "p.yaml:10:38: measured-lines-per-warp must be a number")
        << Lines;
}

TEST(PlanError, OfACarveout) {
  for (const char *Percent :
       {"101", "-1", "50%", "0.5", "auto", "''", "99999999999"})
    EXPECT_EQ(parseError(std::string("sluice-plan: 1\ngpu: sm_90\nkernels:\n"
                                     "  - name: k\n    carveout: ") +
                         Percent + "\n"),
              "p.yaml:5:15: carveout is a percentage from 0 to 100")
        << Percent;
}

TEST(PlanError, OfABlockLimit) {
  auto ErrorOf = [](std::string Key, const char *Value) {
    return parseError(
        "sluice-plan: 2\ngpu: sm_90\nkernels:\n  - name: k\n    " + Key + ": " +
        Value + "\n");
  };
  for (const char *Blocks : {"0", "33", "-1", "two", "''", "99999999999"})
    EXPECT_EQ(ErrorOf("resident-blocks", Blocks),
              "p.yaml:5:22: resident-blocks must be a number from 1 to 32")
        << Blocks;
  for (const char *Bytes : {"49153", "-1", "7 KiB", "''", "1e3"})
    EXPECT_EQ(ErrorOf("claimed-shared-bytes", Bytes),
              "p.yaml:5:27: claimed-shared-bytes must be a number up to 49152")
        << Bytes;
}

TEST(PlanError, OfLines) {
  auto ErrorOf = [](std::string Lines, std::string Threads,
                    std::string More = "") {
    return parseError("sluice-plan: 11\ngpu: sm_90\nkernels:\n  - name: k\n"
                      "    loops:\n      - loop: 'a.cu:1:1'\n"
                      "        throttle: 1\n"
                      "        lines:\n          - at: 'a.cu:2:3'\n" +
                      More + "        lines-per-thread: " + Lines +
                      "\n        line-threads: " + Threads + "\n");
  };
  for (const char *Lines : {"0", "65"})
    EXPECT_EQ(ErrorOf(Lines, "256"),
              "p.yaml:6:9: lines-per-thread must be a number from 1 to 64");
  for (const char *Threads : {"0", "100", "1056"})
    EXPECT_EQ(ErrorOf("2", Threads), "p.yaml:6:9: line-threads must be a "
                                     "multiple of 32 from 32 to 1024");
  EXPECT_EQ(ErrorOf("2", "256", "          - at: 'a.cu:2:3'\n"),
            "p.yaml:6:9: structure a.cu:2:3 twice");
  EXPECT_EQ(
      ErrorOf("2", "256", "        widened:\n          - at: 'a.cu:2:5'\n"),
      "p.yaml:6:9: a loop has lines, or its rows are staged or widened");
}

TEST(PlanError, OfRowsInRegisters) {
  auto ErrorOf = [](std::string Keys) {
    return parseError("sluice-plan: 9\ngpu: sm_90\nkernels:\n  - name: k\n"
                      "    loops:\n      - loop: 'a.cu:1:1'\n"
                      "        throttle: 1\n" +
                      Keys);
  };
  const std::string Widened = "        widened:\n          - at: 'a.cu:2:3'\n";
  EXPECT_EQ(ErrorOf(Widened + "          - at: 'a.cu:2:3'\n"),
            "p.yaml:6:9: stream a.cu:2:3 twice");
  EXPECT_EQ(ErrorOf(Widened + "        staged:\n          - at: 'a.cu:2:5'\n"
                              "        chunk-bytes: 128\n"
                              "        staged-warps: 4\n"),
            "p.yaml:6:9: a loop's rows are staged or widened, not both");
}

TEST(PlanError, OfATable) {
  struct {
    const char *Loop; ///< What follows its place.
    const char *Error;
  } Cases[] = {
      {"throttle: by-launch",
       ":6:9: 'throttle: by-launch' needs rows in by-launch"},
      {"throttle: by-launch\n        by-launch: []",
       ":6:9: 'throttle: by-launch' needs rows in by-launch"},
      {"throttle: 4\n        by-launch:\n"
       "          - {block: [256], throttle: 4}",
       ":6:9: throttle is a number, so there must be no by-launch"},
      {"throttle: by-launch\n        by-launch:\n          - {throttle: 4}",
       ":9:14: a row of by-launch needs block, or threads-min and threads-max: "
       "multiples of 32 up to 1024, the first not above the second"},
      {"throttle: by-launch\n        by-launch:\n          - {block: [256]}",
       ":9:14: missing required key 'throttle'"},
      {"throttle: by-launch\n        by-launch:\n"
       "          - {block: [256], throttle: 3}",
       ":9:38: throttle in by-launch must be a power of two from 1 to 32"},
      {"throttle: by-launch\n        by-launch:\n"
       "          - {block: [256], throttle: 64}",
       ":9:38: throttle in by-launch must be a power of two from 1 to 32"},
      {"throttle: by-launch\n        by-launch:\n"
       "          - {block: [256], throttle: 0}",
       ":9:38: throttle in by-launch must be a power of two from 1 to 32"},
      {"throttle: by-launch\n        by-launch:\n"
       "          - {block: [256, 5], throttle: 2}",
       ":9:14: block must be [x, y, z] of 1 to 1024 threads"},
      {"throttle: by-launch\n        by-launch:\n"
       "          - {block: [4294967296, 0], throttle: 2}",
       ":9:14: block must be [x, y, z] of 1 to 1024 threads"},
      {"throttle: by-launch\n        by-launch:\n"
       "          - {block: [4294967297], throttle: 2}",
       ":9:14: block must be [x, y, z] of 1 to 1024 threads"},
      {"throttle: by-launch\n        by-launch:\n"
       "          - {block: [32, '?'], throttle: 2}",
       ":9:14: block in by-launch must be known"},
      {"throttle: by-launch\n        by-launch:\n"
       "          - {block: [256], threads-min: 32, throttle: 2}",
       ":9:14: a row of by-launch has either block, or threads-min and "
       "threads-max"},
      {"throttle: by-launch\n        by-launch:\n"
       "          - {threads-min: 33, threads-max: 64, throttle: 2}",
       ":9:14: a row of by-launch needs block, or threads-min and threads-max: "
       "multiples of 32 up to 1024, the first not above the second"},
      {"throttle: by-launch\n        by-launch:\n"
       "          - {threads-min: 64, threads-max: 32, throttle: 2}",
       ":9:14: a row of by-launch needs block, or threads-min and threads-max: "
       "multiples of 32 up to 1024, the first not above the second"},
      {"throttle: by-launch\n        by-launch:\n"
       "          - {threads-min: 64, threads-max: 2048, throttle: 2}",
       ":9:14: a row of by-launch needs block, or threads-min and threads-max: "
       "multiples of 32 up to 1024, the first not above the second"},
      {"throttle: by-launch\n        by-launch:\n"
       "          - {block: [256], blocks-min: 0, throttle: 2}",
       ":9:14: blocks-min must be at least 1"},
      {"throttle: by-launch\n        by-launch:\n"
       "          - {block: [256], blocks-min: 9, throttle: 2}\n"
       "          - {block: [256], blocks-min: 9, throttle: 4}",
       ":6:9: rows of one block in by-launch must have rising blocks-min, not "
       "9 after 9"},
      {"throttle: by-launch\n        by-launch:\n"
       "          - {block: [256], throttle: 2}\n"
       "          - {block: [128], throttle: 2}\n"
       "          - {block: [256], blocks-min: 9, throttle: 4}",
       ":6:9: rows of one block must stand together in by-launch"},
      {"throttle: by-launch\n        by-launch:\n"
       "          - {threads-min: 32, threads-max: 64, throttle: 2}\n"
       "          - {block: [256], throttle: 4}",
       ":6:9: rows with block must stand before those with threads-min in "
       "by-launch"},
      {"throttle: by-launch\n        by-launch:\n"
       "          - {threads-min: 32, threads-max: 64, throttle: 2}\n"
       "          - {threads-min: 64, threads-max: 96, throttle: 4}",
       ":6:9: rows in by-launch must be by rising threads and not overlap: 64 "
       "to 96 after 32 to 64"},
  };
  for (const auto &Case : Cases)
    EXPECT_EQ(parseError(std::string("sluice-plan: 2\ngpu: sm_90\nkernels:\n"
                                     "  - name: k\n    loops:\n"
                                     "      - loop: f.cu:3:5\n        ") +
                         Case.Loop + "\n"),
              std::string("p.yaml") + Case.Error)
        << Case.Loop;
}

TEST(PlanError, OfATestOfAnArgument) {
  struct {
    const char *Tests;
    const char *Error;
  } Cases[] = {
      {"{argument: 3}", ":9:14: missing required key 'at-least'"},
      {"{at-least: 32}", ":9:14: missing required key 'argument'"},
      {"{argument: n, at-least: 32}", ":9:24: invalid number"},
      {"{argument: -1, at-least: 32}", ":9:24: invalid number"},
      {"{argument: 3, at-least: 0}",
       ":9:37: at-least must be a number from 1 to 2147483647"},
      {"{argument: 3, at-least: 2147483648}",
       ":9:37: at-least must be a number from 1 to 2147483647"},
      {"{argument: 3, at-most: 32, at-least: 32}",
       ":9:27: unknown key 'at-most'"},
      {"{argument: 3, at-least: 32}\n          - {argument: 3, at-least: 8}",
       ":6:9: tests in only-if must be by rising argument, each once"},
      {"{argument: 3, at-least: 32}\n          - {argument: 2, at-least: 8}",
       ":6:9: tests in only-if must be by rising argument, each once"},
  };
  for (const auto &Case : Cases)
    EXPECT_EQ(parseError(std::string("sluice-plan: 3\ngpu: sm_90\nkernels:\n"
                                     "  - name: k\n    loops:\n"
                                     "      - loop: f.cu:3:5\n"
                                     "        throttle: 4\n"
                                     "        only-if:\n          - ") +
                         Case.Tests + "\n"),
              std::string("p.yaml") + Case.Error)
        << Case.Tests;
}

TEST(PlanError, OfALoop) {
  struct {
    const char *Loop;
    const char *Error;
  } Cases[] = {
      {"{throttle: 4}", "p.yaml:5:14: missing required key 'loop'"},
      {"{loop: 'f.cu:3:5'}", "p.yaml:5:14: missing required key 'throttle'"},
      {"{loop: 'f.cu:3:5', throttle: 0}",
       "p.yaml:5:42: throttle must be a number from 1 (not throttled) to 32, "
       "or by-launch"},
      {"{loop: 'f.cu:3:5', throttle: 33}",
       "p.yaml:5:42: throttle must be a number from 1 (not throttled) to 32, "
       "or by-launch"},
      {"{loop: 'f.cu:3:5', throttle: auto}",
       "p.yaml:5:42: throttle must be a number from 1 (not throttled) to 32, "
       "or by-launch"},
      {"{loop: 'f.cu:3', throttle: 4}",
       "p.yaml:5:20: a place is FILE:LINE:COLUMN, FILE without its folder: "
       "'gesummv.cu:23:5'"},
      {"{loop: 'f.cu:3:5', throttle: 4, inlined-at: ['f.cu']}",
       "p.yaml:5:58: a place is FILE:LINE:COLUMN, FILE without its folder: "
       "'gesummv.cu:23:5'"},
      {"{loop: 'f.cu:3:5', throttle: 4, why: {}}",
       "p.yaml:5:51: unexpected scalar"},
      {"{loop: 'f.cu:3:5', throttle: 4, footprint: 1}",
       "p.yaml:5:45: unknown key 'footprint'"},
      {"{loop: 'f.cu:3:5', throttle: 4}, {loop: 'f.cu:3:5', throttle: 2}",
       "p.yaml:4:5: kernel 'k' has loop f.cu:3:5 twice"},
  };
  for (const auto &Case : Cases)
    EXPECT_EQ(parseError(std::string("sluice-plan: 1\n"
                                     "gpu: sm_90\n"
                                     "kernels:\n"
                                     "  - name: k\n"
                                     "    loops: [") +
                         Case.Loop + "]\n"),
              Case.Error)
        << Case.Loop;
}

TEST(PlanError, OfALaunch) {
  struct {
    const char *Launch;
    const char *Error;
  } Cases[] = {
      {"{grid: [1, 2, 3, 4]}",
       "p.yaml:5:33: expected at most three sizes: [x, y, z]"},
      {"{block: [1, many]}", "p.yaml:5:28: expected a number, or '?' (in "
                             "quotes) where it is not known"},
      {"{grid: 4}", "p.yaml:5:23: not a sequence"},
      {"{shared: -1}", "p.yaml:5:25: expected a number, or '?' (in quotes) "
                       "where it is not known"},
  };
  for (const auto &Case : Cases)
    EXPECT_EQ(parseError(std::string("sluice-plan: 1\n"
                                     "gpu: sm_90\n"
                                     "kernels:\n"
                                     "  - name: k\n"
                                     "    launches: [") +
                         Case.Launch + "]\n"),
              Case.Error)
        << Case.Launch;
}

TEST(PlanError, OfWhatIsThereTwice) {
  EXPECT_EQ(parseError("sluice-plan: 1\ngpu: sm_90\n"
                       "kernels: [{name: k}, {name: k}]\n"),
            "p.yaml:1:1: kernel 'k' is in the plan twice");
  EXPECT_EQ(parseError("sluice-plan: 1\nsource: f.cu\ngpu: sm_90\n---\n"
                       "sluice-plan: 1\nsource: f.cu\ngpu: sm_90\n"),
            "p.yaml: two plans for source 'f.cu' on sm_90");
}

TEST(PlanError, InALaterDocument) {
  EXPECT_EQ(parseError("---\nsluice-plan: 1\ngpu: sm_90\n...\n"
                       "---\nsluice-plan: 1\ngpus: sm_80\n"),
            "p.yaml:6:1: missing required key 'gpu'");
}

} // namespace
