// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops over a text that begin with what is loaded already, loops that begin
// where the loop around them does, loops that look for constants, and loops
// that one of two values ends.

#include "Generator.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;
using namespace sluice::fuzz;

/// Looks for a pattern at each place of a thread's part, and leaves it at the
/// first letter that is another one.
static Statement searchLoop(const std::string &Text, const std::string &Pattern,
                            const std::string &I, const std::string &A,
                            const std::string &B, const std::string &Length,
                            const std::string &Hits) {
  Statement Search;
  Search.HasBody = true;
  Search.Braces = true;
  Search.Head = formatv("for (int {0} = {1}, {2} = 0; {2} < {3}; ++{0}, ++{2})",
                        A, I, B, Length);
  Search.Body.push_back(
      {formatv("if ({0}[{1}] != {2}[{3}]) break;", Text, A, Pattern, B)});
  Search.Body.push_back({formatv("{0} += {1} + 1;", Hits, B)});
  return Search;
}

/// Passes over letters, and begins anew behind each end of a word.
static void wordLoop(std::vector<Statement> &To, const std::string &Text,
                     const std::string &I, const std::string &C,
                     const std::string &Hash, const std::string &End,
                     const std::string &Hits) {
  To.push_back({formatv("unsigned {0} = 7;", Hash)});
  To.push_back({formatv("unsigned {0} = {1}[{2}];", C, Text, I)});
  Statement Word;
  Word.HasBody = true;
  Word.Braces = true;
  Word.Head = formatv("while ({0} != 0 && {1} < {2})", C, I, End);
  Word.Body.push_back({formatv("{0} = ({0} ^ {1}) * 31;", Hash, C)});
  Word.Body.push_back({formatv("{0} = {1}[++{2}];", C, Text, I)});
  To.push_back(std::move(Word));
  To.push_back({formatv("{0} ^= {1};", Hits, Hash)});
}

/// Looks for a constant word at a place, and goes on behind what is the same.
static void constantLoop(std::vector<Statement> &To, const std::string &Text,
                         const std::string &I, const std::string &Same,
                         StringRef Word, const std::string &End,
                         const std::string &Hits) {
  To.push_back({formatv("int {0} = 0;", Same)});
  Statement Search;
  Search.HasBody = true;
  Search.Braces = true;
  Search.Head = formatv(
      "while ({0} < {1} && {2} < {3} && {4}[{2}] == \"{5}\"[{0}] - 'a')", Same,
      Word.size(), I, End, Text, Word);
  Search.Body.push_back({formatv("++{0}; ++{1};", I, Same)});
  To.push_back(std::move(Search));
  To.push_back({formatv("{0} += {1} * {1} + 1;", Hits, Same)});
  // The loop around goes on by itself.
  To.push_back({formatv("if ({0}) --{1};", Same, I)});
}

/// Words that one of two letters ends, which is there at every fourth place,
/// and what each of them is.
static Statement letterLoop(const std::string &Text, const std::string &I,
                            const std::string &C, const std::string &Hash,
                            const std::string &End, const std::string &Words) {
  const std::string Letter =
      formatv("({0}[{1}] & 1) * 7 + unsigned({1} & 3)", Text, I);
  Statement Around;
  Around.HasBody = true;
  Around.Braces = true;
  Around.Head = formatv("for (int {0} = int(gid); {0} < {1}; ++{0})", I, End);
  Around.Body.push_back({formatv("unsigned {0} = 7;", Hash)});
  Around.Body.push_back({formatv("unsigned {0} = {1};", C, Letter)});
  Statement Word;
  Word.HasBody = true;
  Word.Braces = true;
  Word.Head = formatv("while ({0} != 1 && {0} != 8)", C);
  Word.Body.push_back({formatv("{0} = ({0} ^ {1}) * 31;", Hash, C)});
  Word.Body.push_back({formatv("++{0};", I)});
  Word.Body.push_back({formatv("{0} = {1};", C, Letter)});
  Around.Body.push_back(std::move(Word));
  Around.Body.push_back({formatv(
      "{0}[gid * 16 + unsigned({1} - int(gid))] = {2};", Words, I, Hash)});
  return Around;
}

void Generator::searches(Body &To) {
  const unsigned Most = 9;
  const std::string Text = fresh("t"), Pattern = fresh("t"), I = fresh("i"),
                    Hits = fresh("h"), End = fresh("e"),
                    F = variable('f')->Name;
  for (const auto &[Name, Size] :
       {std::pair(Text, Threads + 3 * Most), {Pattern, Most}}) {
    addRandomBuffer(Name,
                    R.chance(70) ? "const unsigned *__restrict__ "
                                 : "const unsigned *",
                    emulator::ElementType::I32, Size, 0, 3);
  }
  To.push_back(declared(formatv("unsigned {0} = 0;", Hits)));
  To.push_back(
      declared(formatv("const int {0} = int(gid) + {1};", End, length(Most))));
  Statement Around;
  Around.HasBody = true;
  Around.Braces = true;
  Around.Head = formatv("for (int {0} = int(gid); {0} < {1}; ++{0})", I, End);
  if (R.chance(70)) {
    Around.Body.push_back(
        {formatv("if ({0}[{1}] == 0) {2} += 5;", Text, I, Hits)});
    Around.Body.push_back(searchLoop(Text, Pattern, I, fresh("a"), fresh("b"),
                                     length(Most), Hits));
  } else {
    wordLoop(Around.Body, Text, I, fresh("c"), fresh("k"), End, Hits);
  }
  To.push_back(std::move(Around));
  // By the number, so that other kernels are those of a seed as before.
  if (K.Number % 4 == 1) {
    std::string Word;
    for (unsigned Left = unsigned(R.between(7, 16)); Left; --Left)
      Word += char('a' + R.below(3));
    Statement Again;
    Again.HasBody = true;
    Again.Braces = true;
    Again.Head = formatv("for (int {0} = int(gid); {0} < {1}; ++{0})", I, End);
    constantLoop(Again.Body, Text, I, fresh("b"), Word, End, Hits);
    To.push_back(std::move(Again));
  }
  if (K.Number % 4 == 2) {
    const std::string Words = fresh("w");
    addBuffer(Words, "unsigned *__restrict__ ", emulator::ElementType::I32,
              16 * uint64_t(Threads));
    To.push_back(letterLoop(Text, I, fresh("c"), fresh("k"), End, Words));
  }
  To.push_back({formatv("{0} = bound({0}) + float({1} & 255);", F, Hits)});
}
