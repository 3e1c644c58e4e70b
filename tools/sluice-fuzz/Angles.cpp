// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What libdevice does to reduce an angle: a branch, and behind it a loop with
// an array of which a few words are read. Several times of one value, with
// products and sums between them, so that what is fused with what shows in the
// last bit.

#include "Generator.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;
using namespace sluice::fuzz;

void Generator::angles(Body &To) {
  const std::string Angle = fresh("a"), Product = fresh("a");
  auto Declare = [&](const std::string &Name, const std::string &Value) {
    To.push_back({formatv("float {0} = {1};", Name, Value)});
    To.back().Declares = true;
  };
  auto Bounded = [&] {
    return formatv("bound(float({0}))", expression('f')).str();
  };
  Declare(Angle, Bounded());
  Declare(Product, Bounded() + " * " + Bounded());
  for (int I = 0, N = R.between(2, 4); I < N; ++I) {
    const std::string Sum = variable('f')->Name;
    const std::string Of =
        formatv("angleOf<{0}>({1})", R.chance(50) ? 0 : R.between(1, 3),
                R.chance(85) ? Angle : Product);
    std::string Text;
    switch (R.below(12)) {
    case 0:
      Text = formatv("{0} += {1}.rest * {2};", Sum, Of, Bounded());
      break;
    case 1:
      Text = formatv("{0} = {0} * 0.5f + {1}.rest;", Sum, Of);
      break;
    case 2:
      Text = formatv("{0} += float({1}.quarter) * {2};", Sum, Of, Product);
      break;
    case 3:
      Text = formatv("{0} += {1}.rest + {2};", Sum, Of, Product);
      break;
    case 4:
      Text = formatv("{0} += {1}.quarter & 1 ? {2} : -{2};", Sum, Of, Product);
      break;
    case 5:
    case 6:
    case 7: // both, as what is taken again has to be there
      Text = formatv("{{ const Angle angle = {1}; {0} += angle.rest * {2} + "
                     "float(angle.quarter); }",
                     Sum, Of, R.chance(50) ? Product : Bounded());
      break;
    case 8:
    case 9:
    case 10: // a branch with a division, inlined again
      Text = formatv("{0} += ({1} > 0.2f ? ({1} * {1} + {2} * {2}) / ({1} + "
                     "3.0f) : 0.7f) * {3};",
                     Sum, Angle, R.chance(70) ? Product : Sum, Bounded());
      break;
    default:
      Text = formatv("{0} = {1} * {2} - {3}.rest * {4};", Sum, Product,
                     Bounded(), Of, Bounded());
      break;
    }
    if (R.chance(20)) {
      Statement Around;
      Around.HasBody = true;
      Around.Head = "if (" + condition(false) + ")";
      Around.Body.push_back({Text});
      To.push_back(std::move(Around));
    } else {
      To.push_back({Text});
    }
    Work += 10;
  }
}
