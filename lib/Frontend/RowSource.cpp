// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The body's own lines stay as they are but for the elements of rows, so that
// what compares the two files shows what was changed.

#include "RowSource.h"
#include "RegionText.h"
#include "RowLoop.h"
#include "sluice/Frontend/RegionFinder.h"
#include "sluice/Frontend/Remarks.h"
#include "sluice/Plan/StagingPlanner.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Lex/Lexer.h"
#include "clang/Lex/Preprocessor.h"
#include "clang/Rewrite/Core/Rewriter.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FormatVariadic.h"
#include <map>

using namespace sluice;
using namespace clang;
using llvm::formatv;
using llvm::StringRef;

/// Instructions that a copy of the body may have once it is unrolled.
static constexpr unsigned MostUnrolled = 1024, UsuallyUnrolled = 32;

namespace {

/// The text of one kernel.
class RowWriter {
public:
  RowWriter(const CompilerInstance &CI, const FunctionDecl &Kernel)
      : CI(CI), SM(CI.getSourceManager()), Kernel(Kernel),
        Text(SM.getBufferData(SM.getMainFileID())), Newline(Text.detectEOL()) {}

  /// Writes \p Loop; a reason why it cannot be written, "is ...", or nothing.
  std::string add(const LoopPlan &Planned, const LoopFacts &Facts,
                  const RowLoop &Loop);
  /// Writes what the kernel needs where it begins.
  std::string finish();

  std::vector<TextEdit> Edits;

private:
  struct Range {
    unsigned Begin = 0, End = 0;
    bool IsKnown = false;
  };

  Range rangeOf(SourceRange Of) const;
  std::string textOf(SourceRange Of, std::string &WhyNot) const;
  std::string newName(StringRef Wanted);
  std::string nameOf(const LoopAccess &Access);
  std::string partOf(const LoopAccess &Access, std::string &WhyNot) const;
  void replaceUses(const LoopAccess &Access, StringRef Name, const ForStmt &For,
                   std::string &WhyNot);
  std::string headOf(const LoopPlan &Planned, const LoopFacts &Facts,
                     const RowLoop &Loop, llvm::ArrayRef<std::string> Parts,
                     llvm::ArrayRef<std::string> Parameters, StringRef Buffer,
                     StringRef Eol, std::string &WhyNot);
  std::string replaceFrame(const ForStmt &For, const RegionText &Where,
                           std::string Before, const std::string &After);

  const CompilerInstance &CI;
  const SourceManager &SM;
  const FunctionDecl &Kernel;
  StringRef Text, Newline;
  llvm::StringSet<> Names; ///< That were given.
  std::vector<std::string> Buffers, Declarations;
  std::map<std::pair<unsigned, unsigned>, std::string>
      BuffersOf; ///< Names by warps and rows.
};

} // namespace

/// Offsets in the main file; macros are whole calls.
RowWriter::Range RowWriter::rangeOf(SourceRange Of) const {
  CharSourceRange Range = Lexer::makeFileCharRange(
      CharSourceRange::getTokenRange(Of), SM, CI.getLangOpts());
  if (Range.isInvalid() || SM.getFileID(Range.getBegin()) != SM.getMainFileID())
    return {};
  return {SM.getFileOffset(Range.getBegin()), SM.getFileOffset(Range.getEnd()),
          true};
}

/// On one line.
std::string RowWriter::textOf(SourceRange Of, std::string &WhyNot) const {
  const Range Where = rangeOf(Of);
  StringRef Source = Text.slice(Where.Begin, Where.End);
  if (!Where.IsKnown)
    WhyNot = "has a part in a macro that has to be written elsewhere";
  else if (Source.contains("//") || Source.contains("/*") ||
           Source.contains('#') || Source.contains('\\'))
    WhyNot = "has a comment or a directive in what has to be written elsewhere";
  llvm::SmallVector<StringRef, 8> Lines;
  Source.split(Lines, '\n');
  for (StringRef &Line : Lines)
    Line = Line.trim();
  return llvm::join(Lines, " ");
}

/// A name that is nowhere in the source.
std::string RowWriter::newName(StringRef Wanted) {
  const IdentifierTable &Used = CI.getPreprocessor().getIdentifierTable();
  std::string Name = (TurnNamePrefix + Wanted).str();
  for (unsigned Number = 2;
       Used.find(Name) != Used.end() || !Names.insert(Name).second; ++Number)
    Name = (TurnNamePrefix + Wanted + llvm::Twine(Number)).str();
  return Name;
}

/// After the pointer.
std::string RowWriter::nameOf(const LoopAccess &Access) {
  const Expr *E = Access.Uses.front();
  while (E) {
    E = E->IgnoreParenCasts();
    if (const auto *Name = dyn_cast<DeclRefExpr>(E))
      return newName(Name->getDecl()->getName());
    if (const auto *Field = dyn_cast<MemberExpr>(E))
      return newName(Field->getMemberDecl()->getName());
    if (const auto *Element = dyn_cast<ArraySubscriptExpr>(E))
      E = Element->getBase();
    else if (const auto *Deref = dyn_cast<UnaryOperator>(E))
      E = Deref->getSubExpr();
    else if (const auto *Sum = dyn_cast<BinaryOperator>(E))
      E = Sum->getLHS();
    else
      E = nullptr;
  }
  return newName("row");
}

/// `::sluice::reads(&A[i * n + j])`
std::string RowWriter::partOf(const LoopAccess &Access,
                              std::string &WhyNot) const {
  std::string Function;
  if (Access.Kind == LoopAccess::Sum)
    Function = "sum";
  else if (Access.Kind == LoopAccess::Row)
    Function = !Access.Writes ? "reads" : Access.Reads ? "updates" : "writes";
  else
    Function = formatv("beside{0}<{1}>", Access.Writes ? "Written" : "Read",
                       *Access.Step);
  return formatv("::sluice::{0}(&{1})", Function,
                 textOf(Access.Uses.front()->getSourceRange(), WhyNot));
}

void RowWriter::replaceUses(const LoopAccess &Access, StringRef Name,
                            const ForStmt &For, std::string &WhyNot) {
  const unsigned Body = rangeOf(For.getRParenLoc()).End;
  for (const Expr *Use : Access.Uses) {
    const Range Where = rangeOf(Use->getSourceRange());
    if (!Where.IsKnown)
      WhyNot = "has a row in a macro that does more than name it";
    else if (Where.Begin < Body)
      WhyNot = "has a row outside of its body";
    TextEdit Edit{Where.Begin, Where.End, Name.str()};
    if (!llvm::is_contained(Edits, Edit)) // a macro may use it several times
      Edits.push_back(std::move(Edit));
  }
}

static std::string oneLine(StringRef Why) {
  std::string Line = Why.str();
  llvm::replace(Line, '\n', ' ');
  return StringRef(Line).rtrim("\\").str();
}

static bool hasDirective(StringRef Text) {
  llvm::SmallVector<StringRef, 16> Lines;
  Text.split(Lines, '\n');
  return llvm::any_of(
      Lines, [](StringRef Line) { return Line.ltrim().starts_with("#"); });
}

/// What stands in the place of the loop's header.
std::string RowWriter::headOf(const LoopPlan &Planned, const LoopFacts &Facts,
                              const RowLoop &Loop,
                              llvm::ArrayRef<std::string> Parts,
                              llvm::ArrayRef<std::string> Parameters,
                              StringRef Buffer, StringRef Eol,
                              std::string &WhyNot) {
  const ForStmt &For = *Loop.For;
  std::string Before = "{ // sluice: rows in ";
  Before += !Buffer.empty() ? "shared memory: " + oneLine(Planned.StagedWhy)
                            : "registers: " + oneLine(Planned.WidenedWhy);
  Before += Eol;
  if (For.getInit()) {
    std::string Init = textOf(For.getInit()->getSourceRange(), WhyNot);
    Before +=
        "  " + Init + (StringRef(Init).ends_with(";") ? "" : ";") + Eol.str();
  }
  const std::string Named = newName("rows");
  Before += formatv("  auto {0} = ::sluice::rows({1}"
                    "      ::sluice::iterations({2}, {3})",
                    Named, Eol, Loop.Counter,
                    textOf(Loop.End->getSourceRange(), WhyNot));
  for (const std::string &Part : Parts)
    Before += "," + Eol.str() + "      " + Part;
  Before += ");" + Eol.str() + "  ::sluice::";
  if (!Buffer.empty()) {
    const unsigned Unroll = MostUnrolled / std::max(Facts.Instructions, 1u);
    Before += "staged";
    if (Unroll < UsuallyUnrolled)
      Before += formatv("<{0}>", std::max(Unroll, 1u));
    Before += "(" + Buffer.str() + ", ";
  } else {
    Before += "widened(";
  }
  Before += Named + ", [&](";
  for (const std::string &Name : Parameters)
    Before += (Name == Parameters.front() ? "auto &" : ", auto &") + Name;
  Before += ") {";
  return Before;
}

/// \p Before for the loop's header, \p After for its end. \returns why not.
std::string RowWriter::replaceFrame(const ForStmt &For, const RegionText &Where,
                                    std::string Before,
                                    const std::string &After) {
  // What stands between the parenthesis and the body may be a comment.
  const auto *Scope = dyn_cast<CompoundStmt>(For.getBody());
  const Range Header = rangeOf({For.getBeginLoc(), For.getRParenLoc()});
  if (!Header.IsKnown)
    return "has a part in a macro that has to be written elsewhere";
  unsigned HeaderEnd = Header.End;
  if (Scope) {
    const Range Open = rangeOf(Scope->getLBracLoc());
    const Range Close = rangeOf(Scope->getRBracLoc());
    if (!Open.IsKnown || !Close.IsKnown)
      return "has a part in a macro that has to be written elsewhere";
    if (Text.slice(HeaderEnd, Open.Begin).trim().empty())
      HeaderEnd = Open.End;
    else
      Edits.push_back({Open.Begin, Open.End, ""});
    // The brace has a line of its own, most often.
    const unsigned Line = lineStart(Text, Close.Begin);
    const bool IsOwn = Text.slice(Line, Close.Begin).trim(" \t").empty();
    Edits.push_back({IsOwn ? Line : Close.Begin, Close.End,
                     (IsOwn ? "" : Newline.str()) + After});
  } else {
    Edits.push_back({Where.End, Where.End, Newline.str() + After});
  }
  Edits.push_back({Where.Statement, HeaderEnd, std::move(Before)});
  return "";
}

std::string RowWriter::add(const LoopPlan &Planned, const LoopFacts &Facts,
                           const RowLoop &Loop) {
  const ForStmt &For = *Loop.For;
  const RegionText Where = sluice::textOf(CI, For, For);
  if (!Where.WhyNot.empty())
    return Where.WhyNot;
  if (Where.Begin != Where.Statement)
    return "has a #pragma of its own";
  // Another compile may take another part of it.
  if (hasDirective(Text.slice(Where.Begin, Where.End)))
    return "has a directive in it";
  std::string WhyNot;
  const bool IsStaged = !Planned.Staged.empty();
  const std::string Indent = indentAt(Text, Where.Statement).str();
  const std::string Eol = Newline.str() + Indent;
  const std::string Step = textOf(For.getInc()->getSourceRange(), WhyNot);

  std::vector<std::string> Parameters, Parts;
  unsigned Rows = 0;
  for (const LoopAccess &Access : Loop.Accesses) {
    Parts.push_back(partOf(Access, WhyNot));
    if (Access.Kind == LoopAccess::Beside)
      continue;
    Rows += Access.Kind == LoopAccess::Row;
    Parameters.push_back(nameOf(Access));
    replaceUses(Access, Parameters.back(), For, WhyNot);
  }
  for (const ContinueStmt *Continue : Loop.Continues) {
    RegionText Here = sluice::textOf(CI, *Continue, *Continue);
    if (!Here.WhyNot.empty())
      WhyNot = "has a 'continue' that " + Here.WhyNot;
    Edits.push_back({Here.Statement, Here.End, "{ " + Step + "; return; }"});
  }

  // Loops share them: whoever holds a slot's lock has the slot.
  std::string &Shared = BuffersOf[{Planned.StagedWarps, Rows}];
  const bool IsNew = IsStaged && Shared.empty();
  if (IsNew)
    Shared = newName("buffers");
  const std::string Buffer = IsStaged ? Shared : "";
  std::string Before =
      headOf(Planned, Facts, Loop, Parts, Parameters, Buffer, Eol, WhyNot);
  std::string After = Indent + "    " + Step + ";" + Eol + "  }";
  if (IsStaged && Planned.StagedFrom)
    After += formatv(", {0}", Planned.StagedFrom);
  After += ");" + Eol + "}";

  if (std::string Why = replaceFrame(For, Where, std::move(Before), After);
      !Why.empty())
    return Why;
  if (IsNew && !WhyNot.empty())
    Shared.clear();
  if (IsNew && WhyNot.empty()) {
    Declarations.push_back(formatv("__shared__ ::sluice::Buffers<{0}, {1}> "
                                   "{2};",
                                   Planned.StagedWarps, Rows, Buffer));
    Buffers.push_back(Buffer);
  }
  return WhyNot;
}

std::string RowWriter::finish() {
  const auto *Body = dyn_cast<CompoundStmt>(Kernel.getBody());
  const Range Open = Body ? rangeOf(Body->getLBracLoc()) : Range();
  SourceLocation NameLoc = Kernel.getLocation();
  if (NestedNameSpecifierLoc Scope = Kernel.getQualifierLoc())
    NameLoc = Scope.getBeginLoc();
  const Range Name = rangeOf(NameLoc);
  if (!Open.IsKnown || !Name.IsKnown || NameLoc.isMacroID())
    return "is in a kernel that a macro begins";
  // The registers that the rows take must leave room for any block, as before.
  if (!Kernel.hasAttr<CUDALaunchBoundsAttr>())
    Edits.push_back({Name.Begin, Name.Begin, "__launch_bounds__(1024) "});
  if (Buffers.empty())
    return "";
  const unsigned First =
      SM.getFileOffset(SM.getExpansionLoc(Kernel.getBeginLoc()));
  const std::string Eol = Newline.str() + indentAt(Text, First).str() + "  ";
  std::string Start;
  for (const std::string &Declaration : Declarations)
    Start += Eol + Declaration;
  Start += Eol + "::sluice::open(" + llvm::join(Buffers, ", ") + ");";
  Edits.push_back({Open.End, Open.End, std::move(Start)});
  return "";
}

/// Are all loops that code has of the one at \p Loop to be the same? Copies
/// that are for some arguments may read less.
static std::string whyNotOne(const KernelPlan &Plan, const LoopPlan &Loop) {
  auto IsSame = [](const std::vector<StagedStream> &X,
                   const std::vector<StagedStream> &Y) {
    return llvm::equal(X, Y, [](const StagedStream &A, const StagedStream &B) {
      return A.Id.ofAllCopies() == B.Id.ofAllCopies();
    });
  };
  for (const LoopPlan &Other : Plan.Loops)
    if (Other.Id.ofAllCopies() == Loop.Id.ofAllCopies() &&
        !(IsSame(Other.Staged, Loop.Staged) &&
          IsSame(Other.Widened, Loop.Widened)))
      return "is several loops in the code, not all with the same rows";
  return "";
}

/// Has one text two edits at one place?
static bool overlap(std::vector<TextEdit> Edits) {
  llvm::sort(Edits, [](const TextEdit &A, const TextEdit &B) {
    return std::tie(A.Begin, A.End) < std::tie(B.Begin, B.End);
  });
  for (size_t Number = 1; Number < Edits.size(); ++Number)
    if (Edits[Number].Begin < Edits[Number - 1].End ||
        (Edits[Number].Begin == Edits[Number - 1].Begin &&
         Edits[Number].End == Edits[Number - 1].End))
      return true;
  return false;
}

RowSource::Definition RowSource::define(const FunctionDecl &Kernel,
                                        const KernelPlan &Plan,
                                        const KernelFacts &Facts) const {
  Definition Result;
  RowWriter Writer(CI, Kernel);
  for (const LoopPlan &Loop : Plan.Loops) {
    // Copies of a loop share the text.
    if ((Loop.Staged.empty() && Loop.Widened.empty()) ||
        llvm::any_of(Result.Loops, [&](const Outcome &Known) {
          return Known.Loop.ofAllCopies() == Loop.Id.ofAllCopies();
        }))
      continue;
    Outcome Of;
    Of.Kernel = Plan.Name;
    Of.DisplayName = Plan.DisplayName;
    Of.Loop = Loop.Id;
    Of.Location = Kernel.getLocation().getRawEncoding();
    Of.IsStaged = !Loop.Staged.empty();
    Of.Why = Of.IsStaged ? Loop.StagedWhy : Loop.WidenedWhy;
    const auto Fact = llvm::find_if(
        Facts.Loops, [&](const LoopFacts &F) { return F.Id == Loop.Id; });
    RowLoop Found = findRowLoop(Kernel, CI.getASTContext(), Loop, Facts);
    Of.WhyNot = Found.WhyNot;
    if (Of.WhyNot.empty())
      Of.WhyNot = whyNotOne(Plan, Loop);
    if (Found.For)
      Of.Location = Found.For->getBeginLoc().getRawEncoding();
    if (Of.IsStaged && Loop.ChunkBytes != 128)
      Of.WhyNot = "has chunks of another size than a line's 128 bytes";
    if (Of.WhyNot.empty()) {
      const size_t Edits = Writer.Edits.size();
      Of.WhyNot = Writer.add(Loop, *Fact, Found);
      if (!Of.WhyNot.empty())
        Writer.Edits.resize(Edits);
    }
    Result.Loops.push_back(std::move(Of));
  }
  if (llvm::none_of(Result.Loops,
                    [](const Outcome &Of) { return Of.WhyNot.empty(); }))
    return Result;
  std::string WhyNot = Writer.finish();
  if (WhyNot.empty() && overlap(Writer.Edits))
    WhyNot = "has rows whose text another one's is a part of";
  for (Outcome &Of : Result.Loops)
    if (Of.WhyNot.empty())
      Of.WhyNot = WhyNot;
  if (WhyNot.empty())
    Result.Edits = std::move(Writer.Edits);
  return Result;
}

void RowSource::add(const FunctionDecl &Kernel, const KernelPlan &Plan,
                    const KernelFacts &Facts) {
  const FunctionDecl *Pattern = Kernel.getTemplateInstantiationPattern();
  Kernels[Pattern ? Pattern : &Kernel].push_back(define(Kernel, Plan, Facts));
}

void RowSource::report(const Outcome &Of) const {
  const std::string Where = "rows of the loop of '" + Of.DisplayName + "' ";
  auto Location = SourceLocation::getFromRawEncoding(Of.Location);
  if (!Of.WhyNot.empty()) {
    DiagnosticsEngine &Diags = CI.getDiagnostics();
    Diags.Report(Location, Diags.getDiagnosticIDs()->getCustomDiagID(
                               DiagnosticIDs::Warning, "%0"))
        << Where + "are planned for " +
               (Of.IsStaged ? "shared memory" : "registers") +
               ", but not in the text: the loop at " + Of.Loop.str() + " " +
               Of.WhyNot;
    return;
  }
  Remark R;
  R.Kind = Remark::Passed;
  R.Name = "RowsWritten";
  R.Pass = "sluice-software-l1";
  R.Function = Of.Kernel;
  R.Place = Of.Loop.Place;
  R.Location = Of.Location;
  R.Message = Where + "kept in " +
              (Of.IsStaged ? "shared memory: " : "registers: ") + Of.Why;
  emitRemark(CI, R);
}

/// In front of the first line that is not a comment.
static unsigned placeOfInclude(const CompilerInstance &CI) {
  const SourceManager &SM = CI.getSourceManager();
  StringRef Text = SM.getBufferData(SM.getMainFileID());
  SourceLocation Start = SM.getLocForStartOfFile(SM.getMainFileID());
  Lexer Raw(Start, CI.getLangOpts(), Text.begin(), Text.begin(), Text.end());
  Token First;
  Raw.LexFromRawLexer(First);
  return lineStart(Text, SM.getFileOffset(First.getLocation()));
}

void RowSource::write(Rewriter &Output) {
  const SourceManager &SM = CI.getSourceManager();
  std::vector<TextEdit> All;
  for (auto &[Kernel, Definitions] : Kernels) {
    const std::vector<TextEdit> &First = Definitions.front().Edits;
    const bool Agree = llvm::all_of(
        Definitions, [&](const Definition &D) { return D.Edits == First; });
    for (Definition &D : Definitions)
      for (Outcome &Of : D.Loops) {
        if (!Agree && Of.WhyNot.empty())
          Of.WhyNot = "is in a template, which has one text, and its "
                      "instantiations want different rows";
        report(Of);
      }
    if (Agree)
      llvm::append_range(All, First);
  }
  if (All.empty())
    return;
  const unsigned Top = placeOfInclude(CI);
  const StringRef Newline = SM.getBufferData(SM.getMainFileID()).detectEOL();
  All.push_back({Top, Top, ("#include <sluice/rows.h>" + Newline).str()});
  SourceLocation Start = SM.getLocForStartOfFile(SM.getMainFileID());
  for (const TextEdit &Edit : All)
    Output.ReplaceText(Start.getLocWithOffset(int(Edit.Begin)),
                       Edit.End - Edit.Begin, Edit.Text);
}
