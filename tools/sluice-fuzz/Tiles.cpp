// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops over a part of an array in shared memory, of which each thread has a
// column, so that nothing is waited for. How many iterations they have is known
// when they run, by the loop around or by what is passed. And loops that count
// the digits of a number in shared memory.

#include "Generator.h"
#include "llvm/Support/FormatVariadic.h"
#include <algorithm>

using namespace llvm;
using namespace sluice::fuzz;

static constexpr unsigned MostTileBytes = 16384;

/// What iteration \p J of a loop in another one, \p I, does with \p Tile.
std::string
Generator::tileStatement(function_ref<std::string(const std::string &)> At,
                         const std::string &I, const std::string &J) {
  const std::string F = variable('f')->Name, Own = At(I), Other = At(J),
                    Next = At(I + " + 1");
  switch (R.below(8)) {
  case 0: // what is read of it may be what was written
    return formatv("{0} = bound({0} - {1} * {2});", Own, Other, Next);
  case 1:
    return formatv("{0} = bound({1} * {2} + {0});", R.chance(50) ? Next : Own,
                   Other, decidedElement(J));
  case 2: // a product is written
    return formatv("{0} = bound({0}) * {1} * 0.01f;",
                   R.chance(50) ? Own : Other, decidedElement(J));
  case 3: // what is read comes from memory that no one writes
    return formatv("{0} = {1}; {2} = bound({2}) + {1} * {3};", Other,
                   decidedElement(J), F, decidedElement(I));
  case 4:
    return formatv("{0} = bound({0}) + {1} * {2};", F, Other,
                   R.chance(50) ? Own : decidedElement(J));
  case 5: { // a long one behind a condition
    const std::string X = fresh("q");
    return formatv("const float {0} = {1} - {2}; if ({0} * {0} < {3}.0f) {{ "
                   "const float w = ((0.1f * {0} + 0.7f) * {0} + 0.2f) * "
                   "{0} + 1.5f * ({0} + 3.0f) / (2.5f + {0} * {0}); "
                   "{4} = bound({4}) * 0.25f + w * {1}; }",
                   X, Other, R.chance(50) ? Own : F, R.between(1, 99), F);
  }
  case 6: // either memory
    return formatv("{0} = bound({0}) * 0.5f + ({1} < (tid & 7) ? {2} : {3});",
                   F, J, Other, decidedElement(J));
  default:
    return formatv("{0} = {0} * 0.5f + {1};", F, Other);
  }
}

void Generator::tileLoops(Body &To) {
  const unsigned Rows = std::min(16U, MostTileBytes / 4 / BlockThreads);
  if (Rows < 4 || !variable('f'))
    return;
  const std::string Tile = fresh("tile"), A = fresh("j"), I = fresh("j"),
                    J = fresh("j");
  // Of numbers without a sign nobody knows that they do not wrap around.
  const char *Place = R.chance(40) ? "{0}[unsigned({1}) * {2}u + unsigned(tid)]"
                                   : "{0}[({1}) * {2} + tid]";
  auto At = [&](const std::string &Row) {
    return formatv(Place, Tile, Row, BlockThreads).str();
  };
  To.push_back(declared(
      formatv("__shared__ float {0}[{1}];", Tile, Rows * BlockThreads)));
  To.push_back(
      {formatv("for (int {0} = 0; {0} < {1}; ++{0}) {2} = {3}{4};", A, Rows,
               At(A), decidedElement(A), R.chance(40) ? " * 0.75f" : "")});
  Statement Loop, Around;
  Loop.HasBody = Around.HasBody = true;
  Loop.Braces = Around.Braces = true;
  const int Most = int(Rows) - 1;
  const std::string End = R.chance(50) ? I : length(Most);
  Loop.Head = formatv("for (int {0} = 0; {0} < {1}; ++{0})", J, End);
  for (int N = R.between(1, 2); N > 0; --N)
    Loop.Body.push_back({tileStatement(At, I, J)});
  Around.Head = formatv("for (int {0} = 0; {0} < {1}; ++{0})", I,
                        R.chance(50) ? std::to_string(Most) : length(Most));
  if (R.chance(40))
    Around.Body.push_back({tileStatement(At, I, I)});
  Around.Body.push_back(std::move(Loop));
  if (R.chance(40))
    Around.Body.push_back({tileStatement(At, I, I)});
  Work += Rows * Rows;
  To.push_back(std::move(Around));
  To.push_back({formatv("{0} = bound({0}) + {1};", variable('f')->Name,
                        At(std::to_string(R.between(0, Most))))});
}

void Generator::digitCounts(Body &To) {
  const std::string Bins = fresh("bins"), Key = fresh("k"), I = fresh("j"),
                    Bit = fresh("j"), F = variable('f')->Name;
  To.push_back(declared(formatv("__shared__ int {0}[64];", Bins)));
  To.push_back({formatv("for (int {0} = int(tid); {0} < 64; {0} += {1}) "
                        "{2}[{0}] = 0;",
                        I, BlockThreads, Bins)});
  To.push_back({"__syncthreads();"});
  To.push_back(declared(
      formatv("const unsigned {0} = unsigned(gid) * 2654435761u + {1}u;", Key,
              R.below(1000))));
  Statement Loop;
  Loop.HasBody = Loop.Braces = true;
  Loop.Head = formatv("for (int {0} = 0; {0} < {1}; {0} += {2})", Bit,
                      length(27), R.between(3, 8));
  for (int N = R.between(3, 6); N > 0; --N)
    Loop.Body.push_back(
        {formatv("atomicAdd(&{0}[({1} * {2}u) >> {3} & 63], {4});", Bins, Key,
                 2 * R.below(1000) + 1, Bit, R.between(1, 9))});
  To.push_back(std::move(Loop));
  To.push_back({"__syncthreads();"});
  To.push_back(
      {formatv("{0} = bound({0}) + float({1}[tid & 63] & 255);", F, Bins)});
}
