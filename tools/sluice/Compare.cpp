// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `sluice compare`: a program's kernels by clang, nvcc and Sluice, side by
// side, measured from the same memory.

#include "Arguments.h"
#include "CompareTable.h"
#include "Driver.h"
#include "NvccCompile.h"
#include "Subcommands.h"
#include "TemporaryFolder.h"
#include "Toolkit.h"
#include "TuneCompiler.h"
#include "XKernels.h"
#include "sluice/Target/AssemblerLog.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Process.h"
#include <future>

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
};

namespace {

struct CompareArguments {
  std::string Command, Nvcc, NvccOptions, Export, Import, Json;
  unsigned Rounds = 7, Launches = 4;
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

static Expected<CompareArguments> readArguments(ArrayRef<const char *> Given) {
  auto Split = splitArguments(Given, Options);
  if (!Split)
    return Split.takeError();
  CompareArguments A;
  A.Help = Split->Help;
  for (const Setting &S : Split->Settings) {
    if (S.Value.empty())
      return createStringError("--" + S.Name + "= has no value");
    if (S.Name == "rounds" || S.Name == "launches") {
      if (Error E = readCount(S, S.Name == "rounds" ? A.Rounds : A.Launches))
        return std::move(E);
      continue;
    }
    (S.Name == "command"        ? A.Command
     : S.Name == "nvcc"         ? A.Nvcc
     : S.Name == "nvcc-options" ? A.NvccOptions
     : S.Name == "export"       ? A.Export
     : S.Name == "import"       ? A.Import
                                : A.Json) = S.Value.str();
  }
  A.ForClang = std::move(Split->ForClang);
  A.ForProgram = std::move(Split->ForProgram);
  if (!A.Export.empty() && !A.Import.empty())
    return createStringError("--export and --import are two steps: the machine "
                             "with the GPU is between them");
  return A;
}

namespace {

/// `sluice compare`, step by step.
class CompareCommand {
public:
  CompareCommand(const CompareArguments &A, const char *Argv0)
      : A(A), Argv0(Argv0) {}

  Error run() {
    if (!A.Import.empty())
      return show(A.Import);
    if (Error E = Temporary.create())
      return E;
    auto Words = deviceOptions(A.ForClang, "sluice compare");
    if (!Words)
      return Words.takeError();
    ForClang = std::move(*Words);
    const bool IsHere = A.Export.empty();
    const std::string Folder = IsHere ? Temporary.file("round") : A.Export;
    if (sys::fs::exists(Folder + "/variants.json"))
      return createStringError("'" + Folder +
                               "' holds a comparison already; name another "
                               "folder, or remove it");
    if (std::error_code EC = sys::fs::create_directories(Folder + "/images"))
      return createStringError(EC, "cannot make the folder '" + Folder +
                                       "': " + EC.message());
    if (Error E = write(Folder))
      return E;
    if (!IsHere) {
      outs() << Round.Variants.size() << " variants in " << Folder << ": run "
             << Folder
             << "/run.sh on the machine with the GPU, then sluice compare "
                "with --import="
             << Folder << "\n";
      return Error::success();
    }
    return measure(Folder);
  }

private:
  //===--- Compiles ---===//

  std::string image(StringRef Folder, StringRef Name) const {
    return (Folder + "/images/" + Name + ".cubin").str();
  }

  /// Takes a variant in, whose image is there; \p Failed: or is not.
  Error take(StringRef Folder, StringRef Name, const std::string &Compiler,
             Error Failed) {
    if (Failed)
      return Failed;
    const std::string Log = image(Folder, Name) + ".log";
    auto Said = MemoryBuffer::getFile(Log);
    if (!Said)
      return createStringError(Said.getError(), "cannot read '" + Log + "'");
    auto Kernels = readAssemblerLog((*Said)->getBuffer(), "", Name);
    if (!Kernels)
      return Kernels.takeError();
    sys::fs::remove(Log);
    Round.Variants.push_back({Name.str(), Compiler, std::move(*Kernels)});
    return Error::success();
  }

  /// The nvcc to take; empty: none, and why is said.
  std::string findTheNvcc() const {
    if (A.Nvcc == "off")
      return "";
    if (!A.Nvcc.empty())
      return A.Nvcc;
    StringRef Given = findValue(ForClang, "--cuda-path=");
    std::string Found =
        findNvcc(Given.empty() ? findToolkit() : Given.str(), /*Self=*/"");
    if (Found.empty())
      errs() << "sluice compare: note: there is no nvcc to compare with; "
                "install the toolkit's, or say --nvcc=PATH\n";
    return Found;
  }

  static std::string versionOf(const std::string &Nvcc) {
    const std::string Said = outputOf({Nvcc, "--version"});
    const StringRef Text = StringRef(Said);
    const size_t At = Text.find("release ");
    return "nvcc " + (At == StringRef::npos
                          ? "of unknown version"
                          : Text.substr(At + 8).split(',').first.str());
  }

  Error byNvcc(const std::string &Nvcc, const std::string &Output) const {
    NvccWords Words = nvccWords(ForClang);
    for (const std::string &Word : Words.Unknown)
      errs() << "sluice compare: note: nvcc is not told " << Word
             << "; --nvcc-options=\"...\" says what it needs\n";
    SmallVector<StringRef, 8> More;
    SplitString(A.NvccOptions, More);
    for (StringRef Word : More)
      Words.Words.push_back(Word.str());
    return compileByNvcc(Nvcc, Words.Words, Output);
  }

  /// Compiles all variants, at the same time.
  Error compileAll(const std::string &Folder, const std::string &Program) {
    using Decides = TuneCompiler::Decides;
    TuneCompiler Clang(ForClang, Argv0, Temporary.file("program.log"));
    struct Kind {
      const char *Name;
      Decides Who;
      bool IsWanted;
    } const Kinds[] = {
        {"clang", Decides::Nobody, true},
        {"sluice", Decides::Planner, true},
        {"profiled", Decides::Profile, !optionOf("profile").empty()},
        {"planned", Decides::Plan, !optionOf("plan").empty()},
    };
    const std::string Nvcc = findTheNvcc();
    auto Start = [](auto Work) {
      return std::async(std::launch::async, std::move(Work));
    };
    auto Nvccs = Start([&]() -> Error {
      return Nvcc.empty() ? Error::success()
                          : byNvcc(Nvcc, image(Folder, "nvcc"));
    });
    auto Programs = Start([&]() -> Error {
      return A.Command.empty() ? Clang.clangsProgram(Program)
                               : Error::success();
    });
    Error All = Error::success();
    for (const Kind &K : Kinds) {
      if (!K.IsWanted || All)
        continue;
      const std::string By = K.Who == Decides::Nobody
                                 ? "clang " LLVM_VERSION_STRING
                                 : "Sluice " SLUICE_VERSION
                                   ", clang " LLVM_VERSION_STRING;
      All = joinErrors(
          std::move(All),
          take(Folder, K.Name, By, Clang.image(K.Who, image(Folder, K.Name))));
      if (K.Who == Decides::Nobody && !Nvcc.empty())
        if (Error E = take(Folder, "nvcc", versionOf(Nvcc), Nvccs.get()))
          errs() << "sluice compare: warning: nvcc is left out: "
                 << toString(std::move(E)) << "\n";
    }
    if (Nvccs.valid())
      consumeError(Nvccs.get());
    Error Built = Programs.get();
    if (!All)
      return Built;
    consumeError(std::move(Built)); // it says the same
    return All;
  }

  /// What the user's --sluice-NAME= says.
  StringRef optionOf(StringRef Name) const {
    StringRef Value = findValue(ForClang, ("--sluice-" + Name + "=").str());
    return !Value.empty()
               ? Value
               : findValue(ForClang,
                           ("-fplugin-arg-sluice-" + Name + "=").str());
  }

  /// What binds each kernel by its X-graph. Where that is not known, the table
  /// does without.
  void findBounds() {
    std::vector<std::string> Plain;
    for (StringRef Word : ForClang)
      if (!isForSluice(Word))
        Plain.push_back(Word.str());
    Plain.push_back("-w"); // the images' compiles have warned
    const StringRef ProfileFile = optionOf("profile");
    auto Code = compileBoth(Plain, ProfileFile, RemarksWanted::No, Argv0);
    if (!Code)
      return consumeError(Code.takeError());
    std::optional<Profile> Read;
    if (!ProfileFile.empty()) {
      auto P = profileFor(Code->Sluice, sourceOf(ForClang), ProfileFile,
                          "sluice compare");
      if (P)
        Read = std::move(*P);
      else
        consumeError(P.takeError());
    }
    auto All = xKernels(*Code, Read ? &*Read : nullptr, "");
    if (!All)
      return consumeError(All.takeError());
    for (const XKernel &K : All->Kernels)
      Round.Bounds[K.X.Name] = nameOfBound(boundAt(K.X.Model, K.Settled)).str();
  }

  //===--- Measures ---===//

  Error write(const std::string &Folder) {
    errs() << "sluice compare: compiling\n";
    Round.Source = sourceOf(ForClang).str();
    for (StringRef Word : ForClang)
      if (Word.consume_front("--cuda-gpu-arch=") ||
          Word.consume_front("--offload-arch="))
        Round.Arch = Word.str();
    const bool IsHere = A.Export.empty();
    RoundOptions How;
    How.Folder = Folder;
    How.Rounds = A.Rounds;
    How.Launches = A.Launches;
    How.StopLosers = 0;
    How.Arguments = A.Command.empty() ? join(A.ForProgram, " ") : A.Command;
    const std::string Program = Folder + "/program";
    if (Error E = compileAll(Folder, Program))
      return E;
    findBounds();
    auto Libraries = findLibraryFolder(Argv0);
    if (!Libraries)
      return Libraries.takeError();
    How.ReplayLibrary = *Libraries + "/SluiceReplay.so";
    if (A.Command.empty()) {
      How.Command = {IsHere ? Program : "./program"};
      append_range(How.Command, A.ForProgram);
    } else {
      How.Command = {"/bin/sh", "-c", A.Command};
    }
    SmallString<128> Here;
    if (std::error_code EC = sys::fs::current_path(Here))
      return createStringError(EC, "the current folder is not there");
    if (IsHere)
      How.WorkingFolder = std::string(Here);
    return writeVariantRound(Round, How);
  }

  Error measure(const std::string &Folder) {
    errs() << "sluice compare: running the program\n";
    const int Status = runRound(Folder);
    std::string Said;
    if (auto Output = MemoryBuffer::getFile(Folder + "/output.txt"))
      Said = (*Output)->getBuffer().trim().str();
    if (!sys::fs::exists(Folder + "/results.jsonl"))
      return createStringError(
          "the program launched no kernel on a GPU (exit status " +
          Twine(Status) + "; it said: " + Twine(Said.substr(0, 500)) +
          "). Without a GPU here, use --export=FOLDER and measure on another "
          "machine.");
    if (Status != 0)
      errs() << "sluice compare: warning: the program ended with status "
             << Status << ": " << StringRef(Said).take_back(500) << "\n";
    return show(Folder);
  }

  Error show(const std::string &Folder) const {
    auto Results = readVariantRound(Folder);
    if (!Results)
      return Results.takeError();
    if (none_of(Results->Kernels,
                [](const auto &K) { return !K.second.At.empty(); }))
      return createStringError(
          "'" + Folder +
          "/results.jsonl' has no launch of a kernel in it; see output.txt "
          "there");
    printComparison(outs(), *Results);
    outs().flush();
    warnOfWrongResults(errs(), *Results);
    return A.Json.empty() ? Error::success()
                          : writeComparison(A.Json, *Results);
  }

  const CompareArguments &A;
  const char *Argv0;
  std::vector<std::string> ForClang;
  TemporaryFolder Temporary;
  VariantRound Round;
};

} // namespace

static Error run(const CompareArguments &A, const char *Argv0) {
  return CompareCommand(A, Argv0).run();
}

int sluice::compareMain(int argc, char **argv) {
  return runSubcommand(
      argc, argv, "compare",
      "FILE.cu [clang options] [--sluice-K=V ...] [compare options] -- "
      "[program arguments]\n\n"
      "Times each kernel of a program as clang, nvcc and Sluice compile it, on "
      "this\nmachine's GPU, from the same memory and in turns, and compares "
      "what they write.\nWith --sluice-profile=FILE and --sluice-plan=FILE "
      "also as Sluice makes it with those.",
      Options, readArguments, run);
}
