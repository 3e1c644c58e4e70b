// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Local arrays, and loops over them that are too long to be unrolled without a
// reason. Their elements are products, sums, constants and what is read, so
// that what is fused with what shows in the last bit.

#include "Generator.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;
using namespace sluice::fuzz;

/// Statements of all iterations, together, from which on LLVM does not unroll a
/// loop whole.
static constexpr int Long = 80;

/// One of \p Elements in iteration \p J.
std::string Generator::arrayIndex(const std::string &J, int Elements) {
  switch (R.below(4)) {
  case 0:
    return formatv("({0} + {1}) % {2}", J, R.between(1, 3), Elements);
  case 1:
    return formatv("{0} - 1 - {1}", Elements, J);
  default:
    return J;
  }
}

std::string Generator::arrayStatement(const std::string &A,
                                      const std::string &B,
                                      const std::string &J, int Elements) {
  const std::string At = formatv("{0}[{1}]", A, arrayIndex(J, Elements)),
                    Other = formatv("{0}[{1}]", R.chance(50) ? A : B,
                                    arrayIndex(J, Elements)),
                    Third = formatv("{0}[{1}]", B, arrayIndex(J, Elements)),
                    Sum = variable('f')->Name,
                    Read = formatv("bound(float({0}))", summand(J)),
                    More = formatv("bound(float({0}))", summand(J));
  switch (R.below(11)) {
  case 0:
    return formatv("{0} = {1} * {2};", At, Read, More);
  case 1:
    return formatv("{0} = {1};", At, Read);
  case 2:
    return formatv("{0} += float({1});", Sum, Other);
  case 3:
    return formatv("{0} = {0} * 0.5f + float(bound({1}) * bound({2}));", Sum,
                   Other, Third);
  case 4:
    return formatv("if ({0} > 0.3f) {1} += bound({2});", Read, At, Other);
  case 5:
    return formatv("{0} = {1} > 0.1f ? bound({2}) * 0.3f : {3} * {4};", At,
                   Read, Other, Read, More);
  case 6:
    return formatv("{0} -= float({1} * {2});", Sum, Third, Third);
  case 7:
    return formatv("{0} += float({1} * {2});", Sum, Third, Read);
  case 8:
    return formatv("{0} = bound({1}) - {2};", At, Other, Read);
  case 9:
    return formatv("{0} += float(-{1});", Sum, Other);
  default:
    return formatv("{0} = bound({1}) * {2} + bound({3});", At, Other, Read,
                   Third);
  }
}

void Generator::arrays(Body &To) {
  const int Elements = R.pick({6, 8, 10, 16, 24});
  const char *Type = R.chance(70) ? "float" : "double";
  const std::string A = fresh("a"), B = fresh("b");
  auto Declare = [&](const std::string &Name) {
    std::string Values;
    if (R.chance(60))
      for (int I = 0; I < Elements; ++I)
        Values += formatv("{0}{1}.25f", I ? ", " : "", R.between(-2, 2));
    To.push_back(
        {formatv("{0} {1}[{2}] = {{{3}};", Type, Name, Elements, Values)});
    To.back().Declares = true;
  };
  Declare(A);
  Declare(B);
  for (int I = 0, N = R.between(2, 3); I < N; ++I) {
    const std::string J = fresh("j");
    Statement Loop;
    Loop.HasBody = true;
    Loop.Head = formatv("for (int {0} = 0; {0} < {1}; ++{0})", J, Elements);
    for (int S = 0, Most = R.between(1, 2) * Long / Elements; S < Most; ++S)
      Loop.Body.push_back({arrayStatement(A, B, J, Elements)});
    Work += unsigned(Elements);
    To.push_back(std::move(Loop));
  }
}
