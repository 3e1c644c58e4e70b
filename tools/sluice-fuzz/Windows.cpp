// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Neighbours behind tests of the edge, and places that two ways compute alike.

#include "Generator.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;
using namespace sluice::fuzz;

/// A window around each thread, whose size is a constant, or known when it runs
/// only.
void Generator::window(Body &To) {
  const std::string In = fresh("in"), X = fresh("x"), J = fresh("j"),
                    K = fresh("k"), F = variable('f')->Name;
  addRandomBuffer(In, "const float *__restrict__ ", emulator::ElementType::F32,
                  uint64_t(Threads));
  const unsigned Pitch = R.pick({4U, 8U, 16U});
  const std::string Size =
      R.chance(50) ? std::to_string(R.between(1, 3))
                   : formatv("(1 + (n0 & {0}))", R.pick({1, 3})).str();
  To.push_back(declared(formatv("const int {0} = int(gid) {1}, {2} = {3};", X,
                                R.pick({"", "- 2", "+ (n0 & 7)"}), K, Size)));
  Statement Loop;
  Loop.HasBody = true;
  Loop.Braces = true;
  Loop.Head = formatv("for (int {0} = -{1}; {0} <= {1}; ++{0})", J, K);
  const std::string At = formatv(
      R.pick({"{0} + {1}", "{0} + {1}", "{0} + {1} * {2}", "{1} * {2} + {0}"}),
      X, J, Pitch);
  Loop.Body.push_back(
      {formatv("if ({0} >= 0 && {0} < {1}) {2} = bound({2}) + {3}[{0}] * 0.5f;",
               At, R.between(1, int(Threads)), F, In)});
  Work += 10;
  To.push_back(std::move(Loop));
}

/// The full and the last part of what a block goes over.
void Generator::twoWays(Body &To) {
  if (MayHaveReturned || InHelper)
    return;
  static constexpr unsigned Steps = 9;
  const std::string Tile = fresh("tile"), Into = fresh("w"), End = fresh("x"),
                    U = fresh("j"), F = variable('f')->Name;
  addRandomBuffer(Into, "float *__restrict__ ", emulator::ElementType::F32,
                  uint64_t(Threads) * Steps);
  const std::string At = formatv("int(tid) + {0} * {1}", U, BlockThreads),
                    Head = formatv("for (int {0} = 0; {0} < {1}; ++{0})", U,
                                   Steps);
  To.push_back(declared(
      formatv("__shared__ float {0}[{1}];", Tile, BlockThreads * Steps)));
  To.push_back(
      declared(formatv("const int {0} = n0 * {1};", End, R.between(1, 40))));
  auto loop = [&](const std::string &Text) {
    Statement Loop;
    Loop.HasBody = Loop.Braces = true;
    Loop.Head = Head;
    Loop.Body.push_back({Text});
    return Loop;
  };
  Statement If;
  If.HasBody = If.Braces = true;
  If.Head = formatv("if ({0} >= {1})", End, BlockThreads * R.between(1, Steps));
  const std::string Place =
      formatv("{0}[int(gid - tid) * {1} + {2}]", Into, Steps, At);
  const std::string Fill = formatv("{0}[{1}] = float({2} & 15);", Tile, At, At);
  If.Body.push_back(loop(formatv("{0} {1} = 0.5f;", Fill, Place)));
  If.Else.push_back(
      loop(formatv("{0} if ({1} < {2}) {3} = 0.25f;", Fill, At, End, Place)));
  To.push_back(std::move(If));
  To.push_back(barrier());
  To.push_back(loop(formatv("{0} = bound({0}) + {1}[{2}];", F, Tile, At)));
  To.push_back(barrier());
  To.push_back(loop(formatv("if ({0} < {1}) {2} = bound({3}) + float({0});", At,
                            End, Place, F)));
  Work += 4 * Steps;
}
