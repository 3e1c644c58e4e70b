// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is computed by fewer instructions: sums with a sign that hangs on a
// condition, integers that are packed into words, choices in loops, calls that
// many ways make, arrays of small elements, constants of double, and structs
// that begin at any byte.

#include "Generator.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;
using namespace sluice::fuzz;

/// Some sums with one sign, as a factor or as a choice.
void Generator::signedSums(Body &To) {
  const bool IsFactor = R.chance(50);
  const std::string Sign = fresh("w");
  Statement Declaration;
  Declaration.Declares = true;
  Declaration.Head =
      formatv("const {0} {1} = {2}{3};", IsFactor ? "float" : "bool", Sign,
              condition(R.chance(20)),
              !IsFactor      ? ""
              : R.chance(50) ? " ? -1.0f : 1.0f"
                             : " ? 1.0f : -1.0f");
  To.push_back(Declaration);
  const unsigned Count = unsigned(R.between(2, 5));
  for (unsigned I = 0; I < Count; ++I) {
    const std::string Sum = variable('f')->Name;
    // Mostly what is not a choice or a product itself.
    auto Operand = [&] {
      return R.chance(30) ? "bound(float(" + expression('f', 1) + "))"
                          : "float(" + load('f') + ")";
    };
    const std::string X = R.chance(50) ? Sum : Operand();
    const std::string Signed =
        IsFactor       ? formatv("{0} * {1}", Sign, X).str()
        : R.chance(50) ? formatv("({0} ? {1} : -{1})", Sign, X).str()
                       : formatv("({0} ? -{1} : {1})", Sign, X).str();
    const std::string Other = X == Sum || R.chance(50) ? Operand() : Sum;
    switch (R.below(3)) {
    case 0:
      To.push_back({formatv("{0} = {1} + {2};", Sum, Signed, Other)});
      break;
    case 1:
      To.push_back({formatv("{0} = {1} - {2};", Sum, Signed, Other)});
      break;
    default:
      To.push_back({formatv("{0} = {1} - {2};", Sum, Other, Signed)});
    }
  }
}

/// A SIMD video instruction as clang's header has it.
void Generator::packedIntegers(Body &To) {
  const std::string Type = R.pick({"u32", "s32"}), Count = R.pick({"2", "4"});
  std::string Name;
  if (R.chance(40)) {
    Name = formatv("vset{0}.{1}.{1}.{2}", Count, Type,
                   R.pick({"eq", "ne", "lt", "le", "gt", "ge"}));
  } else {
    const std::string Operation =
        R.pick({"vadd", "vsub", "vmin", "vmax", "vabsdiff", "vavrg"});
    Name = formatv("{0}{1}.{2}.{2}.{2}", Operation, Count, Type);
    if (Operation != "vavrg" && Operation != "vmin" && Operation != "vmax")
      Name += R.pick({"", "", ".sat"});
    if (Operation == "vabsdiff" && !StringRef(Name).ends_with("sat"))
      Name += R.pick({"", ".add"});
  }
  // Numbers that fill their lanes, also with the ends of their range.
  auto Operand = [&] {
    std::string Word = expression('u', 1) + " * 2654435761u";
    const char *Mask = R.pick({"", "", " | 0x7f7f7f7fu", " & 0x80808080u",
                               " & 0x80008000u", " | 0xff00ff00u"});
    return formatv("({0}){1}", Word, Mask).str();
  };
  const std::string Word = fresh("w");
  Statement S;
  S.Declares = true;
  S.Head = formatv("unsigned {0}; asm(\"{1} %0,%1,%2,%3;\" : \"=r\"({0}) : "
                   "\"r\"({2}), \"r\"({3}), \"r\"({4}));",
                   Word, Name, Operand(), Operand(), expression('u', 1));
  To.push_back(S);
  const std::string Value = Word + R.pick({"", " * 255u", " * 65535u"});
  if (const Variable *Result = variable('u'))
    To.push_back({formatv("{0} ^= {1};", Result->Name, Value)});
  else // each of its bits, as an addend that is exact for a while
    To.push_back({formatv("{0} += float(({1}) % 8191u) * 0.125f;",
                          variable('f')->Name, Value)});
}

/// A loop in which lanes go three ways or four, with little on each.
void Generator::choices(Body &To) {
  const std::string J = fresh("j"), Word = fresh("w"), Sum = fresh("w"),
                    Product = fresh("w"), Key = fresh("w");
  auto Update = [&]() -> std::string {
    switch (R.below(6)) {
    case 0:
      return formatv("{0} += {1}u;", Word, R.between(1, 99));
    case 1:
      return formatv("{0} ^= {0} << {1};", Word, R.between(1, 7));
    case 2:
      return formatv("{0} += {1}.5f; {2} += 1u;", Sum, R.between(0, 9), Word);
    case 3: // is not to be fused elsewhere
      return formatv("{0} {1} {2};", Sum, R.pick({"+=", "-="}), Product);
    case 4:
      return formatv("{0} -= {1} * 0.3f;", Sum, Product);
    default:
      return formatv("{0} += {1};", Sum, Key);
    }
  };
  Statement Declaration;
  Declaration.Declares = true;
  Declaration.Head = formatv("unsigned {0} = 1; float {1} = 0;", Word, Sum);
  To.push_back(Declaration);
  Statement Loop;
  Loop.Head = formatv("for (int {0} = 0; {0} < {1}; ++{0})", J, length(9));
  Loop.HasBody = true;
  Statement Values;
  Values.Declares = true;
  Values.Head =
      formatv("const int {0} = ({1}) % 5 + {2} % 3; const float {3} = "
              "bound(float({4})) * (0.1f + {2});",
              Key, expression('i', 1), J, Product, expression('f', 1));
  Loop.Body.push_back(Values);
  std::string Chain =
      formatv("if ({0} == {1}) {{ {2} } else if ({0} < {1}) {{ {3} } ", Key,
              R.between(-1, 2), Update(), Update());
  if (R.chance(40))
    Chain += formatv("else if ({0} & 1) {{ {1} } ", Key, Update());
  Loop.Body.push_back({Chain + "else { " + Update() + " }"});
  To.push_back(Loop);
  To.push_back({formatv("{0} += bound({1}) + float({2} % 8191u);",
                        variable('f')->Name, Sum, Word)});
}

/// A function of a number and a count that stays a function, without a body
/// yet.
static HelperFunction notInlined(StringRef Type, StringRef Name) {
  HelperFunction F;
  F.Head = formatv("__attribute__((noinline)) __device__ {0} {1}({0} x, int n)",
                   Type, Name);
  return F;
}

/// Calls with constants of a function that is not inlined. It takes doubles
/// apart as libdevice's pow does.
void Generator::constantCalls(Body &To) {
  const std::string Log = formatv("l{0}", K.Number);
  HelperFunction F = notInlined("double", Log);
  for (const char *Line :
       {"const int h = __nvvm_d2i_hi(x);",
        "const double m = __nvvm_lohi_i2d(__nvvm_d2i_lo(x), (h & 0xfffff) | "
        "0x3ff00000);",
        "const double u = __nvvm_rcp_approx_ftz_d(m + 1.0);"})
    F.Body.push_back(declared(Line));
  F.Body.push_back(declared(
      formatv("double r = (m - 1.0) * u {0};",
              R.pick({"+ ((h >> 20) - 1023)", "* 0.3 - (h >> 20)", "+ 0.1"}))));
  F.Body.push_back({formatv("for (int i = 0; i < n; ++i) r = r {0};",
                            R.pick({"* 0.5 + x", "* x + 0.7", "- 1.5"}))});
  F.Body.push_back({"return r;"});
  K.Helpers.push_back(std::move(F));
  auto Call = [&] {
    return formatv("{0}({1}, {2})", Log,
                   R.pick({"0.5", "8.0", "1.0", "3.0", "0.1"}), R.between(0, 4))
        .str();
  };
  const std::string Factor = fresh("w");
  To.push_back(declared(
      formatv("double {0} = bound(float({1}));", Factor, expression('f', 1))));
  for (int I = R.between(1, 3); I > 0; --I)
    To.push_back(
        {R.chance(50)
             ? formatv("{0} += {1} * {2};", Factor, Call(),
                       R.pick({"0.5", "0.1", "double(tid & 7)"}))
                   .str()
             : formatv("if ({0} < {1}) {0} -= {2};", Factor, Call(), Call())
                   .str()});
  To.push_back(
      {formatv("{0} += bound(float({1}));", variable('f')->Name, Factor)});
}

/// Calls of a function that stays one, on some ways or all of them, with
/// operands that are often the same.
void Generator::busyCalls(Body &To) {
  const std::string Slow = formatv("s{0}", K.Number);
  HelperFunction F = notInlined("float", Slow);
  F.Body.push_back(declared("float r = 1.5f;"));
  F.Body.push_back({formatv("for (int i = 0; i < n; ++i) r = r * 0.5f {0};",
                            R.pick({"+ x", "- x / (r + 7.0f)", "- r * x"}))});
  F.Body.push_back({"return r;"});
  K.Helpers.push_back(std::move(F));

  const std::string J = fresh("j"), Key = fresh("w"), Sum = fresh("w"),
                    Same = fresh("w"), Other = fresh("w");
  To.push_back(declared(formatv(
      "const int {0} = {1}; float {2} = bound(float({3})), {4} = {2} * 0.3f;",
      Key, expression('i', 1), Sum, expression('f', 1), Same)));
  auto Call = [&] {
    const std::string X = R.pick({"0.5f", "0.5f", "0.25f", "same", "other"});
    return formatv("{0}({1}, {2})", Slow,
                   X == "same"    ? Same
                   : X == "other" ? Other
                                  : X,
                   R.between(1, 2))
        .str();
  };
  auto Update = [&]() -> std::string {
    switch (R.below(4)) {
    case 0:
      return formatv("{0} += {1} * {2};", Sum, Call(), Other);
    case 1:
      return formatv("{0} = ({0} - {1}) * {2};", Sum, Other, Call());
    case 2:
      return formatv("if ({0} > 0.3f) {1} -= {2}; else {1} += {3};", Other, Sum,
                     Call(), Call());
    default:
      return formatv("{0} -= {1} * 0.7f;", Sum, R.chance(70) ? Call() : Other);
    }
  };
  Statement Loop;
  Loop.Head = formatv("for (int {0} = 0; {0} < {1}; ++{0})", J, length(9));
  Loop.HasBody = true;
  Loop.Body.push_back(declared(
      formatv("const float {0} = bound(float({1})) * (0.1f + float({2}));",
              Other, expression('f', 1), J)));
  Loop.Body.push_back({formatv("if (({0} + {1}) & 1) {{ {2} } else {{ {3} }",
                               Key, J, Update(), Update())});
  To.push_back(Loop);
  To.push_back({formatv(
      "{0} += bound({1}){2};", variable('f')->Name, Sum,
      R.chance(50) ? formatv(" * s{0}(0.5f, 2)", K.Number).str() : "")});
}

/// An array of small elements: set in one piece or in a few, changed at places
/// that only run time can tell, and read whole.
void Generator::smallArrays(Body &To) {
  const std::string A = fresh("w"), J = fresh("j"), K2 = fresh("j"),
                    Type = R.pick({"char", "signed char", "unsigned char",
                                   "short", "unsigned short"});
  const int Length = R.pick({R.between(2, 9), R.between(10, 40), 16});
  const int First = R.chance(40) ? 0 : R.between(1, Length - 1);
  To.push_back(declared(formatv("{0} {1}[{2}];", Type, A, Length)));
  for (auto [From, End] : {std::pair(0, First), std::pair(First, Length)})
    if (From < End)
      To.push_back({formatv("for (int {0} = {1}; {0} < {2}; ++{0}) {3}[{0}] = "
                            "{4};",
                            J, From, End, A, R.pick({"0", "0", "-1", "3"}))});
  To.push_back(
      {formatv("for (int {0} = 0; {0} < {1}; ++{0}) {2}[unsigned({3} "
               "+ {0} * 5) % {4}u] += {5};",
               J, length(9), A, expression('i', 1), Length, R.between(1, 5))});
  const char *Read = R.pick({"{0} += float({1}[{2}]) * 0.125f;",
                             "{0} = {0} * 0.5f + float({1}[{2}]);",
                             "if ({2} & 1) {0} += float({1}[{2}]);"});
  To.push_back({formatv("for (int {0} = 0; {0} < {1}; ++{0}) {2}", K2, Length,
                        formatv(false, Read, variable('f')->Name, A, K2))});
}

/// Rows of smaller elements may begin within a word.
static bool hasWords(const Input &Of) {
  return Of.Type != "short" && Of.Type != "unsigned char";
}

/// An array that is copied from one of two places, and then to another one.
void Generator::copiedArrays(Body &To) {
  const Input &A = R.pick(Inputs), &B = R.pick(Inputs);
  const unsigned Words = unsigned(R.between(3, 8));
  if (!hasWords(A) || !hasWords(B) || std::min(A.Pitch, B.Pitch) < Words)
    return;
  const std::string P = fresh("w"), Q = fresh("w"), J = fresh("j");
  auto Copy = [&](const Input &Of) {
    return formatv("__builtin_memcpy({0}, reinterpret_cast<const int *>({1}) + "
                   "unsigned({2}) % unsigned({3} * sizeof(*({1})) / 4 - {4}), "
                   "{5});",
                   P, rowAddress(Of), expression('i', 1), Of.Pitch, Words - 1,
                   Words * 4)
        .str();
  };
  // Of another size: LLVM makes one array of two that are the same.
  To.push_back(declared(
      formatv("int {0}[{1}], {2}[{3}] = {{1};", P, Words, Q, Words + 1)));
  To.push_back({Copy(A)});
  To.push_back(
      {formatv("for (int {0} = 0; {0} < {1}; ++{0}) if (({2} + {0}) & 1) {3}",
               J, length(3), expression('i', 1), Copy(B))});
  To.push_back(
      {formatv("__builtin_memcpy({0} + 1, {1}, {2});", Q, P, Words * 4)});
  To.push_back(
      {formatv("{0} += float({1}[unsigned({2}) % {3}u] & 255) * 0.5f;",
               variable('f')->Name, Q, expression('i', 1), Words + 1)});
}

/// Sums of 16 bits, several of which are copied at once to an array that stays
/// in memory.
void Generator::copiedSums(Body &To) {
  const std::string Sum = fresh("w"), Q = fresh("w"), J = fresh("j"),
                    K2 = fresh("j"), F = variable('f')->Name;
  const int Elements = R.pick({4, 8, 12});
  To.push_back(declared(formatv("short {0}[{1}] = {{{2}};", Sum, Elements,
                                R.pick({"", "1", "-3, 5"}))));
  To.push_back(declared(formatv("short {0}[{1}] = {{2};", Q, Elements + 2)));
  Statement Loop;
  Loop.HasBody = true;
  Loop.Head = formatv("for (int {0} = 0; {0} < {1}; ++{0})", J, length(4));
  Loop.Body.push_back(
      {formatv("for (int {0} = 0; {0} < {1}; ++{0}) {2}[{0}] += short(({3}) * "
               "{0} + {4});",
               K2, Elements, Sum, expression('i', 1), J)});
  To.push_back(std::move(Loop));
  for (int I = 0; I < Elements; I += 4)
    To.push_back({formatv("__builtin_memcpy({0} + {1}, {2} + {3}, 8);", Q,
                          I + R.pick({0, 2}), Sum, I)});
  To.push_back({formatv("{0} += float({1}[unsigned({2}) % {3}u]) * 0.001f;", F,
                        Q, expression('i', 1), Elements + 2)});
}

/// Two words of four bytes each, which are compared byte by byte.
void Generator::comparedBytes(Body &To) {
  // Of small integers some bytes are the same, of other words hardly any.
  const auto IsSmall = [](const Input &I) {
    return I.Type == "int" || I.Type == "unsigned";
  };
  const auto Small = find_if(Inputs, IsSmall);
  const bool IsOfSmall = Small != Inputs.end() && R.chance(80);
  const Input &A = IsOfSmall ? *Small : R.pick(Inputs),
              &B = IsOfSmall ? *Small : R.pick(Inputs);
  if (!hasWords(A) || !hasWords(B))
    return;
  const std::string P = fresh("w"), Q = fresh("w"), Count = fresh("w");
  auto Word = [&](const Input &Of) {
    return formatv("reinterpret_cast<const Quad *>({0})[unsigned({1}) % "
                   "unsigned({2} * sizeof(*({0})) / 4)]",
                   rowAddress(Of), expression('i', 1), Of.Pitch)
        .str();
  };
  To.push_back(declared(
      formatv("const Quad {0} = {1}, {2} = {3};", P, Word(A), Q, Word(B))));
  To.push_back(declared(formatv("int {0} = 0;", Count)));
  for (int I = 0, N = R.between(2, 6); I < N; ++I) {
    const StringRef Member = R.pick({"x", "y", "z", "w"});
    To.push_back({formatv("if ({0}.{1} {2} {3}.{4}) {5} += {6};", P, Member,
                          R.pick({"==", "!=", "!="}), Q,
                          R.chance(80) ? Member : "x", Count, 1 << I)});
  }
  To.push_back({formatv("{0} += float({1});", variable('f')->Name, Count)});
}

/// Two or four floats that are rounded to halves of a word, as clang's header
/// does it. A loop may sum them up.
void Generator::roundedHalves(Body &To) {
  const bool AreFour = R.chance(50);
  const StringRef WordType = AreFour ? "unsigned long long" : "unsigned";
  const std::string Word = fresh("w");
  To.push_back(declared(formatv("{0} {1} = 0;", WordType, Word)));
  std::vector<std::string> Halves;
  for (int I = 0; I < (AreFour ? 4 : 2); ++I) {
    Halves.push_back(fresh("w"));
    To.push_back(declared(formatv("unsigned short {0} = 0;", Halves.back())));
  }
  auto Joined = [&](size_t Low, size_t High, int Shift) {
    return formatv("(({0}){1} << {2} | {3})", WordType, Halves[High], Shift,
                   Halves[Low])
        .str();
  };
  std::string Value = Joined(0, 1, 16);
  if (AreFour) // in pairs, or one by one
    Value += R.chance(50) ? formatv(" | {0} << 32", Joined(2, 3, 16)).str()
                          : formatv(" | ({0}){1} << 32 | ({0}){2} << 48",
                                    WordType, Halves[2], Halves[3])
                                .str();
  Statement Loop;
  Loop.HasBody = true;
  Loop.Head =
      formatv("for (int {0} = 0; {0} < {1}; ++{0})", fresh("j"), length(9));
  Body &In = R.chance(50) ? Loop.Body : To;
  const StringRef Type = R.pick({"f16", "bf16"});
  for (const std::string &Half : Halves)
    In.push_back({formatv("asm(\"{{cvt.rn.{0}.f32 %0, %1;}\" : \"=h\"({1}) : "
                          "\"f\"({2} + {1} * 0.5f));",
                          Type, Half, load('f'))});
  In.push_back({formatv("{0} = {0} * 3u + ({1});", Word, Value)});
  if (!Loop.Body.empty())
    To.push_back(std::move(Loop));
  To.push_back({formatv("{0} += float({1} % 8191u) * 0.125f;",
                        variable('f')->Name, Word)});
}

/// A thread's own element of a shared array, which is written several times,
/// and read between by an index that is the same when it runs only. LLVM would
/// see to an array by itself that no other file can name.
void Generator::overwrittenStores(Body &To) {
  HelperFunction Array;
  const std::string Name = formatv("o{0}", K.Number), Kept = fresh("kept"),
                    F = variable('f')->Name;
  Array.Head = formatv("__device__ inline float *{0}()", Name);
  Array.Body.push_back(
      declared(formatv("__shared__ float kept[{0}];", BlockThreads)));
  Array.Body.push_back({"return kept;"});
  K.Helpers.push_back(std::move(Array));
  const std::string Slot = Kept + "[tid]",
                    Same = Kept + "[tid + int(n0 < -99999)]";
  To.push_back(declared(
      formatv("float *const {0} = {1}(); {2} = {3};", Kept, Name, Slot, F)));
  Statement Loop;
  Loop.HasBody = true;
  Loop.Head =
      formatv("for (int {0} = 0; {0} < {1}; ++{0})", fresh("j"), length(9));
  for (int I = 0, N = R.between(2, 4); I < N; ++I) {
    Body &In = R.chance(50) ? Loop.Body : To;
    if (R.chance(40))
      In.push_back({formatv("{0} += bound({1});", F, Same)});
    In.push_back({formatv(
        R.pick({"{0} = bound({0}) * 0.5f + {1};", "{0} = bound({1}) * {2};",
                "{0} += bound({1}) * 0.25f;"}),
        Slot, load('f'), F)});
  }
  if (!Loop.Body.empty())
    To.push_back(std::move(Loop));
  To.push_back({formatv("{0} = bound({0}) + {1};", F, Slot)});
}

/// Doubles in a loop with constants that no instruction has room for, some of
/// them with both signs, or chosen by a condition.
void Generator::wideConstants(Body &To) {
  const std::string X = fresh("d"), Y = fresh("d"), J = fresh("j");
  To.push_back(declared(
      formatv("double {0} = bound(double({1})), {2} = 0.3;", X, load('f'), Y)));
  std::vector<std::string> Constants;
  for (int I = 0, N = R.between(3, 7); I < N; ++I)
    Constants.push_back(formatv("0.{0}3", R.between(1, 99)));
  auto Constant = [&] { return R.pick(Constants); };
  Statement Loop;
  Loop.HasBody = true;
  Loop.Head = formatv("for (int {0} = 0; {0} < {1}; ++{0})", J, length(9));
  for (int I = 0, N = R.between(4, 8); I < N; ++I) {
    Body &In = R.chance(80) ? Loop.Body : To;
    In.push_back({formatv(
        R.pick({"{0} = bound({0}) * {2} + {3};", "{1} = {0} * {2} - {1} * {3};",
                "{1} = {2} - bound({0}) * {3};",
                "{1} = bound({0} * {2} - {0} * -{2} * {3});",
                "{0} += {1} * ({0} > {2} ? {2} : {3});",
                "{1} = bound({1}) * {2} + {0} / {3};"}),
        R.chance(70) ? X : Y, R.chance(70) ? Y : X, Constant(), Constant())});
  }
  Loop.Body.push_back({formatv("{0} = bound({0}); {1} = bound({1});", X, Y)});
  To.push_back(std::move(Loop));
  To.push_back({formatv("{0} += float(bound({1} + {2} * {3}));",
                        variable('f')->Name, X, Y, Constant())});
}

/// Two elements, whose conditions lead out one after the other.
void Generator::joinedConditions(Body &To) {
  const Input &A = R.pick(Inputs), &B = R.pick(Inputs);
  const std::string P = fresh("w"), Q = fresh("w");
  auto Element = [&](const Input &Of) {
    return formatv("int(({0})[unsigned({1}) % {2}u])", rowAddress(Of),
                   expression('i', 1), std::max<unsigned>(1, Of.Pitch))
        .str();
  };
  To.push_back(declared(formatv("const int {0} = {1}, {2} = {3};", P,
                                Element(A), Q, Element(B))));
  const std::string J = fresh("j"), F = variable('f')->Name;
  auto Edge = [&] {
    return R.chance(50) ? "n0" : std::to_string(R.between(-60, 60));
  };
  std::string Test = formatv("{0} < {1}", P, R.between(-60, 0));
  for (int I = 0, N = R.between(1, 3); I < N; ++I)
    Test += formatv(" || {0} {1} {2}", R.chance(70) ? Q : P,
                    R.pick({"<", ">=", "=="}), Edge());
  To.push_back(
      {formatv("if (!({0})) for (int {1} = 0; {1} <= ({2} & 3); ++{1}) "
               "{3} = bound({3} * 0.5f + float({4} * {1} + {2}));",
               Test, J, Q, F, P)});
}

/// A struct of four bytes that begins anywhere in a row, and some of its
/// members.
void Generator::pixel(Body &To) {
  const Input &A = R.pick(Inputs);
  if (A.Pitch < sizeof(uint32_t)) // of any type
    return;
  const std::string P = fresh("w"), Row = rowAddress(A);
  To.push_back(
      declared(formatv("const Pixel {0} = *reinterpret_cast<const Pixel *>("
                       "reinterpret_cast<const char *>({1}) + unsigned({2}) % "
                       "unsigned({3} * sizeof(*({1})) - 3));",
                       P, Row, expression('i', 1), A.Pitch)));
  for (int I = 0, N = R.between(1, 4); I < N; ++I)
    To.push_back(
        {formatv("{0} {1} float({2}.at({3})) * 0.125f;", variable('f')->Name,
                 R.pick({"+=", "-="}), P, R.between(0, 3))});
}
