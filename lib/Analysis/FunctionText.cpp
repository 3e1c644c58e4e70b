// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// A scanner that knows as much of C++ as it takes to tell code from comments
/// and literals, so that a profile's reader needs no compiler.

#include "sluice/Analysis/FunctionText.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/xxhash.h"
#include <algorithm>
#include <optional>

using namespace llvm;
using namespace sluice;

namespace {

/// Takes C++ source apart, piece by piece; the pieces together are the source.
class Scanner {
public:
  enum Kind {
    End,
    NewLine,
    Comment,
    Word,    ///< An identifier or a number.
    Literal, ///< A string or a character.
    Sign,    ///< Any other character, blanks too.
  };

  explicit Scanner(StringRef Text) : Rest(Text) {}

  Kind next(StringRef &Piece) {
    auto [K, Size] = measure();
    Piece = Rest.take_front(Size);
    Rest = Rest.drop_front(Piece.size());
    return K;
  }

private:
  struct Measure {
    Kind K;
    size_t Size;
  };

  static bool isWordCharacter(char C) {
    return isAlnum(C) || C == '_' || C == '$' || (C & 0x80);
  }
  /// The character at \p I, 0 behind the end.
  char at(size_t I) const { return I < Rest.size() ? Rest[I] : 0; }

  Measure measure() const {
    if (Rest.empty())
      return {End, 0};
    char C = Rest.front();
    if (C == '\n')
      return {NewLine, 1};
    if (Rest.starts_with("//"))
      return {Comment, lineComment()};
    if (Rest.starts_with("/*"))
      return {Comment, behind("*/", 2)};
    if (C == '"' || C == '\'')
      return {Literal, quoted(C)};
    if (isDigit(C) || (C == '.' && isDigit(at(1))))
      return {Word, number()};
    if (!isWordCharacter(C))
      return {Sign, 1};
    size_t Size = Rest.find_if_not(isWordCharacter);
    StringRef Text = Rest.take_front(Size);
    if (at(Text.size()) == '"' &&
        is_contained({"R", "LR", "uR", "UR", "u8R"}, Text))
      return {Literal, rawString(Text.size())};
    return {Word, Text.size()};
  }

  /// Behind the first \p Text at or after \p From, or all.
  size_t behind(StringRef Text, size_t From) const {
    size_t Found = Rest.find(Text, From);
    return Found == StringRef::npos ? Rest.size() : Found + Text.size();
  }

  /// A backslash at the end of the line continues the comment.
  size_t lineComment() const {
    size_t End = 0;
    do
      End = std::min(Rest.find('\n', End + 1), Rest.size());
    while (End < Rest.size() &&
           Rest.take_front(End).rtrim('\r').ends_with("\\"));
    return End;
  }

  /// One that is not closed, as in `#error don't`, ends with its line.
  size_t quoted(char Quote) const {
    for (size_t I = 1; I < Rest.size(); ++I) {
      if (Rest[I] == Quote)
        return I + 1;
      if (Rest[I] == '\n')
        return I;
      if (Rest[I] == '\\')
        I += at(I + 1) == '\r' && at(I + 2) == '\n' ? 2 : 1;
    }
    return Rest.size();
  }

  /// 1'000'000 is one number, without a character in it.
  size_t number() const {
    size_t I = 1;
    while (isWordCharacter(at(I)) || at(I) == '.' ||
           (at(I) == '\'' && isWordCharacter(at(I + 1))))
      ++I;
    return I;
  }

  size_t rawString(size_t Quote) const {
    size_t Open = Rest.find('(', Quote);
    if (Open == StringRef::npos)
      return Rest.size();
    StringRef Delimiter = Rest.slice(Quote + 1, Open);
    return behind((")" + Delimiter + "\"").str(), Open);
  }

  StringRef Rest;
};

/// Which parts of a source the preprocessor would leave if it took the first
/// branch of each #if, and what is a directive.
class Preprocessor {
public:
  /// Whether \p Piece is code that counts.
  bool sees(Scanner::Kind K, StringRef Piece) {
    if (K == Scanner::NewLine) {
      InDirective = InDirective && Spliced;
      LineStart = !InDirective;
      Spliced = false;
      return false;
    }
    Spliced = Piece == "\\" || (Spliced && Piece == "\r");
    if (K == Scanner::Comment || isSpace(Piece.front()))
      return false;
    if (LineStart && Piece == "#") {
      InDirective = NameIsNext = true;
    } else if (InDirective && NameIsNext) {
      NameIsNext = false;
      directive(Piece);
    }
    LineStart = false;
    return !InDirective && !SkippedAt;
  }

private:
  void directive(StringRef Name) {
    if (Name.starts_with("if")) {
      ++Depth;
    } else if (Name.starts_with("el")) { // else, elif, elifdef, elifndef
      if (!SkippedAt)
        SkippedAt = Depth;
    } else if (Name == "endif") {
      if (SkippedAt == Depth)
        SkippedAt.reset();
      Depth -= Depth != 0; // the #if may stand before the function
    }
  }

  unsigned Depth = 0; ///< Of #if.
  std::optional<unsigned> SkippedAt;
  bool LineStart = true, InDirective = false, NameIsNext = false;
  bool Spliced = false; ///< By a backslash, with the next line.
};

} // namespace

/// \p Source from the beginning of line \p Line; no data if it has none.
static StringRef fromLine(StringRef Source, unsigned Line) {
  if (Line == 0)
    return {};
  for (; Line > 1; --Line) {
    size_t Newline = Source.find('\n');
    if (Newline == StringRef::npos)
      return {};
    Source = Source.drop_front(Newline + 1);
  }
  return Source;
}

unsigned sluice::lastLineOfFunction(StringRef Source, unsigned FirstLine) {
  Scanner Pieces(fromLine(Source, FirstLine));
  Preprocessor Directives;
  unsigned Line = FirstLine, Braces = 0, Parentheses = 0;
  StringRef Piece;
  while (auto K = Pieces.next(Piece)) {
    Line += Piece.count('\n');
    if (!Directives.sees(K, Piece) || K != Scanner::Sign)
      continue;
    switch (Piece.front()) {
    case '(':
      ++Parentheses;
      break;
    case ')':
      Parentheses -= Parentheses != 0;
      break;
    case '{':
      // Not that of a default argument, k(Size S = {}).
      Braces += Braces != 0 || Parentheses == 0;
      break;
    case '}':
      if (Braces == 1)
        return Line;
      Braces -= Braces != 0;
      break;
    case ';':
      if (Braces == 0 && Parentheses == 0)
        return 0; // a declaration
      break;
    default:
      break;
    }
  }
  return 0;
}

/// \p Text with comments as blanks and without blanks at the ends of lines.
static std::string codeAlone(StringRef Text) {
  std::string Code;
  auto EndLine = [&] {
    Code.resize(StringRef(Code).rtrim(" \t\r\f\v").size());
  };
  Scanner Pieces(Text);
  StringRef Piece;
  while (auto K = Pieces.next(Piece))
    for (char C : Piece) {
      if (C == '\n')
        EndLine();
      Code += K == Scanner::Comment && C != '\n' ? ' ' : C;
    }
  return StringRef(Code).rtrim().str();
}

static std::string hashText(StringRef Text) {
  return utohexstr(xxh3_64bits(codeAlone(Text)), /*LowerCase=*/true,
                   /*Width=*/16);
}

std::string sluice::hashFunctionText(StringRef Source, unsigned FirstLine,
                                     unsigned LastLine) {
  StringRef Text = fromLine(Source, FirstLine);
  if (Text.empty() || LastLine < FirstLine)
    return "";
  StringRef Behind = fromLine(Text, LastLine - FirstLine + 2);
  return hashText(Text.drop_back(Behind.size()));
}

FunctionText sluice::describeFunction(StringRef File, StringRef Source,
                                      unsigned FirstLine) {
  FunctionText F;
  F.File = File.str();
  F.FirstLine = FirstLine;
  F.LastLine = lastLineOfFunction(Source, FirstLine);
  if (F.LastLine != 0)
    F.TextHash = hashFunctionText(Source, F.FirstLine, F.LastLine);
  return F;
}

unsigned sluice::findFunctionText(const FunctionText &F, StringRef Source) {
  if (F.TextHash.empty() || F.FirstLine == 0 || F.LastLine < F.FirstLine)
    return 0;
  SmallVector<StringRef, 0> Lines;
  Source.split(Lines, '\n');
  size_t Count = F.LastLine - F.FirstLine + 1;
  if (Lines.size() < Count)
    return 0;
  size_t Last = Lines.size() - Count + 1; // where it can begin
  auto IsAt = [&](size_t Line) {
    if (Line < 1 || Line > Last)
      return false;
    const char *End = Lines[Line + Count - 2].end();
    const char *Begin = Lines[Line - 1].begin();
    return hashText(StringRef(Begin, End - Begin)) == F.TextHash;
  };
  size_t Old = F.FirstLine;
  for (size_t Distance = 0; Distance < std::max(Last, Old); ++Distance) {
    if (Distance < Old && IsAt(Old - Distance))
      return Old - Distance;
    if (Distance != 0 && IsAt(Old + Distance))
      return Old + Distance;
  }
  return 0;
}
