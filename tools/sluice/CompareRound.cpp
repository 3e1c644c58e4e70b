// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CompareRound.h"
#include "Arguments.h"
#include "Driver.h"
#include "NvccCompile.h"
#include "TemporaryFolder.h"
#include "Toolkit.h"
#include "TuneCompiler.h"
#include "XKernels.h"
#include "sluice/Target/AssemblerLog.h"
#include "sluice/Tuning/VariantRound.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include <future>

using namespace llvm;
using namespace sluice;

std::string sluice::nvccOf(const CompareHow &How,
                           const std::vector<std::string> &ForClang) {
  if (How.Nvcc == "off")
    return "";
  if (!How.Nvcc.empty())
    return How.Nvcc;
  const StringRef Given = findValue(ForClang, "--cuda-path=");
  return findNvcc(Given.empty() ? findToolkit() : Given.str(), /*Self=*/"");
}

static std::string versionOf(const std::string &Nvcc) {
  const std::string Said = outputOf({Nvcc, "--version"});
  const StringRef Text = StringRef(Said);
  const size_t At = Text.find("release ");
  return "nvcc " + (At == StringRef::npos
                        ? "of unknown version"
                        : Text.substr(At + 8).split(',').first.str());
}

namespace {

class RoundWriter {
public:
  RoundWriter(const ComparedProgram &Program, const CompareHow &How,
              const std::string &Folder, const std::string &Tool,
              const char *Argv0)
      : Program(Program), ForClang(Program.ForClang), How(How), Folder(Folder),
        Tool(Tool), Argv0(Argv0) {}

  Expected<size_t> write();

private:
  std::string image(StringRef Name) const {
    return (Folder + "/images/" + Name + ".cubin").str();
  }

  /// Takes a variant in, whose image is there; \p Failed: or is not.
  Error take(StringRef Name, const std::string &Compiler, Error Failed) {
    if (Failed)
      return Failed;
    const std::string Log = image(Name) + ".log";
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

  Error byNvcc(const std::string &Nvcc, const std::string &Output) const {
    NvccWords Words = nvccWords(ForClang);
    for (const std::string &Word : Words.Unknown)
      errs() << Tool << ": note: nvcc is not told " << Word
             << "; --nvcc-options=\"...\" says what it needs\n";
    SmallVector<StringRef, 8> More;
    SplitString(How.NvccOptions, More);
    for (StringRef Word : More)
      Words.Words.push_back(Word.str());
    return compileByNvcc(Nvcc, Words.Words, Output);
  }

  /// Compiles all variants, at the same time.
  Error compileAll(const std::string &ProgramFile) {
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
    const std::string Nvcc = nvccOf(How, ForClang);
    if (Nvcc.empty() && How.Nvcc != "off")
      errs() << Tool
             << ": note: there is no nvcc to compare with; install the "
                "toolkit's, or say --nvcc=PATH\n";
    auto Start = [](auto Work) {
      return std::async(std::launch::async, std::move(Work));
    };
    auto Nvccs = Start([&]() -> Error {
      return Nvcc.empty() ? Error::success() : byNvcc(Nvcc, image("nvcc"));
    });
    auto Programs = Start([&]() -> Error {
      return Program.Command.empty() ? Clang.clangsProgram(ProgramFile)
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
      All = joinErrors(std::move(All),
                       take(K.Name, By, Clang.image(K.Who, image(K.Name))));
      if (K.Who == Decides::Nobody && !Nvcc.empty())
        if (Error E = take("nvcc", versionOf(Nvcc), Nvccs.get()))
          leaveOut("nvcc", std::move(E));
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
  std::string optionOf(StringRef Name) const {
    std::vector<std::string> Words = ForClang;
    return takeSluiceOption(Words, Name);
  }

  /// What binds each kernel by its X-graph. Where that is not known, the table
  /// does without.
  void findBounds() {
    std::vector<std::string> Plain;
    for (StringRef Word : ForClang)
      if (!isForSluice(Word))
        Plain.push_back(Word.str());
    Plain.push_back("-w"); // the images' compiles have warned
    const std::string ProfileFile = optionOf("profile");
    auto Code = compileBoth(Plain, ProfileFile, RemarksWanted::No, Argv0);
    if (!Code)
      return consumeError(Code.takeError());
    std::optional<Profile> Read;
    if (!ProfileFile.empty()) {
      auto P = profileFor(Code->Sluice, sourceOf(ForClang), ProfileFile, Tool);
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

  void leaveOut(const std::string &Name, Error E) {
    std::string &Why = Round.LeftOut[Name] = toString(std::move(E));
    errs() << Tool << ": warning: " << Name << " is left out: " << Why << "\n";
  }

  const ComparedProgram &Program;
  const std::vector<std::string> &ForClang;
  const CompareHow &How;
  const std::string &Folder, &Tool;
  const char *Argv0;
  TemporaryFolder Temporary;
  VariantRound Round;
};

} // namespace

Expected<size_t> RoundWriter::write() {
  if (Error E = Temporary.create())
    return std::move(E);
  if (std::error_code EC = sys::fs::create_directories(Folder + "/images"))
    return createStringError(EC, "cannot make the folder '" + Folder +
                                     "': " + EC.message());
  Round.Source = sourceOf(ForClang).str();
  for (StringRef Word : ForClang)
    if (Word.consume_front("--cuda-gpu-arch=") ||
        Word.consume_front("--offload-arch="))
      Round.Arch = Word.str();
  RoundOptions Options;
  Options.Folder = Folder;
  Options.Rounds = How.Rounds;
  Options.Launches = How.Launches;
  Options.StopLosers = 0;
  Options.Arguments =
      Program.Command.empty() ? join(Program.ForProgram, " ") : Program.Command;
  const std::string ProgramFile = Folder + "/program";
  if (Error E = compileAll(ProgramFile))
    return std::move(E);
  findBounds();
  auto Libraries = findLibraryFolder(Argv0);
  if (!Libraries)
    return Libraries.takeError();
  Options.ReplayLibrary = *Libraries + "/SluiceReplay.so";
  if (Program.Command.empty()) {
    Options.Command = {How.IsHere ? ProgramFile : "./program"};
    append_range(Options.Command, Program.ForProgram);
  } else {
    Options.Command = {"/bin/sh", "-c", Program.Command};
  }
  SmallString<128> Here;
  if (std::error_code EC = sys::fs::current_path(Here))
    return createStringError(EC, "the current folder is not there");
  if (How.IsHere)
    Options.WorkingFolder = std::string(Here);
  if (Error E = writeVariantRound(Round, Options))
    return std::move(E);
  return Round.Variants.size();
}

Expected<size_t> sluice::writeCompareRound(const ComparedProgram &Program,
                                           const CompareHow &How,
                                           const std::string &Folder,
                                           const std::string &Tool,
                                           const char *Argv0) {
  return RoundWriter(Program, How, Folder, Tool, Argv0).write();
}

std::string sluice::whyNothingRan(const std::string &Folder,
                                  const std::string &Ended) {
  std::string Said;
  if (auto Output = MemoryBuffer::getFile(Folder + "/output.txt"))
    Said = (*Output)->getBuffer().trim().take_front(500).str();
  return "the program launched no kernel on a GPU (exit status " + Ended +
         "; it said: " + Said + ")";
}
