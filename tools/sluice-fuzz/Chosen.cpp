// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops that look for the place of the least element, and loops in which all
// iterations but one act on the same elements.

#include "Generator.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;
using namespace sluice::fuzz;

void Generator::chosenPlaces(Body &To) {
  const unsigned Pitch = 16;
  const std::string Of = fresh("w"), Best = fresh("b"), J = fresh("j"),
                    F = variable('f')->Name;
  addRandomBuffer(Of, "const float *", emulator::ElementType::F32,
                  uint64_t(Threads) * Pitch, 0, 9);
  auto At = [&](const std::string &Index) {
    return formatv("{0}[gid * {1} + {2}]", Of, Pitch, Index).str();
  };
  const int First = R.between(0, 3);
  To.push_back(declared(formatv("int {0} = {1};", Best, First)));
  Statement Loop;
  Loop.HasBody = Loop.Braces = true;
  Loop.Head = formatv("for (int {0} = {1}; {0} < {2}; ++{0})", J,
                      R.between(0, 2), R.chance(50) ? "(n0 & 15)" : "14");
  const std::string Other = R.pick({J, J + " + 1", J + " ^ 1"});
  Loop.Body.push_back({formatv(
      "if ({0} {1} {2}{3}) {4} = {5};", At(Other), R.pick({"<", ">", "<="}),
      At(Best), R.chance(30) ? formatv(" && (n0 & {0})", J).str() : "", Best,
      Other)});
  To.push_back(std::move(Loop));
  To.push_back({formatv("{0} = bound({0} + {1} * 0.25f + float({2}));", F,
                        At(Best), Best)});
}

/// The thread whose number is left out may be one that has no iteration but its
/// own.
void Generator::allButOne(Body &To) {
  const std::string X = fresh("w"), Y = fresh("w"), J = fresh("j"),
                    Me = fresh("i"), Sum = fresh("s"), F = variable('f')->Name;
  for (const std::string &Name : {X, Y})
    addRandomBuffer(Name, "const float *", emulator::ElementType::F32, 32, 0,
                    9);
  To.push_back(declared(formatv("const int {0} = int(gid) & {1};", Me,
                                R.pick({"31", "7", "1"}))));
  To.push_back(declared(formatv("float {0} = 0;", Sum)));
  Statement Loop;
  Loop.HasBody = Loop.Braces = true;
  Loop.Head = formatv("for (int {0} = {1}; {0} < {2}; ++{0})", J,
                      R.between(0, 1), R.pick({"(n0 & 31)", "(n0 & 3)", "32"}));
  Loop.Body.push_back({formatv("if ({0} == {1}) continue;", J, Me)});
  Loop.Body.push_back({formatv("{0} += {1}[{2}] - {1}[{3}];", Sum, X, J, Me)});
  Loop.Body.push_back({formatv(
      R.pick({"{0} = bound({0} + {1}[{2}] * {1}[{3}]);",
              "{0} -= ({1}[{2}] - {1}[{3}]) * 0.5f;", "{0} -= {1}[{3}];"}),
      Sum, Y, J, Me)});
  To.push_back(std::move(Loop));
  To.push_back({formatv("{0} = bound({0} + {1});", F, Sum)});
}
