// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Quotients and remainders in a loop by what the loop keeps.

#include "Generator.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;
using namespace sluice::fuzz;

/// The divisor may be zero where nothing is divided, and the dividend is never
/// the least integer, whose quotient by -1 is undefined.
void Generator::keptDivisors(Body &To) {
  const std::string Type = R.pick({"int", "unsigned"}), By = fresh("d"),
                    J = fresh("j"), X = fresh("x"), F = variable('f')->Name;
  const std::string Divisor = formatv(
      R.pick({"{0}({1})", "{0}({1}) & 15", "{0}({1}) >> 7", "{0}(n0) - 3"}),
      Type, expression(Type == "int" ? 'i' : 'u', 1));
  To.push_back(declared(formatv("const {0} {1} = {2};", Type, By, Divisor)));
  Statement Outer, Loop;
  Loop.HasBody = true;
  Loop.Braces = true;
  Loop.Head = formatv("for (int {0} = 0; {0} < {1}; ++{0})", J, length(9));
  Loop.Body.push_back(declared(
      formatv(R.pick({"const {0} {1} = {0}(unsigned({2}) * ({3} + 1u)) >> 1;",
                      "const {0} {1} = {0}({3} * 37u + tid);"}),
              Type, X, expression('i', 1), J)));
  const std::string Guard =
      R.chance(50) ? formatv(" && ({0} & 1) == 0", X).str() : "";
  const char *Uses[] = {"{0} / {1}", "{0} % {1}",
                        "{0} / {1} * 5 + {0} % {1} * 3"};
  for (int I = 0, N = R.between(1, 2); I < N; ++I)
    Loop.Body.push_back(
        {formatv("if ({0} != 0{1}) {2} = bound({2} * 0.5f + float(({3}) & "
                 "1023));",
                 By, Guard, F, formatv(R.pick(Uses), X, By).str())});
  if (!R.chance(40)) {
    To.push_back(std::move(Loop));
    return;
  }
  Outer.HasBody = true;
  Outer.Head =
      formatv("for (int {0} = 0; {0} < {1}; ++{0})", fresh("j"), length(4));
  Outer.Body.push_back(std::move(Loop));
  To.push_back(std::move(Outer));
}
