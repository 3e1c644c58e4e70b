// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// The loads of a plan: as text, and which loads an entry is for.

#include "sluice/Plan/Plan.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace sluice;

namespace {

constexpr char Text[] = R"(---
sluice-plan:     4
gpu:             sm_90
kernels:
  - name:            k
    loads:
      - load:            'k.cu:12:5'
        hint:            L1::no_allocate
        why:             a stream
      - load:            'dot.cuh:9:14'
        inlined-at:      [ 'k.cu:31:7' ]
        hint:            nc+L1::evict_last+L2::128B
      - load:            'dot.cuh:9:14'
        hint:            none
...
)";

Plan parsed(StringRef Text) {
  auto Plans = parsePlans(Text, "p.yaml");
  if (Plans)
    return Plans->front();
  Plan Wrong;
  Wrong.Source = toString(Plans.takeError());
  return Wrong;
}

std::string errorOf(StringRef Loads) {
  return parsed(("sluice-plan: 4\ngpu: sm_90\nkernels:\n- name: k\n  loads:\n" +
                 Loads)
                    .str())
      .Source;
}

TEST(LoadPlan, IsReadAndWritten) {
  Plan P = parsed(Text);
  ASSERT_EQ(P.Source, "");
  const std::vector<LoadPlan> &Loads = P.Kernels[0].Loads;
  ASSERT_EQ(Loads.size(), 3u);
  EXPECT_EQ(Loads[0].Id.str(), "k.cu:12:5");
  EXPECT_EQ(Loads[0].Hint.str(), "L1::no_allocate");
  EXPECT_EQ(Loads[0].Why, "a stream");
  EXPECT_EQ(Loads[1].Id.str(), "dot.cuh:9:14 inlined at k.cu:31:7");
  EXPECT_TRUE(Loads[2].Hint.empty());

  std::string Written;
  raw_string_ostream OS(Written);
  writePlans(P, OS);
  EXPECT_EQ(Written, Text);
}

TEST(LoadPlan, NamesWhatIsWrong) {
  EXPECT_EQ(errorOf("  - load: k.cu:1:2\n"),
            "p.yaml:6:5: missing required key 'hint'");
  EXPECT_EQ(errorOf("  - hint: cg\n"),
            "p.yaml:6:5: missing required key 'load'");
  EXPECT_EQ(errorOf("  - load: k.cu:1:2\n    hint: cg+L1::evict_last\n"),
            "p.yaml:7:11: hint: cg and L1::evict_last exclude each other");
  EXPECT_EQ(errorOf("  - load: k.cu:1:2\n    hint: L1\n").substr(0, 37),
            "p.yaml:7:11: hint: 'L1' is no cache h");
  EXPECT_EQ(errorOf("  - {load: k.cu:1:2, hint: cg, ordinal: 1}\n"),
            "p.yaml:6:32: unknown key 'ordinal'");
  EXPECT_EQ(errorOf("  - {load: k.cu:1:2, hint: cg}\n"
                    "  - {load: k.cu:1:2, hint: cs}\n"),
            "p.yaml:4:3: kernel 'k' has load k.cu:1:2 twice");
}

TEST(LoadPlan, WithoutCallsIsForEachWayOfInlining) {
  LoadPlan Anywhere, Inlined;
  Anywhere.Id.Place = Inlined.Id.Place = {"dot.cuh", 9, 14};
  Inlined.Id.InlinedAt = {{"k.cu", 31, 7}};
  CodeId There{{"dot.cuh", 9, 14}, {{"k.cu", 31, 7}}, 1};
  CodeId Elsewhere{{"dot.cuh", 9, 14}, {{"k.cu", 50, 7}}, 0};
  EXPECT_TRUE(Anywhere.isFor(There));
  EXPECT_TRUE(Anywhere.isFor(Elsewhere));
  EXPECT_TRUE(Inlined.isFor(There));
  EXPECT_FALSE(Inlined.isFor(Elsewhere));
  EXPECT_FALSE(Anywhere.isFor({{"dot.cuh", 9, 15}, {}, 0}));
}

} // namespace
