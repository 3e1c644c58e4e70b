// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What libdevice's sine ends with: choices between doubles that are computed
// for them alone. Products before them, in them and behind them come to sums,
// so that what is fused with what shows in the last bit.

#include "Generator.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;
using namespace sluice::fuzz;

void Generator::doubleChoices(Body &To) {
  const std::string X = fresh("d"), Y = fresh("d"), Product = fresh("d"),
                    Key = fresh("d"), J = fresh("j");
  const auto Declare = [&](Body &In, const std::string &Name,
                           const std::string &Value) {
    In.push_back(declared(formatv("double {0} = {1};", Name, Value)));
  };
  const auto Bounded = [&](char Of) {
    return formatv("double(bound({0}))", expression(Of, 1)).str();
  };
  Declare(To, X, Bounded('f'));
  Declare(To, Y, Bounded('f') + " + 0.3");
  To.push_back(
      declared(formatv("const int {0} = tid + {1};", Key, expression('i', 1))));
  Statement Loop;
  Loop.HasBody = true;
  Loop.Head = formatv("for (int {0} = 0; {0} < {1}; ++{0})", J, length(5));
  Body &In = R.chance(50) ? Loop.Body : To;
  const std::string Bits =
      &In == &To ? Key : formatv("({0} + {1})", Key, J).str();
  Declare(In, Product, formatv("{0} * {1}", X, Y));
  const auto Operand = [&] {
    return R.pick({X, Y, Y, Product, std::string("0.7")});
  };
  const auto Arm = [&] {
    const std::string A = Operand(), B = Operand(), C = Operand();
    switch (R.below(6)) {
    case 0:
      return formatv("__builtin_fma({0}, {1}, {2})", A, B, C).str();
    case 1:
      return formatv("{0} * {1} + {2}", A, B, C).str();
    case 2:
      return formatv("{0} - {1}", A, B).str();
    case 3:
      return formatv("{0} + {1}", A, B).str();
    case 4:
      return formatv("{0} * {1}", A, B).str();
    default:
      return formatv("0.0 - {0}", A).str();
    }
  };
  for (int I = 0, N = R.between(2, 4); I < N; ++I) {
    const std::string Of = R.pick({X, Y});
    std::string Text =
        formatv("if ({0} & {1}) {2} = {3};", Bits, R.between(1, 3), Of, Arm());
    if (R.chance(30))
      Text += formatv(" else {0} = {1};", Of, Arm());
    In.push_back({Text});
    if (R.chance(40))
      In.push_back({formatv("{0} = {0} * 0.5 + {1};", Y, Operand())});
  }
  In.push_back({formatv("{0} = bound({0}); {1} = bound({1});", X, Y)});
  if (!Loop.Body.empty())
    To.push_back(std::move(Loop));
  To.push_back(
      {formatv("{0} += float({1} - {2} * 0.5);", variable('f')->Name, X, Y)});
}
