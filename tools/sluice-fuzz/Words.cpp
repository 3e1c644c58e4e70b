// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements of a row of each thread that are read and written one by one, in any
// order, some of them twice: neighbours that make up words, where the row's
// length lets them. Products come to sums, so that what is fused with what
// shows in the last bit, and what is read may be what was written.

#include "Generator.h"
#include "llvm/Support/FormatVariadic.h"
#include <iterator>

using namespace llvm;
using namespace sluice::fuzz;

/// Threads write a few words in each iteration, beside those of their
/// neighbours.
void Generator::wordsInLoop(Body &To, const std::string &Value,
                            const std::string &Type,
                            emulator::ElementType Element) {
  static constexpr unsigned Times = 3;
  const unsigned Each = R.pick({2u, 4u, 4u, 8u});
  const std::string Into = fresh("w"), J = fresh("j");
  addBuffer(Into, Type + (R.chance(70) ? " *__restrict__ " : " *"), Element,
            uint64_t(Threads) * Each * Times);
  Statement Loop;
  Loop.HasBody = Loop.Braces = true;
  Loop.Head = formatv("for (int {0} = 0; {0} < {1}; ++{0})", J, length(Times));
  for (unsigned I = 0; I < Each; ++I)
    Loop.Body.push_back({formatv("{0}[({1} * {2} + gid) * {3} + {4}] = {5} + "
                                 "{6} * {1};",
                                 Into, J, Threads, Each, I, Value, I + 1)});
  To.push_back(std::move(Loop));
}

void Generator::words(Body &To) {
  struct ElementKind {
    const char *Type;
    char As;
    emulator::ElementType Element;
  };
  static const ElementKind Kinds[] = {
      {"float", 'f', emulator::ElementType::F32},
      {"double", 'd', emulator::ElementType::F64},
      {"unsigned", 'u', emulator::ElementType::I32}};
  const ElementKind &Kind = Kinds[R.below(std::size(Kinds))];
  const unsigned Pitch = R.pick({6u, 8u, 8u, 10u, 12u, 16u});
  const std::string From = fresh("w"), Into = fresh("w"), Sum = fresh("s");
  const std::string Type = Kind.Type,
                    Pointer = R.chance(70) ? " *__restrict__ " : " *";
  for (const auto &[Name, Prefix] : {std::pair(From, "const "), {Into, ""}}) {
    addRandomBuffer(Name, Prefix + Type + Pointer, Kind.Element,
                    uint64_t(Threads) * Pitch);
  }
  const bool IsInteger = Kind.As == 'u';
  const auto Element = [&](const std::string &Of, unsigned Number) {
    return formatv("{0}[gid * {1} + {2}]", Of, Pitch, Number).str();
  };
  const auto Bounded = [&](const std::string &Value) {
    return IsInteger ? Value : formatv("{0}(bound({1}))", Type, Value).str();
  };
  To.push_back(
      declared(formatv("{0} {1} = {2};", Type, Sum,
                       Bounded(expression(IsInteger ? 'u' : 'f', 1)))));
  const unsigned First = unsigned(R.below(2)) * unsigned(R.below(3));
  const bool Backwards = R.chance(20);
  const auto Reads = [&] {
    for (unsigned I = First; I < Pitch; ++I) {
      const unsigned Number = Backwards ? Pitch - 1 - I : I;
      const std::string &Of = R.chance(90) ? From : Into;
      To.push_back({formatv(
          R.pick({"{0} += {1} * {2};", "{0} = {0} * {2} + {1};",
                  "{0} = {1} - {0};"}),
          Sum, Element(Of, Number), Bounded(Element(From, R.below(Pitch))))});
      if (R.chance(10))
        To.push_back({formatv("{0} = {1};", Sum, Bounded(Sum))});
    }
  };
  const auto Writes = [&] {
    for (unsigned I = First; I < Pitch; ++I) {
      const unsigned Number = Backwards ? Pitch - 1 - I : I;
      To.push_back(
          {formatv("{0} = {1};", Element(Into, Number),
                   R.chance(70) ? Bounded(formatv("{0} * {1} + {2}", Sum, I + 1,
                                                  Element(From, Number)))
                                : Bounded(Sum))});
      if (R.chance(10))
        To.push_back({formatv("{0} += {1};", Sum, Element(Into, Number))});
    }
  };
  if (R.chance(70))
    Reads();
  if (R.chance(70))
    Writes();
  if (R.chance(40))
    wordsInLoop(To, Bounded(Sum), Type, Kind.Element);
  To.push_back({formatv("{0} += {1};", variable('f')->Name,
                        IsInteger ? formatv("float({0} & 63u)", Sum).str()
                                  : formatv("float(bound({0}))", Sum).str())});
}
