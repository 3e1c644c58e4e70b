// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Constant expressions of inline PTX: C's operators on 64-bit integers, and
/// floating numbers as 0f..., 0d... or in decimal.

#include "PTXSnippetText.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"

using namespace llvm;
using namespace sluice::emulator;

namespace {

// Binary operators; longer ones before their prefixes. A higher level binds
// more strongly.
struct Operators {
  unsigned Level;
  StringLiteral Spelling;
};
constexpr Operators Binary[] = {
    {0, "||"}, {1, "&&"}, {5, "=="}, {5, "!="}, {7, "<<"}, {7, ">>"},
    {6, "<="}, {6, ">="}, {2, "|"},  {3, "^"},  {4, "&"},  {6, "<"},
    {6, ">"},  {8, "+"},  {8, "-"},  {9, "*"},  {9, "/"},  {9, "%"}};

/// Nothing where the value does not exist.
std::optional<uint64_t> combine(StringRef Operator, uint64_t A, uint64_t B) {
  auto X = int64_t(A), Y = int64_t(B);
  switch (Operator.front()) {
  case '+':
    return A + B;
  case '-':
    return A - B;
  case '*':
    return A * B;
  case '/':
    if (Y == 0)
      return std::nullopt;
    return Y == -1 ? 0 - A : uint64_t(X / Y);
  case '%':
    if (Y == 0)
      return std::nullopt;
    return Y == -1 ? 0 : uint64_t(X % Y);
  case '^':
    return A ^ B;
  case '&':
    return Operator == "&&" ? A && B : A & B;
  case '|':
    return Operator == "||" ? A || B : A | B;
  case '=':
    return X == Y;
  case '!':
    return X != Y;
  case '<':
    if (Operator == "<<")
      return B < 64 ? std::optional(A << B) : std::nullopt;
    return Operator == "<=" ? X <= Y : X < Y;
  case '>':
    if (Operator == ">>")
      return B < 64 ? std::optional(uint64_t(X >> B)) : std::nullopt;
    return Operator == ">=" ? X >= Y : X > Y;
  default:
    return std::nullopt;
  }
}

} // namespace

std::optional<PTXConstant> PTXConstantReader::readBinary(unsigned Level) {
  std::optional<PTXConstant> Left = readUnary();
  while (Left) {
    At = skipPTXSpace(Text, At);
    const auto *Operator = find_if(Binary, [&](const Operators &O) {
      return Text.substr(At).starts_with(O.Spelling);
    });
    if (Operator == std::end(Binary) || Operator->Level < Level)
      break;
    size_t Start = At;
    At += Operator->Spelling.size();
    std::optional<PTXConstant> Right = readBinary(Operator->Level + 1);
    if (!Right)
      return std::nullopt;
    std::optional<uint64_t> Value;
    if (Left->K == PTXConstant::Integer && Right->K == PTXConstant::Integer)
      Value = combine(Operator->Spelling, Left->Bits, Right->Bits);
    if (!Value) {
      At = Start;
      return fail("this cannot be computed");
    }
    Left->Bits = *Value;
  }
  return Left;
}

std::optional<PTXConstant> PTXConstantReader::readUnary() {
  if (eat('(')) {
    if (eat('.')) { // A cast: "(.s64) 1".
      StringRef Type = Text.substr(At).take_while(isNamePart);
      if (Type != "s64" && Type != "u64")
        return fail("only .s64 and .u64 casts exist");
      At += Type.size();
      if (!eat(')'))
        return fail("')' is missing");
      return readUnary();
    }
    std::optional<PTXConstant> Inner = readBinary(0);
    if (Inner && !eat(')'))
      return fail("')' is missing");
    return Inner;
  }
  for (char Operator : {'-', '+', '~', '!'}) {
    if (!eat(Operator))
      continue;
    std::optional<PTXConstant> Value = readUnary();
    if (!Value || Operator == '+')
      return Value;
    if (Value->K != PTXConstant::Integer) {
      if (Operator != '-')
        return fail("only '-' stands before a floating number");
      Value->Bits ^= uint64_t(1) << (Value->K == PTXConstant::Single ? 31 : 63);
      return Value;
    }
    Value->Bits = Operator == '-'   ? 0 - Value->Bits
                  : Operator == '~' ? ~Value->Bits
                                    : uint64_t(!Value->Bits);
    return Value;
  }
  return readNumber();
}

std::optional<uint64_t>
PTXConstantReader::readDigits(size_t Prefix, unsigned Radix, StringRef Digits) {
  uint64_t Value;
  if (Digits.empty() || Digits.getAsInteger(Radix, Value))
    return std::nullopt;
  At += Prefix + Digits.size();
  return Value;
}

/// "1.5", "2.", ".5", "1e-3"; nothing if it is an integer.
std::optional<PTXConstant> PTXConstantReader::readDecimal() {
  StringRef Rest = Text.substr(At);
  size_t End = 0;
  auto skipDigits = [&] {
    while (End < Rest.size() && isDigit(Rest[End]))
      ++End;
  };
  bool Floating = false;
  skipDigits();
  if (End < Rest.size() && Rest[End] == '.') {
    Floating = true;
    ++End;
    skipDigits();
  }
  if (End && End < Rest.size() && toLower(Rest[End]) == 'e') {
    size_t Exponent = End + 1;
    if (Exponent < Rest.size() &&
        (Rest[Exponent] == '-' || Rest[Exponent] == '+'))
      ++Exponent;
    if (Exponent < Rest.size() && isDigit(Rest[Exponent])) {
      Floating = true;
      End = Exponent;
      skipDigits();
    }
  }
  double Value;
  if (!Floating || Rest.take_front(End).getAsDouble(Value))
    return std::nullopt;
  At += End;
  return PTXConstant{PTXConstant::Decimal, bit_cast<uint64_t>(Value)};
}

std::optional<PTXConstant> PTXConstantReader::readNumber() {
  At = skipPTXSpace(Text, At);
  StringRef Rest = Text.substr(At);
  auto isHex = [](char C) { return isHexDigit(C); };
  auto isBinary = [](char C) { return C == '0' || C == '1'; };
  size_t Start = At;
  std::optional<uint64_t> Bits;
  PTXConstant::Kind Kind = PTXConstant::Integer;
  if (Rest.starts_with_insensitive("0f")) {
    Kind = PTXConstant::Single;
    Bits = readDigits(2, 16, Rest.substr(2, 8).take_while(isHex));
  } else if (Rest.starts_with_insensitive("0d")) {
    Kind = PTXConstant::Double;
    Bits = readDigits(2, 16, Rest.substr(2, 16).take_while(isHex));
  } else if (Rest.starts_with_insensitive("0x")) {
    Bits = readDigits(2, 16, Rest.drop_front(2).take_while(isHex));
  } else if (Rest.starts_with_insensitive("0b")) {
    Bits = readDigits(2, 2, Rest.drop_front(2).take_while(isBinary));
  } else if (std::optional<PTXConstant> Value = readDecimal()) {
    Kind = PTXConstant::Decimal;
    Bits = Value->Bits;
  } else {
    StringRef Digits = Rest.take_while([](char C) { return isDigit(C); });
    bool Octal = Digits.size() > 1 && Digits.front() == '0';
    Bits = readDigits(0, Octal ? 8 : 10, Digits);
  }
  if (Bits && Kind == PTXConstant::Integer && At < Text.size() &&
      Text[At] == 'U')
    ++At;
  if (Bits && At < Text.size() &&
      (isNamePart(Text[At]) || Text[At] == OperandMark))
    Bits.reset();
  if (Bits)
    return PTXConstant{Kind, *Bits};
  At = Start;
  return fail(Start < Text.size() ? "an operand is expected"
                                  : "an operand is missing at the end");
}
