// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Where a function ends, what its text's hash tells apart, and where the text
/// is found again.

#include "sluice/Analysis/FunctionText.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace sluice;

namespace {

//===--------------------------------------------------------------------===//
// The last line
//===--------------------------------------------------------------------===//

TEST(LastLineOfFunction, IsThatOfTheClosingBrace) {
  const char *Source = "__global__ void f() {}\n" // 1
                       "\n"
                       "template <class T>\n" // 3
                       "__global__ void\n"
                       "__launch_bounds__(256)\n"
                       "g(T *A)\n"
                       "{\n"
                       "  if (A) {\n"
                       "    A[0] = 1;\n"
                       "  }\n"
                       "} int x;\n" // 11
                       "__global__ void declared(int);\n"
                       "__global__ void last() { {} }";
  EXPECT_EQ(lastLineOfFunction(Source, 1), 1u);
  EXPECT_EQ(lastLineOfFunction(Source, 3), 11u);
  EXPECT_EQ(lastLineOfFunction(Source, 6), 11u) << "from the line of its name";
  EXPECT_EQ(lastLineOfFunction(Source, 12), 0u) << "a declaration";
  EXPECT_EQ(lastLineOfFunction(Source, 13), 13u);
  EXPECT_EQ(lastLineOfFunction(Source, 14), 0u);
  EXPECT_EQ(lastLineOfFunction(Source, 0), 0u);
  EXPECT_EQ(lastLineOfFunction("", 1), 0u);
  EXPECT_EQ(lastLineOfFunction("void f() {\n {\n }\n", 1), 0u);
}

/// Each case is a function of four lines with a trap in its third.
TEST(LastLineOfFunction, BracesThatDoNotCount) {
  for (const char *Trap : {
           "  // }",
           "  // it's }",
           "  /* } */ // }",
           "  /* \" } */",
           "  f(\"}\");",
           "  f(\"\\\"}\");",
           "  f(\"\\\\\"); // }",
           "  f(\"//\"); /* } */",
           "  f(\"/*\"); f(\"*/\");",
           "  f('}');",
           "  f('\\'', '}');",
           "  f('\"'); f('\"');",
           "  f(L'}', u8\"}\", U\"}\"_s);",
           "  f(R\"(})\");",
           "  f(R\"x(\")}\")x\");",
           "  f(u8R\"(\\\")\"); // }",
           "  f(LR\"(/*)\");",
           "  f(FOUR\"(}\");", // no raw string: the prefix is another
           "  f(1'000'000); // }",
           "  f(0x1'F, '}', 1.5e+3f, .5'0);",
           "  f(x /*}*/ / y /*}*/);",
           "#define MACRO }",
           "#error don't }",
           "# /**/ pragma }",
           "  größe('}');",
       }) {
    std::string Source =
        std::string("\nvoid k() { // {\n") + Trap + "\n}\nvoid next() {\n}\n";
    EXPECT_EQ(lastLineOfFunction(Source, 2), 4u) << Trap;
  }
}

TEST(LastLineOfFunction, LiteralsAndCommentsOfSeveralLines) {
  EXPECT_EQ(lastLineOfFunction("void k() {\n/* }\n}\n*/ }\n", 1), 4u);
  EXPECT_EQ(lastLineOfFunction("void k() {\nf(R\"(}\n}\n)\"); }\n", 1), 4u);
  EXPECT_EQ(lastLineOfFunction("void k() {\n// \\\n}\n}\n", 1), 4u);
  EXPECT_EQ(lastLineOfFunction("void k() {\r\n// \\\r\n}\r\n}\r\n", 1), 4u);
  EXPECT_EQ(lastLineOfFunction("void k() {\nf(\"\\\n}\");\n}\n", 1), 4u);
  EXPECT_EQ(lastLineOfFunction("void k() {\n#define M \\\n  }\n}\n", 1), 4u);
  EXPECT_EQ(lastLineOfFunction("void k() {\n/* never closed }\n", 1), 0u);
}

TEST(LastLineOfFunction, ABraceInAParameterIsNoBody) {
  EXPECT_EQ(lastLineOfFunction("void k(S s = {},\n  T t = {1})\n{\n}\n", 1),
            4u);
}

TEST(LastLineOfFunction, CountsTheFirstBranchOfAConditional) {
  const char *Source = "void k() {\n"
                       "#if A\n"
                       "  for (;;) {\n"
                       "#  ifdef B\n"
                       "  {\n"
                       "#  else\n"
                       "  {\n"
                       "#  endif\n"
                       "  }\n"
                       "#elif C\n"
                       "  while (1) {\n"
                       "#  if D\n"
                       "  }\n"
                       "#  endif\n"
                       "#else\n"
                       "  do {\n"
                       "#endif\n"
                       "  }\n"
                       "}\n" // 19
                       "void next() {}\n";
  EXPECT_EQ(lastLineOfFunction(Source, 1), 19u);

  const char *TwoHeads = "#if A\n"
                         "void k(int) {\n"
                         "#else\n"
                         "void k(long) {\n"
                         "#endif\n"
                         "}\n";
  EXPECT_EQ(lastLineOfFunction(TwoHeads, 2), 6u);
  EXPECT_EQ(lastLineOfFunction(TwoHeads, 4), 6u);
}

//===--------------------------------------------------------------------===//
// The hash
//===--------------------------------------------------------------------===//

std::string hashOf(StringRef Text) {
  return hashFunctionText(Text, 1, Text.count('\n') + 1);
}

TEST(FunctionTextHash, StaysAsItIs) {
  // Profiles are kept: another value here makes all of them stale.
  EXPECT_EQ(hashOf("void k() {\n  A[0] = 1;\n}"), "69894dacb39b1d52");
}

TEST(FunctionTextHash, CommentsAndLineEndsDoNotCount) {
  std::string Hash = hashOf("void k() {\n  A[0] = 1;\n\n}");
  EXPECT_EQ(Hash.size(), 16u);
  for (const char *Text : {"void k() { // a comment\n  A[0] = 1;\n\n}",
                           "void k() {\n  A[0] = 1;  \n\t\n} /* end */ // of k",
                           "void k() {\r\n  A[0] = 1;\r\n\r\n}\r\n",
                           "void k() {\n/**/A[0] = 1;\n// A[0] = 2;\n}",
                           "void k() {\n  A[0] = 1;/*\n*/\n}\n"})
    if (StringRef(Text).contains("/**/A"))
      EXPECT_NE(hashOf(Text), Hash) << "the code is at other columns";
    else
      EXPECT_EQ(hashOf(Text), Hash) << Text;
}

TEST(FunctionTextHash, CodeAndItsPlaceCount) {
  std::string Hash = hashOf("void k() {\n  f(\"a//b\");\n}");
  for (const char *Text :
       {"void k() {\n  f(\"a//c\");\n}", "void k() {\n   f(\"a//b\");\n}",
        "void k() {\n  f( \"a//b\");\n}", "void k() {\n\n  f(\"a//b\");\n}",
        "void k() {\n  // new\n  f(\"a//b\");\n}",
        "void k() {\n  f(\"a //b\");\n}", "void K() {\n  f(\"a//b\");\n}"})
    EXPECT_NE(hashOf(Text), Hash) << Text;
}

TEST(FunctionTextHash, IsOfTheLinesAlone) {
  const char *Source = "int a;\nvoid k() {\n}\nint b;";
  EXPECT_EQ(hashFunctionText(Source, 2, 3), hashOf("void k() {\n}"));
  EXPECT_EQ(hashFunctionText(Source, 4, 4), hashOf("int b;"));
  EXPECT_EQ(hashFunctionText(Source, 3, 2), "");
  EXPECT_EQ(hashFunctionText(Source, 0, 2), "");
  EXPECT_EQ(hashFunctionText(Source, 5, 6), "");
}

//===--------------------------------------------------------------------===//
// Finding it again
//===--------------------------------------------------------------------===//

TEST(FindFunctionText, FindsTheNearest) {
  const char *Old = "\n\n\nvoid k() {\n  f();\n}\n";
  FunctionText F = describeFunction("a.cu", Old, 4);
  EXPECT_EQ(F.File, "a.cu");
  EXPECT_EQ(F.FirstLine, 4u);
  EXPECT_EQ(F.LastLine, 6u);

  EXPECT_EQ(findFunctionText(F, Old), 4u);
  EXPECT_EQ(findFunctionText(F, "void k() {\n  f();\n}"), 1u);
  EXPECT_EQ(findFunctionText(F, std::string(100, '\n') + Old), 104u);
  EXPECT_EQ(findFunctionText(F, "void k() {\n  f();\n}\n"
                                "void k() {\n  f();\n}\n"
                                "void k() {\n  f();\n}\n"),
            4u);
  EXPECT_EQ(findFunctionText(F, "void k() {\n  g();\n}\n"), 0u);
  EXPECT_EQ(findFunctionText(F, "void k() {\n"), 0u);
  EXPECT_EQ(findFunctionText(F, ""), 0u);
  EXPECT_EQ(findFunctionText(FunctionText(), Old), 0u);
}

TEST(FindFunctionText, KnowsNoTextOfADeclaration) {
  FunctionText F = describeFunction("a.cu", "void k();\n", 1);
  EXPECT_EQ(F.LastLine, 0u);
  EXPECT_EQ(F.TextHash, "");
}

} // namespace
