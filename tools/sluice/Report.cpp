// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `sluice report FILE.cu [clang options] [--profile=FILE] -o report.html`: all
// that is known of a file's kernels, as one page that needs nothing else; and
// `sluice report --compare A B -o report.html`: two such, side by side.

#include "Arguments.h"
#include "EmbeddedFiles.h"
#include "ReportCompare.h"
#include "ReportData.h"
#include "Subcommands.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace sluice;

static constexpr ToolOption Options[] = {
    {"profile", "FILE", "what the kernels did, by `sluice profile --output`"},
    {"store", "FILE", "what `sluice tune` measured: its database"},
    {"results", "FILE", "what benchmarks/run measured: its JSON"},
    {"json", "", "the numbers on standard output; no page without -o"},
    {"compare", "", "two files of --json or of results, side by side"},
};

namespace {

struct Arguments {
  std::string Profile, Store, Results;
  std::string Output; ///< Of -o; empty: not given.
  bool JSON = false;
  bool Compare = false;
  std::vector<std::string> ForClang; ///< With Compare: the two files.
  bool Help = false;
};

} // namespace

/// Two files, and nothing that a compile would need.
static Error checkComparison(const Arguments &A) {
  if (!A.Profile.empty() || !A.Store.empty() || !A.Results.empty())
    return createStringError(
        "--compare compiles nothing: give --profile, --store and --results to "
        "the `sluice report --json` that writes its files");
  for (const std::string &Arg : A.ForClang)
    if (StringRef(Arg).starts_with("-"))
      return createStringError("--compare compiles nothing, and takes no '" +
                               Arg + "'");
  if (A.ForClang.size() != 2)
    return createStringError("--compare wants two files, and was given " +
                             Twine(A.ForClang.size()));
  return Error::success();
}

static Expected<Arguments> readArguments(ArrayRef<const char *> Args) {
  auto Split = splitArguments(Args, Options);
  if (!Split)
    return Split.takeError();
  Arguments A;
  A.Help = Split->Help;
  A.ForClang = std::move(Split->ForClang);
  for (const Setting &S : Split->Settings) {
    if (S.Name == "json") {
      A.JSON = true;
      continue;
    }
    if (S.Name == "compare") {
      A.Compare = true;
      continue;
    }
    if (S.Value.empty())
      return createStringError("--" + S.Name + "= has no value");
    (S.Name == "profile" ? A.Profile
     : S.Name == "store" ? A.Store
                         : A.Results) = S.Value.str();
  }
  auto Output = takeOutput(A.ForClang);
  if (!Output)
    return Output.takeError();
  A.Output = std::move(*Output);
  if (!A.Help && A.Output.empty() && !A.JSON)
    return createStringError("say where the page goes: -o report.html");
  if (!A.Help && A.Compare)
    if (Error E = checkComparison(A))
      return std::move(E);
  return A;
}

//===- The page -----------------------------------------------------------===//

/// As it may stand between <script> and </script>: no "</" and no "<!--".
static std::string forScript(StringRef JSON) {
  std::string Text;
  for (char C : JSON)
    if (C == '<')
      Text += "\\u003c";
    else
      Text += C;
  return Text;
}

/// The template's "{{name}}" replaced by what they stand for. What is put in is
/// not looked at again.
static std::string
fill(StringRef Template,
     ArrayRef<std::pair<StringRef, std::string>> Replacements) {
  std::string Page;
  while (true) {
    const size_t At = Template.find("{{");
    Page += Template.take_front(At);
    if (At == StringRef::npos)
      return Page;
    Template = Template.drop_front(At + 2);
    const size_t End = Template.find("}}");
    const StringRef Name = Template.take_front(End);
    for (const auto &[Known, Text] : Replacements)
      if (Known == Name)
        Page += Text;
    Template = Template.drop_front(End + 2);
  }
}

/// With \p Script, which makes the page of \p JSON.
static std::string pageOf(StringRef JSON, StringRef Name, StringRef Script) {
  std::string Title;
  raw_string_ostream OS(Title);
  printHTMLEscaped(Name, OS);
  return fill(
      embeddedFile("page.html"),
      {{"title", Title},
       {"style", embeddedFile("page.css").str()},
       {"chart-style", embeddedFile("chart.css").str()},
       {"script", (embeddedFile("common.js") + embeddedFile(Script)).str()},
       {"data", forScript(JSON)}});
}

//===- Input --------------------------------------------------------------===//

static Error readMeasured(ReportInputs &In, const Arguments &A) {
  std::vector<std::string> Kernels;
  for (const KernelPlan &K : In.Code.Sluice.Decided.Kernels)
    Kernels.push_back(K.Name);
  auto Take = [&](Expected<std::vector<MeasuredTime>> Times) -> Error {
    if (!Times)
      return Times.takeError();
    append_range(In.Measured, *Times);
    return Error::success();
  };
  In.HasStore = !A.Store.empty();
  In.HasResults = !A.Results.empty();
  if (In.HasStore)
    if (Error E = Take(timesOfStore(A.Store, Kernels)))
      return E;
  if (In.HasResults)
    return Take(
        timesOfResults(A.Results, sys::path::stem(In.SourceName), Kernels));
  return Error::success();
}

static Expected<ReportInputs> readInputs(const Arguments &A,
                                         const char *Argv0) {
  auto Options = deviceOptions(A.ForClang, "sluice report");
  if (!Options)
    return Options.takeError();
  const StringRef Source = sourceOf(*Options);
  auto Text = MemoryBuffer::getFile(Source);
  if (!Text)
    return createStringError("cannot read '" + Source +
                             "': " + Text.getError().message());
  auto Code = compileBoth(*Options, A.Profile, RemarksWanted::Yes, Argv0);
  if (!Code)
    return Code.takeError();
  ReportInputs In;
  In.Code = std::move(*Code);
  In.SourceName = sys::path::filename(Source).str();
  In.SourceText = (*Text)->getBuffer().str();
  if (!A.Profile.empty()) {
    auto P = profileFor(In.Code.Sluice, Source, A.Profile, "sluice report");
    if (!P)
      return P.takeError();
    In.Run = std::move(*P);
  }
  auto X = xKernels(In.Code, In.Run ? &*In.Run : nullptr, "");
  if (!X)
    return X.takeError();
  In.X = std::move(*X);
  if (Error E = readMeasured(In, A))
    return std::move(E);
  return In;
}

/// Writes what \p Write makes: as JSON, as a page with \p Script, or both.
static Error writeAll(const Arguments &A, StringRef Name, StringRef Script,
                      function_ref<void(json::OStream &)> Write) {
  std::string JSON;
  raw_string_ostream OS(JSON);
  json::OStream J(OS, A.JSON && A.Output.empty() ? 2 : 0);
  Write(J);
  if (A.JSON)
    outs() << JSON << "\n";
  if (A.Output.empty())
    return Error::success();
  return writeOutput(A.Output, pageOf(JSON, Name, Script));
}

static Error runComparison(const Arguments &A) {
  auto C = readComparison(A.ForClang[0], A.ForClang[1]);
  if (!C)
    return C.takeError();
  return writeAll(A, C->Names[0] + " and " + C->Names[1], "compare.js",
                  [&](json::OStream &J) { writeComparison(J, *C); });
}

static Error run(const Arguments &A, const char *Argv0) {
  if (A.Compare)
    return runComparison(A);
  auto In = readInputs(A, Argv0);
  if (!In)
    return In.takeError();
  return writeAll(A, In->SourceName, "page.js",
                  [&](json::OStream &J) { writeReportData(J, *In); });
}

int sluice::reportMain(int argc, char **argv) {
  return runSubcommand(
      argc, argv, "report",
      "FILE.cu [clang options] [--sluice-K=V ...] -o report.html\n"
      "       sluice report --compare A.json B.json -o report.html\n\n"
      "Writes a page with each kernel's X-graph, occupancy, roofline, hits "
      "beside the\nsource, decisions and alternatives. It needs no network.",
      Options, readArguments, run);
}
