// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Generator.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace sluice::fuzz;

static bool isFloating(char Type) { return Type == 'f' || Type == 'd'; }

static const char *castName(char Type) {
  switch (Type) {
  case 'i':
    return "int";
  case 'u':
    return "unsigned";
  case 'l':
    return "(long long)";
  case 'f':
    return "float";
  default:
    return "double";
  }
}

const Variable *Generator::variable(char Type) {
  SmallVector<const Variable *, 8> Found;
  for (const Variable &V : Variables)
    if (V.Type == Type)
      Found.push_back(&V);
  return Found.empty() ? nullptr : R.pick(Found);
}

//===- Indices and conditions ---------------------------------------------===//

/// An index that is known to be below \p Bound, or anything made so.
std::string Generator::indexBelow(unsigned Bound) {
  SmallVector<const Index *, 8> Found;
  for (const Index &I : Indices)
    if (I.Bound <= Bound)
      Found.push_back(&I);
  if (!Found.empty() && R.chance(80))
    return R.chance(70) ? Found.back()->Name : R.pick(Found)->Name;
  if (R.chance(30))
    return std::to_string(R.below(Bound));
  unsigned Power = unsigned(llvm::bit_floor(Bound));
  if (R.chance(70))
    return formatv("({0} & {1})", expression('i', 1), Power - 1);
  return formatv("{0} % {1}u", expression('u', 1), Bound);
}

std::string Generator::ownSlot(const Output &O) {
  if (O.Slots == 1)
    return "gid";
  std::string Slot;
  if (!Indices.empty() && R.chance(60))
    Slot = formatv("({0} & {1})", R.pick(Indices).Name, O.Slots - 1);
  else
    Slot = std::to_string(R.below(O.Slots));
  return O.Blocked ? formatv("gid * {0} + {1}", O.Slots, Slot).str()
                   : formatv("{0} * {1} + gid", Slot, Threads).str();
}

std::string Generator::uniformInt() {
  SmallVector<std::string, 8> From = {std::to_string(R.between(1, 12))};
  for (const Scalar &S : Scalars)
    From.push_back(S.Name);
  for (const Index &I : Indices)
    if (I.Uniform)
      From.push_back(I.Name);
  if (!InHelper)
    From.push_back("int(blockIdx.x)");
  return R.pick(From);
}

std::string Generator::condition(bool Uniform) {
  if (Uniform) {
    std::string A = uniformInt(), B = uniformInt();
    switch (R.below(4)) {
    case 0:
      return formatv("({0} & 1) == 0", A);
    case 1:
      return formatv("{0} < {1}", A, B);
    case 2:
      return formatv("{0} != {1}", A, B);
    default:
      return formatv("{0} > {1}", A, R.between(0, 9));
    }
  }
  switch (R.below(InHelper ? 4 : 8)) {
  case 0:
    return formatv("{0} > {1}", expression('f'), expression('f', 1));
  case 1:
    return formatv("({0} & {1}) == {2}", expression('u'), R.pick({1, 3, 7}),
                   R.below(2));
  case 2:
    return formatv("{0} < {1} && {2} != 0", expression('i'), expression('i', 1),
                   expression('i', 1));
  case 3:
    return formatv("{0} > 0 || {1} < {2}", expression('i', 1), load('i'),
                   R.between(-9, 9));
  case 4:
    return formatv("tid < {0}", R.between(1, int(BlockThreads)));
  case 5:
    return formatv("(tid & {0}) == 0", R.pick({1, 3, 31, 32, 63}));
  case 6:
    return formatv("gid % {0} != {1}", R.between(2, 9), R.below(2));
  default:
    return formatv("{0} > {1}", call(), expression('f', 1));
  }
}

//===- Reading memory -----------------------------------------------------===//

std::string Generator::rowAddress(const Input &A) {
  if (A.Rows == 1)
    return A.Name;
  SmallVector<std::string, 4> RowNames;
  for (const Index &I : Indices)
    if (I.Bound <= A.Rows)
      RowNames.push_back(I.Name);
  std::string Row = R.chance(70) && !InHelper ? std::string("gid")
                    : RowNames.empty()        ? std::string("0")
                                              : R.pick(RowNames);
  return formatv("{0} + {1} * {2}", A.Name, Row, A.PitchText);
}

/// At most \p Most, as a call's argument.
std::string Generator::length(unsigned Most) {
  SmallVector<std::string, 4> From = {std::to_string(R.between(1, int(Most)))};
  for (const Scalar &S : Scalars)
    if (S.Value <= Most)
      From.push_back(S.Name);
  if (!InHelper && R.chance(30))
    return formatv("(tid & {0})", bit_floor(Most) - 1);
  return mark('n', R.pick(From));
}

std::string Generator::element(const Input &A) {
  unsigned Kind = R.below(A.Rows == 1 ? 2 : 10);
  if (Kind <= 1) // the same for all
    return formatv("{0}[{1}]", A.Name, indexBelow(A.Pitch));
  if (Kind <= 5)
    return rowElement(A);
  uint64_t Elements = uint64_t(A.Rows) * A.Pitch;
  if (Kind <= 7) { // coalesced
    std::string Column = R.chance(80) ? "gid" : indexBelow(Threads);
    return formatv("{0}[{1} * {2} + {3}]", A.Name, indexBelow(A.Pitch), Threads,
                   Column);
  }
  if (Kind == 8)
    return formatv("{0}[{1} & {2}]", A.Name, load('u'),
                   bit_floor(Elements) - 1);
  return formatv("{0}[unsigned({1}) % {2}u]", A.Name, expression('i', 1),
                 Elements);
}

std::string Generator::rowElement(const Input &A) {
  std::string Row = R.chance(80) ? "gid" : indexBelow(A.Rows);
  return formatv("{0}[{1} * {2} + {3}]", A.Name, Row, A.PitchText,
                 indexBelow(A.Pitch));
}

std::string Generator::load(char Type) {
  SmallVector<const Input *, 4> Same;
  for (const Input &A : Inputs)
    if (A.As == Type)
      Same.push_back(&A);
  const Input &A =
      Same.empty() || R.chance(20) ? R.pick(Inputs) : *R.pick(Same);
  std::string Element = element(A);
  if (A.As == Type)
    return mark(Type, Element);
  if (Type == 'u' && isFloating(A.As)) // undefined where it is negative
    Element = "int(" + Element + ")";
  return mark(Type, (Twine(castName(Type)) + "(" + Element + ")").str());
}

std::string Generator::call() {
  const Input &A = R.pick(Inputs);
  std::string Row = rowAddress(A);
  unsigned Most = std::min(A.Pitch, 8u);
  SmallVector<const Helper *, 4> Fitting;
  for (const Helper &H : Helpers)
    if (H.Type.empty() || H.Type == A.Type)
      Fitting.push_back(&H);
  Work += 8;
  if (!Fitting.empty() && R.chance(60))
    return mark('f', formatv("{0}({1}, {2}, {3})", R.pick(Fitting)->Name, Row,
                             length(Most), expression('u', 1))
                         .str());
  switch (R.below(4)) {
  case 0:
    return mark('f', formatv("stepSum<{0}, {1}>({2}, {3})", A.Type,
                             R.between(1, 2), Row, length(Most))
                         .str());
  case 1:
    return mark('f', formatv("pairOf({0}, {1}).sum", Row, length(Most)).str());
  case 2:
    return mark('f', formatv("float(anyAbove({0}, {1}, {2}))", Row,
                             length(Most), expression('f', 0))
                         .str());
  default:
    return mark('f', formatv("sumOf({0}, {1})", Row, length(Most)).str());
  }
}

//===- Expressions --------------------------------------------------------===//

std::string Generator::expression(char Type, unsigned Depth) {
  if (isFloating(Type))
    return mark(Type, floatExpression(Type, Depth));
  if (Type == 'l')
    return mark('l',
                formatv("(long long)((unsigned long long){0} * {1}u + {2})",
                        load('l'), R.between(1, 99),
                        expression('u', Depth ? Depth - 1 : 0))
                    .str());
  return mark(Type,
              Type == 'i' ? intExpression(Depth) : unsignedExpression(Depth));
}

/// Twice as often a part with no parts of its own where depth ends.
std::string Generator::intExpression(unsigned Depth) {
  unsigned Less = Depth ? Depth - 1 : 0;
  switch (R.below(Depth ? 14 : 6)) {
  case 0:
    return std::to_string(R.between(0, 20));
  case 1:
    if (!Indices.empty())
      return R.pick(Indices).Name;
    return "int(threadIdx.x)";
  case 2:
    if (const Variable *V = variable('i'))
      return V->Name;
    return std::to_string(R.between(1, 9));
  case 3:
    return uniformInt();
  case 4:
    return formatv("table[{0} & 15]", expression('u', 0));
  case 5:
  case 6:
    return load('i');
  case 7:
    return formatv("int(unsigned({0}) {1} unsigned({2}))",
                   expression('i', Less), R.pick({"+", "-", "*"}),
                   expression('i', Less));
  case 8:
    return formatv("({0} {1} {2})", expression('i', Less),
                   R.pick({"&", "|", "^"}), expression('i', Less));
  case 9:
    return formatv("({0} >> {1})", expression('i', Less), R.between(1, 7));
  case 10:
    return formatv("({0} {1} (({2} & 7) + {3}))", expression('i', Less),
                   R.pick({"/", "%"}), expression('i', Less), R.between(1, 3));
  case 11:
    return formatv("{0}({1}, {2})", R.pick({"min", "max"}),
                   expression('i', Less), expression('i', Less));
  case 12:
    return formatv("int(bound({0}))", expression('f', Less));
  default:
    return formatv("({0} > {1} ? {2} : {3})", expression('i', Less),
                   expression('i', 0), expression('i', Less),
                   expression('i', 0));
  }
}

std::string Generator::unsignedExpression(unsigned Depth) {
  unsigned Less = Depth ? Depth - 1 : 0;
  switch (R.below(Depth ? 10 : 4)) {
  case 0:
    return std::to_string(R.below(1000)) + "u";
  case 1:
    if (const Variable *V = variable('u'))
      return V->Name;
    return "threadIdx.x";
  case 2:
  case 3:
    return R.chance(70) ? load('u') : "unsigned(" + expression('i', 0) + ")";
  case 4:
  case 5:
    return formatv("({0} {1} {2})", expression('u', Less),
                   R.pick({"+", "-", "*"}), expression('u', Less));
  case 6:
    return formatv("({0} {1} {2})", expression('u', Less),
                   R.pick({"&", "|", "^"}), expression('u', Less));
  case 7:
    return formatv("({0} {1} ({2} & 31))", expression('u', Less),
                   R.pick({"<<", ">>"}), expression('u', Less));
  case 8:
    return formatv("({0} {1} ({2} | 1u))", expression('u', Less),
                   R.pick({"/", "%"}), expression('u', Less));
  default:
    return formatv("unsigned({0})", expression('i', Less));
  }
}

/// What it is read from is at most 4000 in size, so that no product of the at
/// most eight in one expression is infinite.
std::string Generator::floatExpression(char Type, unsigned Depth) {
  unsigned Less = Depth ? Depth - 1 : 0;
  const char *Suffix = Type == 'f' ? "f" : "";
  switch (R.below(Depth ? 12 : 5)) {
  case 0:
    return formatv("{0}.{1}{2}", R.below(5), R.pick({"0", "5", "25", "1"}),
                   Suffix);
  case 1:
    if (const Variable *V = variable(Type))
      return "bound(" + V->Name + ")";
    [[fallthrough]];
  case 2:
  case 3:
    return R.chance(75)
               ? "bound(" + load(Type) + ")"
               : formatv("{0}({1} & 255)", castName(Type), expression('i', 0))
                     .str();
  case 4:
    if (const Variable *V = variable(Type == 'f' ? 'd' : 'f'))
      return formatv("{0}(bound({1}))", castName(Type), V->Name);
    return formatv("{0}({1})", castName(Type), R.between(1, 7));
  case 5:
  case 6:
    return formatv("({0} + {1})", expression(Type, Less),
                   expression(Type, Less));
  case 7:
    return formatv("({0} - {1})", expression(Type, Less),
                   expression(Type, Less));
  case 8:
  case 9:
    return formatv("({0} * {1})", expression(Type, Less),
                   expression(Type, Less));
  case 10:
    return formatv("({0} / (bound({1}) + 300.0{2}))", expression(Type, Less),
                   expression(Type, Less), Suffix);
  default:
    if (!InHelper && Type == 'f' && R.chance(50))
      return "bound(" + call() + ")";
    return formatv("({0} ? {1} : {2})",
                   "int(threadIdx.x) < " + expression('i', 0),
                   expression(Type, Less), expression(Type, Less));
  }
}
