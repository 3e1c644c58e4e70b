// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `sluice compare`: a program's kernels by clang, nvcc and Sluice, side by
// side, measured from the same memory.

#include "Arguments.h"
#include "CompareProject.h"
#include "CompareTable.h"
#include "DeviceCompile.h"
#include "Subcommands.h"
#include "TemporaryFolder.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace llvm;
using namespace sluice;

static constexpr ToolOption Options[] = {
    {"command", "COMMAND",
     "runs the program, which was built elsewhere from the same source"},
    {"nvcc", "PATH|off", "the nvcc to compare with (default: the toolkit's)"},
    {"nvcc-options", "WORDS", "for nvcc alone, in addition"},
    {"export", "FOLDER",
     "write all that is measured, for another machine (FOLDER/run.sh)"},
    {"import", "FOLDER", "show what was measured there"},
    {"json", "FILE", "the measurements, also for sluice report --results"},
    {"rounds", "N", "measurements of each kernel's code (default: 7)"},
    {"launches", "N",
     "launches of each kernel to measure at most (default: 4)"},
    {"project", "FILE.toml",
     "compare all programs of FILE.toml, on all GPUs here or on a cluster"},
    {"engine", "local|ray|slurm",
     "whose GPUs a project is measured on (default: local)"},
    {"gpus", "all|LIST", "of this machine, such as 0,2 (default: all)"},
    {"piece-limit", "SECONDS[s]",
     "a program of a project that takes longer hangs (default: 600s)"},
    {"folder", "FOLDER",
     "what is known of a project's programs (default: FILE.compare)"},
};

namespace {

struct CompareArguments {
  CompareHow How;
  std::string Command, Export, Import, Json;
  CompareProjectArguments Project; ///< Its File empty: there is none.
  std::vector<std::string> ForClang, ForProgram;
  bool Help = false;
};

} // namespace

static Error readCount(const Setting &S, unsigned &To) {
  if (S.Value.getAsInteger(10, To) || To == 0)
    return createStringError("--" + S.Name + "=" + S.Value +
                             ": a number from 1 is expected");
  return Error::success();
}

static Error take(CompareArguments &A, const Setting &S) {
  if (S.Value.empty())
    return createStringError("--" + S.Name + "= has no value");
  if (S.Name == "rounds" || S.Name == "launches")
    return readCount(S, S.Name == "rounds" ? A.How.Rounds : A.How.Launches);
  if (S.Name == "piece-limit")
    return readSeconds(S, A.Project.Limit);
  if (S.Name == "engine")
    if (Error E = checkEngine(S))
      return E;
  const std::pair<StringRef, std::string *> Texts[] = {
      {"command", &A.Command},      {"nvcc", &A.How.Nvcc},
      {"export", &A.Export},        {"nvcc-options", &A.How.NvccOptions},
      {"import", &A.Import},        {"json", &A.Json},
      {"project", &A.Project.File}, {"engine", &A.Project.Engine},
      {"gpus", &A.Project.GPUs},    {"folder", &A.Project.Folder},
  };
  for (const auto &[Name, To] : Texts)
    if (S.Name == Name)
      *To = S.Value.str();
  return Error::success();
}

/// What stands in a project is not said beside it, nor what is for one without
/// it.
static Error checkProject(const CompareArguments &A) {
  const CompareProjectArguments &P = A.Project;
  if (P.File.empty())
    return P.Engine.empty() && P.GPUs.empty() && P.Folder.empty() && !P.Limit
               ? Error::success()
               : createStringError("--engine, --gpus, --piece-limit and "
                                   "--folder are for --project");
  if (Error E = checkBesideProject(A.ForClang,
                                   !A.ForProgram.empty() || !A.Command.empty()))
    return E;
  if (!A.Import.empty())
    return createStringError("--import needs no --project: what is in '" +
                             A.Import + "' is shown");
  if (!A.Export.empty() && !P.Folder.empty())
    return createStringError("--export names the folder; leave --folder out");
  if (!P.GPUs.empty() && !P.Engine.empty() && P.Engine != "local")
    return createStringError("--gpus names this machine's; how many of a "
                             "cluster, [[workers]] in the project says");
  return Error::success();
}

static Expected<CompareArguments> readArguments(ArrayRef<const char *> Given) {
  auto Split = splitArguments(Given, Options);
  if (!Split)
    return Split.takeError();
  CompareArguments A;
  A.Help = Split->Help;
  for (const Setting &S : Split->Settings)
    if (Error E = take(A, S))
      return std::move(E);
  A.ForClang = std::move(Split->ForClang);
  A.ForProgram = std::move(Split->ForProgram);
  if (!A.Export.empty() && !A.Import.empty())
    return createStringError("--export and --import are two steps: the machine "
                             "with the GPU is between them");
  if (Error E = checkProject(A))
    return std::move(E);
  return A;
}

//===- One program --------------------------------------------------------===//

static Error show(const CompareArguments &A, const std::string &Folder) {
  auto Results = readVariantRound(Folder);
  if (!Results)
    return Results.takeError();
  if (!Results->hasTimes())
    return createStringError(
        "'" + Folder +
        "/results.jsonl' has no launch of a kernel in it; see output.txt "
        "there");
  printComparison(outs(), *Results);
  outs().flush();
  warnOfWrongResults(errs(), *Results);
  return A.Json.empty() ? Error::success() : writeComparison(A.Json, *Results);
}

static Error measure(const CompareArguments &A, const std::string &Folder) {
  errs() << "sluice compare: running the program\n";
  const int Status = runRound(Folder);
  if (!sys::fs::exists(Folder + "/results.jsonl"))
    return createStringError(
        whyNothingRan(Folder, std::to_string(Status)) +
        ". Without a GPU here, use --export=FOLDER and measure on another "
        "machine.");
  if (Status != 0)
    if (auto Output = MemoryBuffer::getFile(Folder + "/output.txt"))
      errs() << "sluice compare: warning: the program ended with status "
             << Status << ": " << (*Output)->getBuffer().trim().take_back(500)
             << "\n";
  return show(A, Folder);
}

static Error compareOne(const CompareArguments &A, const char *Argv0) {
  TemporaryFolder Temporary;
  if (Error E = Temporary.create())
    return E;
  auto ForClang = deviceOptions(A.ForClang, "sluice compare");
  if (!ForClang)
    return ForClang.takeError();
  const ComparedProgram Program{std::move(*ForClang), A.ForProgram, A.Command};
  CompareHow How = A.How;
  How.IsHere = A.Export.empty();
  const std::string Folder = How.IsHere ? Temporary.file("round") : A.Export;
  if (sys::fs::exists(Folder + "/variants.json"))
    return createStringError("'" + Folder +
                             "' holds a comparison already; name another "
                             "folder, or remove it");
  errs() << "sluice compare: compiling\n";
  auto Count = writeCompareRound(Program, How, Folder, "sluice compare", Argv0);
  if (!Count)
    return Count.takeError();
  if (How.IsHere)
    return measure(A, Folder);
  outs() << *Count << " variants in " << Folder << ": run " << Folder
         << "/run.sh on the machine with the GPU, then sluice compare "
            "with --import="
         << Folder << "\n";
  return Error::success();
}

static Expected<bool> run(const CompareArguments &A, const char *Argv0) {
  if (!A.Import.empty() && isComparedList(A.Import))
    return showComparedList(A.Import, A.Json);
  CompareProjectArguments Project = A.Project;
  Project.How = A.How;
  Project.Export = A.Export;
  Project.Json = A.Json;
  if (!Project.File.empty())
    return compareProject(std::move(Project), Argv0);
  if (Error E = A.Import.empty() ? compareOne(A, Argv0) : show(A, A.Import))
    return std::move(E);
  return true;
}

int sluice::compareMain(int argc, char **argv) {
  bool IsWhole = true;
  const int Status = runSubcommand(
      argc, argv, "compare",
      "FILE.cu [clang options] [--sluice-K=V ...] [compare options] -- "
      "[program arguments]\n"
      "       sluice compare --project=FILE.toml [compare options]\n\n"
      "Times each kernel of a program as clang, nvcc and Sluice compile it, on "
      "this\nmachine's GPU, from the same memory and in turns, and compares "
      "what they write.\nWith --sluice-profile=FILE and --sluice-plan=FILE "
      "also as Sluice makes it with those.",
      Options, readArguments,
      [&](const CompareArguments &A, const char *Argv0) -> Error {
        auto Whole = run(A, Argv0);
        if (!Whole)
          return Whole.takeError();
        IsWhole = *Whole;
        return Error::success();
      });
  return Status ? Status : !IsWhole;
}
