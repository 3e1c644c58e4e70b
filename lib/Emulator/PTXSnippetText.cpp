// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// LLVM's markup of asm strings.

#include "PTXSnippetText.h"
#include "llvm/ADT/Twine.h"

using namespace llvm;
using namespace sluice::emulator;

Error sluice::emulator::errorInPTX(StringRef Original, size_t Offset,
                                   const Twine &Message) {
  StringRef Before = Original.take_front(Offset);
  size_t LineStart = Before.rfind('\n');
  size_t Column =
      LineStart == StringRef::npos ? Offset : Offset - LineStart - 1;
  return createStringError("inline PTX, line " + Twine(Before.count('\n') + 1) +
                           ", column " + Twine(Column + 1) + ": " + Message);
}

size_t sluice::emulator::skipPTXSpace(StringRef Text, size_t At) {
  while (At < Text.size()) {
    if (isSpace(Text[At]))
      ++At;
    else if (Text.substr(At).starts_with("//"))
      At = std::min(Text.find('\n', At), Text.size());
    else if (Text.substr(At).starts_with("/*"))
      At = std::min(Text.find("*/", At + 2), Text.size() - 2) + 2;
    else
      break;
  }
  return At;
}

Expected<PlainText> sluice::emulator::withoutMarkup(StringRef Asm) {
  PlainText Plain;
  int Alternative = -1; // The one that is being read; -1 outside.
  for (size_t At = 0; At < Asm.size(); ++At) {
    char C = Asm[At];
    StringRef Rest = Asm.drop_front(At + 1);
    bool Skipped = Alternative > 0; // PTX has one dialect, the first.
    if (C != '$') {
      if (!Skipped)
        Plain.add(Asm.substr(At, 1), At);
      continue;
    }
    size_t Start = At;
    if (Rest.empty())
      return errorInPTX(Asm, At, "'$' at the end");
    switch (Rest.front()) {
    case '$':
      if (!Skipped)
        Plain.add("$", At);
      ++At;
      continue;
    case '(':
      Alternative = 0;
      ++At;
      continue;
    case '|':
      if (Alternative >= 0)
        ++Alternative;
      else
        Plain.add("|", At);
      ++At;
      continue;
    case ')':
      Alternative = -1;
      ++At;
      continue;
    default:
      break;
    }
    StringRef Number;
    if (Rest.front() == '{') {
      size_t Close = Rest.find('}');
      if (Close == StringRef::npos)
        return errorInPTX(Asm, At, "'${' without '}'");
      StringRef Inside = Rest.slice(1, Close);
      At += Close + 1;
      if (Inside.starts_with(":")) {
        // A number that is this statement's own. The snippet has no other.
        if (Inside == ":uid" && !Skipped)
          Plain.add("0", Start);
        else if (Inside == ":comment" && !Skipped)
          Plain.add("//", Start);
        continue;
      }
      Number = Inside.split(':').first;
    } else {
      Number = Rest.take_while(isDigit);
      At += Number.size();
    }
    unsigned Index;
    if (Number.getAsInteger(10, Index))
      return errorInPTX(Asm, Start,
                        "'$' is not followed by an operand's number");
    if (!Skipped)
      Plain.add((Twine(OperandMark) + Number + Twine(OperandMark)).str(),
                Start);
  }
  return Plain;
}
