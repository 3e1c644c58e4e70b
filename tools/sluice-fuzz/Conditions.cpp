// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conditions of a loop of which parts do not change in it, in any order.

#include "Generator.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;
using namespace sluice::fuzz;

void Generator::loopConditions(Body &To) {
  const std::string J = fresh("j"), X = fresh("x"), Y = fresh("x"),
                    F = variable('f')->Name;
  To.push_back(
      declared(formatv("const int {0} = int({1}) & 127, {2} = int({3}) & 127;",
                       X, expression('i', 1), Y, expression('i', 1))));
  const bool IsOr = R.chance(50);
  std::string Test;
  for (int I = 0, N = R.between(2, 6); I < N; ++I) {
    const std::string Part =
        formatv(R.pick({"{0} > {2}", "{1} + {3} * 2 < {0}",
                        "({0} ^ {2}) != {3}", "{0} < {3}", "{1} >= {4}",
                        "{0} * 2 > {1}", "n0 != {0}", "tid > {2}"}),
                X, Y, J, R.between(1, 90), R.between(1, 40));
    if (!Test.empty())
      Test += IsOr ? " || " : " && ";
    Test += R.chance(15) ? formatv("!({0})", Part).str() : Part;
  }
  Statement Loop;
  Loop.HasBody = true;
  Loop.Braces = true;
  Loop.Head = formatv("for (int {0} = 0; {0} < {1}; ++{0})", J, length(9));
  Loop.Body.push_back(
      {formatv("if ({0}) {1} = bound({1} * 0.5f + {2});", Test, F, load('f'))});
  To.push_back(std::move(Loop));
}
