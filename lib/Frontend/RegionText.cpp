// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "RegionText.h"
#include "clang/AST/Stmt.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/STLExtras.h"

using namespace sluice;
using namespace clang;
using llvm::StringRef;

/// `#pragma unroll` and its like belong to the loop after them.
static bool isLoopPragma(StringRef Line) {
  Line = Line.ltrim();
  if (!Line.consume_front("#"))
    return false;
  Line = Line.ltrim();
  if (!Line.consume_front("pragma"))
    return false;
  Line = Line.ltrim();
  return Line.starts_with("unroll") || Line.starts_with("nounroll") ||
         Line.starts_with("clang loop") || Line.starts_with("GCC unroll") ||
         Line.starts_with("GCC ivdep");
}

unsigned sluice::lineStart(StringRef Text, unsigned Offset) {
  size_t Newline = Text.take_front(Offset).rfind('\n');
  return Newline == StringRef::npos ? 0 : Newline + 1;
}

/// Where the first of the pragmas before the statement stands; comments may be
/// between. (With an attribute of clang's the statement begins in the pragma.)
static unsigned withPragmas(StringRef Text, unsigned Statement) {
  unsigned First = Statement;
  for (unsigned Start = lineStart(Text, Statement);;
       Start = lineStart(Text, Start - 1)) {
    StringRef Line = Text.substr(Start).split('\n').first;
    bool IsBefore = Start + Line.size() < Statement;
    if (isLoopPragma(Line))
      First = Start + (Line.size() - Line.ltrim().size());
    else if (IsBefore && !Line.trim().empty() &&
             !Line.ltrim().starts_with("//"))
      return First;
    if (Start == 0)
      return First;
  }
}

StringRef sluice::indentAt(StringRef Text, unsigned Offset) {
  Text = Text.substr(lineStart(Text, Offset));
  while (Text.ltrim(" \t").starts_with("#"))
    Text = Text.split('\n').second;
  return Text.take_front(Text.size() - Text.ltrim(" \t").size());
}

/// Are all `#if` of \p Text closed in it, and none that was open before?
static bool hasWholeConditionals(StringRef Text) {
  int Depth = 0;
  while (!Text.empty()) {
    auto [Line, Rest] = Text.split('\n');
    Text = Rest;
    StringRef Word = Line.ltrim();
    if (!Word.consume_front("#"))
      continue;
    Word = Word.ltrim();
    if (Word.starts_with("if"))
      ++Depth;
    else if (Word.starts_with("el") && Depth == 0)
      return false;
    else if (Word.starts_with("endif") && --Depth < 0)
      return false;
  }
  return Depth == 0;
}

/// May a statement begin at \p Begin and end at \p End? Parts of expanded packs
/// and of macros do not.
static bool isStatement(StringRef Text, unsigned Begin, unsigned End) {
  StringRef Left = Text.slice(lineStart(Text, Begin), Begin).rtrim();
  auto Ends = [&](StringRef Word) { return Left.ends_with(Word); };
  return (Left.empty() ||
          llvm::any_of(llvm::ArrayRef<StringRef>{";", "{", "}", ")", ":", "*/",
                                                 "else", "do"},
                       Ends)) &&
         (Text[End - 1] == ';' || Text[End - 1] == '}');
}

static bool isMacroArgument(const SourceManager &SM, SourceLocation Location) {
  while (Location.isMacroID()) {
    if (SM.isMacroArgExpansion(Location))
      return true;
    Location = SM.getImmediateExpansionRange(Location).getBegin();
  }
  return false;
}

RegionText sluice::textOf(const CompilerInstance &CI, const Stmt &FirstOf,
                          const Stmt &LastOf) {
  const SourceManager &SM = CI.getSourceManager();
  const LangOptions &Lang = CI.getLangOpts();
  RegionText Result;
  SourceLocation First = FirstOf.getBeginLoc();
  SourceLocation Last = LastOf.getEndLoc();
  if (SM.getFileID(SM.getExpansionLoc(First)) != SM.getMainFileID()) {
    Result.WhyNot = "is in a header, and only the main file is written";
    return Result;
  }
  CharSourceRange Range = Lexer::makeFileCharRange(
      CharSourceRange::getTokenRange(First, Last), SM, Lang);
  if (Range.isInvalid() || isMacroArgument(SM, First)) {
    Result.WhyNot = "is in a macro, where no text can be added";
    return Result;
  }
  StringRef Text = SM.getBufferData(SM.getMainFileID());
  Result.Statement = SM.getFileOffset(Range.getBegin());
  Result.End = SM.getFileOffset(Range.getEnd());
  SourceLocation Behind = Lexer::findLocationAfterToken(
      Last, tok::semi, SM, Lang, /*SkipTrailingWhitespaceAndNewLine=*/false);
  if (Behind.isFileID() && Behind.isValid())
    Result.End = SM.getFileOffset(Behind);
  Result.Begin = withPragmas(Text, Result.Statement);
  if (!isStatement(Text, Result.Begin, Result.End))
    Result.WhyNot = "is not plain text";
  else if (!hasWholeConditionals(Text.slice(Result.Begin, Result.End)))
    Result.WhyNot = "has a part of an #if in it";
  return Result;
}
