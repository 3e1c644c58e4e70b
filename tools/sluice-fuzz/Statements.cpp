// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Generator.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;
using namespace sluice::fuzz;

/// In all, for one thread. A helper's count where it is called.
static constexpr unsigned MaxWork = 400;
static constexpr unsigned MaxDepth = 4;

void Generator::statements(Body &To, Place P, unsigned Count) {
  for (unsigned I = 0; I < Count; ++I)
    statement(To, P);
}

void Generator::statement(Body &To, Place P) {
  bool MayNest = P.Depth < MaxDepth && Work < MaxWork;
  // Few places allow these.
  if (P.Together && !Shared.empty() && !MayHaveReturned &&
      R.chance(With.Small ? 60 : 25))
    return exchange(To, P);
  if (P.Together && !Flags.empty() && !MayHaveReturned && R.chance(25))
    return spin(To);
  if (With.Packed && R.chance(25))
    return R.chance(50) ? signedSums(To) : packedIntegers(To);
  switch (R.below(26)) {
  case 0:
  case 1:
  case 2:
    return To.push_back(accumulate());
  case 3:
    return To.push_back(assignment());
  case 4:
  case 5:
  case 6:
    if (!InHelper)
      To.push_back(outputStatement());
    return;
  case 7:
  case 8:
    return declaration(To);
  case 9:
  case 10:
    if (!InHelper && Work < MaxWork)
      callStatements(To);
    return;
  case 11:
    if (!Counters.empty() && !InHelper)
      To.push_back(atomic());
    return;
  case 12:
  case 13:
  case 14:
    if (MayNest)
      To.push_back(conditional(P));
    return;
  case 15:
    if (MayNest)
      To.push_back(choice(P));
    return;
  case 16:
    return localArray(To);
  case 17:
    if (!InHelper && Work < MaxWork)
      lambda(To);
    return;
  case 18:
    return leave(To, P);
  case 19:
  case 20:
  case 21:
    if (MayNest)
      return R.chance(20) ? pointerLoop(To, P) : loop(To, P);
    return;
    return;
  case 22:
  case 23:
    return exchange(To, P);
  case 24:
    if (P.Together)
      shuffle(To);
    return;
  default:
    if (!MayNest)
      return;
    Statement Block; // a scope of its own
    Block.HasBody = true;
    Scope S(*this);
    ++P.Depth;
    statements(Block.Body, P, unsigned(R.between(1, 3)));
    To.push_back(std::move(Block));
  }
}

//===- Simple statements --------------------------------------------------===//

Statement Generator::accumulate() {
  const Variable &V = R.pick(Variables);
  std::string Value = expression(V.Type);
  switch (V.Type) {
  case 'f':
  case 'd':
    if (R.chance(30))
      return {formatv("{0} = {0} * {1} + {2};", V.Name,
                      V.Type == 'f' ? "0.5f" : "0.25", Value)};
    return {formatv("{0} {1} {2};", V.Name, R.pick({"+=", "-="}), Value)};
  case 'u':
    return {formatv("{0} {1} {2};", V.Name, R.pick({"+=", "-=", "^=", "*="}),
                    Value)};
  default:
    return {R.chance(50) ? formatv("{0} = int(unsigned({0}) + unsigned({1}));",
                                   V.Name, Value)
                         : formatv("{0} ^= {1};", V.Name, Value)};
  }
}

Statement Generator::assignment() {
  const Variable &V = R.pick(Variables);
  return {formatv("{0} = {1};", V.Name, expression(V.Type))};
}

Statement Generator::outputStatement() {
  const Output &O = R.pick(Outputs);
  std::string Slot = O.Name + "[" + ownSlot(O) + "]";
  std::string Value = expression(O.Type);
  if (R.chance(25))
    return {formatv("{0} = {1};", Slot, Value)};
  switch (O.Type) {
  case 'f':
  case 'd':
    return {formatv("{0} += {1};", Slot, Value)};
  case 'u':
    return {formatv("{0} = {0} * 5u + {1};", Slot, Value)};
  case 'i':
    return {formatv("{0} = int(unsigned({0}) + unsigned({1}));", Slot, Value)};
  default:
    return {formatv("{0} ^= {1};", Slot, Value)};
  }
}

void Generator::declaration(Body &To) {
  struct Declared {
    const char *Text;
    char Type;
  };
  Declared D = R.pick({Declared{"float", 'f'}, Declared{"float", 'f'},
                       Declared{"int", 'i'}, Declared{"unsigned", 'u'},
                       Declared{"double", 'd'}});
  Statement S;
  S.Declares = true;
  std::string Name = fresh("v");
  if (R.chance(20)) { // without a value at first
    S.Head = formatv("{0} {1};", D.Text, Name);
    To.push_back(S);
    To.push_back({formatv("{0} = {1};", Name, expression(D.Type))});
  } else if (R.chance(20)) {
    std::string Second = fresh("v");
    S.Head = formatv("{0} {1} = {2}, {3} = {4};", D.Text, Name,
                     expression(D.Type), Second, expression(D.Type));
    Variables.push_back({Second, D.Type});
    To.push_back(S);
  } else {
    S.Head = formatv("{0} {1} = {2};", D.Text, Name, expression(D.Type));
    To.push_back(S);
  }
  Variables.push_back({Name, D.Type});
}

/// A loop in a function, called in all the ways that there are. Long because it
/// has a case for each of them.
void Generator::callStatements(Body &To) {
  Statement S;
  const Variable *Sum = variable('f');
  std::string Name = fresh("v");
  const Input &A = R.pick(Inputs);
  switch (R.below(12)) {
  case 0:
  case 1:
    S.Head =
        formatv("{0} {1} = {2};", R.pick({"float", "double"}), Name, call());
    S.Declares = true;
    To.push_back(S);
    Variables.push_back({Name, StringRef(S.Head)[0]});
    return;
  case 2:
    S.Head = formatv("{0} {1} = {2}, {1}b = {3};",
                     R.pick({"const float", "auto"}), Name, call(), call());
    S.Declares = true;
    To.push_back(S);
    if (Sum)
      To.push_back({formatv("{0} += {1} - {1}b;", Sum->Name, Name)});
    return;
  case 3: // for a class the rest of the scope goes along
    S.Head = formatv("{0} {1} = pairOf({2}, {3});",
                     R.pick({"Pair", "const Pair", "auto"}), Name,
                     rowAddress(A), length(A.Pitch));
    S.Declares = true;
    To.push_back(S);
    if (Sum)
      To.push_back(
          {formatv("{0} += {1}.sum + float({1}.count);", Sum->Name, Name)});
    return;
  case 4:
    S.Head = formatv("const float &{0} = {1};", Name, call());
    S.Declares = true;
    To.push_back(S);
    if (Sum)
      To.push_back({formatv("{0} -= {1};", Sum->Name, Name)});
    return;
  case 5:
    if (Sum)
      To.push_back({formatv("addInto({0}, View<{1}>{{{2}, {3}});", Sum->Name,
                            A.Type, rowAddress(A), length(A.Pitch))});
    return;
  case 6:
    if (Sum)
      To.push_back({formatv("SUM_OF({0}, {1}, {2});", Sum->Name, rowAddress(A),
                            length(A.Pitch))});
    return;
  case 7: // two loops at one place
    S.HasBody = true;
    if (Sum)
      S.Body.push_back(
          {formatv("SUM_OF({0}, {1}, {2}); SUM_OF({0}, {3}, {4});", Sum->Name,
                   rowAddress(A), length(A.Pitch), A.Name, length(A.Pitch))});
    To.push_back(S);
    return;
  case 8:
    if (Sum)
      To.push_back(
          {formatv("{0} += {1}, {0} -= {2};", Sum->Name, call(), call())});
    return;
  case 9:
    if (Sum)
      To.push_back({formatv("{0} = {1} ? {2} : {3};", Sum->Name,
                            condition(R.chance(50)), call(), call())});
    return;
  case 10:
    S.Head = formatv("if (float {0} = {1})", Name, call());
    S.HasBody = true;
    if (Sum)
      S.Body.push_back({formatv("{0} += {1};", Sum->Name, Name)});
    To.push_back(S);
    return;
  default:
    To.push_back({formatv(
        "{0}[{1}] {2} bound({3});", Outputs[0].Name, ownSlot(Outputs[0]),
        Outputs[0].Type == 'f' || Outputs[0].Type == 'd' ? "+=" : "=",
        Outputs[0].Type == 'u' ? "float(gid)" : call())});
  }
}

Statement Generator::atomic() {
  if (R.chance(70))
    return {formatv("atomicAdd(&{0}[{1} & 15], {2});", Counters,
                    expression('u', 1), expression('i', 1))};
  return {formatv("atomicAdd({0} + {1}, 1);", Counters, R.below(16))};
}

void Generator::localArray(Body &To) {
  std::string Name = fresh("a");
  unsigned Size = R.pick({2u, 4u, 8u});
  bool IsFloat = R.chance(60);
  char Type = IsFloat ? 'f' : 'u';
  Statement Declaration;
  Declaration.Declares = true;
  Declaration.Head = formatv("{0} {1}[{2}] = {{};",
                             IsFloat ? "float" : "unsigned", Name, Size);
  To.push_back(Declaration);

  Statement Fill;
  Fill.Head = formatv("for (int i = 0; i < {0}; ++i)", Size);
  Fill.HasBody = true;
  Fill.Braces = false;
  {
    Scope S(*this);
    Indices.push_back({"i", Size, true});
    Fill.Body.push_back({formatv("{0}[i] = {1};", Name, expression(Type, 1))});
  }
  To.push_back(Fill);
  const Variable *Sum = variable(Type);
  if (!Sum)
    return;
  if (R.chance(50)) {
    Statement Read;
    Read.Head =
        formatv("for ({0} e : {1})", IsFloat ? "float" : "unsigned", Name);
    Read.HasBody = true;
    Read.Braces = R.chance(50);
    std::string Factor = IsFloat ? "bound(" + load('f') + ")" : load('u');
    Read.Body.push_back({formatv("{0} += e * {1};", Sum->Name, Factor)});
    To.push_back(Read);
  } else {
    To.push_back({formatv("{0} += {1}[{2} & {3}];", Sum->Name, Name,
                          expression('u', 1), Size - 1)});
  }
}

void Generator::lambda(Body &To) {
  const Variable *Sum = variable('f');
  if (!Sum)
    return;
  std::string Name = fresh("f");
  const Input &A = R.pick(Inputs);
  bool ByReference = R.chance(50);
  Statement S;
  S.Declares = true;
  S.HasBody = true;
  S.Head = formatv("auto {0} = [{1}](int n)", Name, ByReference ? "&" : "=");
  S.Tail = ";";
  S.Body.push_back({"float sum = 0;"});
  S.Body.back().Declares = true;
  Statement Loop;
  Loop.Head = "for (int i = 0; i < n; ++i)";
  Loop.HasBody = true;
  Loop.Braces = R.chance(50);
  Loop.Body.push_back({formatv("sum += float(({0})[i]);", rowAddress(A))});
  S.Body.push_back(Loop);
  if (ByReference && R.chance(50))
    S.Body.push_back({formatv("{0} += 1.0f;", Sum->Name)});
  S.Body.push_back({"return sum;"});
  To.push_back(S);
  To.push_back({formatv("{0} += {1}({2});", Sum->Name, Name, length(A.Pitch))});
}

//===- Conditions and jumps -----------------------------------------------===//

Statement Generator::conditional(Place P) {
  bool Uniform = R.chance(40);
  Statement S;
  S.Head = "if (" + condition(Uniform) + ")";
  S.HasBody = true;
  S.Braces = R.chance(60);
  P.Together &= Uniform;
  ++P.Depth;
  {
    Scope Then(*this);
    if (R.chance(35) && Work < MaxWork)
      loop(S.Body, P);
    else
      statements(S.Body, P, unsigned(R.between(1, 3)));
  }
  if (R.chance(40)) {
    Scope Else(*this);
    statements(S.Else, P, unsigned(R.between(1, 2)));
  }
  return S;
}

Statement Generator::choice(Place P) {
  bool Uniform = R.chance(40);
  Statement S;
  S.Head =
      formatv("switch ({0} & 3)", Uniform ? uniformInt() : expression('i', 1));
  S.HasBody = true;
  P.Together = false; // nobody makes barriers depend on which case this is
  P.InSwitch = true;
  ++P.Depth;
  for (int I = 0, N = R.between(1, 3); I < N; ++I) {
    Statement Case;
    Case.Head = formatv("case {0}:", I);
    Case.HasBody = true;
    Case.Tail = R.chance(75) ? " break;" : " [[fallthrough]];";
    Scope Here(*this);
    if (R.chance(30) && Work < MaxWork)
      loop(Case.Body, P);
    else
      statements(Case.Body, P, unsigned(R.between(1, 2)));
    S.Body.push_back(std::move(Case));
  }
  Statement Default;
  Default.Head = "default:";
  Default.HasBody = true;
  Default.Tail = " break;";
  {
    Scope Here(*this);
    statements(Default.Body, P, unsigned(R.between(0, 2)));
  }
  S.Body.push_back(std::move(Default));
  return S;
}

/// break, continue or return, on a condition.
void Generator::leave(Body &To, Place P) {
  Statement S;
  S.HasBody = true;
  S.Braces = R.chance(30);
  bool Uniform = R.chance(40);
  if (P.InLoop) {
    // Where threads may not part, barriers follow.
    Uniform |= !P.MayPart;
    if (!P.Together && !P.MayPart)
      return;
    S.Head = "if (" + condition(Uniform) + ")";
    bool MayBreak = !P.InSwitch;
    if (R.chance(8)) {
      S.Body.push_back({InHelper ? "return bound(sum);" : "return;"});
      MayHaveReturned |= !Uniform || !P.Together || GridWide;
    } else if (MayBreak && (!P.MayContinue || R.chance(50))) {
      S.Body.push_back({"break;"});
    } else if (P.MayContinue) {
      S.Body.push_back({"continue;"});
    } else {
      return;
    }
    To.push_back(S);
    return;
  }
  // Rarely: what follows is then for few threads.
  if (!R.chance(30) || P.InSwitch)
    return;
  S.Head = "if (" + condition(Uniform) + ")";
  S.Body.push_back({InHelper ? "return bound(sum);" : "return;"});
  MayHaveReturned |= !Uniform || !P.Together || GridWide;
  To.push_back(S);
}
