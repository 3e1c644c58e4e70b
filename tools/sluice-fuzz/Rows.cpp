// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops that write a row of each thread's own from end to end, and read one:
// the same, or one that overlaps it or not, by the kernel's arguments. Both are
// in a piece of the buffer that is the thread's: nothing races.

#include "Generator.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace sluice::fuzz;
using sluice::emulator::BufferFill;
using sluice::emulator::ElementType;

void Generator::addRows() {
  if (R.chance(25))
    return;
  struct Kind {
    const char *Type;
    char As;
    unsigned Bytes;
    ElementType Part; ///< Of which it consists.
    unsigned PartBytes;
    bool IsStruct;
  };
  static const Kind Kinds[] = {
      {"unsigned char", 'u', 1, ElementType::I8, 1, false},
      {"unsigned short", 'u', 2, ElementType::I16, 2, false},
      {"float", 'f', 4, ElementType::F32, 4, false},
      {"unsigned", 'u', 4, ElementType::I32, 4, false},
      {"double", 'd', 8, ElementType::F64, 8, false},
      {"unsigned long long", 'u', 8, ElementType::I64, 8, false},
      {"Colour", 'u', 3, ElementType::I8, 1, true},
      {"Point", 'f', 12, ElementType::F32, 4, true},
      {"Record", 'u', 16, ElementType::I32, 4, true}};
  const Kind &Of = R.pick(Kinds);
  // Up to some chunks.
  const unsigned Bytes = R.pick({48u, 64u, 64u, 100u, 100u, 200u, 550u});
  const unsigned Most = std::clamp(Bytes / Of.Bytes, 12u, 160u);
  unsigned Pitch = 2 * Most + unsigned(R.between(4, 20));
  if (R.chance(40))
    Pitch = unsigned(alignTo(Pitch, 16));
  Rows = {Of.Type,
          Of.As,
          Of.IsStruct,
          Most,
          R.chance(50) ? 2u : 0u,
          std::to_string(Pitch),
          "",
          ""};

  addInteger("most", R.chance(60) ? Most : unsigned(R.between(1, int(Most))));
  if (R.chance(50)) {
    addInteger("rowPitch", Pitch);
    Rows.Pitch = "rowPitch";
  }
  auto Begin = [&](const char *Name, std::string &Text, int At) {
    At = std::clamp(At, 0, int(Pitch - Most - Rows.Behind));
    Text = std::to_string(At);
    if (R.chance(30))
      return At;
    addInteger(Name, unsigned(At));
    Text = Name;
    return At;
  };
  const int Last = int(Pitch - Most - Rows.Behind);
  const int First = Begin(
      "first", Rows.ToBegin,
      R.pick({0, R.between(1, 24), R.between(8, 16), R.between(0, Last)}));
  // The same, apart, or over it: what is written is read a few iterations
  // later, or before it is written.
  const int Second =
      Begin("second", Rows.FromBegin,
            R.pick({First, First < Last / 2 ? Last : 0, First - R.between(1, 8),
                    First - R.between(1, 3), First + R.between(1, 8)}));
  // The last thread's row is at the end of what is allocated.
  const uint64_t Elements = uint64_t(Threads - 1) * Pitch + Most + Rows.Behind +
                            unsigned(std::max(First, Second));

  const bool IsOne = R.chance(75), IsRestrict = !IsOne && R.chance(50);
  const std::string Pointer = IsRestrict ? " *__restrict__ " : " *";
  for (const char *Name : {"to", "from"}) {
    const bool IsRead = StringRef(Name) == "from";
    Parameter &P =
        addBuffer(Name, (IsRead ? "const " : "") + Rows.Type + Pointer, Of.Part,
                  Elements * Of.Bytes / Of.PartBytes);
    P.Buffer.Fill = BufferFill::Random;
    P.Buffer.Low = Of.As == 'u' ? -100 : -2;
    P.Buffer.High = Of.As == 'u' ? 100 : 2;
    if (IsRead && IsOne)
      P.SameAs = "to";
  }
}

/// What of iteration \p J the loop adds to what it reads in the row.
std::string Generator::rowTerm(const std::string &J) {
  const Input &A = R.pick(Inputs);
  switch (R.below(4)) {
  case 0:
    return J;
  case 1:
    return std::to_string(R.between(0, 9));
  case 2: // the same for all
    return formatv("int({0}[{1}])", A.Name, J);
  default:
    return formatv("int({0}[gid + {1}])", A.Name, J);
  }
}

/// The statement that writes the element \p To, of a row or of a struct. It
/// reads \p From, or nothing.
std::string Generator::rowStep(const std::string &To, const std::string &From,
                               const std::string &J) {
  const std::string Term = rowTerm(J);
  const bool IsFloat = Rows.As != 'u';
  if (R.chance(20))
    return formatv("{0} {1} {2};", To, IsFloat ? "*=" : R.pick({"+=", "^="}),
                   IsFloat ? "0.5f" : Term);
  if (R.chance(20))
    return formatv("{0} = {1};", To, Term);
  return formatv(IsFloat ? "{0} = {1} * 0.5f + {2};"
                         : "{0} = {1} * 3u + unsigned({2});",
                 To, From, Term);
}

/// Lanes have rows of different lengths.
std::string Generator::rowLength() {
  switch (R.below(6)) {
  case 0:
    return formatv("most - tid % {0}", R.between(2, 9));
  case 1:
    return formatv("most - (gid & {0}) * {1}", R.pick({1, 3}), R.between(1, 9));
  case 2:
    return formatv("int(unsigned({0}[gid]) % {1}u)", R.pick(Inputs).Name,
                   Rows.Most);
  case 3:
    return std::to_string(Rows.Most);
  default:
    return "most";
  }
}

Statement Generator::rowLoop() {
  const std::string J = fresh("j"), To = fresh("to"), From = fresh("from");
  Statement Block, Loop;
  Block.HasBody = Loop.HasBody = true;
  auto Declare = [&](const std::string &Text) {
    Block.Body.push_back({Text});
    Block.Body.back().Declares = true;
  };
  auto Row = [&](const char *Buffer, const std::string &Begin) {
    return formatv("{0} + gid * {1} + {2}", Buffer, Rows.Pitch, Begin).str();
  };
  Declare(formatv("{0} *{1} = {2};", Rows.Type, To, Row("to", Rows.ToBegin)));
  Declare(formatv("const {0} *{1} = {2};", Rows.Type, From,
                  R.chance(25) ? To : Row("from", Rows.FromBegin)));

  const bool Moves = R.chance(25), IsDown = !Moves && R.chance(8);
  const std::string Length = rowLength();
  Loop.Head =
      IsDown ? formatv("for (int {0} = {1} - 1; {0} >= 0; --{0})", J, Length)
             : formatv("for (int {0} = 0; {0} < {1}; ++{0})", J, Length);
  if (Moves)
    Loop.Head = formatv("for (int {0} = 0; {0} < {1}; ++{0}, ++{2}, ++{3})", J,
                        Length, To, From);
  const std::string At = Moves ? "0" : J;
  auto Element = [&](const std::string &Pointer, unsigned Ahead) {
    return Ahead ? formatv("{0}[{1} + {2}]", Pointer, At, Ahead).str()
                 : formatv("{0}[{1}]", Pointer, At).str();
  };
  const unsigned Ahead =
      R.chance(60) ? 0 : Rows.Behind / unsigned(R.between(1, 2));
  const std::string Written = Element(To, 0), Read = Element(From, Ahead);
  if (Rows.IsStruct) {
    const bool HasGap = R.chance(10);
    for (const char *Field : {".x", ".y", ".z"})
      if (!HasGap || StringRef(Field) != ".y")
        Loop.Body.push_back(
            {rowStep(Written + Field, Read + R.pick({".x", ".y", ".z"}), J)});
  } else {
    Loop.Body.push_back({rowStep(Written, Read, J)});
    if (R.chance(15))
      Loop.Body.push_back(
          {formatv("{0} += float({1});", variable('f')->Name,
                   Element(From, unsigned(R.between(0, int(Rows.Behind)))))});
  }
  if (R.chance(15)) { // a second row, which may overlap the first
    const std::string Also = fresh("also");
    Declare(
        formatv("{0} *{1} = {2};", Rows.Type, Also, Row("to", Rows.FromBegin)));
    Loop.Body.push_back(
        {formatv("{0}[{1}] = {2};", Also, J, Element(From, 0))});
  }
  if (R.chance(15))
    Loop.Body.push_back(outputStatement());
  if (R.chance(15))
    Loop.Body.push_back(accumulate());
  Work += Rows.Most;
  Block.Body.push_back(std::move(Loop));
  return Block;
}

void Generator::rows(Body &To) {
  for (int I = 0, N = R.between(1, 2); I < N; ++I) {
    Statement Loop = rowLoop();
    // A block as such, or for some lanes, or more than once.
    switch (R.below(6)) {
    case 0:
      Loop.Head = "if (" + condition(false) + ")";
      break;
    case 1:
      Loop.Head = formatv("if (tid % {0} != 1)", R.between(2, 5));
      break;
    case 2:
      Loop.Head = formatv("for (int {0} = 0; {0} < 2; ++{0})", fresh("j"));
      break;
    default:
      break;
    }
    To.push_back(std::move(Loop));
  }
}
