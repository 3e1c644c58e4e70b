// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// What hints add to PTX is left out when it is compared, and nothing else.

#include "KernelCode.h"
#include "llvm/ADT/Twine.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace sluice::fuzz;

namespace {

std::string kernel(StringRef Body) {
  return (Twine(".visible .entry k(\n\t.param .u64 p\n)\n{\n") + Body +
          "\tret;\n}\n")
      .str();
}

/// How \p Hinted differs from \p Plain, bodies of one kernel.
std::string difference(StringRef Plain, StringRef Hinted) {
  StringMap<std::string> A = kernelsWithoutHints(kernel(Plain)),
                         B = kernelsWithoutHints(kernel(Hinted));
  EXPECT_EQ(A.size(), 1u);
  EXPECT_EQ(B.size(), 1u);
  return firstDifference(A["k"], B["k"]);
}

constexpr StringLiteral Plain = "\t.reg .b64 \t%rd<3>;\n"
                                "\tmov.b64 \t%rd1, 64;\n"
                                "\tld.global.nc.b32 \t%r1, [%rd1];\n"
                                "\tld.global.v2.b32 \t{%r2, %r3}, [%rd2+8];\n";

TEST(KernelCode, HintsAreLeftOut) {
  EXPECT_EQ(difference(Plain, Plain), "");
  EXPECT_EQ(
      difference(
          Plain,
          "\t.reg .b64 \t%rd<5>;\n"
          "\t// begin inline asm\n"
          "\tcreatepolicy.fractional.L2::evict_last.b64 \t%rd4, 1.0;\n"
          "\t// end inline asm\n"
          "\t// begin inline asm\n"
          "\tmov.b64 \t%rd3, 1508705875169116160;\n"
          "\t// end inline asm\n"
          "\tmov.b64 \t%rd1, 64;\n"
          "\t// begin inline asm\n"
          "\tld.global.cg.nc.L2::cache_hint.L2::64B.b32 \t%r1, [%rd1], %rd3;\n"
          "\t// end inline asm\n"
          "\tld.global.L1::evict_first.L2::cache_hint.v2.b32 \t{%r2, %r3}, "
          "[%rd2+8], %rd4;\n"),
      "");
}

TEST(KernelCode, NothingElseIs) {
  auto With = [](StringRef From, StringRef To) {
    std::string Text = Plain.str();
    Text.replace(Text.find(From), From.size(), To);
    return difference(Plain, Text);
  };
  EXPECT_EQ(With(".nc", ""),
            "with hints 'ld.global.b32 \t%r1, [%rd1];' where there is "
            "'ld.global.nc.b32 \t%r1, [%rd1];' without");
  EXPECT_NE(With("%r1, [%rd1]", "%r4, [%rd1]"), "");
  EXPECT_NE(With("%rd2+8", "%rd2+4"), "");
  EXPECT_NE(With(".v2.b32", ".v2.b64"), "");
  EXPECT_NE(With("%rd<3>", "%rd<4>"), "");
  EXPECT_NE(With("\tmov.b64 \t%rd1, 64;\n", ""), "");
  EXPECT_NE(With("[%rd1];", "[%rd1], %rd2;"), "");
}

TEST(KernelCode, APolicyThatIsUsedElsewhereIsADifference) {
  EXPECT_NE(difference("\tld.global.b32 \t%r1, [%rd1];\n"
                       "\tadd.s64 \t%rd2, %rd1, %rd1;\n",
                       "\tmov.b64 \t%rd3, 1;\n"
                       "\tld.global.L2::cache_hint.b32 \t%r1, [%rd1], %rd3;\n"
                       "\tadd.s64 \t%rd2, %rd1, %rd3;\n"),
            "");
}

TEST(KernelCode, APolicyIsMadeAtTheEntry) {
  StringRef Plain = "\tld.global.b32 \t%r1, [%rd1];\n";
  StringRef Making = "\tmov.b64 \t%rd2, 1;\n";
  std::string Hinted = "\tld.global.L2::cache_hint.b32 \t%r1, [%rd1], %rd2;\n";
  EXPECT_EQ(difference(Plain, (Making + Hinted).str()), "");
  EXPECT_NE(difference(Plain, Hinted), "");
  EXPECT_NE(difference(Plain, Hinted + Making.str()), "");
  EXPECT_NE(difference(Plain, (Making + Making + Hinted).str()), "");
  EXPECT_NE(difference(("$L__BB0_1:\n" + Plain).str(),
                       ("$L__BB0_1:\n" + Making + Hinted).str()),
            "");
}

TEST(KernelCode, EachKernelIsFound) {
  StringMap<std::string> All = kernelsWithoutHints(
      ".visible .entry a()\n{\n\tret;\n}\n.func f()\n{\n\tret;\n}\n"
      ".visible .entry b()\n{\n\ttrap;\n}\n");
  EXPECT_EQ(All.size(), 2u);
  EXPECT_EQ(All["b"], "b()\n{\n\ttrap;\n");
}

} // namespace
