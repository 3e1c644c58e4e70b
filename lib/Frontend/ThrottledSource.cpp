// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The region's own lines are not indented anew: they may have directives and
// string literals in them, and what compares the two files shows only what was
// added.

#include "sluice/Frontend/ThrottledSource.h"
#include "RegionText.h"
#include "RowSource.h"
#include "TurnText.h"
#include "sluice/Frontend/KernelParameters.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "clang/AST/Stmt.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Lex/Lexer.h"
#include "clang/Lex/Preprocessor.h"
#include "clang/Rewrite/Core/Rewriter.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"

using namespace sluice;
using namespace clang;
using llvm::StringRef;

//===- What a declaration is made of --------------------------------------===//

namespace {

/// `const float s = weigh(row);` in its parts.
struct InitialisationText {
  unsigned Init = 0; ///< Offset of `weigh`.
  std::string Left;  ///< `const float s`, on one line.
  std::string Open;  ///< `=`, `(`, `{`, or both.
  std::string Type;  ///< `float`, where the turns need a variable of their own.
  std::string WhyNot;
};

} // namespace

static RegionText textOfRegion(const CompilerInstance &CI,
                               const FoundRegion &Region) {
  return textOf(CI, *Region.First, *Region.Last);
}

static InitialisationText initialisationOf(const CompilerInstance &CI,
                                           const FunctionDecl &Kernel,
                                           const FoundRegion &Region) {
  const SourceManager &SM = CI.getSourceManager();
  InitialisationText Result;
  const auto *V = cast<VarDecl>(cast<DeclStmt>(Region.First)->getSingleDecl());
  CharSourceRange Init = Lexer::makeFileCharRange(
      CharSourceRange::getTokenRange(V->getInit()->getSourceRange()), SM,
      CI.getLangOpts());
  RegionText Whole = textOfRegion(CI, Region);
  if (Init.isInvalid() || SM.getFileID(Init.getBegin()) != SM.getMainFileID()) {
    Result.WhyNot = "initialises a variable by a macro";
    return Result;
  }
  Result.Init = SM.getFileOffset(Init.getBegin());
  StringRef Text = SM.getBufferData(SM.getMainFileID());
  StringRef Left = Text.slice(Whole.Statement, Result.Init).rtrim();
  if (Left.contains("//") || Left.contains("/*") || Left.contains('#')) {
    Result.WhyNot = "initialises a variable with a comment before the value";
    return Result;
  }
  while (Left.ends_with("=") || Left.ends_with("(") || Left.ends_with("{")) {
    Result.Open = Left.back() + Result.Open;
    Left = Left.drop_back().rtrim();
  }
  llvm::SmallVector<StringRef, 8> Words;
  llvm::SplitString(Left, Words, " \t\r\n");
  Result.Left = llvm::join(Words, " ");
  StringRef Known = Result.Open;
  if (Known != "=" && Known != "(" && Known != "{" && Known != "={" &&
      !(Known.empty() && Text[Result.Init] == '{')) {
    Result.WhyNot = "initialises a variable in a way that cannot be split";
    return Result;
  }

  QualType Type = V->getType();
  const bool IsDeduced = Type->getContainedAutoType() != nullptr;
  if (!IsDeduced && !Type.getCanonicalType().hasQualifiers())
    return Result;
  Type = IsDeduced ? Type.getCanonicalType().getUnqualifiedType()
                   : Type.getUnqualifiedType();
  Result.Type = Type.getAsString(CI.getASTContext().getPrintingPolicy());
  if (Kernel.getTemplateInstantiationPattern() &&
      (IsDeduced || !isa<BuiltinType>(Type.getTypePtr())))
    Result.WhyNot = "initialises a variable whose type may depend on the "
                    "template's arguments";
  else if (StringRef(Result.Type).contains('('))
    Result.WhyNot = "initialises a variable whose type has no name";
  return Result;
}

/// One of \p Needed that \p Body declares; empty: none.
static std::string declaredName(const Stmt *Body,
                                llvm::ArrayRef<StringRef> Needed) {
  auto IsNeeded = [&](const NamedDecl *D) {
    return D->getIdentifier() && llvm::is_contained(Needed, D->getName());
  };
  if (!Body)
    return "";
  if (const auto *Declaration = dyn_cast<DeclStmt>(Body))
    for (const Decl *D : Declaration->decls()) {
      if (const auto *Named = dyn_cast<NamedDecl>(D); Named && IsNeeded(Named))
        return Named->getName().str();
      if (const auto *Parts = dyn_cast<DecompositionDecl>(D))
        for (const BindingDecl *Part : Parts->bindings())
          if (IsNeeded(Part))
            return Part->getName().str();
    }
  for (const Stmt *Child : Body->children())
    if (std::string Name = declaredName(Child, Needed); !Name.empty())
      return Name;
  return "";
}

/// What is one of a pack has the name of all.
static bool isOfPack(const FunctionDecl &Kernel, StringRef Parameter) {
  const FunctionDecl *Pattern = Kernel.getTemplateInstantiationPattern();
  return Pattern &&
         llvm::any_of(Pattern->parameters(), [&](const ParmVarDecl *P) {
           return P->isParameterPack() && P->getName() == Parameter;
         });
}

/// One of \p Needed that is a macro at \p Location; empty: none.
static std::string macroName(Preprocessor &PP, SourceLocation Location,
                             llvm::ArrayRef<StringRef> Needed) {
  for (StringRef Name : Needed)
    if (PP.getMacroDefinitionAtLoc(PP.getIdentifierInfo(Name), Location))
      return Name.str();
  return "";
}

/// Why the names behind the parameter's do not lead to \p Field in a text of
/// the kernel.
static std::string whyNoText(const FieldOfParameter &Field, Preprocessor &PP,
                             SourceLocation Location) {
  for (const FieldDecl *Part : Field.Path) {
    if (Part->getAccess() != AS_public)
      return "is in a kernel that may not name '" + Part->getName().str() +
             "', which is not public";
    if (!macroName(PP, Location, Part->getName()).empty())
      return "is where '" + Part->getName().str() + "' is a macro";
  }
  return "";
}

std::string ThrottledSource::whyNot(const FunctionDecl &Kernel,
                                    const FoundRegion &Region,
                                    llvm::ArrayRef<ArgumentMinimum> OnlyIf) {
  if (std::string Why = textOfRegion(CI, Region).WhyNot; !Why.empty())
    return Why;
  if (Region.SplitsDeclaration)
    if (std::string Why = initialisationOf(CI, Kernel, Region).WhyNot;
        !Why.empty())
      return Why;
  Preprocessor &PP = CI.getPreprocessor();
  SourceLocation Begin =
      CI.getSourceManager().getExpansionLoc(Region.First->getBeginLoc());
  const StringRef Builtins[] = {"threadIdx", "blockDim", "gridDim",
                                "__syncthreads"};
  std::string Hidden = macroName(PP, Begin, Builtins);
  if (Hidden.empty())
    Hidden = macroName(PP, Begin, {"x", "y", "z"});
  if (Hidden.empty())
    Hidden = declaredName(Kernel.getBody(), Builtins);
  for (const ParmVarDecl *P : Kernel.parameters())
    if (P->getIdentifier() && llvm::is_contained(Builtins, P->getName()))
      Hidden = P->getName().str();
  if (!Hidden.empty())
    return "is where '" + Hidden + "' is a name of the source";
  for (const ArgumentMinimum &M : OnlyIf) {
    auto Field = fieldOfParameter(Kernel, M.Argument);
    if (Field)
      if (std::string Why = whyNoText(*Field, PP, Begin); !Why.empty())
        return Why;
    StringRef Name =
        (Field ? Field->Parameter : Kernel.getParamDecl(M.Argument))->getName();
    if (isOfPack(Kernel, Name))
      return "is in a kernel whose parameter is one of the pack '" +
             Name.str() + "'";
    if (!macroName(PP, Begin, Name).empty() ||
        !declaredName(Kernel.getBody(), Name).empty())
      return "is in a kernel where '" + Name.str() +
             "' is also another name than that of the parameter";
  }
  return "";
}

//===- The file -----------------------------------------------------------===//

ThrottledSource::ThrottledSource(CompilerInstance &CI)
    : CI(CI), Rows(std::make_unique<RowSource>(CI)) {}

ThrottledSource::~ThrottledSource() = default;

void ThrottledSource::writeRows(const FunctionDecl &Kernel,
                                const KernelPlan &Plan,
                                const KernelFacts &Facts) {
  Rows->add(Kernel, Plan, Facts);
}

static const FunctionDecl *textOwner(const FunctionDecl &Kernel) {
  const FunctionDecl *Pattern = Kernel.getTemplateInstantiationPattern();
  return Pattern ? Pattern : &Kernel;
}

void ThrottledSource::wrap(FunctionDecl &Kernel,
                           llvm::ArrayRef<RegionTurns> Regions) {
  Kernels[textOwner(Kernel)].push_back(Regions.vec());
}

static bool isSameText(llvm::ArrayRef<RegionTurns> A,
                       llvm::ArrayRef<RegionTurns> B) {
  return llvm::equal(A, B, [](const RegionTurns &X, const RegionTurns &Y) {
    return X.Region.First->getBeginLoc() == Y.Region.First->getBeginLoc() &&
           X.Region.Last->getEndLoc() == Y.Region.Last->getEndLoc() &&
           X.Region.SplitsDeclaration == Y.Region.SplitsDeclaration &&
           X.WarpGroups == Y.WarpGroups && X.OnlyIf == Y.OnlyIf;
  });
}

static bool agree(llvm::ArrayRef<std::vector<RegionTurns>> Definitions) {
  return llvm::all_of(Definitions, [&](const std::vector<RegionTurns> &D) {
    return isSameText(D, Definitions.front());
  });
}

std::string ThrottledSource::whyNot(const FunctionDecl &Kernel) {
  auto Found = Kernels.find(textOwner(Kernel));
  return Found == Kernels.end() || agree(Found->second)
             ? ""
             : "the template has one text, and its instantiations want "
               "different turns";
}

/// What to add to every name so that none is in the source or its headers.
static std::string freeSuffix(const IdentifierTable &Used) {
  std::string Suffix;
  auto IsTaken = [&](StringRef Name) {
    return Used.find((TurnNamePrefix + Name + Suffix).str()) != Used.end();
  };
  for (unsigned Number = 2; llvm::any_of(
           llvm::ArrayRef<StringRef>{"thread", "threads", "blocks", "groups",
                                     "group", "turn", "value"},
           IsTaken);
       ++Number)
    Suffix = std::to_string(Number);
  return Suffix;
}

namespace {

/// Adds the turns of one region after another, in source order.
class SourceEditor {
public:
  SourceEditor(CompilerInstance &CI, Rewriter &Output)
      : CI(CI), SM(CI.getSourceManager()), Output(Output),
        Text(SM.getBufferData(SM.getMainFileID())), Newline(Text.detectEOL()),
        Suffix(freeSuffix(CI.getPreprocessor().getIdentifierTable())) {}

  void add(const FunctionDecl &Kernel, const RegionTurns &Turns);

private:
  SourceLocation at(unsigned Offset) const {
    return SM.getLocForStartOfFile(SM.getMainFileID())
        .getLocWithOffset(static_cast<int>(Offset));
  }
  std::string joined(llvm::ArrayRef<std::string> Lines) const {
    std::string Result;
    for (const std::string &Line : Lines)
      Result += Line + Newline.str();
    return Result;
  }
  void addAfter(const RegionText &Where, llvm::ArrayRef<std::string> Lines,
                const std::string &Indent);

  CompilerInstance &CI;
  const SourceManager &SM;
  Rewriter &Output;
  StringRef Text, Newline;
  std::string Suffix;
};

} // namespace

/// A comment at the end of the line stays there.
void SourceEditor::addAfter(const RegionText &Where,
                            llvm::ArrayRef<std::string> Lines,
                            const std::string &Indent) {
  size_t LineEnd = Text.find('\n', Where.End);
  StringRef Rest = Text.slice(Where.End, LineEnd).trim();
  bool IsLast = Rest.empty() ||
                (Rest.starts_with("//") && !Rest.ends_with("\\")) ||
                (Rest.starts_with("/*") && Rest.find("*/") == Rest.size() - 2);
  if (IsLast && LineEnd != StringRef::npos)
    Output.InsertText(at(LineEnd + 1), joined(Lines));
  else
    Output.ReplaceText(at(Where.End),
                       Text.find_first_not_of(" \t", Where.End) - Where.End,
                       Newline.str() + joined(Lines) + Indent);
}

void SourceEditor::add(const FunctionDecl &Kernel, const RegionTurns &Turns) {
  RegionText Where = textOfRegion(CI, Turns.Region);
  StringRef Left =
      Text.slice(lineStart(Text, Where.Begin), Where.Begin).rtrim(" \t");
  const bool HasOwnLine = Left.empty();
  const unsigned Begin = Left.end() - Text.begin();
  std::string Indent = indentAt(Text, Where.Statement).str();
  if (!HasOwnLine)
    Indent += "  ";

  TurnText Written(Turns, Suffix, Indent);
  std::vector<std::string> Before = Written.before();
  std::vector<std::string> After = Written.after();
  if (!Turns.Region.SplitsDeclaration) {
    if (HasOwnLine)
      Output.InsertText(at(Begin), joined(Before));
    else
      Output.ReplaceText(at(Begin), Where.Begin - Begin,
                         Newline.str() + joined(Before) + Indent);
    addAfter(Where, After, Indent);
    return;
  }
  InitialisationText Init = initialisationOf(CI, Kernel, Turns.Region);
  const auto *V =
      cast<VarDecl>(cast<DeclStmt>(Turns.Region.First)->getSingleDecl());
  std::string Value = V->getName().str();
  StringRef Open = Init.Open;
  if (Init.Type.empty()) {
    Before.insert(Before.begin(), Indent + Init.Left + ";");
  } else {
    Value = Written.name("value");
    Before.insert(Before.begin(), Indent + Init.Type + " " + Value + ";");
    After.push_back(Indent + Init.Left + " = " + Value + ";");
  }
  Open.consume_front("=");
  Output.ReplaceText(at(Begin), Init.Init - Begin,
                     (HasOwnLine ? "" : Newline.str()) + joined(Before) +
                         Indent + "      " + Value + " = " + Open.str());
  addAfter(Where, After, Indent);
}

llvm::Error ThrottledSource::write(StringRef Path) {
  SourceManager &SM = CI.getSourceManager();
  Rewriter Output(SM, CI.getLangOpts());
  std::vector<std::pair<const FunctionDecl *, const RegionTurns *>> All;
  for (const auto &[Kernel, Definitions] : Kernels)
    if (agree(Definitions))
      for (const RegionTurns &Turns : Definitions.front())
        All.push_back({Kernel, &Turns});
  llvm::sort(All, [&](const auto &A, const auto &B) {
    return textOfRegion(CI, A.second->Region).Begin <
           textOfRegion(CI, B.second->Region).Begin;
  });
  Rows->write(Output); // in regions, so before what is around these
  SourceEditor Editor(CI, Output);
  for (const auto &[Kernel, Turns] : All)
    Editor.add(*Kernel, *Turns);

  // Not over another text: of another GPU's compile, or of another file's.
  std::error_code Error;
  llvm::raw_fd_ostream OS(Path, Error, llvm::sys::fs::CD_CreateNew,
                          llvm::sys::fs::FA_Write, llvm::sys::fs::OF_None);
  if (Error == std::errc::file_exists)
    return llvm::createStringError(
        "a text with turns is made of one file for one GPU; give one source "
        "and one --cuda-gpu-arch=");
  if (!Error) {
    Output.getEditBuffer(SM.getMainFileID()).write(OS);
    OS.close();
    Error = OS.error();
    OS.clear_error();
  }
  return Error ? llvm::createStringError("cannot write '" + Path +
                                         "': " + Error.message())
               : llvm::Error::success();
}
