// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Reads inline PTX. First LLVM's own markup is taken out of the asm string
/// (operands, alternatives), each character keeping its place for messages;
/// then a recursive descent reads statements:
///
///   statement: '{' | '}' | ';' | label ':' | '.reg' ... ';' | instruction ';'
///   instruction: ['@' ['!'] name] opcode [operand {',' operand}]
///   operand: primary ['|' primary]
///   primary: ['!'] name | constant | '{' list '}' | '[' list ']' | '_'

#include "sluice/Emulator/PTXSnippet.h"
#include "PTXSnippetText.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSwitch.h"

using namespace llvm;
using namespace sluice::emulator;

namespace {

class Parser {
public:
  Parser(StringRef Asm, const PlainText &Plain)
      : Asm(Asm), Plain(Plain), Text(Plain.Text) {}

  Expected<PTXSnippet> parse() {
    Scopes.push_back({});
    Open.push_back(0);
    while (skipSpace(), At < Text.size())
      if (Error E = parseStatement())
        return std::move(E);
    if (Open.size() > 1)
      return fail("'{' is not closed");
    resolveLabels();
    return std::move(Result);
  }

private:
  struct Scope {
    unsigned Parent = 0;
    StringMap<unsigned> Registers; ///< To Result.Registers.
    StringMap<std::string> Labels; ///< To names that are unique in the snippet.
  };

  StringRef Asm;
  const PlainText &Plain;
  StringRef Text;
  size_t At = 0;
  PTXSnippet Result;
  std::vector<Scope> Scopes;
  std::vector<unsigned> Open;    ///< Of Scopes, the outermost first.
  std::vector<unsigned> ScopeOf; ///< For each instruction.
  bool InCall = false;           ///< '(' begins a list, not an expression.

  Error fail(const Twine &Message) { return failAt(At, Message); }
  Error failAt(size_t Place, const Twine &Message) {
    return errorInPTX(Asm, Plain.place(Place, Asm.size()), Message);
  }

  void skipSpace() { At = skipPTXSpace(Text, At); }
  bool peek(char C) {
    skipSpace();
    return At < Text.size() && Text[At] == C;
  }
  bool eat(char C) {
    if (!peek(C))
      return false;
    ++At;
    return true;
  }
  bool eat(StringRef S) {
    skipSpace();
    if (!Text.substr(At).starts_with(S))
      return false;
    At += S.size();
    return true;
  }
  Error expect(char C) {
    if (eat(C))
      return Error::success();
    if (At >= Text.size())
      return fail(Twine("'") + Twine(C) + "' is missing at the end");
    return fail(Twine("'") + Twine(C) + "' is missing");
  }
  StringRef eatName() {
    skipSpace();
    if (At >= Text.size() || !isNameStart(Text[At]))
      return "";
    size_t Start = At++;
    while (At < Text.size() && isNamePart(Text[At]))
      ++At;
    return Text.slice(Start, At);
  }

  /// The innermost scope's value of a name, else null.
  const unsigned *findRegister(StringRef Name) const {
    for (unsigned Scope : reverse(Open))
      if (auto Found = Scopes[Scope].Registers.find(Name);
          Found != Scopes[Scope].Registers.end())
        return &Found->second;
    return nullptr;
  }

  Error parseStatement();
  Error parseRegisters();
  Error parseInstruction();
  Expected<PTXOperand> parseOperand();
  Expected<PTXOperand> parsePrimary();
  Expected<PTXOperand> parseAddress();
  Expected<PTXOperand> parseList(char Close);
  Expected<PTXOperand> parseNamed();
  Expected<unsigned> parseAsmOperand();
  Expected<PTXOperand> parseImmediate();
  Expected<PTXConstant> parseConstant();
  void resolveLabels();
  void resolveSymbols(PTXOperand &Operand, unsigned Scope);
};

Error Parser::parseStatement() {
  if (eat(';'))
    return Error::success();
  if (eat('{')) {
    Scope Inner;
    Inner.Parent = Open.back();
    Open.push_back(unsigned(Scopes.size()));
    Scopes.push_back(std::move(Inner));
    return Error::success();
  }
  if (peek('}')) {
    if (Open.size() == 1)
      return fail("'}' without '{'");
    ++At;
    Open.pop_back();
    return Error::success();
  }
  if (peek('.')) {
    size_t Start = At;
    if (eat(".reg"))
      return parseRegisters();
    // These say nothing about what is computed.
    if (eat(".pragma") || eat(".loc") || eat(".file")) {
      At = Text.find(';', At);
      if (At == StringRef::npos)
        return failAt(Start, "';' is missing after the directive");
      ++At;
      return Error::success();
    }
    return fail("this directive is not known");
  }
  size_t Start = At;
  StringRef Name = eatName();
  if (!Name.empty() && peek(':') && !Text.substr(At).starts_with("::")) {
    ++At;
    std::string Unique = Name.str();
    // Blocks may have labels of the same name.
    if (any_of(Result.Labels, [&](auto &L) { return L.first == Unique; }))
      Unique += "@" + std::to_string(Open.back());
    if (!Scopes[Open.back()].Labels.try_emplace(Name, Unique).second)
      return failAt(Start, "the label '" + Name + "' is there twice");
    Result.Labels.push_back({Unique, unsigned(Result.Instructions.size())});
    return Error::success();
  }
  At = Start;
  return parseInstruction();
}

/// ".b32 a, %b<4>;"
Error Parser::parseRegisters() {
  if (!eat('.'))
    return fail("a type is missing after .reg");
  size_t TypeAt = At;
  StringRef Type = eatName();
  unsigned Bits =
      StringSwitch<unsigned>(Type)
          .Case("pred", 1)
          .Cases({"b8", "u8", "s8"}, 8)
          .Cases({"b16", "u16", "s16", "f16", "bf16"}, 16)
          .Cases({"b32", "u32", "s32", "f32", "f16x2", "bf16x2"}, 32)
          .Cases({"b64", "u64", "s64", "f64", "f32x2"}, 64)
          .Case("b128", 128)
          .Default(0);
  if (!Bits)
    return failAt(TypeAt, "registers of type '." + Type + "' are not known");
  auto declare = [&](const std::string &Name) {
    Scopes[Open.back()].Registers[Name] = unsigned(Result.Registers.size());
    Result.Registers.push_back({Name, Bits});
  };
  do {
    StringRef Name = eatName();
    if (Name.empty())
      return fail("a register's name is missing");
    if (!eat('<')) {
      declare(Name.str());
      continue;
    }
    skipSpace();
    StringRef Digits = Text.substr(At).take_while(isDigit);
    unsigned Count;
    if (Digits.getAsInteger(10, Count) || Count > 65536)
      return fail("a number of registers is missing");
    At += Digits.size();
    if (Error E = expect('>'))
      return E;
    for (unsigned I = 0; I < Count; ++I)
      declare(Name.str() + std::to_string(I));
  } while (eat(','));
  return expect(';');
}

Error Parser::parseInstruction() {
  PTXInstruction Instruction;
  skipSpace();
  Instruction.Offset = Plain.place(At, Asm.size());
  if (eat('@')) {
    bool Negated = eat('!');
    Expected<PTXOperand> Guard = parsePrimary();
    if (!Guard)
      return Guard.takeError();
    Guard->Negated = Negated;
    Instruction.Guard = std::move(*Guard);
  }
  skipSpace();
  size_t Start = At;
  StringRef Name = eatName();
  if (Name.empty() || Name.starts_with("%"))
    return failAt(Start, "an instruction is expected");
  Instruction.Opcode = Name.str();
  // Modifiers, with blanks before the dot too; also "shared::cta", "L2::128B".
  auto takeModifier = [&](StringRef Separator) {
    At += Separator.size();
    StringRef Modifier = Text.substr(At).take_while(isNamePart);
    At += Modifier.size();
    Instruction.Opcode += (Separator + Modifier).str();
    return !Modifier.empty();
  };
  while (true) {
    bool Qualified = Text.substr(At).starts_with("::");
    if (!Qualified && !peek('.'))
      break;
    if (!takeModifier(Qualified ? "::" : "."))
      return fail("a modifier is missing");
  }
  if (At < Text.size() && Text[At] == OperandMark && !isSpace(Text[At - 1]))
    return fail("an operand within an opcode is not supported");
  InCall = Name == "call";
  if (!peek(';') && At < Text.size())
    do {
      Expected<PTXOperand> Operand = parseOperand();
      if (!Operand)
        return Operand.takeError();
      Instruction.Operands.push_back(std::move(*Operand));
    } while (eat(','));
  Result.Instructions.push_back(std::move(Instruction));
  ScopeOf.push_back(Open.back());
  // The last ';' is left out now and then.
  skipSpace();
  return At >= Text.size() ? Error::success() : expect(';');
}

Expected<PTXOperand> Parser::parseOperand() {
  Expected<PTXOperand> First = parsePrimary();
  if (!First || First->K == PTXOperand::Immediate || !eat('|'))
    return First;
  Expected<PTXOperand> Second = parsePrimary();
  if (!Second)
    return Second.takeError();
  First->Second.push_back(std::move(*Second));
  return First;
}

Expected<PTXOperand> Parser::parsePrimary() {
  skipSpace();
  if (eat('{'))
    return parseList('}');
  if (eat('['))
    return parseAddress();
  if (InCall && eat('('))
    return parseList(')');
  size_t Start = At;
  if (eat('!')) {
    skipSpace();
    if (At < Text.size() &&
        (isNameStart(Text[At]) || Text[At] == OperandMark)) {
      Expected<PTXOperand> Operand = parsePrimary();
      if (Operand)
        Operand->Negated = true;
      return Operand;
    }
    At = Start;
  }
  if (At < Text.size() && Text[At] == OperandMark) {
    Expected<unsigned> Index = parseAsmOperand();
    if (!Index)
      return Index.takeError();
    PTXOperand Operand;
    Operand.K = PTXOperand::AsmOperand;
    Operand.Index = *Index;
    return Operand;
  }
  if (At < Text.size() && isNameStart(Text[At]))
    return parseNamed();
  return parseImmediate();
}

Expected<unsigned> Parser::parseAsmOperand() {
  size_t Close = Text.find(OperandMark, At + 1);
  unsigned Index = 0;
  Text.slice(At + 1, Close).getAsInteger(10, Index);
  At = Close + 1;
  if (At < Text.size() && (isNamePart(Text[At]) || Text[At] == OperandMark))
    return fail("an operand within a name is not supported");
  return Index;
}

/// A register, special register, label or symbol.
Expected<PTXOperand> Parser::parseNamed() {
  PTXOperand Operand;
  StringRef Name = eatName();
  if (At < Text.size() && Text[At] == OperandMark)
    return fail("an operand within a name is not supported");
  if (Name == "_")
    return Operand;
  if (Name == "WARP_SZ") {
    Operand.K = PTXOperand::Immediate;
    Operand.Value = 32;
    return Operand;
  }
  if (const unsigned *Index = findRegister(Name)) {
    Operand.K = PTXOperand::Register;
    Operand.Index = *Index;
    Operand.Name = Name.str();
    return Operand;
  }
  // "%tid.x".
  size_t Start = At - Name.size();
  while (At + 1 < Text.size() && Text[At] == '.' && isAlpha(Text[At + 1])) {
    ++At;
    eatName();
  }
  Name = Text.slice(Start, At);
  Operand.K =
      Name.consume_front("%") ? PTXOperand::Special : PTXOperand::Symbol;
  Operand.Name = Name.str();
  return Operand;
}

Expected<PTXOperand> Parser::parseList(char Close) {
  PTXOperand List;
  List.K = PTXOperand::Vector;
  if (eat(Close))
    return List;
  do {
    Expected<PTXOperand> Element = parseOperand();
    if (!Element)
      return Element.takeError();
    List.Elements.push_back(std::move(*Element));
  } while (eat(','));
  if (Error E = expect(Close))
    return std::move(E);
  return List;
}

/// "[a + 4]", "[a]", "[16]"; further operands ("[map, {x, y}]") follow the base
/// in Elements. An asm operand as the offset ("[$0 + $1]", $1 a constant) is
/// the address' Second.
Expected<PTXOperand> Parser::parseAddress() {
  PTXOperand Address;
  Address.K = PTXOperand::Address;
  Expected<PTXOperand> Base = parsePrimary();
  if (!Base)
    return Base.takeError();
  Address.Elements.push_back(std::move(*Base));
  bool Plus = eat('+');
  if (Plus || peek('-')) {
    skipSpace();
    if (Plus && At < Text.size() && Text[At] == OperandMark) {
      Expected<PTXOperand> Operand = parsePrimary();
      if (!Operand)
        return Operand;
      Address.Second.push_back(std::move(*Operand));
      if (Error E = expect(']'))
        return std::move(E);
      return Address;
    }
    Expected<PTXConstant> Offset = parseConstant();
    if (!Offset)
      return Offset.takeError();
    if (Offset->K != PTXConstant::Integer)
      return fail("an address' offset must be an integer");
    Address.Value = int64_t(Offset->Bits);
  }
  while (eat(',')) {
    Expected<PTXOperand> More = parsePrimary();
    if (!More)
      return More.takeError();
    Address.Elements.push_back(std::move(*More));
  }
  if (Error E = expect(']'))
    return std::move(E);
  return Address;
}

Expected<PTXConstant> Parser::parseConstant() {
  PTXConstantReader Reader(Text, At);
  std::optional<PTXConstant> Value = Reader.read();
  At = Reader.place();
  if (!Value)
    return fail(Reader.problem());
  return *Value;
}

Expected<PTXOperand> Parser::parseImmediate() {
  Expected<PTXConstant> Value = parseConstant();
  if (!Value)
    return Value.takeError();
  PTXOperand Operand;
  Operand.K = PTXOperand::Immediate;
  Operand.Value = int64_t(Value->Bits);
  Operand.IsDecimalFloat = Value->K == PTXConstant::Decimal;
  return Operand;
}

void Parser::resolveLabels() {
  for (auto [Instruction, Scope] : zip_equal(Result.Instructions, ScopeOf))
    for (PTXOperand &Operand : Instruction.Operands)
      resolveSymbols(Operand, Scope);
}

void Parser::resolveSymbols(PTXOperand &Operand, unsigned Scope) {
  for (PTXOperand &Element : Operand.Elements)
    resolveSymbols(Element, Scope);
  if (Operand.K != PTXOperand::Symbol)
    return;
  while (true) {
    auto Found = Scopes[Scope].Labels.find(Operand.Name);
    if (Found != Scopes[Scope].Labels.end()) {
      Operand.Name = Found->second;
      return;
    }
    if (Scope == 0)
      return;
    Scope = Scopes[Scope].Parent;
  }
}

} // namespace

Expected<PTXSnippet> sluice::emulator::parsePTXSnippet(StringRef Text) {
  Expected<PlainText> Plain = withoutMarkup(Text);
  if (!Plain)
    return Plain.takeError();
  return Parser(Text, *Plain).parse();
}
