// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pragma leaves nothing in the AST: its handler notes where the next
// statement begins, and the AST's statements are compared with the notes. Only
// a precompiled header gets an attribute, as notes end with the process.

#include "sluice/Frontend/SourceMarks.h"
#include "sluice/Analysis/SourceAnnotations.h"
#include "sluice/Frontend/SourcePlaces.h"
#include "clang/AST/Attr.h"
#include "clang/AST/Decl.h"
#include "clang/AST/Stmt.h"
#include "clang/Lex/LexDiagnostic.h"
#include "clang/Lex/Lexer.h"
#include "clang/Lex/Pragma.h"
#include "clang/Lex/Preprocessor.h"
#include "llvm/ADT/STLExtras.h"

using namespace sluice;
using namespace clang;

std::vector<SourcePlace> &sluice::offPlaces() {
  static std::vector<SourcePlace> Places;
  return Places;
}

static bool hasOffMark(const Decl &D) {
  return llvm::any_of(
      D.specific_attrs<AnnotateAttr>(),
      [](const AnnotateAttr *A) { return A->getAnnotation() == OffMark; });
}

bool sluice::isSwitchedOff(const FunctionDecl &Kernel) {
  return llvm::any_of(Kernel.redecls(),
                      [](const FunctionDecl *D) { return hasOffMark(*D); });
}

std::optional<unsigned> sluice::markedSfuWarps(const FunctionDecl &Kernel) {
  for (const FunctionDecl *D : Kernel.redecls())
    for (const auto *A : D->specific_attrs<AnnotateAttr>())
      if (auto Warps = sfuWarpsOf(A->getAnnotation()))
        return Warps;
  return std::nullopt;
}

bool sluice::isSwitchedOff(const VarDecl &Variable) {
  return hasOffMark(Variable);
}

bool sluice::isSwitchedOff(const AttributedStmt &S) {
  return llvm::any_of(S.getAttrs(), [](const Attr *A) {
    const auto *Annotation = dyn_cast<AnnotateAttr>(A);
    return Annotation && Annotation->getAnnotation() == OffMark;
  });
}

namespace {

/// `#pragma sluice off`
class SluicePragma : public PragmaHandler {
public:
  SluicePragma() : PragmaHandler("sluice") {}

  void HandlePragma(Preprocessor &PP, PragmaIntroducer Introducer,
                    Token &First) override {
    Token Word, End;
    PP.Lex(Word);
    bool IsOff =
        Word.is(tok::identifier) && Word.getIdentifierInfo()->isStr("off");
    End = Word;
    if (Word.isNot(tok::eod))
      PP.Lex(End);
    if (!IsOff || End.isNot(tok::eod)) {
      warn(PP, First,
           "unknown '#pragma sluice'; the one there is: '#pragma sluice off' "
           "before a statement");
      if (End.isNot(tok::eod))
        PP.DiscardUntilEndOfDirective();
      return;
    }
    // Where the mark must outlive this process it is an attribute; else a note
    // of where the statement begins, which can do no harm where none follows.
    if (PP.getLangOpts().CompilingPCH) {
      insertMark(PP, Introducer.Loc);
      return;
    }
    const SourceManager &SM = PP.getSourceManager();
    if (Introducer.Loc.isMacroID() || End.getLocation().isMacroID() ||
        Introducer.Kind != PIK_HashPragma) {
      // _Pragma: the statement is of the same macro, or follows it.
      auto Range = SM.getExpansionRange(Introducer.Loc);
      offPlaces().push_back(placeOf(SM, Range.getBegin()));
      SourceLocation After =
          Lexer::getLocForEndOfToken(Range.getEnd(), 0, SM, PP.getLangOpts());
      if (After.isValid())
        offPlaces().push_back(placeAfter(PP, After));
      return;
    }
    SourcePlace Place = placeAfter(PP, End.getLocation());
    if (Place.isKnown())
      offPlaces().push_back(Place);
    else
      warn(PP, First, "'#pragma sluice off' stands before no statement");
  }

private:
  /// Where the first token from \p Location on stands, other directives
  /// skipped; unknown at the end of a block or of the file.
  static SourcePlace placeAfter(Preprocessor &PP, SourceLocation Location) {
    const SourceManager &SM = PP.getSourceManager();
    auto [File, Offset] = SM.getDecomposedLoc(Location);
    llvm::StringRef Text = SM.getBufferData(File);
    Lexer Raw(SM.getLocForStartOfFile(File), PP.getLangOpts(), Text.begin(),
              Text.begin() + Offset, Text.end());
    Token Next;
    Raw.LexFromRawLexer(Next);
    while (Next.is(tok::hash) && Next.isAtStartOfLine()) {
      do
        Raw.LexFromRawLexer(Next);
      while (Next.isNot(tok::eof) && !Next.isAtStartOfLine());
    }
    if (Next.isOneOf(tok::eof, tok::r_brace))
      return {};
    return placeOf(SM, Next.getLocation());
  }

  static void warn(Preprocessor &PP, const Token &At, const char *Message) {
    DiagnosticsEngine &Diags = PP.getDiagnostics();
    unsigned Id = Diags.getDiagnosticIDs()->getCustomDiagID(
        DiagnosticIDs::Warning, Message);
    Diags.Report(At.getLocation(), Id);
  }

  /// [[clang::annotate("sluice:off")]]
  static void insertMark(Preprocessor &PP, SourceLocation Location) {
    auto Tokens = std::make_unique<Token[]>(10);
    unsigned Count = 0;
    auto Add = [&](tok::TokenKind Kind) -> Token & {
      Token &T = Tokens[Count++];
      T.startToken();
      T.setKind(Kind);
      T.setLocation(Location);
      return T;
    };
    auto AddName = [&](llvm::StringRef Name) {
      Add(tok::identifier).setIdentifierInfo(PP.getIdentifierInfo(Name));
    };
    Add(tok::l_square);
    Add(tok::l_square);
    AddName("clang");
    Add(tok::coloncolon);
    AddName("annotate");
    Add(tok::l_paren);
    Token &Text = Add(tok::string_literal);
    static const char Quoted[] = "\"sluice:off\"";
    PP.CreateString(Quoted, Text, Location, Location);
    Add(tok::r_paren);
    Add(tok::r_square);
    Add(tok::r_square);
    PP.EnterTokenStream(std::move(Tokens), Count,
                        /*DisableMacroExpansion=*/true, /*IsReinject=*/false);
  }
};

PragmaHandlerRegistry::Add<SluicePragma> Registered("sluice",
                                                    "#pragma sluice off");

} // namespace
