// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "sluice/Frontend/SourceMarks.h"
#include "clang/AST/Attr.h"
#include "clang/AST/Decl.h"
#include "clang/AST/Stmt.h"
#include "clang/Lex/LexDiagnostic.h"
#include "clang/Lex/Pragma.h"
#include "clang/Lex/Preprocessor.h"
#include "llvm/ADT/STLExtras.h"

using namespace sluice;
using namespace clang;

static constexpr const char *OffMark = "sluice:off";

bool sluice::isSwitchedOff(const FunctionDecl &Kernel) {
  return llvm::any_of(Kernel.redecls(), [](const FunctionDecl *D) {
    return llvm::any_of(D->specific_attrs<AnnotateAttr>(),
                        [](const AnnotateAttr *A) {
                          return A->getAnnotation() == OffMark;
                        });
  });
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
    Token Word;
    PP.Lex(Word);
    const IdentifierInfo *Name = Word.getIdentifierInfo();
    Token End;
    PP.Lex(End);
    if (!Name || !Name->isStr("off") || End.isNot(tok::eod)) {
      PP.Diag(First.getLocation(),
              PP.getDiagnostics().getCustomDiagID(
                  DiagnosticsEngine::Warning,
                  "unknown '#pragma sluice'; the one there is: "
                  "'#pragma sluice off' before a statement"));
      if (End.isNot(tok::eod))
        PP.DiscardUntilEndOfDirective();
      return;
    }
    insertMark(PP, Introducer.Loc);
  }

private:
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
