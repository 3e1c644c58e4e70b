// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops that read and write as the data say: they end by what is read, gather,
// go backwards, read in some iterations and write in others, by two pointers
// that are or may be to the same memory, and order memory now and then. All is
// in a piece of the buffer that is the thread's own, but for what threads hand
// on around barriers: nothing races.

#include "Generator.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;
using namespace sluice::fuzz;
using sluice::emulator::BufferFill;
using sluice::emulator::ElementType;

void Generator::addLines() {
  struct Kind {
    const char *Type;
    bool IsFloat;
    unsigned Bytes;
    ElementType Element;
  };
  static const Kind Kinds[] = {
      {"unsigned char", false, 1, ElementType::I8},
      {"unsigned char", false, 1, ElementType::I8},
      {"unsigned short", false, 2, ElementType::I16},
      {"unsigned", false, 4, ElementType::I32},
      {"unsigned", false, 4, ElementType::I32},
      {"float", true, 4, ElementType::F32},
      {"double", true, 8, ElementType::F64},
      {"unsigned long long", false, 8, ElementType::I64}};
  const Kind &Of = R.pick(Kinds);
  LineData.Type = Of.Type;
  LineData.IsFloat = Of.IsFloat;
  LineData.Bytes = Of.Bytes;
  LineData.Most = unsigned(R.pick({9, 16, 24, 40, 64}));
  // What one pointer is ahead of the other, at most.
  const unsigned Pitch = LineData.Most + unsigned(R.pick({3, 4, 8, 15}));
  LineData.Pitch = Pitch;
  const bool IsOne = R.chance(60), IsRestrict = !IsOne && R.chance(50);
  const std::string Pointer = IsRestrict ? " *__restrict__ " : " *";
  for (const char *Name : {"data", "other"}) {
    Parameter &P = addBuffer(Name, LineData.Type + Pointer, Of.Element,
                             uint64_t(Threads) * Pitch);
    P.Buffer.Fill = BufferFill::Random;
    P.Buffer.Low = Of.IsFloat ? -50 : 0;
    P.Buffer.High = 100;
    if (StringRef(Name) == "other" && IsOne)
      P.SameAs = "data";
  }
  if (R.chance(60)) {
    LineData.Mail = "mail";
    addBuffer("mail", "unsigned *", ElementType::I32, Threads);
    K.Parameters.back().Buffer.Fill = BufferFill::Random;
    K.Parameters.back().Buffer.High = 9;
  }
}

/// Of a piece: where one pointer of the loop points.
std::string Generator::lineIndex(const std::string &J, unsigned Most) {
  switch (R.below(7)) {
  case 0:
    return formatv("(at % {0}u)", Most);
  case 1:
    return formatv("(sum % {0}u)", Most);
  case 2:
    return formatv("({0} - 1 - {1} % {0})", Most, J);
  case 3:
    return formatv("({0} / {1} % {2})", J, R.between(2, 5), Most);
  default:
    return formatv("({0} % {1})", J, Most);
  }
}

std::string Generator::lineElement(const std::string &J) {
  return formatv("{0}[{1}]", R.chance(55) ? "mine" : "also",
                 lineIndex(J, LineData.Most));
}

/// As an unsigned.
std::string Generator::lineValue(const std::string &Element) {
  return formatv(LineData.IsFloat ? "unsigned(int(bound({0})))"
                                  : "unsigned({0})",
                 Element);
}

std::string Generator::lineStore(const std::string &J) {
  const std::string Value =
      R.chance(50) ? formatv("sum ^ {0}", lineValue(lineElement(J))).str()
                   : "sum + " + std::to_string(R.between(0, 9));
  return formatv("{0} = {1}(({2}) % 251u);", lineElement(J),
                 LineData.IsFloat ? LineData.Type : "(" + LineData.Type + ")",
                 Value);
}

std::string Generator::lineLoad(const std::string &J) {
  return formatv("sum = sum * {0}u + {1};", R.pick({1, 3, 5}),
                 lineValue(lineElement(J)));
}

/// Eight bytes at once, wherever they begin.
void Generator::wideLine(Body &To, const std::string &J) {
  const std::string Wide = fresh("wide");
  const unsigned Most = LineData.Most - 8 / LineData.Bytes + 1;
  const std::string At =
      formatv("&{0}[{1}]", R.chance(50) ? "mine" : "also", lineIndex(J, Most));
  Statement S;
  S.HasBody = S.Braces = true;
  auto Add = [&](const std::string &Text, bool Declares = false) {
    S.Body.push_back({Text});
    S.Body.back().Declares = Declares;
  };
  if (R.chance(50)) {
    Add(formatv("unsigned long long {0};", Wide), true);
    Add(formatv("__builtin_memcpy(&{0}, {1}, 8);", Wide, At));
    Add(formatv("sum = sum * 3u + unsigned({0} ^ {0} >> 32);", Wide));
  } else if (!LineData.IsFloat) {
    Add(formatv("unsigned long long {0} = (sum & 0x3f3f3f3fu) * 3ull;", Wide),
        true);
    Add(formatv("__builtin_memcpy({1}, &{0}, 8);", Wide, At));
  } else {
    Add(lineLoad(J));
  }
  To.push_back(std::move(S));
}

/// What orders memory, or goes past what a thread keeps.
void Generator::lineOrder(Body &To, const std::string &J) {
  const bool IsInt = LineData.Bytes == 4 && !LineData.IsFloat;
  const std::string Element = lineElement(J);
  switch (R.below(IsInt ? 6 : 4)) {
  case 0:
    To.push_back({"__threadfence();"});
    To.push_back({lineLoad(J)});
    return;
  case 1:
    To.push_back({formatv("*(volatile {0} *)&{1} = sum % 251u;", LineData.Type,
                          Element)});
    return;
  case 2:
    To.push_back(
        {formatv("sum += {0};", lineValue(formatv("*(volatile {0} *)&{1}",
                                                  LineData.Type, Element)))});
    return;
  case 3:
    return wideLine(To, J);
  case 4:
    To.push_back({formatv("atomicAdd((int *)&{0}, int(sum & 15));", Element)});
    return;
  default:
    To.push_back({formatv("sum += unsigned(atomicExch((int *)&{0}, "
                          "int(sum % 251u)));",
                          Element)});
    return;
  }
}

void Generator::lineStatement(Body &To, const std::string &J, bool MayLeave) {
  Statement S;
  switch (R.below(12)) {
  case 0:
  case 1:
    return To.push_back({lineLoad(J)});
  case 2:
  case 3:
    return To.push_back({lineStore(J)});
  case 4:
  case 5:
    S.Head = formatv("if ({0} & {1}u)", lineValue(lineElement(J)),
                     R.pick({1, 2, 6}));
    S.HasBody = true;
    S.Body.push_back({R.chance(50) ? lineStore(J) : lineLoad(J)});
    if (R.chance(40))
      S.Else.push_back({R.chance(50) ? lineStore(J) : lineLoad(J)});
    return To.push_back(std::move(S));
  case 6: {
    const std::string I = fresh("i");
    S.Head = formatv("for (unsigned {0} = 0; {0} < ({1} & {2}u); ++{0})", I,
                     lineValue(lineElement(J)), R.pick({3, 7}));
    S.HasBody = true;
    S.Body.push_back(
        {formatv("sum = sum * 5u + {0};",
                 lineValue(formatv("mine[({0} + {1}) % {2}u]",
                                   R.pick({"at", "sum"}), I, LineData.Most)))});
    if (R.chance(40))
      S.Body.push_back({lineStore(J)});
    Work += 7;
    return To.push_back(std::move(S));
  }
  case 7:
    return To.push_back(
        {formatv("at = at * 3u + {0};", lineValue(lineElement(J)))});
  case 8:
    if (R.chance(50))
      return To.push_back({formatv("sum += {0};", expression('u', 1))});
    return lineOrder(To, J);
  case 9:
    return lineOrder(To, J);
  default:
    if (!MayLeave)
      return To.push_back({lineLoad(J)});
    return To.push_back(
        {formatv("if ({0} % {1}u == 5u) {2};", lineValue(lineElement(J)),
                 R.pick({17, 31, 97}), R.pick({"break", "continue"}))});
  }
}

/// Each thread hands something to another of its block.
void Generator::handOn(Body &To) {
  To.push_back({formatv("{0}[gid] = sum;", LineData.Mail)});
  To.push_back({"__syncthreads();"});
  To.push_back({formatv("sum += {0}[gid - tid + (tid + {1}) % {2}];",
                        LineData.Mail, R.between(1, 3), BlockThreads)});
  To.push_back({"__syncthreads();"});
}

Statement Generator::lineLoop(bool Together) {
  const std::string J = fresh("j");
  Statement Block, Loop;
  Block.HasBody = Block.Braces = Loop.HasBody = true;
  auto Declare = [&](const std::string &Text) {
    Block.Body.push_back({Text});
    Block.Body.back().Declares = true;
  };
  const unsigned Ahead = LineData.Pitch - LineData.Most;
  Declare(
      formatv("{0} *mine = data + gid * {1};", LineData.Type, LineData.Pitch));
  Declare(formatv("{0} *also = other + gid * {1} + {2};", LineData.Type,
                  LineData.Pitch, R.chance(40) ? 0 : R.between(0, int(Ahead))));
  Declare(formatv("unsigned sum = {0}, at = tid;", R.between(0, 9)));
  const bool HandsOn = Together && !LineData.Mail.empty() && R.chance(60);
  const unsigned Most = unsigned(R.between(4, 40));
  if (HandsOn || R.chance(30))
    Loop.Head = formatv("for (int {0} = 0; {0} < {1}; ++{0})", J, Most);
  else
    Loop.Head =
        formatv("for (int {0} = 0; {0} < {1} && {2} % {3}u != 3u; ++{0})", J,
                Most, lineValue(lineElement(J)), R.pick({19, 51, 101}));
  for (int I = 0, N = R.between(1, 4); I < N; ++I)
    lineStatement(Loop.Body, J, /*MayLeave=*/!HandsOn);
  if (HandsOn) {
    handOn(Loop.Body);
    lineStatement(Loop.Body, J, /*MayLeave=*/false);
  }
  Work += Most;
  Block.Body.push_back(std::move(Loop));
  // A loop that nothing is seen of is not there.
  Block.Body.push_back({formatv(
      "mine[{0}] = {1};", R.below(LineData.Most),
      LineData.IsFloat ? "float(sum % 251u)" : "(" + LineData.Type + ")sum")});
  return Block;
}

void Generator::lines(Body &To) {
  for (int I = 0, N = R.between(1, 2); I < N; ++I) {
    const bool IsForAll = R.chance(70);
    Statement Loop = lineLoop(IsForAll && !MayHaveReturned);
    if (!IsForAll)
      Loop.Head = R.chance(50)
                      ? "if (" + condition(false) + ")"
                      : formatv("if (tid % {0} != 1)", R.between(2, 5)).str();
    To.push_back(std::move(Loop));
  }
}
