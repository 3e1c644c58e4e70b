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

/// A tile of a matrix product: sums of products of arrays that the loop around
/// fills anew, all of them or but for one element, with what differs from
/// iteration to iteration or does not.
void Generator::productTile(Body &To) {
  const int Rows = R.pick({4, 6, 8}), Columns = R.pick({12, 16});
  const std::string X = fresh("a"), Y = fresh("a"), Sum = fresh("a"),
                    K = fresh("j"), I = fresh("j"), J = fresh("j");
  auto Loop = [](const std::string &Index, int Most, std::string Statement) {
    return formatv("for (int {0} = 0; {0} < {1}; ++{0}) {2}", Index, Most,
                   Statement)
        .str();
  };
  auto Declare = [&](const std::string &Name, int Elements, StringRef Values) {
    To.push_back(
        declared(formatv("float {0}[{1}] = {{{2}};", Name, Elements, Values)));
  };
  auto Fill = [&](const std::string &Array, const std::string &Index,
                  int Most) {
    const Input &From = R.pick(Inputs);
    const std::string Place =
        R.chance(75) ? formatv("{0} * {1} + {2}", K, Most, Index).str() : Index;
    auto Read = [&] {
      return formatv("bound(float(({0})[unsigned({1}) % {2}u]))",
                     rowAddress(From), Place, std::max<unsigned>(1, From.Pitch))
          .str();
    };
    // A product that is kept is rounded before it is added.
    return Loop(Index, R.chance(80) ? Most : Most - 1,
                formatv("{0}[{1}] = {2};", Array, Index,
                        R.chance(40) ? Read() + " * " + Read() : Read()));
  };
  Declare(X, Rows, R.chance(85) ? "" : "0.5f");
  Declare(Y, Columns, R.chance(85) ? "" : "1.5f");
  Declare(Sum, Rows * Columns, R.chance(85) ? "" : "0.25f");
  Statement Around;
  Around.HasBody = true;
  Around.Head = formatv("for (int {0} = 0; {0} < {1}; ++{0})", K, length(4));
  Around.Body.push_back({Fill(X, I, Rows)});
  if (R.chance(80))
    Around.Body.push_back({Fill(Y, J, Columns)});
  const std::string Product = formatv("{0}[{1}] * {2}[{3}]", X, I, Y, J),
                    Element = formatv("{0}[{1}]", Y, J);
  Around.Body.push_back(
      {Loop(I, Rows,
            Loop(J, Columns,
                 formatv("{0}[{1} * {2} + {3}] {4} {5};", Sum, I, Columns, J,
                         R.pick({"+=", "+=", "-="}),
                         R.chance(60) ? Product : Element)))});
  To.push_back(std::move(Around));
  To.push_back({Loop(I, Rows * Columns,
                     formatv("{0} = {0} * 0.75f + bound({1}[{2}]);",
                             variable('f')->Name, Sum, I))});
  Work += unsigned(Rows * Columns) * 4;
}

/// The least or the greatest of structs, chosen by reference. Their keys may be
/// products, and sums may be made of them.
void Generator::chosenStructs(Body &To) {
  const std::string Type = fresh("s"), Choose = fresh("c"), Best = fresh("b"),
                    Next = fresh("n"), J = fresh("j");
  const char *Key = R.chance(60) ? "float" : "double",
             *At = R.chance(50) ? "int" : "long long";
  const bool HasTag = R.chance(50);
  To.push_back(declared(formatv("struct {0} {{ {1} key; {2} at;{3} };", Type,
                                Key, At, HasTag ? " short tag;" : "")));
  const std::string Less =
      formatv("a.key {0} b.key{1}", R.pick({"<", ">"}),
              R.chance(50) ? " || (a.key == b.key && a.at < b.at)" : "");
  To.push_back(declared(
      formatv("auto {0} = [](const {1} &a, const {1} &b) -> const {1} & {{ "
              "return {2} ? a : b; };",
              Choose, Type, Less)));
  auto Struct = [&](const std::string &Name, const std::string &Index) {
    const std::string Read = formatv("bound(float({0}))", summand(Index)),
                      More = formatv("bound(float({0}))", summand(Index));
    return formatv("{0} {1} = {{{2}, {3}{4}};", Type, Name,
                   R.chance(20) ? Read + " * " + More : Read, Index,
                   HasTag ? ", short(" + Index + " * 3)" : "")
        .str();
  };
  To.push_back(declared(
      R.chance(50) ? Struct(Best, "0")
                   : formatv("{0} {1} = {{0.5f, -1};", Type, Best).str()));
  Statement Loop;
  Loop.HasBody = true;
  Loop.Head = formatv("for (int {0} = 0; {0} < {1}; ++{0})", J, length(12));
  Loop.Body.push_back({Struct(Next, J)});
  Loop.Body.back().Declares = true;
  if (R.chance(30)) {
    const std::string Third = fresh("n");
    Loop.Body.push_back({Struct(Third, J)});
    Loop.Body.back().Declares = true;
    Loop.Body.push_back(
        {formatv("{0} = {1}({0}, {1}({2}, {3}));", Best, Choose, Next, Third)});
  } else {
    Loop.Body.push_back({formatv("{0} = {1}({0}, {2});", Best, Choose, Next)});
  }
  To.push_back(std::move(Loop));
  To.push_back({formatv("{0} = {1}bound(float({2}.key)) + 0.25f * "
                        "float({2}.at{3});",
                        variable('f')->Name,
                        R.chance(30) ? variable('f')->Name + " * " : "", Best,
                        HasTag ? " + " + Best + ".tag" : "")});
  Work += 24;
}

void Generator::arrays(Body &To) {
  if (R.chance(25)) {
    chosenStructs(To);
    return;
  }
  if (R.chance(25)) {
    productTile(To);
    return; // others' constants would keep it in memory
  }
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
