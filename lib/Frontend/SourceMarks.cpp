// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "sluice/Frontend/SourceMarks.h"
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

static constexpr const char *OffMark = "sluice:off";

static bool hasOffMark(const Decl &D) {
  return llvm::any_of(
      D.specific_attrs<AnnotateAttr>(),
      [](const AnnotateAttr *A) { return A->getAnnotation() == OffMark; });
}

bool sluice::isSwitchedOff(const FunctionDecl &Kernel) {
  return llvm::any_of(Kernel.redecls(),
                      [](const FunctionDecl *D) { return hasOffMark(*D); });
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
    bool IsOff = Word.is(tok::identifier) &&
                 Word.getIdentifierInfo()->isStr("off");
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
    if (!isBeforeSomething(PP, End)) {
      warn(PP, First, "'#pragma sluice off' stands before no statement");
      return;
    }
    insertMark(PP, Introducer.Loc);
  }

private:
  static void warn(Preprocessor &PP, const Token &At, const char *Message) {
    DiagnosticsEngine &Diags = PP.getDiagnostics();
    unsigned Id = Diags.getDiagnosticIDs()->getCustomDiagID(
        DiagnosticIDs::Warning, Message);
    Diags.Report(At.getLocation(), Id);
  }

  /// Is there, after the end of the directive, anything but the end of a block
  /// or of the file? An attribute there would be an error.
  static bool isBeforeSomething(Preprocessor &PP, const Token &EndOfLine) {
    if (EndOfLine.getLocation().isMacroID())
      return true; // _Pragma: its macro knows
    Token Next;
    SourceLocation After = EndOfLine.getLocation();
    if (Lexer::getRawToken(After, Next, PP.getSourceManager(),
                           PP.getLangOpts(), /*IgnoreWhiteSpace=*/true))
      return true;
    return Next.isNot(tok::r_brace) && Next.isNot(tok::eof);
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
