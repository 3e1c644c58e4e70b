// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Places and plans as text: what is written, what is read, what is refused.

#include "sluice/Plan/Plan.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "gtest/gtest.h"
#include <thread>

using namespace llvm;
using namespace sluice;

namespace {

//===--------------------------------------------------------------------===//
// Places
//===--------------------------------------------------------------------===//

TEST(SourcePlace, PrintsAndParses) {
  for (const SourcePlace &Place :
       {SourcePlace{"gesummv.cu", 23, 5}, SourcePlace{"a:b.cu", 1, 0},
        SourcePlace{"größe 1,2.cuh", 7, 80}, SourcePlace{}}) {
    SourcePlace Parsed{"old", 1, 1};
    ASSERT_TRUE(parseSourcePlace(Place.str(), Parsed)) << Place.str();
    EXPECT_EQ(Parsed, Place);
  }
  EXPECT_EQ((SourcePlace{"f.cu", 12, 5}.str()), "f.cu:12:5");
  EXPECT_EQ(SourcePlace().str(), "<unknown>");
}

TEST(SourcePlace, RefusesWhatIsNoPlace) {
  for (const char *Text :
       {"", "f.cu", "f.cu:1", ":1:2", "1:2", "f.cu:0:1", "f.cu:-1:1",
        "f.cu:1:x", "f.cu:1:", "f.cu: 1:2", "f.cu:99999999999:1",
        "folder/f.cu:1:1", "unknown"}) {
    SourcePlace Place{"kept.cu", 3, 4};
    EXPECT_FALSE(parseSourcePlace(Text, Place)) << Text;
    EXPECT_EQ(Place.str(), "kept.cu:3:4") << Text;
  }
}

TEST(CodeId, PrintsTheCallsItWasInlinedThrough) {
  EXPECT_EQ((CodeId{{"f.cu", 12, 5}, {}, 0}.str()), "f.cu:12:5");
  EXPECT_EQ((CodeId{{"f.cuh", 12, 5}, {{"f.cu", 30, 9}}, 1}.str()),
            "f.cuh:12:5 inlined at f.cu:30:9 #1");
}

//===--------------------------------------------------------------------===//
// Writing
//===--------------------------------------------------------------------===//

std::string write(ArrayRef<Plan> Plans) {
  std::string Text;
  raw_string_ostream OS(Text);
  writePlans(Plans, OS);
  return Text;
}

/// A plan with a value in every field.
Plan fullPlan() {
  AccessPlan Access;
  Access.Id = {{"math.cuh", 9, 12}, {{"gesummv.cu", 24, 12}}, 2};
  Access.Kind = "load";
  Access.Bytes = 4;
  Access.Address = "A + 2048*tid.x + 4*i0";
  Access.LinesPerWarp = 32;
  Access.SectorsPerWarp = 32;
  Access.LinesPerBlock = 256;
  Access.IterationStride = "4";

  LoopPlan Loop;
  Loop.Id = {{"gesummv.cu", 23, 5}, {}, 0};
  Loop.WarpGroups = 4;
  Loop.Why = "525312 B > 253952 B";
  Loop.FootprintBytes = 525312;
  Loop.ThrottledFootprintBytes = 131328;
  Loop.Accesses = {Access};

  LaunchPlan Launch;
  Launch.Grid = LaunchDim::known(1056);
  Launch.Block = {{256, std::nullopt, 1}};
  Launch.DynamicSharedBytes = 0;
  Launch.Place = {"gesummv.cu", 60, 3};
  Launch.BlocksPerSM = 8;
  Launch.L1Bytes = 253952;

  KernelPlan Kernel;
  Kernel.Name = "_Z7gesummvPKfS0_S0_Pf";
  Kernel.DisplayName = "gesummv(const float *)";
  Kernel.Registers = 31;
  Kernel.RegistersFrom = "assembler";
  Kernel.CarveoutPercent = 50;
  Kernel.Launches = {Launch};
  Kernel.Loops = {Loop};
  return {"gesummv.cu", "sm_90", 132, {Kernel}};
}

TEST(Plan, WritesEveryField) {
  EXPECT_EQ(write(fullPlan()), R"(---
sluice-plan:     1
source:          gesummv.cu
gpu:             sm_90
sms:             132
kernels:
  - name:            _Z7gesummvPKfS0_S0_Pf
    display:         'gesummv(const float *)'
    registers:       31
    registers-from:  assembler
    carveout:        50
    launches:
      - grid:            [ 1056, 1, 1 ]
        block:           [ 256, '?', 1 ]
        shared:          0
        at:              'gesummv.cu:60:3'
        blocks-per-sm:   8
        l1-bytes:        253952
    loops:
      - loop:            'gesummv.cu:23:5'
        throttle:        4
        why:             '525312 B > 253952 B'
        footprint-bytes: 525312
        throttled-footprint-bytes: 131328
        accesses:
          - at:              'math.cuh:9:12'
            inlined-at:      [ 'gesummv.cu:24:12' ]
            ordinal:         2
            kind:            load
            bytes:           4
            address:         'A + 2048*tid.x + 4*i0'
            lines-per-warp:  32
            sectors-per-warp: 32
            lines-per-block: 256
            iteration-stride: '4'
...
)");
}

// What older readers know they can read.
TEST(Plan, WritesTheFirstVersionThatHasAllKeys) {
  Plan Measured = fullPlan();
  Measured.Kernels[0].Loops[0].Accesses[0].MeasuredLinesPerWarp = "19.3";
  Plan Profiled = fullPlan();
  Profiled.Kernels[0].Launches[0].FromProfile = true;
  for (const Plan &P : {Measured, Profiled})
    EXPECT_TRUE(StringRef(write(P)).contains("sluice-plan:     2\n"))
        << write(P);
  EXPECT_TRUE(StringRef(write(Measured))
                  .contains("            measured-lines-per-warp: '19.3'\n"));
  EXPECT_TRUE(
      StringRef(write(Profiled)).contains("        from-profile:    true\n"));
}

/// fullPlan with a table.
Plan planByLaunch() {
  Plan P = fullPlan();
  LoopPlan &Loop = P.Kernels[0].Loops[0];
  Loop.ByLaunch.resize(3);
  Loop.ByLaunch[0].Block = {16, 16, 1};
  Loop.ByLaunch[0].WarpGroups = 2;
  Loop.ByLaunch[1].Block = {16, 16, 1};
  Loop.ByLaunch[1].MinBlocks = 529;
  Loop.ByLaunch[1].WarpGroups = 4;
  Loop.ByLaunch[2].MinThreads = 64;
  Loop.ByLaunch[2].MaxThreads = 128;
  Loop.ByLaunch[2].MinBlocks = 265;
  return P;
}

TEST(Plan, WritesATable) {
  std::string Text = write(planByLaunch());
  EXPECT_TRUE(StringRef(Text).contains("sluice-plan:     2\n")) << Text;
  EXPECT_TRUE(
      StringRef(Text).contains(R"(      - loop:            'gesummv.cu:23:5'
        throttle:        by-launch
        by-launch:
          - { block: [ 16, 16, 1 ], throttle: 2 }
          - { block: [ 16, 16, 1 ], blocks-min: 529, throttle: 4 }
          - { threads-min: 64, threads-max: 128, blocks-min: 265, throttle: 1 }
        why:             '525312 B > 253952 B'
)")) << Text;
}

TEST(Plan, ReadsATable) {
  auto Read = parsePlans(write(planByLaunch()), "p.yaml");
  ASSERT_TRUE(bool(Read)) << toString(Read.takeError());
  EXPECT_EQ(write(*Read), write(planByLaunch()));
  const LoopPlan &Loop = (*Read)[0].Kernels[0].Loops[0];
  EXPECT_EQ(Loop.WarpGroups, 4u) << "the largest";
  EXPECT_EQ(Loop.ByLaunch[0].Block, (BlockShape{16, 16, 1}));
  EXPECT_EQ(Loop.ByLaunch[0].MinBlocks, 1u);
}

TEST(Plan, ReadsATableWrittenByHand) {
  auto Read = parsePlans("sluice-plan: 2\n"
                         "gpu: sm_90\n"
                         "kernels:\n"
                         "  - name: k\n"
                         "    loops:\n"
                         "      - loop: f.cu:3:5\n"
                         "        throttle: by-launch\n"
                         "        by-launch:\n"
                         "          - block: [256] # y and z are 1\n"
                         "            throttle: 2\n",
                         "p.yaml");
  ASSERT_TRUE(bool(Read)) << toString(Read.takeError());
  EXPECT_EQ((*Read)[0].Kernels[0].Loops[0].ByLaunch[0].Block,
            (BlockShape{256, 1, 1}));
}

/// fullPlan with tests of arguments.
Plan planOnlyIf() {
  Plan P = fullPlan();
  P.Kernels[0].Loops[0].OnlyIf = {{2, "", 1}, {3, "n", 32}};
  return P;
}

TEST(Plan, WritesTestsOfArguments) {
  std::string Text = write(planOnlyIf());
  EXPECT_TRUE(StringRef(Text).contains("sluice-plan:     3\n")) << Text;
  EXPECT_TRUE(
      StringRef(Text).contains(R"(      - loop:            'gesummv.cu:23:5'
        throttle:        4
        only-if:
          - { argument: 2, at-least: 1 }
          - { argument: 3, name: n, at-least: 32 }
        why:             '525312 B > 253952 B'
)")) << Text;
}

TEST(Plan, ReadsTestsOfArguments) {
  auto Read = parsePlans(write(planOnlyIf()), "p.yaml");
  ASSERT_TRUE(bool(Read)) << toString(Read.takeError());
  EXPECT_EQ(write(*Read), write(planOnlyIf()));
  EXPECT_EQ((*Read)[0].Kernels[0].Loops[0].OnlyIf,
            planOnlyIf().Kernels[0].Loops[0].OnlyIf);
}

TEST(Plan, TestsNothingWithoutTurns) {
  Plan P = planOnlyIf();
  P.Kernels[0].Loops[0].WarpGroups = 1;
  std::string Text = write(P);
  EXPECT_TRUE(StringRef(Text).contains("sluice-plan:     1\n")) << Text;
  EXPECT_FALSE(StringRef(Text).contains("only-if")) << Text;
}

TEST(Plan, ReadsBackWhatIsFromAProfile) {
  Plan P = fullPlan();
  P.Kernels[0].Loops[0].Accesses[0].MeasuredLinesPerWarp = "19.3";
  P.Kernels[0].Launches[0].FromProfile = true;
  auto Read = parsePlans(write(P), "p.yaml");
  ASSERT_TRUE(bool(Read)) << toString(Read.takeError());
  EXPECT_EQ(write(*Read), write(P));
}

TEST(Plan, LeavesOutWhatIsNotKnown) {
  Plan P;
  P.GPU = "sm_70";
  P.Kernels.resize(1);
  P.Kernels[0].Name = "k";
  EXPECT_EQ(write(P), R"(---
sluice-plan:     1
gpu:             sm_70
kernels:
  - name:            k
...
)");
}

TEST(Plan, WritesNothingForNoPlan) { EXPECT_EQ(write({}), ""); }

//===--------------------------------------------------------------------===//
// Reading
//===--------------------------------------------------------------------===//

std::vector<Plan> parse(StringRef Text) {
  auto Plans = parsePlans(Text, "p.yaml");
  if (Plans)
    return *Plans;
  ADD_FAILURE() << toString(Plans.takeError()) << "\nin:\n" << Text.str();
  return {};
}

std::string parseError(StringRef Text) {
  auto Plans = parsePlans(Text, "p.yaml");
  return Plans ? "no error" : toString(Plans.takeError());
}

TEST(Plan, ReadsThreeLinesWrittenByHand) {
  std::vector<Plan> Plans = parse("sluice-plan: 1\n"
                                  "gpu: sm_90\n"
                                  "kernels:\n"
                                  "  - name: k   # the hot one\n"
                                  "    loops:\n"
                                  "      - {loop: 'f.cu:3:5', throttle: 8}\n"
                                  "      - loop: f.cu:9:5\n"
                                  "        throttle: 1\n");
  ASSERT_EQ(Plans.size(), 1u);
  EXPECT_EQ(Plans[0].Source, "");
  EXPECT_EQ(Plans[0].SMs, 0u);
  EXPECT_EQ(Plans[0].kernel("other"), nullptr);
  const KernelPlan *Kernel = Plans[0].kernel("k");
  ASSERT_NE(Kernel, nullptr);
  EXPECT_EQ(Kernel->Registers, 0u);
  ASSERT_EQ(Kernel->Loops.size(), 2u);
  EXPECT_EQ(Kernel->Loops[0].Id.str(), "f.cu:3:5");
  EXPECT_EQ(Kernel->Loops[0].WarpGroups, 8u);
  EXPECT_EQ(Kernel->Loops[0].FootprintBytes, 0u);
  EXPECT_EQ(Kernel->Loops[1].Id.str(), "f.cu:9:5");
}

TEST(Plan, ReadsDimensions) {
  using Sizes = std::array<std::optional<uint64_t>, 3>;
  struct {
    const char *Text;
    Sizes Expected;
  } Cases[] = {
      {"{grid: [4]}", {4, 1, 1}},
      {"{grid: [4, 2]}", {4, 2, 1}},
      {"{grid: [4, '?', 3]}", {4, std::nullopt, 3}},
      {"{grid: ['?']}", {std::nullopt, 1, 1}},
      {"{shared: 0}", {}}, // no grid given
  };
  for (const auto &Case : Cases) {
    std::vector<Plan> Plans =
        parse(std::string("sluice-plan: 1\ngpu: sm_90\nkernels:\n"
                          "  - name: k\n    launches: [") +
              Case.Text + "]\n");
    ASSERT_EQ(Plans.size(), 1u);
    EXPECT_EQ(Plans[0].Kernels[0].Launches[0].Grid.Sizes, Case.Expected)
        << Case.Text;
  }
}

TEST(Plan, TellsUnknownSharedMemoryFromNone) {
  for (auto [Text, Expected] :
       {std::pair("shared: 0", std::optional<uint64_t>(0)),
        std::pair("shared: '?'", std::optional<uint64_t>()),
        std::pair("blocks-per-sm: 1", std::optional<uint64_t>())}) {
    std::vector<Plan> Plans =
        parse(std::string("sluice-plan: 1\ngpu: sm_90\nkernels:\n"
                          "  - name: k\n    launches:\n      - ") +
              Text + "\n");
    ASSERT_EQ(Plans.size(), 1u);
    EXPECT_EQ(Plans[0].Kernels[0].Launches[0].DynamicSharedBytes, Expected);
  }
}

TEST(Plan, TellsCarveoutZeroFromNone) {
  for (auto [Text, Expected] :
       {std::pair("carveout: 0", std::optional<unsigned>(0)),
        std::pair("carveout: 100", std::optional<unsigned>(100)),
        std::pair("registers: 1", std::optional<unsigned>())}) {
    std::vector<Plan> Plans =
        parse(std::string("sluice-plan: 1\ngpu: sm_90\nkernels:\n"
                          "  - name: k\n    ") +
              Text + "\n");
    ASSERT_EQ(Plans.size(), 1u);
    EXPECT_EQ(Plans[0].Kernels[0].CarveoutPercent, Expected) << Text;
  }
}

TEST(Plan, HasWhatLimitsBlocks) {
  std::string Text = R"(---
sluice-plan:     2
gpu:             sm_90
kernels:
  - name:            k
    carveout:        7
    resident-blocks: 2
    claimed-shared-bytes: 7168
    blocks-why:      because
...
)";
  std::vector<Plan> Plans = parse(Text);
  ASSERT_EQ(Plans.size(), 1u);
  const KernelPlan &Kernel = Plans[0].Kernels[0];
  EXPECT_EQ(Kernel.ResidentBlocks, 2u);
  EXPECT_EQ(Kernel.ClaimedSharedBytes, 7168u);
  EXPECT_EQ(Kernel.BlocksWhy, "because");
  EXPECT_EQ(write(Plans), Text);
}

/// write(parse(write(P))) == write(P); and, as writing shows every field,
/// parse(write(P)) == P.
void expectRoundTrip(ArrayRef<Plan> Plans) {
  std::string Text = write(Plans);
  EXPECT_EQ(write(parse(Text)), Text);
}

TEST(Plan, RoundTrips) {
  Plan Other = fullPlan();
  Other.GPU = "sm_80";
  Other.Kernels.push_back(Other.Kernels[0]);
  Other.Kernels[1].Name = "second";
  Other.Kernels[1].CarveoutPercent = 0;
  Other.Kernels[1].Loops.push_back(Other.Kernels[1].Loops[0]);
  Other.Kernels[1].Loops[1].Id.Ordinal = 1;
  Other.Kernels[1].Loops[1].Id.InlinedAt = {
      {"a, b.cuh", 4, 2}, {"it's.cu", 5, 1}, {"größe\n.cu", 6, 7}};
  Other.Kernels[1].Launches.resize(3);
  Other.Kernels[1].Launches[2].Grid = LaunchDim::known(~0ull, 0, 2);
  Plan Empty;
  Empty.GPU = "sm_70";

  expectRoundTrip(fullPlan());
  expectRoundTrip(Other);
  expectRoundTrip(Empty);
  expectRoundTrip({fullPlan(), Other, Empty});

  std::vector<Plan> Read = parse(write(Other));
  ASSERT_EQ(Read.size(), 1u);
  EXPECT_EQ(Read[0].Kernels[1].Loops[1].Id, Other.Kernels[1].Loops[1].Id);
  EXPECT_EQ(Read[0].Kernels[1].Launches[2].Grid,
            Other.Kernels[1].Launches[2].Grid);
}

TEST(Plan, RoundTripsAnyString) {
  for (std::string Text : {"it's \"quoted\"",
                           "key: value",
                           "# no comment",
                           "- item",
                           "?",
                           "~",
                           "null",
                           "true",
                           "0x10",
                           "1e3",
                           "*alias",
                           "&anchor",
                           "!tag",
                           "%TAG",
                           "@at",
                           "`tick`",
                           "{a: b}",
                           "[1, 2]",
                           "a, b",
                           " led by a space",
                           "trailed ",
                           "two\nlines\n",
                           "\n",
                           "cr\r\nlf",
                           "a\ttab",
                           "\ttab",
                           "tab\t",
                           "back\\slash",
                           "C:\\dir",
                           "größe ≤ 4 µs",
                           "\xF0\x9F\x9A\x80",
                           "---",
                           "...",
                           "a #b",
                           "a: ",
                           ":",
                           "<none>",
                           "<unknown>",
                           "|",
                           ">",
                           "bell\a and \x7f",
                           "'",
                           "\"",
                           "''"}) {
    Plan P = fullPlan();
    P.Source = Text;
    P.GPU = Text;
    P.Kernels[0].Name = Text;
    P.Kernels[0].DisplayName = Text;
    P.Kernels[0].Loops[0].Why = Text;
    P.Kernels[0].Loops[0].Accesses[0].Address = Text;
    std::vector<Plan> Read = parse(write(P));
    ASSERT_EQ(Read.size(), 1u) << Text;
    EXPECT_EQ(Read[0].Source, Text);
    EXPECT_EQ(Read[0].GPU, Text);
    EXPECT_EQ(Read[0].Kernels[0].Name, Text);
    EXPECT_EQ(Read[0].Kernels[0].DisplayName, Text);
    EXPECT_EQ(Read[0].Kernels[0].Loops[0].Why, Text);
    EXPECT_EQ(Read[0].Kernels[0].Loops[0].Accesses[0].Address, Text);
    EXPECT_EQ(write(Read), write(P));
  }
}

//===--------------------------------------------------------------------===//
// Errors
//===--------------------------------------------------------------------===//

TEST(PlanError, NamesTheLineAndTheColumn) {
  struct {
    const char *Text;
    const char *Error;
  } Cases[] = {
      {"", "p.yaml:1:1: no plan here: a plan begins with 'sluice-plan: 1'"},
      {"# nothing\n",
       "p.yaml:1:1: no plan here: a plan begins with 'sluice-plan: 1'"},
      {"---\n...\n",
       "p.yaml:1:1: no plan here: a plan begins with 'sluice-plan: 1'"},
      {"sluice-plan: 5\ngpu: sm_90\nfuture: 1\n",
       "p.yaml:1:14: this Sluice reads plans of versions 1 to 4 only"},
      {"sluice-plan: 0\ngpu: sm_90\n",
       "p.yaml:1:14: this Sluice reads plans of versions 1 to 4 only"},
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

//===--------------------------------------------------------------------===//
// Files
//===--------------------------------------------------------------------===//

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
