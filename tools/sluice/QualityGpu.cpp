// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One program for all numbers of warps: the replay library gives it the kernels
// of another image, repeats some launches to time them, and puts memory as a
// single launch would have left it.

#include "QualityGpu.h"
#include "Driver.h"
#include "TuneCompiler.h"
#include "sluice/Tuning/KernelTimes.h"
#include "sluice/Tuning/ReplayRound.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"
#include <map>
#include <set>
#include <unistd.h>

using namespace llvm;
using namespace sluice;

namespace {

using Words = std::vector<std::string>;

/// The folder: what is built and written in it.
class RunFolder {
public:
  RunFolder(const MachineRequest &Request, std::string Path)
      : Request(Request), Path(std::move(Path)) {}

  std::string file(const Twine &Name) const {
    return (Path + "/" + Name).str();
  }
  std::string run(const Twine &Name) const { return file("runs/" + Name); }

  /// The program and the replay library.
  Error writeProgram() const;
  /// The kernels with so many approximate warps, once.
  Error writeImage(unsigned Lambda);
  Error writeJob(const Twine &Name, unsigned Lambda) const;
  /// The buffers that the run left which are outputs.
  Expected<std::vector<emulator::BufferContents>>
  readBuffers(const Twine &Name) const;
  /// What the runs depend on.
  std::string arguments() const;

private:
  Error makeFolder(const std::string &Folder) const;
  TuneArguments with(unsigned Lambda) const;
  Expected<std::string> dumps() const;

  const MachineRequest &Request;
  const std::string Path;
  std::set<unsigned> Images;
};

class GpuMachine : public QualityMachine {
public:
  explicit GpuMachine(const MachineRequest &Request) : Request(Request) {}
  std::string timesAre() const override { return "measured on " + GPU; }
  bool isMeasured() const override { return true; }

protected:
  /// Times and blocks of the run that left \p Folder.
  Error readTimes(const std::string &Folder, MachineRun &Result);

  const MachineRequest Request;

private:
  std::string GPU = "a GPU";
};

class LocalGpu final : public GpuMachine {
public:
  explicit LocalGpu(const MachineRequest &Request)
      : GpuMachine(Request), Folder(this->Request, Request.File("gpu")) {}
  Error start() {
    if (Error E = Folder.writeProgram())
      return E;
    return Folder.writeImage(0);
  }
  Expected<MachineRun> run(unsigned Lambda, const Words &ForProgram) override;

private:
  RunFolder Folder;
  unsigned Runs = 0;
};

class ImportedRuns final : public GpuMachine {
public:
  explicit ImportedRuns(const MachineRequest &Request)
      : GpuMachine(Request), Folder(this->Request, Request.Arguments.Import) {}
  Error start() const;
  Expected<MachineRun> run(unsigned Lambda, const Words &ForProgram) override;

private:
  RunFolder Folder;
  bool WasExact = false; ///< The run 0.0 was asked for.
};

} // namespace

//===- The folder ---------------------------------------------------------===//

Error RunFolder::makeFolder(const std::string &Folder) const {
  if (std::error_code EC = sys::fs::create_directories(Folder))
    return createStringError(EC, "cannot make the folder '" + Folder +
                                     "': " + EC.message());
  return Error::success();
}

TuneArguments RunFolder::with(unsigned Lambda) const {
  TuneArguments Result = Request.Arguments;
  Result.ForClang.push_back("--sluice-sfu=" + std::to_string(Lambda));
  return Result;
}

Error RunFolder::writeProgram() const {
  if (Error E = makeFolder(file("images")))
    return E;
  auto Libraries = findLibraryFolder(Request.Argv0);
  if (!Libraries)
    return Libraries.takeError();
  if (std::error_code EC = sys::fs::copy_file(*Libraries + "/SluiceReplay.so",
                                              file("SluiceReplay.so")))
    return createStringError(EC, "cannot copy SluiceReplay.so to '" + Path +
                                     "': " + EC.message());
  const TuneArguments Exact = with(0);
  return TuneCompiler(Exact.ForClang, Request.Argv0,
                      Request.File("compile.log"))
      .programAsSaid(file("program"));
}

Error RunFolder::writeImage(unsigned Lambda) {
  if (!Images.insert(Lambda).second)
    return Error::success();
  const TuneArguments Some = with(Lambda);
  return TuneCompiler(Some.ForClang, Request.Argv0, Request.File("compile.log"))
      .imageAsSaid(file("images/" + Twine(Lambda) + ".cubin"));
}

static Error writeText(const std::string &Path, StringRef Text) {
  return writeToOutput(Path, [&](raw_ostream &OS) {
    OS << Text;
    return Error::success();
  });
}

Error RunFolder::writeJob(const Twine &Name, unsigned Lambda) const {
  if (Error E = makeFolder(run(Name)))
    return E;
  auto Dumps = dumps();
  if (!Dumps)
    return Dumps.takeError();
  return writeText(
      run(Name) + "/job",
      timingJob("../../images/" + std::to_string(Lambda) + ".cubin",
                Request.Arguments.Rounds, Request.Arguments.Launches) +
          *Dumps);
}

/// The replay library is told which buffers are outputs. Names of arguments are
/// in no cubin.
Expected<std::string> RunFolder::dumps() const {
  std::string Text;
  auto Kernels = hashKernels(file("images/0.cubin"));
  if (!Kernels)
    return Kernels.takeError();
  for (const auto &[Number, Output] :
       enumerate(Request.Arguments.Quality->Outputs)) {
    if (Output.Of != NamedOutput::Buffer)
      continue;
    unsigned Argument;
    if (StringRef(Output.Argument).getAsInteger(10, Argument))
      return createStringError("--output-buffer=" + Output.Text +
                               ": on a GPU say the argument's number, from 0");
    const size_t Before = Text.size();
    for (const auto &Kernel : *Kernels)
      if (isNameOf(Output.Kernel, Kernel.first()))
        Text += "dump " + Kernel.first().str() + " " + Output.Argument +
                " buffer-" + std::to_string(Number) + "\n";
    if (Text.size() == Before)
      return createStringError("--output-buffer=" + Output.Text + ": '" +
                               Request.Arguments.Source +
                               "' has no kernel of that name");
  }
  return Text;
}

/// As if the emulator had dumped them.
Expected<std::vector<emulator::BufferContents>>
RunFolder::readBuffers(const Twine &Name) const {
  std::vector<emulator::BufferContents> Buffers;
  auto Kernels = hashKernels(file("images/0.cubin"));
  if (!Kernels)
    return Kernels.takeError();
  for (const auto &[Number, Output] :
       enumerate(Request.Arguments.Quality->Outputs)) {
    if (Output.Of != NamedOutput::Buffer)
      continue;
    emulator::BufferUse Use;
    for (const auto &Kernel : *Kernels)
      if (isNameOf(Output.Kernel, Kernel.first()))
        Use.Kernel = Kernel.first().str();
    StringRef(Output.Argument).getAsInteger(10, Use.Index);
    Use.MayWrite = true;
    const std::string Stem = run(Name) + "/buffer-" + std::to_string(Number);
    for (unsigned Part = 0;; ++Part) {
      auto Bytes = MemoryBuffer::getFile(Stem + "." + Twine(Part),
                                         /*IsText=*/false,
                                         /*RequiresNullTerminator=*/false);
      if (!Bytes)
        break;
      const StringRef Contents = (*Bytes)->getBuffer();
      Buffers.push_back(
          {"", false, {Contents.bytes_begin(), Contents.bytes_end()}, {Use}});
    }
  }
  return Buffers;
}

std::string RunFolder::arguments() const {
  const TuneArguments &A = Request.Arguments;
  std::string Text = TuneCompiler(A.ForClang, Request.Argv0, "").describe() +
                     "\n" + join(A.ForProgram, " ") + "\n";
  for (const Words &Input : A.Quality->HeldBack)
    Text += join(Input, " ") + "\n";
  return Text;
}

//===- Times --------------------------------------------------------------===//

Error GpuMachine::readTimes(const std::string &Folder, MachineRun &Result) {
  auto Text = MemoryBuffer::getFile(Folder + "/results.jsonl");
  const KernelTimes Times =
      parseKernelTimes(Text ? (*Text)->getBuffer() : StringRef());
  if (Times.GPU.empty())
    return createStringError(
        "the program launched no kernel on a GPU (it ended with " +
        Twine(Result.Status) +
        "). Without a GPU here, use --emulate, or --export=FOLDER and run it "
        "on another machine");
  GPU = Times.GPU;
  Result.Ms = Times.totalMs();
  const bool IsBySlot =
      is_contained(Request.Arguments.ForClang, "--sluice-sfu-index=slot");
  for (const auto &Kernel : Times.Kernels) {
    if (!Request.Concerned.contains(Kernel.first()))
      continue;
    const unsigned Threads = Kernel.second.MostThreads;
    const unsigned Warps = IsBySlot       ? 64
                           : Threads == 0 ? 32
                                          : unsigned(divideCeil(Threads, 32));
    Result.MostWarps = std::max(Result.MostWarps, Warps);
  }
  return Error::success();
}

//===- This machine's GPU -------------------------------------------------===//

/// The environment, with the replay library and its job.
static std::vector<std::string> environmentFor(const RunFolder &Folder,
                                               const std::string &Run) {
  std::vector<std::string> Result;
  for (char **Entry = environ; *Entry; ++Entry)
    if (!StringRef(*Entry).starts_with("LD_PRELOAD="))
      Result.push_back(*Entry);
  Result.push_back("LD_PRELOAD=" + Folder.file("SluiceReplay.so"));
  Result.push_back("SLUICE_REPLAY=" + Run + "/job");
  return Result;
}

Expected<MachineRun> LocalGpu::run(unsigned Lambda, const Words &ForProgram) {
  if (Error E = Folder.writeImage(Lambda))
    return std::move(E);
  const std::string Name =
      std::to_string(Lambda) + "." + std::to_string(++Runs);
  if (Error E = Folder.writeJob(Name, Lambda))
    return std::move(E);
  MachineRun Result;
  Result.PrintedInto = Folder.run(Name) + "/stdout";
  const std::string Program = Folder.file("program");
  SmallVector<StringRef, 8> Args = {Program};
  Args.append(ForProgram.begin(), ForProgram.end());
  const auto Environment = environmentFor(Folder, Folder.run(Name));
  const SmallVector<StringRef, 64> Entries(Environment.begin(),
                                           Environment.end());
  std::string Problem;
  Result.Status = sys::ExecuteAndWait(
      Program, Args, ArrayRef<StringRef>(Entries),
      {std::nullopt, StringRef(Result.PrintedInto), std::nullopt}, 0, 0,
      &Problem);
  if (Result.Status != 0)
    Result.Problem = "it ended with " + std::to_string(Result.Status) +
                     (Problem.empty() ? "" : ", " + Problem);
  if (Error E = readTimes(Folder.run(Name), Result))
    return std::move(E);
  auto Buffers = Folder.readBuffers(Name);
  if (!Buffers)
    return Buffers.takeError();
  Result.Buffers = std::move(*Buffers);
  return Result;
}

//===- Another machine's --------------------------------------------------===//

Error ImportedRuns::start() const {
  const std::string File = Folder.file("arguments");
  auto Said = MemoryBuffer::getFile(File);
  if (!Said)
    return createStringError("'" + File + "' cannot be read: is '" +
                             Request.Arguments.Import +
                             "' a folder that --export with --qos wrote?");
  if ((*Said)->getBuffer() != Folder.arguments())
    return createStringError(
        "'" + Request.Arguments.Import +
        "' was written with other arguments of the compiler, of the program "
        "or of --held-back: say the same");
  return Error::success();
}

Expected<MachineRun> ImportedRuns::run(unsigned Lambda,
                                       const Words &ForProgram) {
  const TuneArguments &A = Request.Arguments;
  size_t Input = 0;
  if (ForProgram != A.ForProgram)
    Input = 1 + (find(A.Quality->HeldBack, ForProgram) -
                 A.Quality->HeldBack.begin());
  std::string Name = std::to_string(Lambda) + "." + std::to_string(Input);
  if (Name == "0.0") {
    Name += WasExact ? ".again" : "";
    WasExact = true;
  }
  MachineRun Result;
  Result.Folder = Folder.run(Name);
  Result.PrintedInto = Result.Folder + "/stdout";
  auto Status = MemoryBuffer::getFile(Result.Folder + "/status");
  if (!Status || (*Status)->getBuffer().trim().getAsInteger(10, Result.Status))
    return createStringError(
        "'" + Result.Folder + "/status' cannot be read: run '" +
        Folder.file("run.sh") + "' on the machine with the GPU first");
  if (Result.Status != 0)
    Result.Problem = "it ended with " + std::to_string(Result.Status);
  if (Error E = readTimes(Result.Folder, Result))
    return std::move(E);
  auto Buffers = Folder.readBuffers(Name);
  if (!Buffers)
    return Buffers.takeError();
  Result.Buffers = std::move(*Buffers);
  return Result;
}

//===- Export -------------------------------------------------------------===//

static Error checkOutputs(const QualityArguments &Quality) {
  for (const NamedOutput &Output : Quality.Outputs)
    if (Output.Of == NamedOutput::Variable)
      return createStringError(
          "--output-buffer=" + Output.Text +
          ": a variable is for the emulator: say --emulate, or judge by a "
          "kernel's buffer or by --output-file");
  return Error::success();
}

static std::string quoted(StringRef Word) {
  std::string Text = "'";
  for (char C : Word)
    Text += C == '\'' ? std::string("'\\''") : std::string(1, C);
  return Text + "'";
}

static std::string callOf(const Twine &Name, const Words &Input) {
  std::string Text = ("run " + Name).str();
  for (const std::string &Word : Input)
    Text += " " + quoted(Word);
  return Text + "\n";
}

static constexpr StringLiteral Runner =
    "#!/bin/sh\n"
    "# Runs the program with each number of approximate warps; runs/ is what\n"
    "# comes out. Files that it reads belong into input/.\n"
    "here=$(cd \"$(dirname \"$0\")\" && pwd)\n"
    "run() {\n"
    "  cd \"$here/runs/$1\" || exit 2\n"
    "  rm -f results.jsonl\n"
    "  [ -d \"$here/input\" ] && cp -R \"$here/input/.\" .\n"
    "  shift\n"
    "  SLUICE_REPLAY=\"$PWD/job\" LD_PRELOAD=\"$here/SluiceReplay.so\" \\\n"
    "    \"$here/program\" \"$@\" > stdout\n"
    "  echo $? > status\n"
    "}\n";

/// The most warps that lambda can tell apart, as far as launches are known
/// without a run.
static Expected<unsigned> mostWarps(const MachineRequest &Request) {
  if (is_contained(Request.Arguments.ForClang, "--sluice-sfu-index=slot"))
    return 64;
  const std::string Log = Request.File("compile.log");
  auto P = TuneCompiler(Request.Arguments.ForClang, Request.Argv0, Log)
               .staticPlan(Request.File("static.yaml"));
  if (!P)
    return P.takeError();
  uint64_t Most = 0;
  for (const KernelPlan &Kernel : P->Kernels) {
    if (!Request.Concerned.contains(Kernel.Name))
      continue;
    if (Kernel.Launches.empty())
      return 32;
    for (const LaunchPlan &Launch : Kernel.Launches)
      Most =
          std::max(Most, divideCeil(Launch.Block.total().value_or(1024), 32));
  }
  return unsigned(Most);
}

Error sluice::exportRuns(const MachineRequest &Request) {
  const TuneArguments &A = Request.Arguments;
  RunFolder Folder(Request, A.Export);
  if (sys::fs::exists(Folder.file("run.sh")))
    return createStringError("'" + A.Export +
                             "' has runs in it already; name another folder");
  if (Error E = checkOutputs(*A.Quality))
    return E;
  auto Most = mostWarps(Request);
  if (!Most)
    return Most.takeError();
  if (Error E = Folder.writeProgram())
    return E;
  std::vector<Words> Inputs = {A.ForProgram};
  append_range(Inputs, A.Quality->HeldBack);
  std::string Script = Runner.str();
  auto Add = [&](const Twine &Name, unsigned Lambda, const Words &Input) {
    Script += callOf(Name, Input);
    return Folder.writeJob(Name, Lambda);
  };
  for (unsigned Lambda = 0; Lambda <= *Most; ++Lambda) {
    if (Error E = Folder.writeImage(Lambda))
      return E;
    for (const auto &[Number, Input] : enumerate(Inputs))
      if (Error E = Add(Twine(Lambda) + "." + Twine(Number), Lambda, Input))
        return E;
  }
  if (Error E = Add("0.0.again", 0, A.ForProgram))
    return E;
  if (Error E = writeText(Folder.file("arguments"), Folder.arguments()))
    return E;
  if (Error E = writeText(Folder.file("run.sh"), Script))
    return E;
  outs() << "runs with 0 to " << *Most << " approximate warps are in "
         << A.Export << ": run " << A.Export
         << "/run.sh on the machine with the GPU, then sluice tune with "
            "--import="
         << A.Export << "\n";
  return Error::success();
}

//===- Machines -----------------------------------------------------------===//

template <typename T>
static Expected<std::unique_ptr<QualityMachine>>
started(const MachineRequest &Request) {
  if (Error E = checkOutputs(*Request.Arguments.Quality))
    return std::move(E);
  auto Machine = std::make_unique<T>(Request);
  if (Error E = Machine->start())
    return std::move(E);
  return Machine;
}

Expected<std::unique_ptr<QualityMachine>>
sluice::localGpuMachine(const MachineRequest &Request) {
  return started<LocalGpu>(Request);
}

Expected<std::unique_ptr<QualityMachine>>
sluice::importedMachine(const MachineRequest &Request) {
  return started<ImportedRuns>(Request);
}
