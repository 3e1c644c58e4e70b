// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Steps over a tile in shared memory with a barrier behind each, and loops over
// structs in constant memory.

#include "Generator.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;
using namespace sluice::fuzz;

/// As a loop, or one by one, in blocks of their own. In each step a thread
/// writes an element of its column, and reads what it and its neighbour have
/// written in the steps before.
void Generator::tileSteps(Body &To) {
  static constexpr unsigned Lanes = 8, MostTileBytes = 16384;
  const unsigned Steps = unsigned(R.between(5, 12)), Rows = Steps + 1;
  if (MayHaveReturned || InHelper || Rows * BlockThreads * 4 > MostTileBytes)
    return;
  const std::string Tile = fresh("steps"), Lane = fresh("lane"), M = fresh("m");
  To.push_back(declared(
      formatv("__shared__ unsigned {0}[{1}];", Tile, Rows * BlockThreads)));
  To.push_back(
      declared(formatv("const unsigned {0} = tid & {1};", Lane, Lanes - 1)));
  To.push_back({formatv("for (int {0} = 0; {0} < {1}; ++{0}) {2}[{0} * {3} + "
                        "tid] = {0} * 7u + tid;",
                        M, Rows, Tile, BlockThreads)});
  To.push_back(barrier());
  const bool IsStrict = R.chance(30);
  const auto Step = [&](const std::string &Number, Body &In) {
    const auto At = [&](const char *Column, unsigned Down) {
      return formatv("{0}[({1} - {2} + {3}) * {4} + {5}]", Tile, Number, Lane,
                     Down, BlockThreads, Column)
          .str();
    };
    Statement If;
    If.Head = formatv("if ({0} <{1} {2})", Lane, IsStrict ? "" : "=", Number);
    If.HasBody = If.Braces = true;
    const std::string Beside = "tid - (tid > 0)";
    If.Body.push_back(
        {formatv("{0} = {1} * 3u + ({2} ^ {3});", At("tid", 1), At("tid", 0),
                 R.chance(70) ? At(Beside.c_str(), 0) : At("tid", 1),
                 R.between(1, 99))});
    In.push_back(std::move(If));
    In.push_back(barrier());
  };
  if (R.chance(50)) {
    Statement Loop;
    Loop.Head = formatv("for (unsigned {0} = 0; {0} < {1}; ++{0})", M, Steps);
    Loop.HasBody = Loop.Braces = true;
    Step(M, Loop.Body);
    To.push_back(std::move(Loop));
  } else {
    for (unsigned Number = 0; Number < Steps; ++Number)
      Step(formatv("{0}u", Number), To);
  }
  Work += uint64_t(Steps) * 2;
  if (const auto *F = variable('f'))
    To.push_back({formatv("{0} += float({1}[{2} * {3} + tid] & 63u);", F->Name,
                          Tile, R.between(1, int(Steps)), BlockThreads)});
}

/// Neighbouring words of them, of an odd or an even number of words.
void Generator::constantStructs(Body &To) {
  static constexpr unsigned Words = 36;
  const auto *F = variable('f');
  if (!F)
    return;
  const unsigned Each = R.pick({2u, 3u, 3u, 4u, 5u, 6u});
  const unsigned Count = Words / Each / 2 * 2;
  const std::string Sum = fresh("c"), J = fresh("j");
  To.push_back(declared(formatv("unsigned {0} = tid;", Sum)));
  Statement Loop;
  Loop.Head = formatv("for (int {0} = 0; {0} < {1}; ++{0})", J,
                      R.chance(60) ? std::to_string(Count) : length(Count));
  Loop.HasBody = Loop.Braces = true;
  for (unsigned Times = unsigned(R.between(1, 3)); Times > 0; --Times)
    for (unsigned Word = 0; Word < Each; ++Word) {
      const std::string Value =
          formatv("manyWords[{0} * {1} + {2}]", J, Each, Word);
      if (R.chance(25))
        Loop.Body.push_back({formatv("if ({0} & {1}u) {0} = {0} / 3u + {2};",
                                     Sum, R.pick({1u, 2u, 4u}), Value)});
      else
        Loop.Body.push_back(
            {formatv("{0} = ({0} ^ {1}) * {2}u + ({0} >> {3});", Sum, Value,
                     R.between(3, 99), R.between(1, 9))});
    }
  Work += uint64_t(Count) * Each;
  To.push_back(std::move(Loop));
  To.push_back({formatv("{0} += float({1} & 63u);", F->Name, Sum)});
}
