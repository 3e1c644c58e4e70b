// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops with conditions in them that do not change while they run: the same for
// all threads, or each thread's own. What their sides compute has products and
// sums that may be fused with each other, or with those around them.

#include "Generator.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;
using namespace sluice::fuzz;

/// Known before the loop, mostly for all threads alike.
std::string Generator::conditionBefore() {
  const Input &A = R.pick(Inputs);
  switch (R.below(8)) {
  case 0:
    return condition(false);
  case 1: // read, the same for all
    return formatv("float({0}[{1}]) > 0.1f", A.Name, R.between(0, 7));
  case 2:
    return formatv("(int({0}[{1}]) & 1) != 0", A.Name, R.between(0, 7));
  case 3: // what is compared may be a factor
    return formatv("float({0}) == {1}.0f", uniformInt(), R.between(1, 3));
  default:
    return condition(true);
  }
}

/// What iteration \p J reads.
std::string Generator::decidedElement(const std::string &J) {
  const Input &A = R.pick(Inputs);
  std::string At = formatv("({0} & 7)", J);
  if (A.Rows > 1 && R.chance(60))
    At = R.chance(70) ? formatv("gid * {0} + {1}", A.PitchText, At).str()
                      : formatv("gid + {0}", J).str();
  return formatv("bound(float({0}[{1}]))", A.Name, At);
}

/// One side of a condition. \p Product: of this iteration, or of all.
std::string Generator::side(const std::string &J, const std::string &Product) {
  const std::string S = variable('f')->Name, X = decidedElement(J);
  SmallVector<const Output *, 4> Floats;
  for (const Output &O : Outputs)
    if (O.Type == 'f' || O.Type == 'd')
      Floats.push_back(&O);
  switch (R.below(Floats.empty() ? 8 : 10)) {
  case 0:
    return formatv("{0} += {1};", S, X);
  case 1:
    return formatv("{0} += {1} * {2};", S, X, decidedElement(J));
  case 2:
    return formatv("{0} = bound({0}) - {1} * 0.3f;", S, X);
  case 3:
    return formatv("{0} = bound({0}) * 0.5f + {1};", S, X);
  case 4:
    return formatv("{0} += {1};", S, Product);
  case 5:
    return formatv("{0} = bound({0}) + {1} * {2} + {3};", S, X,
                   decidedElement(J), Product);
  case 6:
    return formatv("{0} = {1} > 0.2f ? bound({0}) : {1};", S, X);
  case 7:
    return formatv("{0} += float({1}) * {2};", S, uniformInt(), X);
  case 8: {
    const Output &O = *R.pick(Floats);
    return formatv("{0}[{1}] = {2};", O.Name, ownSlot(O),
                   R.chance(50) ? Product : X);
  }
  default: {
    const Output &O = *R.pick(Floats);
    return formatv("{0}[{1}] += {2} * {3};", O.Name, ownSlot(O), X,
                   decidedElement(J));
  }
  }
}

/// `if` \p Condition, with one or two sides.
Statement Generator::decision(const std::string &Condition,
                              const std::string &J,
                              const std::string &Product) {
  Statement If;
  If.HasBody = true;
  If.Braces = true;
  If.Head = formatv("if ({0})", Condition);
  for (int I = 0, N = R.between(1, 2); I < N; ++I)
    If.Body.push_back({side(J, Product)});
  if (R.chance(60)) {
    for (int I = 0, N = R.between(1, 2); I < N; ++I)
      If.Else.push_back({side(J, Product)});
  }
  return If;
}

void Generator::decidedLoop(Body &To) {
  Place P;
  bool Uniform;
  const std::string J = fresh("j");
  auto [Count, Most] = tripCount(P, Uniform);
  Work += Most;
  std::vector<std::string> Conditions;
  for (int I = 0, N = R.between(1, 2); I < N; ++I) {
    const std::string Name = fresh("c");
    To.push_back(declared(formatv("bool {0} = {1};", Name, conditionBefore())));
    Conditions.push_back(Name);
  }
  std::string Product =
      formatv("{0} * {1}", decidedElement("1"), decidedElement("2"));
  if (R.chance(40)) {
    const std::string Name = fresh("p");
    To.push_back(declared(formatv("const float {0} = {1};", Name, Product)));
    Product = Name;
  }
  Statement Loop;
  Loop.HasBody = true;
  Loop.Braces = true;
  Loop.Head = formatv("for (int {0} = 0; {0} < {1}; ++{0})", J, Count);
  if (R.chance(40)) {
    const std::string Name = fresh("p");
    Loop.Body.push_back(
        declared(formatv("const float {0} = {1} * {2};", Name,
                         decidedElement(J), decidedElement(J))));
    Product = Name;
  }
  if (R.chance(50))
    Loop.Body.push_back({side(J, Product)});
  if (R.chance(15)) // one that the loop changes
    Loop.Body.push_back({formatv("{0} ^= ({1} & 1) != 0;", Conditions[0], J)});
  for (const std::string &Condition : Conditions) {
    Statement If = decision(Condition, J, Product);
    if (R.chance(25)) { // not asked in each iteration
      Statement Around;
      Around.HasBody = true;
      Around.Head = formatv("if ({0} > 0.1f)", decidedElement(J));
      Around.Body.push_back(std::move(If));
      If = std::move(Around);
    } else if (R.chance(15)) {
      If.Body.push_back({"continue;"});
    } else if (R.chance(10)) {
      If.Body.push_back({"break;"});
    }
    Loop.Body.push_back(std::move(If));
  }
  if (R.chance(60))
    Loop.Body.push_back({side(J, Product)});
  To.push_back(std::move(Loop));
}
