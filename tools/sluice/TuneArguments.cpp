// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "TuneArguments.h"
#include "Arguments.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/StringSaver.h"

using namespace llvm;
using namespace sluice;

namespace {

struct TuneOption : ToolOption {
  Error (*Set)(TuneArguments &, const Setting &);
};

template <unsigned TuneArguments::*Member>
Error setCount(TuneArguments &A, const Setting &S) {
  if (S.Value.getAsInteger(10, A.*Member) || A.*Member == 0)
    return createStringError("--" + S.Name + "=" + S.Value +
                             ": a number from 1 is expected");
  return Error::success();
}

template <std::string TuneArguments::*Member>
Error setText(TuneArguments &A, const Setting &S) {
  A.*Member = S.Value.str();
  return Error::success();
}

Error setStrategy(TuneArguments &A, const Setting &S) {
  if (A.Quality) {
    auto How = parseLambdaStrategy(S.Value);
    if (How)
      A.Quality->How = *How;
    return How.takeError();
  }
  auto How = parseStrategy(S.Value);
  if (!How)
    return How.takeError();
  A.How = *How;
  return Error::success();
}

/// The project's folder will be the current one.
Error setTimeline(TuneArguments &A, const Setting &S) {
  SmallString<128> Path(S.Value);
  if (std::error_code EC = sys::fs::make_absolute(Path))
    return createStringError(EC, "the current folder is not there");
  A.Timeline = std::string(Path);
  return Error::success();
}

template <double TuneArguments::*Member>
Error setSeconds(TuneArguments &A, const Setting &S) {
  return readSeconds(S, A.*Member);
}

Error setWish(TuneArguments &A, const Setting &S) {
  auto Wish = parseQualityWish(S.Value);
  if (Wish)
    A.Quality->Wish = *Wish;
  return Wish.takeError();
}

template <Expected<NamedOutput> (*Parse)(StringRef)>
Error addOutput(TuneArguments &A, const Setting &S) {
  auto Output = Parse(S.Value);
  if (Output)
    A.Quality->Outputs.push_back(std::move(*Output));
  return Output.takeError();
}

Error addHeldBack(TuneArguments &A, const Setting &S) {
  BumpPtrAllocator Storage;
  StringSaver Saver(Storage);
  SmallVector<const char *, 8> Words;
  cl::TokenizeGNUCommandLine(S.Value, Saver, Words);
  A.Quality->HeldBack.emplace_back(Words.begin(), Words.end());
  return Error::success();
}

Error setEmulate(TuneArguments &A, const Setting &) {
  A.Quality->Emulate = true;
  return Error::success();
}

template <std::string QualityArguments::*Member>
Error setQualityText(TuneArguments &A, const Setting &S) {
  (*A.Quality).*Member = S.Value.str();
  return Error::success();
}

Error setTable(TuneArguments &A, const Setting &S) {
  if (!S.Value.ends_with(".csv") && !S.Value.ends_with(".json"))
    return createStringError("--table=" + S.Value +
                             ": a file that ends in .csv or .json is expected");
  A.Quality->Table = S.Value.str();
  return Error::success();
}

Error setEngine(TuneArguments &A, const Setting &S) {
  A.Engine = S.Value.str();
  return checkEngine(S);
}

constexpr TuneOption TuneOptionTable[] = {
    {{"strategy", "exhaustive|fixed|model|local",
      "which plans to measure (default: local); with --qos: "
      "heu|smp|exhaustive (default: heu)"},
     setStrategy},
    {{"budget", "SECONDS[s]", "begin no more rounds after that"},
     setSeconds<&TuneArguments::Budget>},
    {{"output", "FILE", "the best plan (default: SOURCE.tuned.yaml)"},
     setText<&TuneArguments::Output>},
    {{"store", "FILE",
      "what was measured before, and what will be (default: sluice-tune.db)"},
     setText<&TuneArguments::Store>},
    {{"command", "COMMAND",
      "runs the program, which was built elsewhere from the same source"},
     setText<&TuneArguments::Command>},
    {{"export", "FOLDER",
      "write a round to be measured on another machine (FOLDER/run.sh)"},
     setText<&TuneArguments::Export>},
    {{"import", "FOLDER", "take in what a round measured there"},
     setText<&TuneArguments::Import>},
    {{"answers", "STORE",
      "measure nothing: answer from what STORE has (to try strategies)"},
     setText<&TuneArguments::Answers>},
    {{"project", "FILE.toml",
      "tune all programs of FILE.toml, on all GPUs here or on a cluster"},
     setText<&TuneArguments::Project>},
    {{"engine", "local|ray|slurm",
      "whose GPUs a project is measured on (default: local)"},
     setEngine},
    {{"gpus", "all|LIST", "of this machine, such as 0,2 (default: all)"},
     setText<&TuneArguments::GPUs>},
    {{"piece-limit", "SECONDS[s]",
      "a piece of a project that takes longer hangs (default: 600s)"},
     setSeconds<&TuneArguments::PieceLimit>},
    {{"timeline", "FILE.json",
      "what of a project was compiled and measured when, for Chrome's "
      "about:tracing or ui.perfetto.dev"},
     setTimeline},
    {{"rounds", "N", "measurements of each plan (default: 7)"},
     setCount<&TuneArguments::Rounds>},
    {{"launches", "N",
      "launches of each kernel to measure at most (default: 4)"},
     setCount<&TuneArguments::Launches>},
    {{"rows", "N", "of a kernel's table print the best N (default: 20)"},
     setCount<&TuneArguments::Rows>},
};

/// These are for a search that changes results.
constexpr TuneOption QualityOptionTable[] = {
    {{"qos", "METRIC:BOUND[%]",
      "how many warps may compute approximately (docs/passes/sfu.md): the "
      "most whose mean-error, max-error, rmse, psnr, or command's error or "
      "quality keeps BOUND; %: of the error of all"},
     setWish},
    {{"output-file", "PATH[:TYPE]",
      "judge by this file of the program's (-: by what it prints); may be "
      "repeated"},
     addOutput<parseOutputFile>},
    {{"output-buffer", "KERNEL:ARGUMENT",
      "judge by the buffers that the kernel gets there, on the emulator; "
      "[:TYPE] may follow; may be repeated"},
     addOutput<parseOutputBuffer>},
    {{"qos-command", "COMMAND",
      "prints the number that --qos=error or --qos=quality is about"},
     setQualityText<&QualityArguments::Command>},
    {{"held-back", "ARGUMENTS",
      "run also with these arguments, after the search; may be repeated"},
     addHeldBack},
    {{"emulate", "", "run on the emulator also where there is a GPU"},
     setEmulate},
    {{"table", "FILE.csv|FILE.json", "write each run's time and error"},
     setTable},
    {{"plot", "FILE.svg", "draw them"},
     setQualityText<&QualityArguments::Plot>},
};

/// What a search with --qos has a use for.
constexpr StringLiteral ForBoth[] = {"strategy", "budget", "output",  "export",
                                     "import",   "rounds", "launches"};

} // namespace

static std::vector<ToolOption> options() {
  std::vector<ToolOption> All = {std::begin(TuneOptionTable),
                                 std::end(TuneOptionTable)};
  All.insert(All.end(), std::begin(QualityOptionTable),
             std::end(QualityOptionTable));
  return All;
}

static const TuneOption *findOption(ArrayRef<TuneOption> Table,
                                    StringRef Name) {
  const auto *Found =
      find_if(Table, [&](const TuneOption &O) { return O.Name == Name; });
  return Found == Table.end() ? nullptr : Found;
}

/// Carries out one setting, of either table.
static Error take(TuneArguments &Result, const Setting &S) {
  if (S.Value.empty() && S.Name != "held-back")
    return createStringError("--" + S.Name + "= has no value");
  if (const TuneOption *Option = findOption(QualityOptionTable, S.Name))
    return Result.Quality ? Option->Set(Result, S)
                          : createStringError("--" + S.Name +
                                              " is for a search with --qos");
  if (Result.Quality && !is_contained(ForBoth, S.Name))
    return createStringError("--" + S.Name + " has no use with --qos");
  return findOption(TuneOptionTable, S.Name)->Set(Result, S);
}

/// What is judged has to be said, and by whom.
static Error checkQuality(const TuneArguments &A) {
  const QualityArguments &Q = *A.Quality;
  const std::string Metric = nameOf(Q.Wish.Metric).str();
  if (isOfCommand(Q.Wish.Metric) && Q.Command.empty())
    return createStringError("--qos=" + Metric +
                             " is what a command prints: say --qos-command");
  if (!isOfCommand(Q.Wish.Metric) && !Q.Command.empty())
    return createStringError(
        "--qos-command prints an error or a quality: say --qos=error:BOUND or "
        "--qos=quality:BOUND, not " +
        Metric);
  if (!isOfCommand(Q.Wish.Metric) && Q.Outputs.empty())
    return createStringError(
        "--qos=" + Metric +
        ": of what? Say --output-file or --output-buffer, or --output-file=- "
        "for what the program prints");
  for (StringRef Arg : A.ForClang)
    for (StringRef Name : {"sfu=", "plan="})
      if (Arg.starts_with("--sluice-" + Name.str()))
        return createStringError("with --qos the search says how many warps; "
                                 "leave out " +
                                 Arg);
  return Error::success();
}

void sluice::printTuneHelp(raw_ostream &OS) {
  OS << "usage: sluice tune FILE.cu [clang options] [--sluice-K=V ...] "
        "[tune options] -- [program arguments]\n"
        "       sluice tune --project=FILE.toml [tune options]\n\n"
        "Builds the program, measures plans for its kernels on this machine's "
        "GPU, and writes\nthe best one, to be compiled with "
        "--sluice-plan=FILE. Results that differ from the\nuntuned program's "
        "are rejected and reported.\n\nWith --qos it searches for how many "
        "warps of a block may compute sines, roots, divisions\nand the like "
        "approximately, with results that are as good as said.\n\n";
  printOptions(OS, options());
}

/// What the project says is not said beside it.
static Expected<TuneArguments> completeForProject(TuneArguments A) {
  if (Error E = checkBesideProject(A.ForClang,
                                   !A.ForProgram.empty() || !A.Command.empty()))
    return std::move(E);
  if (!A.Output.empty() || !A.Export.empty() || !A.Import.empty() ||
      !A.Answers.empty())
    return createStringError("--output, --export, --import and --answers are "
                             "for one source, not for --project");
  if (A.How == Strategy::Fixed)
    return createStringError("--strategy=fixed is for one program, not for "
                             "--project");
  if (A.Engine.empty())
    A.Engine = "local";
  if (!A.GPUs.empty() && A.Engine != "local")
    return createStringError("--gpus names this machine's; how many of a "
                             "cluster, [[workers]] in the project says");
  if (A.GPUs.empty())
    A.GPUs = "all";
  if (A.PieceLimit == 0)
    A.PieceLimit = 600;
  return A;
}

Expected<TuneArguments> sluice::readTuneArguments(ArrayRef<const char *> Args) {
  std::vector<ToolOption> Table = options();
  auto Split = splitArguments(Args, Table);
  if (!Split)
    return Split.takeError();
  TuneArguments Result;
  Result.Help = Split->Help;
  if (Result.Help)
    return Result;
  if (any_of(Split->Settings, [](const Setting &S) { return S.Name == "qos"; }))
    Result.Quality.emplace();
  for (const Setting &S : Split->Settings)
    if (Error E = take(Result, S))
      return E;
  Result.ForClang = std::move(Split->ForClang);
  Result.ForProgram = std::move(Split->ForProgram);
  if (!Result.Project.empty() && Result.Quality)
    return createStringError("--qos is for one program, not for --project");
  if (!Result.Project.empty())
    return completeForProject(std::move(Result));
  if (!Result.Engine.empty() || !Result.GPUs.empty() || Result.PieceLimit > 0 ||
      !Result.Timeline.empty())
    return createStringError("--engine, --gpus, --piece-limit and --timeline "
                             "are for --project");
  auto Source = find_if(Result.ForClang,
                        [](StringRef Arg) { return Arg.ends_with(".cu"); });
  if (Source == Result.ForClang.end())
    return createStringError("no .cu file was given");
  Result.Source = *Source;
  if (Result.Output.empty()) {
    SmallString<128> Path(sys::path::filename(Result.Source));
    sys::path::replace_extension(Path, "tuned.yaml");
    Result.Output = std::string(Path);
  }
  if (Result.Quality)
    if (Error E = checkQuality(Result))
      return E;
  return Result;
}
