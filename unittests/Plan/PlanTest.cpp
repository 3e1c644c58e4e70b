// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Places and plans as text: what is written and what is read.

#include "PlanByHand.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::test;

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
  Measured.Kernels[0].Loops[0].Accesses[0].MeasuredLinesPerWarp = 19.3;
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
  P.Kernels[0].Loops[0].Accesses[0].MeasuredLinesPerWarp = 19.3;
  P.Kernels[0].Launches[0].FromProfile = true;
  auto Read = parsePlans(write(P), "p.yaml");
  ASSERT_TRUE(bool(Read)) << toString(Read.takeError());
  EXPECT_EQ(write(*Read), write(P));
}

// Unknown is written; what a plan by hand leaves out stays left out.
TEST(Plan, KeepsWhatItSaysOfStrides) {
  for (StringRef Stride : {"'-128'", "'?'", "'9223372036854775807'", ""}) {
    Plan P = fullPlan();
    AccessPlan &Access = P.Kernels[0].Loops[0].Accesses[0];
    Access.IterationStride.reset();
    std::string Text = write(P);
    if (!Stride.empty())
      Text.insert(Text.rfind("..."),
                  ("            iteration-stride: " + Stride + "\n").str());
    auto Read = parsePlans(Text, "p.yaml");
    ASSERT_TRUE(bool(Read)) << toString(Read.takeError()) << Text;
    EXPECT_EQ(write(*Read), Text);
  }
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

} // namespace
