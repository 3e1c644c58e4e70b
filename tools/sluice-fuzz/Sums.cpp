// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops that add up in memory, in one element in all iterations, and read a row
// in which that element may be. Each thread has rows of its own: nothing races,
// whatever overlaps.

#include "Generator.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;
using namespace sluice::fuzz;
using sluice::emulator::BufferFill;
using sluice::emulator::ElementType;

/// Long enough not to be unrolled whole, or too short to be promoted.
static constexpr unsigned MaxWidth = 48;

void Generator::addSums() {
  if (R.chance(15))
    return;
  struct Kind {
    const char *Type;
    char As;
    ElementType Element;
  };
  Kind Of = R.pick({Kind{"float", 'f', ElementType::F32},
                    Kind{"float", 'f', ElementType::F32},
                    Kind{"double", 'd', ElementType::F64},
                    Kind{"int", 'i', ElementType::I32}});
  Overlapping = {"in", Of.Type, Of.As, Threads, MaxWidth + 8, ""};
  Overlapping.PitchText = std::to_string(Overlapping.Pitch);
  const std::string Type = Of.Type;
  Parameter &Written = addBuffer("io", Type + " *", Of.Element,
                                 uint64_t(Threads) * Overlapping.Pitch);
  Written.Buffer.Fill = BufferFill::Random;
  Written.Buffer.Low = -2;
  Written.Buffer.High = 2;
  Parameter &Read = addBuffer("in", "const " + Type + " *", Of.Element, 1);
  Read.SameAs = "io";
  addInteger("width", unsigned(R.between(6, int(MaxWidth))));
  addInteger("shift", unsigned(R.between(0, int(Overlapping.Pitch) - 2)));
}

/// Read in iteration \p J, at an address that is known before the loop.
std::string Generator::summand(const std::string &J) {
  const Input &A = R.pick(Inputs);
  const char *Cast = Overlapping.As == 'f'   ? "float"
                     : Overlapping.As == 'd' ? "double"
                                             : "int";
  switch (R.below(5)) {
  case 0:
  case 1:
    return formatv("in[gid * {0} + {1}]", Overlapping.Pitch, J);
  case 2: // down the row
    return formatv("in[gid * {0} + {1} - {2}]", Overlapping.Pitch, MaxWidth, J);
  case 3: // the same for all
    return formatv("{0}({1}[{2}])", Cast, A.Name, J);
  default:
    return formatv("{0}({1}[gid + {2}])", Cast, A.Name, J);
  }
}

/// Of what all iterations read alike.
std::string Generator::sharedProduct() {
  return formatv("bound(in[gid * {0} + {1}]) * bound({2}[gid])",
                 Overlapping.Pitch, R.between(0, int(MaxWidth)),
                 R.pick(Inputs).Name);
}

/// The statement with which \p Slot becomes the next sum.
std::string Generator::sumOf(const std::string &Slot, const std::string &J) {
  std::string First = summand(J), Second = summand(J);
  if (Overlapping.As == 'i')
    return formatv("{0} = int(unsigned({0}) {1} unsigned({2}) {3} "
                   "unsigned({4}));",
                   Slot, R.pick({"+", "-", "^"}), First, R.pick({"*", "+"}),
                   Second);
  const char *Suffix = Overlapping.As == 'f' ? "f" : "";
  // Factors that are constant, or small: what overlaps must not grow without
  // bounds.
  switch (R.below(11)) {
  case 0:
    return formatv("{0} += {1};", Slot, First);
  case 7: // the same product in all iterations, unless the sum is in it
    return formatv("{0} += {1};", Slot, sharedProduct());
  case 8:
    return formatv("{0} -= {1};", Slot, sharedProduct());
  case 9:
    return formatv("{0} += {1} * 0.3{2} + {3};", Slot, First, Suffix,
                   sharedProduct());
  case 1:
    return formatv("{0} -= {1};", Slot, First);
  case 2:
    return formatv("{0} += {1} * 0.3{2};", Slot, First, Suffix);
  case 3:
    return formatv("{0} -= {1} * 0.7{2} + {3} * 0.1{2};", Slot, First, Suffix,
                   Second);
  case 4:
    return formatv("{0} = {0} * 0.5{2} + {1};", Slot, First, Suffix);
  case 5:
    return formatv("{0} = {1} * 0.3{2} - {0};", Slot, First, Suffix);
  case 6:
    return formatv("{0} = ({0} + {1}) * 0.9{2};", Slot, First, Suffix);
  default:
    return formatv("{0} += {1} * bound({2}) * 0.001{3};", Slot, First, Second,
                   Suffix);
  }
}

std::string Generator::sumHead(const std::string &J) {
  const char *Count = R.chance(75) ? "width" : "40";
  return R.chance(75)
             ? formatv("for (int {0} = 0; {0} < {1}; ++{0})", J, Count).str()
             : formatv("for (int {0} = {1} - 1; {0} >= 0; --{0})", J, Count)
                   .str();
}

/// Sums in the fields of a struct, of the fields of the same or another one:
/// those of a part of it are not C++.
Statement Generator::fieldSums() {
  constexpr int MostFields = 12, Structs = MaxWidth / MostFields;
  const int Fields =
      R.chance(75) ? R.between(9, MostFields) : R.between(2, MostFields);
  const char *Type = Overlapping.As == 'f'   ? "float"
                     : Overlapping.As == 'd' ? "double"
                                             : "int";
  std::string Name = fresh("Fields"), Sums = fresh("sums"),
              From = fresh("from"), J = fresh("j");
  Statement Block, Loop;
  Block.HasBody = Loop.HasBody = true;
  Block.Head = "if (width > 0)";
  auto Declare = [&](std::string Text) {
    Block.Body.push_back({std::move(Text)});
    Block.Body.back().Declares = true;
  };
  std::string Members;
  for (int I = 0; I < Fields; ++I)
    Members += formatv("{0} s{1}; ", Type, I);
  Declare(formatv("struct {0} {{ {1}};", Name, Members));
  auto At = [&](const char *Buffer, std::string Which) {
    return formatv("({0} *)({1} + gid * {2} + {3} * ({4}))", Name, Buffer,
                   Overlapping.Pitch, MostFields, Which)
        .str();
  };
  Declare(formatv("{0} *{1} = {2};", Name, Sums,
                  At("io", formatv("shift % {0}", Structs))));
  Declare(formatv("const {0} *{1} = {2};", Name, From,
                  At("in", R.chance(50) ? formatv("width % {0}", Structs).str()
                                        : std::to_string(R.below(Structs)))));
  if (With.Copies)
    Block.Body.push_back({formatv("*{0} = *{1};", Sums, From)});
  Loop.Head = sumHead(J);
  for (int I = 0; I < Fields; ++I) {
    std::string Slot = formatv("{0}->s{1}", Sums, I);
    std::string Read =
        formatv("{0}->s{1}", From, R.chance(85) ? I : R.between(0, Fields - 1));
    const char *Sign = R.pick({"+", "-"});
    if (R.chance(7))
      Loop.Body.push_back({sumOf(Slot, J)});
    else if (Overlapping.As == 'i')
      Loop.Body.push_back({formatv(
          "{0} = int(unsigned({0}) {1} unsigned({2}));", Slot, Sign, Read)});
    else
      Loop.Body.push_back({formatv("{0} {1}= {2} * 0.3{3};", Slot, Sign, Read,
                                   Overlapping.As == 'f' ? "f" : "")});
  }
  Work += MaxWidth;
  Block.Body.push_back(std::move(Loop));
  return Block;
}

Statement Generator::sumLoop() {
  std::string J = fresh("j");
  Statement S;
  S.HasBody = true;
  S.Braces = R.chance(50);
  S.Head = sumHead(J);
  // In front of the row, in it, behind it.
  std::string Slot = formatv("io[gid * {0} + {1}]", Overlapping.Pitch,
                             R.pick({"shift", "shift", "shift + 1", "width"}));
  S.Body.push_back({sumOf(Slot, J)});
  if (R.chance(20))
    S.Body.push_back({sumOf(formatv("io[gid * {0} + {1}]", Overlapping.Pitch,
                                    Overlapping.Pitch - 1),
                            J)});
  if (R.chance(15))
    S.Body.push_back(
        {formatv("{0} += float({1});", variable('f')->Name, summand(J))});
  Work += MaxWidth;
  return S;
}

/// Its step is known when it runs only, for each thread its own or for all the
/// same; the bound may leave any number of iterations.
void Generator::stridedLoop(Body &To) {
  const Input &A = R.pick(Inputs), &B = R.pick(Inputs);
  const unsigned Elements = std::min(A.Rows * A.Pitch, B.Rows * B.Pitch);
  const std::string J = fresh("j");
  Statement Loop;
  Loop.Head = formatv(
      "for ({0} {1} = {2}; {1} < {3}; {1} += {4})",
      R.pick({"int", "int", "unsigned", "long long", "unsigned long long"}), J,
      R.pick({"tid", "0", "tid & 7"}),
      R.chance(70) ? std::to_string(R.between(1, int(Elements)))
                   : formatv("min({0}, int(blockDim.x) * {1})", Elements,
                             R.between(1, 9))
                         .str(),
      R.chance(60) ? std::string("blockDim.x") : std::string("1 + (gid & 31)"));
  Loop.HasBody = true;
  Loop.Braces = true;
  auto Of = [&](const Input &From) {
    return formatv("bound(float({0}[{1}]))", From.Name, J).str();
  };
  const std::string Sum = variable('f')->Name;
  switch (R.below(4)) {
  case 0:
    Loop.Body.push_back({formatv("{0} += {1};", Sum, Of(A))});
    break;
  case 1:
    Loop.Body.push_back(
        {formatv("{0} = 0.5f * bound({0}) + {1};", Sum, Of(A))});
    break;
  case 2:
    Loop.Body.push_back(
        {formatv("if ({0} > 0.1f) {1} += 0.25f * {2};", Of(A), Sum, Of(B))});
    break;
  default:
    Loop.Body.push_back(
        {formatv("{0} = bound({0}) + {1} * {2};", Sum, Of(A), Of(B))});
    break;
  }
  Work += 10;
  To.push_back(std::move(Loop));
}

/// It writes a part of the thread's row by its index, and reads another one,
/// which may be the same, or overlap it.
void Generator::stridedWrites(Body &To) {
  const std::string J = fresh("j"), W = fresh("w"), V = fresh("v");
  const unsigned Pitch = Overlapping.Pitch;
  const bool IsDown = R.chance(50);
  To.push_back(declared(formatv(
      "{0} *const {1} = io + gid * {3}{4}; const {0} *const {2} = in + gid * "
      "{3}{5};",
      Overlapping.Type, W, V, Pitch, IsDown ? "" : " + (shift & 3)",
      IsDown ? " + (shift & 3)" : "")));
  Statement Loop;
  Loop.Head = formatv("for ({4} {0} = {1}; {0} < {2} - 3; {0} += {3})", J,
                      R.pick({"0", "0", "gid & 1"}), Pitch,
                      R.pick({"1 + (gid & 3)", "1 + int(n0 < -99999)"}),
                      R.pick({"int", "int", "long long"}));
  Loop.HasBody = true;
  if (Overlapping.As == 'i')
    Loop.Body.push_back({formatv("{0}[{1}] = {2}[{1}] / 2 + {1};", W, J, V)});
  else
    Loop.Body.push_back(
        {formatv("{0}[{1}] = {2}[{1}] * 0.5f + 0.25f;", W, J, V)});
  Work += Pitch;
  To.push_back(std::move(Loop));
}

/// It goes through a part of the thread's row by a constant step, in place:
/// most of these read what no other iteration writes.
void Generator::ownWrites(Body &To) {
  const unsigned Pitch = Overlapping.Pitch;
  const std::string J = fresh("j"), W = fresh("w"), F = variable('f')->Name;
  To.push_back(declared(
      formatv("{0} *const {1} = io + gid * {2};", Overlapping.Type, W, Pitch)));
  const unsigned Step = R.pick({1U, 1U, 2U, 3U});
  auto At = [&](unsigned Behind) {
    return formatv("{0}[{1} * {2} + {3}]", W, J, Step, Behind).str();
  };
  Statement Loop;
  Loop.HasBody = Loop.Braces = true;
  const int Most = int((Pitch - 4) / Step);
  Loop.Head = formatv("for (int {0} = 0; {0} < {1}; ++{0})", J,
                      R.chance(30) ? std::to_string(Most) : length(Most));
  const std::string Own = At(0), Other = At(R.below(Step + 1));
  if (Overlapping.As == 'i') {
    Loop.Body.push_back({formatv("{0} = {1} / 2 + {2};", Own, Other, J)});
  } else {
    if (R.chance(40))
      Loop.Body.push_back(
          {formatv("{0} = bound({0}) + 0.5f * float({1});", F, Other)});
    const bool IsProduct = R.chance(50);
    Loop.Body.push_back(
        {formatv("{0} = bound({1}) * 0.5f{2};", Own, Other,
                 IsProduct ? "" : formatv(" + {0} * 0.1f", F).str())});
  }
  Work += Pitch;
  To.push_back(std::move(Loop));
}

void Generator::sums(Body &To) {
  if (With.Strided && R.chance(50))
    ownWrites(To);
  if (With.Strided && R.chance(70))
    stridedLoop(To);
  if (With.Strided && R.chance(70))
    stridedWrites(To);
  for (int I = 0, N = R.between(1, 2); I < N; ++I) {
    if (R.chance(20))
      To.push_back({formatv("io[gid * {0} + shift] = 0;", Overlapping.Pitch)});
    if (R.chance(75)) {
      To.push_back(sumLoop());
      continue;
    }
    Statement Around;
    Around.HasBody = true;
    Around.Head =
        R.chance(50)
            ? "if (" + condition(false) + ")"
            : formatv("for (int {0} = 0; {0} < 2; ++{0})", fresh("j")).str();
    Around.Body.push_back(sumLoop());
    To.push_back(std::move(Around));
  }
  if (R.chance(30))
    To.push_back(fieldSums());
  if (With.Arrays)
    arrays(To);
  if (With.Angles)
    angles(To);
}
